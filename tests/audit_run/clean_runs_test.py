"""Two hundred clean runs: none may disagree, whatever else the machine does meanwhile. Others' logs and builds on the same disk are theirs to
explain and no alarm."""
# label: kernel
# timeout: 1500
# cost: 18
import collections
import os
import sys

from audited import folder, has_disk, loop_disk, run, zram_disk

FILE = ["--filename=/var/tmp/fathom-clean-runs", "--size=4m"]
KINDS = [
    ["--rw=randread", "--direct=1", "--ioengine=io_uring", "--iodepth=8"],
    ["--rw=randwrite", "--direct=1", "--ioengine=libaio", "--iodepth=4"],
    ["--rw=randrw", "--direct=1", "--numjobs=2"],
    ["--rw=randrw", "--direct=1", "--numjobs=2", "--thread", "--ioengine=io_uring", "--iodepth=4"],
    ["--rw=read"],
    ["--rw=randread", "--bs=4k", "--io_size=2m"],
    ["--rw=randwrite", "--bs=4k", "--io_size=4m"],
    ["--rw=write", "--fsync=16"],
    ["--rw=randwrite", "--direct=1", "--bs=4k", "--io_size=1m", "--fsync=4"],
    ["--rw=write", "--direct=1", "--verify=crc32c"],
    ["--rw=randread", "--ioengine=mmap", "--bs=4k", "--io_size=1m"],
    ["--rw=randread", "--direct=1", "--time_based", "--runtime=100ms", "--ramp_time=50ms"],
    ["--rw=randwrite", "--direct=1", "--bs=4k", "--io_size=1m", "--sync=1"],
    ["--rw=write", "--sync=dsync", "--io_size=4m"],
    ["--rw=randread", "--thread", "--numjobs=2", "--bs=4k", "--io_size=1m"],
    ["--rw=randrw", "--direct=1", "--name=u", *FILE, "--rw=randrw", "--bs=4k", "--io_size=1m"],  # direct beside buffered
]
SETTLED = 2  # runs with --settle: each waits for the machine to be idle, here a second at least


def on(disk):
    """Kinds with a second disk, where there is one."""
    if disk is None:
        return []
    return [
        ["--rw=read", "--direct=1", "--name=u", f"--filename={disk}", "--rw=randread", "--bs=4k", "--direct=1", "--io_size=2m"],
        ["--rw=randread", "--thread", "--bs=4k", "--io_size=1m", "--name=u", f"--filename={disk}", "--rw=randread", "--bs=4k", "--io_size=1m",
         "--thread"],
        ["--rw=randread", "--thread", "--ioengine=io_uring", "--bs=4k", "--io_size=1m", "--name=u", f"--filename={disk}", "--rw=read", "--thread",
         "--ioengine=io_uring", "--io_size=4m"],
    ]

RUNS = 200


def main():
    verdicts = collections.Counter()
    by_kind = collections.Counter()
    failed = 0
    with folder() as where, loop_disk(where) as loop, zram_disk() as zram:
        if not has_disk(where):
            print("skipped: /var/tmp lies on no disk that the block layer counts")
            return 77
        kinds = KINDS + on(loop) + on(zram)
        for i in range(RUNS):
            kind = kinds[i % len(kinds)]
            audit = run(where, *kind, *(["--settle"] if i < SETTLED else []))["audit"]
            verdicts[audit["verdict"]] += 1
            for w in audit["witnesses"]:
                by_kind[(w["source"], w["verdict"], w["diagnosis"])] += 1
            if audit["verdict"] not in ("agrees", "explained"):
                failed += 1
                print(f"FAIL {' '.join(kind)}: {audit['line']}")
                for w in audit["witnesses"]:
                    print(f"     {w['source']} {w['direction']} {w['verdict']}: {w['cause']}")
    if os.path.exists(FILE[0].partition("=")[2]):
        os.unlink(FILE[0].partition("=")[2])
    print(f"{RUNS} runs: {dict(verdicts)}")
    for (source, verdict, diagnosis), n in sorted(by_kind.items()):
        print(f"  {source} {verdict} {diagnosis}: {n}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
