"""Delays planted in one part show there, to at least 95 %, and in no other: a submitter and a reaper held back by strace, a disk that is
slow, a device queue that is too short."""
# label: slow
# timeout: 600
# alone: planted delays are held against medians of latencies
import shutil
import sys

import split
from slow_file import slow_disk

DELAY_US = 500
SHORT_US = 200  # a CPU that sleeps meanwhile is slower to take an interrupt: both runs let it sleep
failures = []


def check(condition, what):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def held(path, inject):
    before = ["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=pread64", "-e", f"inject=pread64:{inject}"]
    return split.classes(split.run([f"--filename={path}", "--size=64m", "--number_ios=1500"], before))["read"]


def planted(path, part, where):
    """strace stops the caller at entry and exit whatever is injected: a short delay is what the planted one is held against."""
    base, c = (held(path, f"delay_{where}={us}") for us in (SHORT_US, SHORT_US + DELAY_US))
    added = {name: split.p50(c[name]) - split.p50(base[name]) for name in (*split.PARTS, "whole")}
    check(added["whole"] >= 0.8 * DELAY_US * 1000, f"{part}: {added['whole'] / 1000:.0f} us were added at p50")
    check(added[part] >= 0.95 * added["whole"], f"{part}: {100 * added[part] / added['whole']:.1f} % of it shows there")
    for other in split.PARTS:
        if other != part:
            check(added[other] <= 0.05 * added["whole"], f"{part}: {added[other] / 1000:.1f} us of it in {other}")


def mean(latency):
    return latency["mean_ns"]


def compare(title, part, base, full, of):
    """What was added lies in one part, and in no other."""
    added = {name: of(full[name]) - of(base[name]) for name in (*split.PARTS, "whole")}
    print(f"     {title}: " + ", ".join(f"{name} {ns / 1000:+.0f} us" for name, ns in added.items()))
    check(added["whole"] >= 0.5 * of(base["whole"]), f"{title}: {added['whole'] / 1000:.0f} us were added")
    check(added[part] >= 0.95 * added["whole"], f"{title}: {100 * added[part] / added['whole']:.1f} % of it shows in {part}")
    for other in split.PARTS:
        if other != part:
            check(added[other] <= 0.05 * added["whole"], f"{title}: {added[other] / 1000:.1f} us of it in {other}")


def of_jobs(device, jobs):
    return split.classes(split.run([f"--filename={device}", "--size=64m", f"--numjobs={jobs}", "--thread", "--group_reporting", "--runtime=1.5", "--time_based",
                                    "--norandommap"]))["read"]


def slow_device():
    """A disk that takes three times as long, asked by one."""
    found = []
    for read_s in (0.0005, 0.0015):
        with slow_disk(read_s) as device:
            if device is None:
                return print("skipped: no loop device, or no FUSE")
            found.append(of_jobs(device, 1))
    compare("a slower device", "device", *found, split.p50)


def full_queue():
    """The device has four tags and works on one request after the other, so four in flight take as long whoever waits behind them: with eight times as
    many askers, what is added is the wait for a tag."""
    with slow_disk(0.0005) as device:
        if device is None:
            return print("skipped: no loop device, or no FUSE")
        with split.setting(f"/sys/block/{device.removeprefix('/dev/')}/queue/nr_requests", 4):
            compare("a full queue", "queue", of_jobs(device, 4), of_jobs(device, 32), mean)


def main():
    split.need_tracepoints()
    # Whoever else uses the machine moves some of the time from part to part: a quiet attempt is asked for.
    split.until_clean(failures, slow_device)
    split.until_clean(failures, full_queue)
    with split.scratch_file() as path:
        if shutil.which("strace") is None:
            print("skipped: strace is not installed: a submitter and a reaper are not held back")
        else:
            for part, where in (("submit", "enter"), ("completion", "exit")):
                split.until_clean(failures, planted, path, part, where, most=6)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
