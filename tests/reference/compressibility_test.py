# label: fio
# timeout: 300
"""What a compressor makes of the bytes that a job leaves: a target that compresses or deduplicates must get from fathom what it gets from fio.

Files that both programs have written or laid out are compressed in records of 4 KiB, 128 KiB and 1 MiB by zlib (level 6) and lz4: each ratio
within 0.02 of fio's, and no block of 4 KiB twice. Where the kernel has zram, it says itself what it had to keep (root).
Depths above 1 are buffered libaio: an I/O is over when io_submit returns, so which slot writes what is no matter of time.
"""
import contextlib
import os
import zlib

import compare
import places

try:
    import lz4.block
except ImportError:
    compare.skip("python3-lz4 is not installed (scripts/setup --test)")

WITHIN = 0.02
RECORDS = {"4k": (4096, 4), "128k": (1 << 17, 2), "1m": (1 << 20, 1)}  # bytes, and one of how many is compressed
COMPRESSORS = {"zlib": lambda data: zlib.compress(data, 6), "lz4": lambda data: lz4.block.compress(data, store_size=False)}
ZRAM = "/sys/class/zram-control"
ZRAM_BYTES = 64 << 20

OFTEN = "1m\nloops=6"  # which cache line a write stamps is chance: after 8 writes so is how many there are, after 48 all are
JOBS = [
    *[(f"psync {rw} bs={bs[:3].strip()}", f"ioengine=psync\nrw={rw}\nbs={bs}") for bs in ("4k", "64k", OFTEN) for rw in ("write", "randwrite")],
    *[(f"libaio depth {depth} {rw} bs={bs}", f"ioengine=libaio\niodepth={depth}\nrw={rw}\nbs={bs}")
      for depth in (4, 16) for rw, bs in (("write", "4k"), ("randwrite", "4k"), ("randwrite", "64k"))],
    ("io_uring write bs=1m", f"ioengine=io_uring\nrw=write\nbs={OFTEN}"),
    ("io_uring randwrite bs=4k", "ioengine=io_uring\nrw=randwrite\nbs=4k"),
    ("pvsync2 write bs=4k", "ioengine=pvsync2\nrw=write\nbs=4k"),
    ("no time is taken", "ioengine=psync\nrw=randwrite\nbs=4k\ngtod_reduce=1"),
    ("kernel's clock", "ioengine=psync\nrw=write\nbs=4k\nclocksource=clock_gettime"),
    ("paced", "ioengine=psync\nrw=write\nbs=4k\nrate_iops=8000"),
    ("written over and over", "ioengine=psync\nrw=randwrite\nbs=4k\nloops=4"),
    ("laid out to be read", "ioengine=psync\nrw=read\nbs=4k"),
    ("laid out to be overwritten", "ioengine=psync\nrw=randwrite\noverwrite=1\nbs=4k\nnumber_ios=16"),
    ("verify=crc32c bs=4k", "ioengine=psync\nrw=write\nbs=4k\nverify=crc32c\ndo_verify=0"),
    ("verify=crc32c bs=64k", "ioengine=libaio\niodepth=4\nrw=randwrite\nbs=64k\nverify=crc32c\ndo_verify=0"),
]


def ratios(data):
    found = {}
    for record, (size, one_of) in RECORDS.items():
        records = [data[at:at + size] for at in range(0, len(data), size * one_of)]
        for compressor, compress in COMPRESSORS.items():
            found[f"{compressor} {record}"] = sum(len(compress(r)) for r in records) / sum(map(len, records))
    return found


def repeated(data):
    return len(data) // 4096 - len({data[at:at + 4096] for at in range(0, len(data), 4096)})


def content(program, text):
    """The file that a job leaves: outcome, ratios, blocks that are there more than once."""
    with compare.workspace() as cwd:
        outcome = compare.execute([program, compare.write_job(cwd, f"[j]\nfilename=f\nsize=8m\n{text}\n")], cwd)
        with open(os.path.join(cwd, "f"), "rb") as f:
            data = f.read()
    return outcome, ratios(data), repeated(data)


def check_job(checks, name, text):
    (_, expected, _), (outcome, ours, twice) = compare.on_both(lambda program: content(program, text))
    checks.equal(f"{name}: exit status", outcome.rc, 0)
    checks.equal(f"{name}: blocks that are there twice", twice, 0)
    for what, ratio in ours.items():
        checks.check(f"{name}: {what}", abs(ratio - expected[what]) <= WITHIN, f"{ratio:.3f}, fio {expected[what]:.3f}")


def check_fill_random(checks):
    outcome, ours, twice = content(compare.fio_link(), "ioengine=psync\nrw=randwrite\nbs=4k\nfill=random")
    checks.check("fill=random: no record is shortened", min(ours.values()) >= 1.0, ours)
    checks.equal("fill=random: blocks that are there twice", twice + outcome.rc, 0)


@contextlib.contextmanager
def zram():
    with open(f"{ZRAM}/hot_add") as f:
        number = f.read().strip()
    try:
        with open(f"/sys/block/zram{number}/disksize", "w") as f:
            f.write(str(ZRAM_BYTES))
        yield number
    finally:
        with open(f"{ZRAM}/hot_remove", "w") as f:
            f.write(number)


def kept_by_zram(program):
    """I/Os smaller than a page: one of which more than three quarters would be left is kept whole."""
    with zram() as number, compare.workspace() as cwd:
        text = f"[j]\nfilename=/dev/zram{number}\nioengine=psync\nrw=write\nbs=1k\nend_fsync=1\n"
        outcome = compare.execute([program, compare.write_job(cwd, text)], cwd)
        with open(f"/sys/block/zram{number}/mm_stat") as f:
            stored, compressed = map(int, f.read().split()[:2])
    return outcome.rc, stored, compressed


def check_zram(checks):
    if places.why_not() or not os.path.exists(f"{ZRAM}/hot_add"):
        return checks.note("zram: left out, needs root and a kernel with zram")
    (_, stored, expected), (rc, ours_stored, ours) = compare.on_both(kept_by_zram)
    checks.equal("zram: exit status and bytes stored", (rc, ours_stored), (0, stored))
    checks.check("zram: bytes kept", abs(ours - expected) <= WITHIN * stored, f"{ours} of {ours_stored}, fio {expected} of {stored}")
    return checks.note(f"zram: {ours} of {ours_stored} bytes kept, fio {expected} of {stored}")


def main():
    compare.need("fio")
    checks = compare.Checks()
    for name, text in JOBS:
        if checks.wanted(name):
            check_job(checks, name, text)
    if checks.wanted("zram"):
        check_zram(checks)
    if checks.wanted("fill=random") and compare.is_fathom():
        check_fill_random(checks)
    checks.done()


main()
