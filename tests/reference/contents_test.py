# label: test
# timeout: 300
# cost: 6
"""What writes carry where a job says so: known bytes on the disk, and what compressors make of it, the same as of fio's.

Both programs run the same job; what fio's leaves is recorded. Ratios are of zlib, lz4 and zstd over each block and lie within 0.02 of fio's; the share of blocks that are there again is
the one that was asked for and fio's, within six standard deviations of as many draws.
"""
import collections
import ctypes
import ctypes.util
import math
import os
import re
import subprocess
import zlib

import compare
import recorded

WITHIN = 0.02
BLOCK = 4096


def left_by(program, text, name="f"):
    """(outcome, the bytes of the file)"""
    with compare.workspace() as cwd:
        with open(os.path.join(cwd, "pattern"), "wb") as f:
            f.write(bytes(range(1, 8)))
        outcome = compare.execute([program, compare.write_job(cwd, f"[j]\nfilename={name}\nioengine=psync\nbs=4k\n{text}\n")], cwd)
        path = os.path.join(cwd, name)
        data = open(path, "rb").read() if os.path.exists(path) else b""
        if data and program == compare.FIO:
            assert abs(counted_by_dedupe(path) - duplicates(data)) < 1e-6, text
        return outcome, data


def counted_by_dedupe(path):
    """fio-dedupe's own count of blocks that are there already, as a share; without its bloom filter, which takes some for others."""
    said = subprocess.run(["fio-dedupe", "-B", "0", "-b", str(BLOCK), "-o", "0", path], capture_output=True, text=True, check=False).stdout
    found = re.search(r"Extents=(\d+), Unique extents=(\d+)", said)
    return 1 - int(found[2]) / int(found[1])


def duplicates(data):
    return 1 - len(set(blocks(data))) / len(blocks(data))


def blocks(data):
    return [data[at:at + BLOCK] for at in range(0, len(data), BLOCK)]


def by_zstd():
    """zstd at its usual level by the library that dpkg itself needs: there is a Python module of it, in no package that is wanted otherwise."""
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or compare.skip("libzstd1 is not installed"))
    library.ZSTD_compress.restype = ctypes.c_size_t
    room = ctypes.create_string_buffer(2 * BLOCK)

    def length(block):
        size = library.ZSTD_compress(room, ctypes.c_size_t(len(room)), block, ctypes.c_size_t(len(block)), 3)
        assert size < len(room), size  # an error is a number beyond all sizes
        return size
    return length


try:
    import lz4.block
except ImportError:
    compare.skip("python3-lz4 is not installed (scripts/setup --test)")

COMPRESSORS = {"zlib": lambda block: len(zlib.compress(block, 6)), "lz4": lambda block: len(lz4.block.compress(block, store_size=False)), "zstd": by_zstd()}


def packed(found):
    """The share of its size that each compressor leaves of every fourth block; how many blocks there are of which none is another."""
    _, data = found
    some = blocks(data)[::4]
    left = {name: round(sum(map(length, some)) / sum(map(len, some)), 4) for name, length in COMPRESSORS.items()}
    return {**left, "blocks that differ": len(set(blocks(data)))}


def near(known, live):
    return all(abs(known[name] - live[name]) <= WITHIN for name in COMPRESSORS)


