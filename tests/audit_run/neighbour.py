"""Another process on a disk: reads, writes or discards it past the page cache, a block each `pause` seconds, until it is told to end; then it
prints how many bytes that was, and in how many seconds.  neighbour.py read|write|discard PATH BYTES_A_BLOCK PAUSE_S"""
import fcntl
import mmap
import os
import random
import signal
import struct
import sys
import time

BLKDISCARD, BLKGETSIZE64 = 0x1277, 0x80081272


def size_of(fd):
    size = os.fstat(fd).st_size
    return size or struct.unpack("Q", fcntl.ioctl(fd, BLKGETSIZE64, bytes(8)))[0]


def main():
    kind, path, block, pause_s = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    fd = os.open(path, (os.O_RDONLY if kind == "read" else os.O_WRONLY) | (0 if kind == "discard" else os.O_DIRECT))
    blocks = size_of(fd) // block
    buffer = mmap.mmap(-1, block)
    buffer.write(random.randbytes(block))
    ended = []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(True))
    moved, since = 0, time.monotonic()
    print("begun", flush=True)
    while not ended:
        at = random.randrange(blocks) * block
        if kind == "read":
            moved += os.preadv(fd, [buffer], at)
        elif kind == "write":
            moved += os.pwritev(fd, [buffer], at)
        else:
            fcntl.ioctl(fd, BLKDISCARD, struct.pack("QQ", at, block))
            moved += block
        time.sleep(pause_s)
    print(moved, time.monotonic() - since)


if __name__ == "__main__":
    main()
