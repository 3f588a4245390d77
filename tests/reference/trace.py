"""Where each I/O went: fio's own write_iolog, strace's decoding of the system calls, and the kernel's block tracepoints.

Every reader gives a list of Access, in the order of issue as far as its source shows one.
"""
import collections
import contextlib
import os
import re
import subprocess
import tempfile
import time

import compare
from straced import whole_calls

Access = collections.namedtuple("Access", "op file offset length")  # op: read, write, trim; file: base name

CALLS = "pread64,pwrite64,preadv,pwritev,preadv2,pwritev2,io_submit,fsync,fdatasync,sync_file_range"
_VECTOR = re.compile(r"p(read|write)v2?\(\d+<([^>]*)>, \[(.*)\], \d+, (\d+)(?:, \d+|, [A-Z_|0-9]+)?\)\s+= (\d+)")
_PLAIN = re.compile(r"p(read|write)64\(\d+<([^>]*)>, .*, (\d+), (\d+)\)\s+= (\d+)")
_IOCB = re.compile(r"aio_lio_opcode=IOCB_CMD_P(READ|WRITE)V?, aio_fildes=\d+<([^>]*)>,(.*?)aio_offset=(\d+)")
_SYNC = re.compile(r"(fsync|fdatasync)\(\d+<([^>]*)>\)")


def iolog(path):
    """fio's write_iolog, versions 2 and 3."""
    out = []
    with open(path) as f:
        for line in f:
            words = line.split()
            if len(words) >= 4 and words[-3] in ("read", "write", "trim"):
                out.append(Access(words[-3], os.path.basename(words[-4]), int(words[-2]), int(words[-1])))
    return out


def strace_text(text, folder):
    """The accesses to files under folder, and how often each sync call was made on one of them."""
    accesses, syncs = [], collections.Counter()

    def add(op, path, offset, length):
        if path.startswith(folder):
            accesses.append(Access(op, os.path.basename(path), int(offset), int(length)))

    for call in whole_calls(text):
        if m := _PLAIN.match(call):
            add(m[1], m[2], m[4], m[3])
        elif m := _VECTOR.match(call):
            add(m[1], m[2], m[4], sum(int(n) for n in re.findall(r"iov_len=(\d+)", m[3])))
        elif call.startswith("io_submit("):
            accepted = int(call.rsplit("=", 1)[1].split()[0])
            for m in list(_IOCB.finditer(call))[:max(accepted, 0)]:
                add(m[1].lower(), m[2], m[4], sum(int(n) for n in re.findall(r"(?:aio_nbytes|iov_len)=(\d+)", m[3])))
        elif (m := _SYNC.match(call)) and m[2].startswith(folder):
            syncs[m[1]] += 1
    return accesses, syncs


def strace(argv, cwd):
    """Runs argv under strace; (outcome, accesses, number of each sync call). The trace is kept beside cwd, not in it."""
    log = os.path.join(os.path.dirname(cwd), "strace.log")
    wrapped = ["strace", "-f", "-y", "-v", "--seccomp-bpf", "-qq", "-s", "0", "-e", "signal=none", "-e", f"trace={CALLS}", "-o", log, *argv]
    outcome = compare.execute(wrapped, cwd)
    with open(log, errors="replace") as f:
        return (outcome, *strace_text(f.read(), cwd + os.sep))


@contextlib.contextmanager
def _tracefs():
    for where in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing"):
        if os.path.isdir(os.path.join(where, "instances")):
            yield where
            return
    where = tempfile.mkdtemp(prefix="fathom-trace.")
    try:
        if subprocess.run(["mount", "-t", "tracefs", "tracefs", where], capture_output=True).returncode != 0:
            compare.skip("tracefs cannot be mounted here")
        try:
            yield where
        finally:
            subprocess.run(["umount", where], check=True)
    finally:
        os.rmdir(where)


class BlockTrace:
    """An instance of the kernel's tracer of its own, with block_bio_queue on: one line a bio, before anything is merged."""

    def __init__(self, root):
        self.path = os.path.join(root, "instances", f"fathom-{os.getpid()}")
        os.mkdir(self.path)
        self._write("buffer_size_kb", "4096")
        self._write("trace_clock", "mono")  # the default clock differs between CPUs, and with it the order
        self._write("events/block/block_bio_queue/enable", "1")

    def _write(self, name, text):
        with open(os.path.join(self.path, name), "w") as f:
            f.write(text)

    def start(self):
        self._write("trace", "")

    def accesses(self, device):
        return [access for _, access in self.queued(device)]

    def queued(self, device):
        """[(time in seconds of CLOCK_MONOTONIC, Access)] of what was queued on the device since start(); reads, writes and discards of whole sectors."""
        number = os.stat(device).st_rdev
        want = f"{os.major(number)},{os.minor(number)}"
        ops = {"R": "read", "W": "write", "D": "trim"}
        line = re.compile(r"([\d.]+): block_bio_queue: (\d+,\d+) ([A-Z]+) (\d+) \+ (\d+)")
        with open(os.path.join(self.path, "trace")) as f:
            found = [line.search(text) for text in f]
        return [(float(m[1]), Access(ops[m[3][0]], "", int(m[4]) * 512, int(m[5]) * 512))
                for m in found if m and m[2] == want and m[3][0] in ops and int(m[5])]

    def close(self):
        self._write("events/block/block_bio_queue/enable", "0")
        for _ in range(50):  # the instance is busy for a moment after its last reader
            try:
                return os.rmdir(self.path)
            except OSError:
                time.sleep(0.02)
        os.rmdir(self.path)


@contextlib.contextmanager
def block_trace():
    with _tracefs() as root:
        try:
            tracer = BlockTrace(root)
        except OSError as e:
            compare.skip(f"no block tracepoints here: {e}")
        try:
            yield tracer
        finally:
            tracer.close()
