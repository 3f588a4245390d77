"""--breakdown=all divides fsync and fdatasync: a disk whose flushes, or whose writes, take a known time carries a file system, and that time shows in the parts
that it belongs to, for the loop's own task and for io_uring's workers. What another file's commit delays is a part of its own; where no events tell an fsync
apart, it stays whole."""
# label: kernel
# timeout: 240
# alone: planted delays are held against means of latencies
# cost: 10
import os
import statistics
import sys
import threading

import split
from all_parts import PARTS, check, failures, need_programs, run, share, sum_ns, tried
from kept_disk import FSYNC, WRITE, file_system, kept_disk, laid_out

SLOW_S = 0.02  # on the way to the disk and back 0.2 ms pass, for each of a few writes
IOS = 12
AT_ONCE = ("-E", "lazy_itable_init=0,lazy_journal_init=0")  # else ext4 writes tables while it is mounted, and the disk does one after the other
ENGINES = (["--ioengine=psync"], ["--ioengine=io_uring", "--iodepth=1"])
JOB = ["--rw=randwrite", "--direct=0", "--size=4m", f"--number_ios={IOS}"]


def syncs_of(title, path, engine, sync):
    """The fsyncs of a run: all of them divided, and their parts are the whole."""
    c = split.classes(run([f"--filename={path}", *JOB, *engine, sync, f"--allow-destructive={path}"]))["sync"]
    parts = ", ".join(f"{p} {sum_ns(c, p) / c['ios'] / 1000:.0f}" for p in PARTS if c.get(p))
    check(c["matched"] == c["ios"] >= IOS - 1, f"{title}: {c['matched']} of {c['ios']} fsyncs divided, mean us: {parts}")
    more = sum(sum_ns(c, p) for p in PARTS) - c["whole"]["sum_ns"]
    check(0 <= more <= c["outside_ns"] and c["outside"] == 0, f"{title}: the parts are {more} ns more than the whole")
    return c


def planted(kind, path, file, engine, sync, call, parts):
    """One of these parts has all of what the disk took for its calls; the fsyncs took little else. What runs before left to be written is written first."""
    os.sync()
    title = " ".join([kind, engine[0].removeprefix("--ioengine="), sync.removeprefix("--"), "flushes" if call == FSYNC else "writes"])
    with file.slow(**{"fsync_s" if call == FSYNC else "write_s": SLOW_S}):
        c = syncs_of(title, path, engine, sync)
        took = file.took_ns[call]
        expected = round(len(took) / c["ios"]) * statistics.median(took)
    found = sum(split.p50(c[p]) for p in parts if c.get(p))
    check(abs(found - expected) <= 0.05 * expected > 0, f"{title}: {' and '.join(parts)} p50 {found / 1e6:.2f} ms, planted {expected / 1e6:.2f} ms")
    check(sum(share(c, p) for p in parts) >= 0.9, f"{title}: that is {100 * sum(share(c, p) for p in parts):.0f} % of the time")


def journaled(device, file, kind, *options):
    """fdatasync of blocks that there are is data and a flush; fsync writes the time of change, and that takes a commit."""
    with file_system(device, kind, *options) as folder:
        if folder is None:
            return print(f"skipped: no {kind}")
        path = laid_out(folder)
        for engine in ENGINES:
            tried(planted, kind, path, file, engine, "--fdatasync=1", FSYNC, ("flush",))
            tried(planted, kind, path, file, engine, "--fdatasync=1", WRITE, ("data",))
            tried(planted, kind, path, file, engine, "--fsync=1", FSYNC, ("commit", "flush"))
        if kind == "ext4":
            tried(others, folder, path, file)
            for engine in ENGINES:
                tried(beside, folder, path, file, engine)


def without_journal(device, file):
    with file_system(device, "ext4", *AT_ONCE, "-O", "^has_journal") as folder:
        if folder is None:
            return print("skipped: no ext4")
        tried(planted, "ext4 without a journal", laid_out(folder), file, ENGINES[0], "--fsync=1", FSYNC, ("flush",))


def sync_all_the_time(path, stop):
    with open(path, "wb") as f:
        while not stop.is_set():
            f.write(b"x" * 4096)
            f.flush()
            os.fsync(f.fileno())


def others(folder, path, file):
    """Whoever syncs another file of the journal has its commits run when ours arrive."""
    stop = threading.Event()
    other = threading.Thread(target=sync_all_the_time, args=(os.path.join(folder, "other"), stop))
    with file.slow(fsync_s=0.005):
        other.start()
        try:
            c = syncs_of("ext4, another syncs all the time", path, ENGINES[0], "--fsync=1")
        finally:
            stop.set()
            other.join()
    found = c["others_commit"]["n"] if c.get("others_commit") else 0
    check(found > 0, f"ext4, another syncs all the time: {found} of {c['ios']} waited for another's commit first")


def beside(folder, path, file, engine):
    """Only data is overwritten, so no commit is needed: those that another has run meanwhile are nothing of it. That waits for the same disk, too, of course."""
    stop = threading.Event()
    other = threading.Thread(target=sync_all_the_time, args=(os.path.join(folder, "other"), stop))
    title = f"ext4 {engine[0]}, fdatasync of what is overwritten, another syncs all the time"
    with file.slow(fsync_s=0.005):
        other.start()
        try:
            c = syncs_of(title, path, engine, "--fdatasync=1")
        finally:
            stop.set()
            other.join()
    check(c.get("flush") and split.p50(c["flush"]) >= 5e6, f"{title}: each waits for its own flush")
    check(not any(c[p]["n"] for p in ("commit", "others_commit") if c.get(p)), f"{title}: no commit is a part of it")


def whole(device, file):
    with file_system(device, "btrfs", "-f") as folder:
        if folder is None:
            return print("skipped: no btrfs")
        path = laid_out(folder)
        for engine in ENGINES:
            title = f"btrfs {engine[0]}"
            with file.slow(fsync_s=0.002):
                c = syncs_of(title, path, engine, "--fsync=1")
            check(c["file_system"]["sum_ns"] == c["whole"]["sum_ns"], f"{title}: all of it is the file system's")


def main():
    need_programs()
    with kept_disk() as (device, file):
        if device is None:
            split.skip("no loop device, or no FUSE")
        for engine in ENGINES:
            tried(planted, "a device", device, file, engine, "--fsync=1", FSYNC, ("flush",))
        journaled(device, file, "ext4", *AT_ONCE)
        journaled(device, file, "xfs", "-f")
        without_journal(device, file)
        whole(device, file)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