def repeated(pattern, length):
    return (pattern * (length // len(pattern) + 1))[:length]


# effect: zero_buffers buffer_pattern
def check_known_bytes(checks):
    known = [("zero_buffers", b"\0"), ("zero_buffers=1", b"\0"), ("buffer_pattern=0xdeadbeef", b"\xde\xad\xbe\xef"), ('buffer_pattern="a b"', b"a b"),
             ("buffer_pattern=256", b"\0\1"), ("buffer_pattern='pattern'", bytes(range(1, 8))), ("buffer_pattern='pattern'0xff", bytes(range(1, 8)) + b"\xff")]
    for option, pattern in known:
        for job in ("ioengine=psync\nrw=randwrite", "ioengine=io_uring\niodepth=4\nrw=write", "ioengine=psync\nrw=read"):
            text = f"{job}\nsize=64k\n{option}"
            name = text.replace("\n", " ")
            expected = b"".join(repeated(pattern, BLOCK) for _ in range(16))
            theirs, own, (outcome, ours) = checks.beside_fio(name, lambda program: left_by(program, text), lambda found: found[1] == expected)
            checks.equal(f"{name}: exit status", (outcome.rc, outcome.stderr), (0, ""))
            checks.equal(f"{name}: the bytes, ours and fio's", (own, theirs), (True, True)) or checks.note(ours[:16])


# effect: refill_buffers scramble_buffers=0 scramble_buffers=1 zero_buffers buffer_compress_percentage buffer_compress_chunk dedupe_percentage=100 buffer_pattern
def check_ratios(checks):
    jobs = ["refill_buffers=1", "refill_buffers", "refill_buffers=0", "scramble_buffers=0", "scramble_buffers=1", "zero_buffers=1\nscramble_buffers=1",
            "verify=crc32c\ndo_verify=0", "buffer_compress_percentage=50", "buffer_compress_percentage=80", "buffer_compress_percentage=100",
            "buffer_compress_percentage=50\nbuffer_compress_chunk=4k", "buffer_compress_percentage=50\nbuffer_compress_chunk=0",
            "buffer_compress_percentage=50\nbuffer_pattern=0xdeadbeef", "dedupe_percentage=100", "buffer_compress_percentage=30\ndedupe_percentage=20"]
    for option in jobs:
        for rw in ("write", "read"):
            if rw == "read" and option not in ("refill_buffers", "buffer_compress_percentage=80", "dedupe_percentage=100"):
                continue  # a file that is laid out holds the same
            text = f"rw={rw}\nsize=2m\n{option}"
            name = text.replace("\n", " ")
            fio_left, left, (outcome, _) = checks.beside_fio(name, lambda program: left_by(program, text), packed, same=near)
            checks.equal(f"{name}: exit status", (outcome.rc, outcome.stderr), (0, ""))
            for compressor in COMPRESSORS:
                checks.check(f"{name}: {compressor}", abs(left[compressor] - fio_left[compressor]) <= WITHIN, (left, "fio", fio_left))
            percent = re.match(r"buffer_compress_percentage=(\d+)$", option)
            if percent:
                checks.check(f"{name}: as asked", all(abs(left[compressor] - (1 - int(percent[1]) / 100)) <= 0.06 for compressor in COMPRESSORS), left)
            if "dedupe" not in option:
                checks.equal(f"{name}: blocks that differ", left["blocks that differ"], fio_left["blocks that differ"])


# effect: dedupe_percentage dedupe_mode=repeat dedupe_mode=working_set dedupe_working_set_percentage
def check_duplicates(checks):
    count = 2048
    for percent in (10, 50, 90):
        six = 6 * math.sqrt(percent * (100 - percent) / count) / 100
        for mode in ("repeat", "working_set\ndedupe_working_set_percentage=1"):
            text = f"rw=write\nsize={count * BLOCK}\ndedupe_percentage={percent}\ndedupe_mode={mode}"
            name = text.replace("\n", " ")
            fios, share, (outcome, ours) = checks.beside_fio(name, lambda program: left_by(program, text), lambda found: round(duplicates(found[1]), 4),
                                                             same=lambda known, live: abs(known - live) <= math.sqrt(2) * six)
            checks.equal(f"{name}: exit status", outcome.rc, 0)
            checks.check(f"{name}: the share", abs(share - percent / 100) <= six, f"{share:.4f}")
            checks.check(f"{name}: fio's", abs(share - fios) <= math.sqrt(2) * six, f"{share:.4f}, fio {fios:.4f}")
            often = collections.Counter(blocks(ours))
            if mode != "repeat":
                again = sum(1 for n in often.values() if n > 1)
                # one block of a hundred may come again: 20, of which at 10 percent a few are never drawn
                checks.check(f"{name}: blocks that come again", 17 <= again <= 20, again)


# effect: dedupe_global
def check_shared(checks):
    """Two jobs draw from one set: blocks of one are in the other's file."""
    for shared in (0, 1):
        job = f"rw=write\nbs=4k\nsize=2m\ndedupe_percentage=50\ndedupe_mode=working_set\ndedupe_working_set_percentage=10\ndedupe_global={shared}\nstonewall\n"

        def common(program, job=job):
            with compare.workspace() as cwd:
                compare.execute([program, compare.write_job(cwd, f"[a]\nfilename=a\n{job}[b]\nfilename=b\n{job}")], cwd)
                one, other = (set(blocks(open(os.path.join(cwd, name), "rb").read())) for name in "ab")
                return len(one & other)

        ours = common(compare.fio_link())
        checks.check(f"dedupe_global={shared}: blocks in both files", ours > 40 if shared else ours == 0, ours)


# effect: buffer_pattern zero_buffers
def check_mixed(checks):
    """A mixed job's reads come into the buffers that its writes go out of: what is written is the pattern all the same."""
    with compare.workspace() as cwd:
        with open(os.path.join(cwd, "f"), "wb") as f:
            f.write(b"x" * BLOCK * 64)
        job = compare.write_job(cwd, "[j]\nfilename=f\nrw=randrw\nbs=4k\nsize=256k\nioengine=psync\nbuffer_pattern=\"abcd\"\n")
        outcome = compare.execute([compare.fio_link(), job], cwd)
        kinds = {block[:4] for block in blocks(open(os.path.join(cwd, "f"), "rb").read())}
        checks.equal("randrw with a pattern", (outcome.rc, kinds), (0, {b"xxxx", b"abcd"}))


def check_refused(checks):
    for option in ("buffer_pattern=abcd", "buffer_pattern='missing'", "dedupe_percentage=60\ndedupe_mode=working_set\ndedupe_working_set_percentage=50",
                   "dedupe_percentage=101", "buffer_compress_percentage=101", "dedupe_percentage=5\ndedupe_mode=working_set\nnrfiles=2\nfilename=f:g"):
        theirs, own, (outcome, _) = checks.beside_fio(option, lambda program: left_by(program, f"rw=write\nsize=64k\n{option}"),
                                                      lambda found: {"refused": found[0].rc != 0})
        checks.equal(f"{option!r} is refused, by fio too", (own, theirs), ({"refused": True}, {"refused": True}))
        checks.check(f"{option!r}: said", outcome.stderr, outcome)


def main():
    compare.need_fio(*(["fio-dedupe"] if recorded.LIVE else []))
    checks = compare.Checks()
    for check in (check_known_bytes, check_ratios, check_duplicates, check_shared, check_mixed, check_refused):
        if checks.wanted(check.__name__):
            check(checks)
    checks.done()


main()
