"""Writes fio-3.42.txt from data files that fio 3.42 wrote: python3 make_fixtures.py FOLDER >fio-3.42.txt, FOLDER having NAME.gz of the table below.

Such data are no more than the facts of each write, for its contents are drawn from a seed in the header. So what is kept is, for each file, how it
was written, and for each write its facts and the MD5 of its bytes (by Python, which has nothing of fathom's)."""
import gzip
import hashlib
import struct
import sys

METHODS = "meta md5 crc64 crc32 crc32c crc16 crc7 sha256 sha512 sha3-224 sha3-256 sha3-384 sha3-512 xxhash sha1".split()
# file, method, bytes of an interval, offset of the header in it, pattern as hexadecimal, where in it an I/O's offset stands
FILES = [(name, name, 4096, 0, "-", -1) for name in METHODS] + [
    ("md5-random-mixed", "md5", 4096, 0, "-", -1),
    ("crc32c-interval1k-offset512", "crc32c", 1024, 512, "-", -1),
    ("pattern_hdr", "pattern_hdr", 4096, 0, "deadbeef" + 8 * "00" + b"ab".hex(), 4),
    ("pattern", "pattern", 4096, 0, "ff" + 8 * "00" + b"abcd".hex() + "f4ffffff", 1),
]


def headers(data, interval, offset):
    for at in range(0, len(data), interval):
        _, _, _, length, seed, where, sec, nsec, number, thread = struct.unpack_from("<HBBIQQIIQH", data, at + offset)
        assert length == interval and where == at, (length, where, at)
        yield number, seed, sec, nsec, thread, at


def writes(data, method, interval, offset):
    """(facts, begin, end) of each write: intervals side by side with the same number are one."""
    if method == "pattern":
        return [((0, 0, 0, 0, 1), at, at + interval) for at in range(0, len(data), interval)]
    found = []
    for *facts, at in headers(data, interval, offset):
        if found and found[-1][0] == facts:
            found[-1] = (facts, found[-1][1], at + interval)
        else:
            found.append((facts, at, at + interval))
    return found


print("# By make_fixtures.py. A file: name, method, interval, verify_offset, pattern, place of %o; its writes: offset, length, numberio, seed,")
print("# sec, nsec, thread, MD5 of the bytes.")
for name, method, interval, offset, pattern, place in FILES:
    data = gzip.open(f"{sys.argv[1]}/{name}.gz").read()
    print("file", name, method, interval, offset, pattern, place)
    for facts, begin, end in writes(data, method, interval, offset):
        print(begin, end - begin, *facts, hashlib.md5(data[begin:end]).hexdigest())
