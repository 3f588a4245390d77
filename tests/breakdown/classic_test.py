"""The split on a kernel without BTF, by classic tracepoints: as one is made here by hiding /sys/kernel/btf, every I/O is joined all the same, and the report
says by what."""
# label: kernel
# timeout: 240
# cost: 15
import os
import subprocess
import sys

import split
from all_parts import check, failures, need_programs, run, text_of, tried

HIDDEN = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /sys/kernel/btf; mount -t tmpfs none /boot; exec "$@"', "sh"]
# Nobody has mounted tracefs either, as in a container or on a machine that just started: the program has a mount of its own.
NO_TRACEFS = ["unshare", "--mount", "sh", "-c", 'umount -l /sys/kernel/debug/tracing /sys/kernel/debug /sys/kernel/tracing 2>/dev/null; exec "$@"', "sh"]
JOBS = (["--ioengine=psync"], ["--ioengine=io_uring", "--iodepth=1"], ["--ioengine=io_uring", "--iodepth=8"], ["--ioengine=io_uring", "--iodepth=32"])


def need_to_hide():
    if not os.path.exists("/sys/kernel/btf/vmlinux"):
        return []
    done = subprocess.run([*HIDDEN, "test", "-e", "/sys/kernel/btf/vmlinux"], check=False, capture_output=True, text=True)
    if done.returncode != 1:
        split.skip("/sys/kernel/btf cannot be hidden: " + done.stderr)
    return HIDDEN


def joined(title, options, before, direction="read"):
    result = run(options, before)
    b = result["fathom"]["breakdown"]
    check(b["events_by"] == "BPF programs", f"{title}: by {b['events_by']!r} {b['cause']}")
    c = split.classes(result).get(direction)
    if c is None:
        return check(False, f"{title}: nothing was looked at")
    total = result["jobs"][0][direction]["total_ios"]
    check(c["ios"] == total > 0, f"{title}: {c['ios']} of {total} looked at")
    check(c["matched"] + c["contested"] >= 0.999 * c["ios"], f"{title}: {text_of(c)}")
    check(c["lost"] + c["unknown"] + c["unplaced"] + c["no_request"] <= 0.001 * c["ios"], f"{title}: none is lost")
    check(c["outside"] <= 0.001 * c["matched"], f"{title}: {c['outside']} have moments outside")
    return c


def reads(title, device, before):
    for job in JOBS:
        tried(lambda job=job: joined(f"{title} {' '.join(job)}", [f"--filename={device}", "--size=64m", "--runtime=0.7", "--time_based", *job], before))


def long_and_merged(device, before):
    """Split by the kernel, and put together by it."""
    joined("128k reads", [f"--filename={device}", "--size=64m", "--bs=128k", "--ioengine=io_uring", "--iodepth=4", "--number_ios=2000"], before)
    joined("4m reads", [f"--filename={device}", "--size=64m", "--bs=4m", "--number_ios=100"], before)
    joined("reads in batches", [f"--filename={device}", "--size=64m", "--rw=read", "--ioengine=io_uring", "--iodepth=32", "--iodepth_batch=16", "--number_ios=8000"], before)


def flushed(device, before):
    c = joined("synchronous writes", [f"--filename={device}", "--size=8m", "--rw=randwrite", "--sync=dsync", "--number_ios=500"], before, "write")
    if c:
        check(c["flushes"] >= 0.999 * c["matched"] and c["flush"]["n"] == c["flushes"], f"synchronous writes: {c['flushes']} of {c['matched']} have a flush")


def main():
    need_programs()
    before = need_to_hide()
    with split.zram_device() as zram:
        if zram:
            reads("zram", zram, before)
            tried(lambda: joined("tracefs mounted by nobody", [f"--filename={zram}", "--size=64m", "--runtime=0.5", "--time_based", *JOBS[0]], [*before, *NO_TRACEFS]))
        else:
            print("skipped: no zram")
    with split.scratch_file() as path, split.loop_device(path) as loop:
        if loop:
            reads("loop", loop, before)
            tried(long_and_merged, loop, before)
            tried(flushed, loop, before)
        else:
            print("skipped: no loop device")
        tried(lambda: joined("file", [f"--filename={path}", "--size=64m", "--number_ios=2000"], before))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
