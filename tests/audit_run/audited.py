"""Runs of fathom whose audit is looked at: on the disk that the build lies on."""
import contextlib
import ctypes
import errno
import json
import os
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import until_clean  # noqa: E402

FATHOM = os.environ["FATHOM"]
SIZE = 16 << 20


def keep_in_memory():
    """Pages of the program that the machine has taken away are read in by the workers, and are theirs: not in tests of an exact account."""
    shown = subprocess.run(["ldd", FATHOM], capture_output=True, text=True).stdout
    for path in [FATHOM, *re.findall(r"(/\S+) \(0x", shown)]:
        keep_file_in_memory(path)


def keep_file_in_memory(path):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.mlock.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    with open(path, "rb") as f:
        size = os.fstat(f.fileno()).st_size
        at = libc.mmap(None, size, 1, 1, f.fileno(), 0)  # PROT_READ, MAP_SHARED
    if at != ctypes.c_void_p(-1).value and libc.mlock(at, size) != 0:
        print(f"     {path} is not kept in memory: {os.strerror(ctypes.get_errno())}")


def folder():
    return tempfile.TemporaryDirectory(dir="/var/tmp")


def make_file(path, size=SIZE):
    with open(path, "wb") as f:
        f.write(os.urandom(size))
        os.fsync(f.fileno())


def words(where, *more):
    return [FATHOM, "run", "--name=t", f"--directory={where}", "--filename=f", f"--size={SIZE}", "--bs=64k", "--clock-check=skip",
            "--output-format=json", *more]


def parse(out):
    return json.loads(out[out.index("{"):])["fathom"]


def run(where, *more):
    return run_words(words(where, *more))


def run_words(argv):
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{' '.join(done.args)}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    return parse(done.stdout)


def witness(fathom, source, direction="read"):
    for w in fathom["audit"]["witnesses"]:
        if w["source"] == source and w["direction"] == direction:
            return w
    sys.exit(f"no witness {source} {direction} in: {fathom['audit']['line']} {fathom['audit']['missing']}")


def has_disk(where):
    """Whether files there lie on a disk that the block layer counts."""
    make_file(os.path.join(where, "f"))
    return any(w["source"] == "block" for w in run(where, "--rw=read", "--direct=1")["audit"]["witnesses"])


@contextlib.contextmanager
def loop_disk(where):
    """A second disk, of a file on the first; None where none may be made."""
    path = os.path.join(where, "backing")
    make_file(path)
    made = subprocess.run(["losetup", "--find", "--show", path], capture_output=True, text=True)
    disk = made.stdout.strip() if made.returncode == 0 else None
    try:
        yield disk
    finally:
        if disk:
            subprocess.run(["losetup", "--detach", disk], check=True)
        os.unlink(path)


def write_while_busy(path, text):
    """Whoever looks into all block devices (blkid, udev) has a new one open for an instant: then EBUSY."""
    end = time.monotonic() + 5
    while True:
        try:
            with open(path, "w") as f:
                f.write(text)
            return
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > end:
                raise
            time.sleep(0.01)


@contextlib.contextmanager
def zram_disk():
    """A disk in memory; None where none may be made."""
    control = "/sys/class/zram-control"
    number = None
    with contextlib.suppress(OSError):
        with open(f"{control}/hot_add") as f:
            number = f.read().strip()
    if number is None:
        yield None
        return
    try:
        with open(f"/sys/block/zram{number}/disksize", "w") as f:
            f.write(str(SIZE))
        yield f"/dev/zram{number}"
    finally:
        write_while_busy(f"/sys/block/zram{number}/reset", "1")
        write_while_busy(f"{control}/hot_remove", number)


class Checks:
    def __init__(self):
        self.failures = []

    @property
    def failed(self):
        return len(self.failures)

    def in_attempts(self, part, *arguments):
        """part(self, ...), again where something failed that others on the machine can cause."""
        until_clean(self.failures, part, self, *arguments, most=3)

    def check(self, ok, what):
        if not ok:
            self.failures.append(what)
        print(f"{'ok  ' if ok else 'FAIL'} {what}", flush=True)
