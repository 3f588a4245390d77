"""The parts add up to the latency that the loop itself measured, on a disk, a loop device and zram: the p50 of the sums and of the loop's own
lat, binned apart from each other, differ by less than 1 us, or one bin. Jobs are held to a rate at which every I/O is looked at."""
# label: slow
# timeout: 400
# alone: two medians of latencies are held within 1 us
import os
import sys

import split

failures = []


def check(condition, what):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def hold_in_attempts(*arguments, **more):
    split.until_clean(failures, lambda: hold(*arguments, **more), most=8)  # of requests that others make meanwhile, some of ours are not looked at


def hold(title, options, dirs=("read",), queue=True):
    result = split.run([*options, "--time_based", "--runtime=2"])
    found = split.classes(result)
    for name in dirs:
        c, job = found[name], result["fathom"]["jobs"][0][name]
        difference = abs(split.p50(c["sum"]) - split.p50(job["lat"]))
        bin_ns = split.p50(job["lat"]) / 64  # two medians that are the same may lie on either side of an edge
        check(difference <= max(1000, bin_ns), f"{title} {name}: p50 of the sums and of lat differ by {difference} ns")
        check(c["matched"] >= 0.95 * c["ios"], f"{title} {name}: {c['matched']} of {c['ios']} matched")
        check(c["ios"] >= 0.9 * job["ios"], f"{title} {name}: {c['ios']} of {job['ios']} looked at")
        check(("queue" in c) == queue, f"{title} {name}: queue is {'covered' if queue else 'not covered'}")
        mean = sum(c[part]["mean_ns"] for part in split.PARTS if part in c)
        more = c["outside_ns"] / c["matched"]
        check(abs(mean - more - c["whole"]["mean_ns"]) <= 1, f"{title} {name}: the parts' means add up to the whole's, but for what is outside ({more:.2f} ns)")
        check(c["outside"] <= 0.01 * c["matched"] and c["outside_max_ns"] <= 1000, f"{title} {name}: {c['outside']} I/Os have events outside")


def main():
    split.need_tracepoints()
    with split.scratch_file() as path:
        file = [f"--filename={path}", "--size=64m", "--rate_iops=3000,3000"]
        hold_in_attempts("file", file)
        hold_in_attempts("file, mixed, io_uring", [*file, "--rw=randrw", "--ioengine=io_uring", "--iodepth=8"], ("read", "write"))
        hold_in_attempts("file, libaio, two jobs", [*file, "--ioengine=libaio", "--iodepth=4", "--numjobs=2", "--group_reporting", "--thread"])
        with split.loop_device(path, "--direct-io=on") as device:
            if device is None:
                print("skipped: no loop device")
            else:
                hold_in_attempts("loop", [f"--filename={device}", "--rate_iops=3000"])
    with split.zram_device() as device:
        if device is None:
            print("skipped: no zram")
        else:
            hold_in_attempts("zram", [f"--filename={device}", "--rate_iops=3000"], queue=False)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
