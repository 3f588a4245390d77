"""--breakdown=all on btrfs, which keeps its blocks at addresses of its own: what is only read has places by its chunks, so that reads are divided that are not found by
their task: several of libaio at a time, those that a polling thread of io_uring submits, and what a limit held. What is written gets another place each time, and
says so."""
# label: kernel
# timeout: 120
# alone: its I/Os must wait for the limit and for nothing else
# cost: 8
import sys

import split
from all_parts import check, failures, joined, need_programs, run, share, tried
from kept_disk import file_system, laid_out

READS = (["--ioengine=libaio", "--iodepth=8"], ["--ioengine=io_uring", "--iodepth=8", "--sqthread_poll=1"], ["--ioengine=io_uring", "--iodepth=8"], ["--ioengine=psync"])
LIMIT = 500


def reads(path, engine):
    title = f"btrfs, {' '.join(engine)}"
    result = run([f"--filename={path}", "--size=64m", "--number_ios=2000", *engine])
    joined(title, result)


def held(path, device):
    title = f"btrfs, psync, {LIMIT} a second"
    with split.limited(device, LIMIT) as before:
        if before is None:
            return print("skipped: no cgroup v1 limit of I/O here")
        result = run([f"--filename={path}", "--size=64m", "--runtime=1", "--time_based"], before)
    c = joined(title, result, least=1)
    check(share(c, "held") > 0.9, f"{title}: held is {100 * share(c, 'held'):.1f} % of the time")


def written(path):
    result = run([f"--filename={path}", "--size=64m", "--rw=randrw", "--number_ios=200", "--ioengine=libaio", "--iodepth=8", f"--allow-destructive={path}"])
    cause, c = result["fathom"]["breakdown"]["cause"], split.classes(result)["write"]
    check("btrfs" in cause and "another place" in cause, f"btrfs, written by libaio: {cause}")
    check(c["unplaced"] > 0.9 * c["ios"] and c["unknown"] == c["lost"] == 0, f"btrfs, written by libaio: {c['unplaced']} of {c['ios']} have no place that is known")


def several(device, other):
    with file_system(device, "btrfs", "-f", other) as folder:
        if folder is None:
            return print("skipped: no btrfs over two devices")
        result = run([f"--filename={laid_out(folder, 16)}", "--size=16m", "--number_ios=200", "--ioengine=libaio", "--iodepth=8"])
    cause, c = result["fathom"]["breakdown"]["cause"], split.classes(result)["read"]
    check("several devices" in cause and c["unplaced"] > 0.9 * c["ios"], f"btrfs over two devices: {c['unplaced']} of {c['ios']} unplaced: {cause}")


def main():
    need_programs()
    with split.zram_device(512) as device:
        if device is None:
            split.skip("no zram here")
        with file_system(device, "btrfs", "-f") as folder:
            if folder is None:
                split.skip("no btrfs")
            path = laid_out(folder, 64)
            for engine in READS:
                tried(reads, path, engine)
            tried(held, path, device)
            tried(written, path)
        with split.zram_device(512) as other:
            tried(several, device, other)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
