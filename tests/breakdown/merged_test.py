"""--breakdown=all where many bios are one request: batches of a queue and write-back of a sync, up to 256 at a time, and a reader beside a job that syncs
thousands of blocks at once on the same disk. Every I/O is found again."""
# label: kernel
# timeout: 200
# cost: 8
import contextlib
import os
import sys
import tempfile

import split
from all_parts import check, failures, need_programs, run, text_of, tried

LEAST, LEAST_SYNCS = 0.999, 0.99


@contextlib.contextmanager
def disk_of_memory(mib, request_kib=None):
    """A loop device over a file of tmpfs; None where there is none. A loop device keeps the size of its requests when it is detached, so it is restored."""
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
        file.truncate(mib << 20)
        with split.loop_device(file.name) as device:
            if device is None or request_kib is None:
                yield device
                return
            setting = f"/sys/block/{os.path.basename(device)}/queue/max_sectors_kb"
            with split.setting(setting, request_kib):
                yield device


def classes(result):
    return {(c["job"], c["direction"]): c for c in result["fathom"]["breakdown"]["classes"]}


def found_again(title, c, least=LEAST):
    check(c["ios"] > 0 and c["matched"] >= least * c["ios"], f"{title}: {text_of(c)}")


def batches(device, depth):
    result = run([f"--filename={device}", "--rw=read", "--ioengine=libaio", "--size=32m", f"--iodepth={depth}", f"--iodepth_batch={depth}",
                  f"--iodepth_batch_complete_min={depth}"])
    found_again(f"batches of {depth}", classes(result)["t", "read"])


def syncs(device, writes):
    result = run([f"--filename={device}", "--rw=write", "--direct=0", f"--size={writes * 40 * 4}k", f"--fsync={writes}", f"--allow-destructive={device}"])
    c = classes(result)["t", "sync"]
    check(c["ios"] >= 39, f"fsync after {writes} writes: {c['ios']} syncs")
    found_again(f"fsync after {writes} writes", c)


def storm(device, size):
    """The reader's I/Os, whatever is written back beside it."""
    result = run([f"--filename={device}", "--ioengine=libaio", "--size=100m", "--runtime=2", "--time_based", f"--allow-destructive={device}", "--name=w",
                  "--rw=write", "--direct=0", "--bs=1m", "--offset=110m", "--size=90m", "--runtime=2", "--time_based", f"--fsync={size}"])
    found = classes(result)
    found_again(f"reads beside a sync of {size} MiB", found["t", "read"])
    found_again(f"syncs of {size} MiB", found["w", "sync"], LEAST_SYNCS)


def main():
    need_programs()
    with disk_of_memory(256, 1280) as device:
        if device is None:
            split.skip("no loop device")
        for depth in (32, 33, 64, 128, 256):
            tried(batches, device, depth)
        for writes in (32, 33, 100, 256):
            tried(syncs, device, writes)
        for size in (1, 30):
            tried(storm, device, size)
    sys.exit(1 if failures else 0)


main()
