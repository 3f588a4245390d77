"""--breakdown=all through the page cache: a read that waits for pages which read-ahead had on their way, on a disk of known speed; a write that waits for
write-back; and what the cache, a hole or blocks that are only reserved answer by themselves, of which nothing is invented."""
# label: kernel
# timeout: 200
# alone: the page cache and the disk's limit of dirty pages are everybody's
# cost: 8
import contextlib
import os
import sys

import split
from all_parts import check, failures, need_programs, only, run, share, sum_ns, text_of, tried
from kept_disk import READ, kept_disk

SLOW_S = 0.005
READERS = (["--ioengine=psync"], ["--ioengine=mmap"])


def forget_pages(path):
    """Those that were written to the disk."""
    with open(path, "rb") as f:
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def sequential(device, file, engine, *options):
    with file.slow(read_s=SLOW_S):
        return only(run([f"--filename={device}", "--rw=read", "--direct=0", "--size=4m", *engine, *options]))


def in_order(device, file, engine):
    """Of a cold disk nearly all of the time is the disk's: as the read's own, or as read-ahead that was on its way. Who has the disk open keeps its pages."""
    title = engine[0].removeprefix("--ioengine=")
    with open(device, "rb"):
        forget_pages(device)
        c = sequential(device, file, engine)
        took = file.took_of(READ)
        again = sequential(device, file, engine, "--invalidate=0")
    check(c["explained_share"] >= 0.9, f"{title}: {100 * c['explained_share']:.1f} % of the time of {text_of(c)}")
    check(c.get("ahead") and share(c, "ahead") + share(c, "device") >= 0.9, f"{title}: ahead {100 * share(c, 'ahead'):.1f} %, device {100 * share(c, 'device'):.1f} %")
    waited = sum_ns(c, "ahead") + sum_ns(c, "device")
    check(waited <= 1.1 * took, f"{title}: waited {waited / 1e6:.1f} ms for a disk that worked for {took / 1e6:.1f} ms")
    check(again["no_request"] == again["ios"] and again["matched"] == 0, f"{title}, once more: {text_of(again)}")


@contextlib.contextmanager
def few_dirty_pages(device, most):
    """Of this disk alone; False where the kernel has no such limit (before 6.2)."""
    with open(f"/sys/block/{os.path.basename(device)}/dev", encoding="ascii") as f:
        folder = f"/sys/class/bdi/{f.read().strip()}"
    if not os.path.exists(f"{folder}/max_bytes"):
        yield False
        return
    with split.setting(f"{folder}/strict_limit", 1), split.setting(f"{folder}/max_ratio", 1):  # max_bytes is the same limit, and cannot be restored as it is read
        with open(f"{folder}/max_bytes", "w", encoding="ascii") as f:
            f.write(str(most))
        yield True


def throttled(device, file):
    """Eight MiB for a disk that writes slowly and may have one MiB dirty."""
    with few_dirty_pages(device, 1 << 20) as limited:
        if not limited:
            return print("skipped: no limit of dirty pages by disk")
        with file.slow(write_s=SLOW_S):
            c = only(run([f"--filename={device}", "--rw=write", "--bs=64k", "--direct=0", "--size=8m"]), "write")
            os.sync()
    check(c.get("dirty") and share(c, "dirty") >= 0.9, f"throttled: dirty is {100 * share(c, 'dirty'):.1f} % of the time of {text_of(c)}")
    check(c["unknown"] + c["lost"] == c["outside"] == 0, f"throttled: {c['lost']} are lost, {c['outside']} outside: their own pages were written back meanwhile")
    check(c["explained_share"] >= 0.9, f"throttled: {100 * c['explained_share']:.1f} % explained")


def never_written(path):
    """Read directly: a hole, and blocks that are only reserved."""
    for name in "hole", "reserved":
        target = f"{path}.{name}"
        with open(target, "wb") as f:
            if name == "hole":
                f.truncate(4 << 20)
            else:
                os.posix_fallocate(f.fileno(), 0, 4 << 20)
            os.fsync(f.fileno())
        c = only(run([f"--filename={target}", "--rw=read", "--size=4m"]))
        check(c["no_request"] == c["ios"] == 1024, f"{name}: {text_of(c)}")


def main():
    need_programs()
    with kept_disk() as (device, file):
        if device is None:
            print("skipped: no loop device, or no FUSE")
        else:
            for engine in READERS:
                tried(in_order, device, file, engine)
            tried(throttled, device, file)
    with split.scratch_file(4) as path:
        tried(never_written, path)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
