"""A file of zeros whose every read takes the same time, one after the other: a FUSE server of one file (include/uapi/linux/fuse.h), which is its own
mount point. A loop device on it is a disk of known speed that needs no CPU. Writes (which are thrown away) and fsync take times of their own, and how long
each answer took is written down."""
import bisect
import contextlib
import ctypes
import errno
import os
import stat
import struct
import tempfile
import threading
import time

import split

LIBC = ctypes.CDLL(None, use_errno=True)
HEADER, REPLY = struct.Struct("<IIQQIIIHH"), struct.Struct("<IiQ")
GETATTR, OPEN, READ, WRITE, RELEASE, FSYNC, FLUSH, INIT = 3, 14, 15, 16, 18, 20, 25, 26
SILENT = (2, 36, 42)  # forget, interrupt, batch_forget: no answer is expected
DIRECT_IO = 1  # of open's answer: no page cache
DETACH = 2


class SlowFile:
    def __init__(self, size, read_s, write_s=None, fsync_s=None):
        """write_s, fsync_s: None: there is no such call. spans_ns: by call, the request in hand and the answer given (monotonic clock); took_ns: how long that was."""
        self.size, self.read_s, self.write_s, self.fsync_s = size, read_s, write_s, fsync_s
        self.took_ns = {READ: [], WRITE: [], FSYNC: []}
        self.spans_ns = {call: [] for call in self.took_ns}

    def forget(self):
        for notes in (self.took_ns, self.spans_ns):
            for of_call in notes.values():
                of_call.clear()

    def init(self, _):
        return struct.pack("<IIIIHHIIHHI28x", 7, 31, 0, 0, 16, 16, 1 << 17, 1, 32, 0, 0)

    def getattr(self, _):
        return struct.pack("<QII6Q10I", 1, 0, 0, 1, self.size, self.size // 512, 0, 0, 0, 0, 0, 0, stat.S_IFREG | 0o600, 1, 0, 0, 0, 4096, 0)

    def open(self, _):
        return struct.pack("<QII", 0, DIRECT_IO, 0)

    def read(self, body):
        _, offset, size = struct.unpack_from("<QQI", body)
        time.sleep(self.read_s)
        return bytes(max(0, min(size, self.size - offset)))

    def write(self, body):
        size = struct.unpack_from("<QQI", body)[2]
        time.sleep(self.write_s)
        return struct.pack("<II", size, 0)

    def fsync(self, _):
        time.sleep(self.fsync_s)
        return b""

    def nothing(self, _):
        return b""

    def serve(self, fd):
        answers = {INIT: self.init, GETATTR: self.getattr, OPEN: self.open, READ: self.read, RELEASE: self.nothing, FLUSH: self.nothing}
        if self.write_s is not None:
            answers[WRITE] = self.write
        if self.fsync_s is not None:
            answers[FSYNC] = self.fsync
        while True:
            try:
                request = os.read(fd, 1 << 18)
            except OSError as e:
                if e.errno in (errno.EINTR, errno.ENOENT, errno.EAGAIN):
                    continue
                return  # ENODEV: unmounted
            begin = time.monotonic_ns()
            _, opcode, unique, *_ = HEADER.unpack_from(request)
            if opcode in SILENT:
                continue
            answer = answers.get(opcode)
            body = answer(request[HEADER.size:]) if answer else b""
            with contextlib.suppress(OSError):  # whoever asked may be gone
                os.write(fd, REPLY.pack(REPLY.size + len(body), 0 if answer else -errno.ENOSYS, unique) + body)
            if opcode in self.took_ns:
                end = time.monotonic_ns()
                self.took_ns[opcode].append(end - begin)
                self.spans_ns[opcode].append((begin, end))


def turns(took, depth):
    """The disk does one after the other, and so many are in flight from the start on: what each I/O waits for."""
    return [sum(took[max(0, i + 1 - depth):i + 1]) for i in range(len(took))]


def together(spans, apart_ns=3_000_000):
    """What each waits for where it comes alone, and where it came with the one before it, which the disk goes on from without a pause."""
    begins = [begin for begin, _ in spans]
    for i in range(1, len(spans)):
        if spans[i][0] - spans[i - 1][1] < apart_ns:
            begins[i] = begins[i - 1]
    return [end - begin for begin, (_, end) in zip(begins, spans)]


def turns_of_writes(spans, depth):
    """The same of writes with a flush each, of which one is for all whose data is there: (what each waits for its data, and then for its flush)."""
    writes, flushes = sorted(spans[WRITE]), sorted(spans[FSYNC])
    begins = [begin for begin, _ in flushes]
    done = [flushes[min(bisect.bisect_left(begins, end), len(flushes) - 1)][1] for _, end in writes]
    over = sorted(done)
    submitted = [writes[0][0] if i < depth else over[i - depth] for i in range(len(writes))]
    return [end - begin for (_, end), begin in zip(writes, submitted)], [last - end for last, (_, end) in zip(done, writes)]


@contextlib.contextmanager
def slow_file(size, read_s):
    """Its path; None where FUSE cannot be had."""
    with served(SlowFile(size, read_s)) as path:
        yield path


@contextlib.contextmanager
def served(file):
    """The path of such a file; None where FUSE cannot be had."""
    try:
        fd = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    handle, path = tempfile.mkstemp(dir="/var/tmp")
    os.close(handle)
    try:
        options = f"fd={fd},rootmode={stat.S_IFREG | 0o600:o},user_id=0,group_id=0".encode()
        if LIBC.mount(b"fathom", path.encode(), b"fuse", 0, options) != 0:
            yield None
            return
        server = threading.Thread(target=file.serve, args=(fd,), daemon=True)
        server.start()
        try:
            yield path
        finally:
            LIBC.umount2(path.encode(), DETACH)
            server.join(5)
    finally:
        os.close(fd)
        os.unlink(path)


@contextlib.contextmanager
def slow_disk(read_s):
    """A loop device on such a file; None where there is none."""
    with slow_file(64 << 20, read_s) as path:
        if path is None:
            yield None
            return
        with split.loop_device(path, "--read-only") as device:
            yield device


@contextlib.contextmanager
def timed_disk(**delays):
    """A loop device on such a file, and the file, which knows how long it took; None, None where there is none."""
    file = SlowFile(64 << 20, **delays)
    with served(file) as path:
        if path is None:
            yield None, None
            return
        with split.loop_device(path) as device:
            yield device, file
