"""--breakdown=all divides what a cgroup's limit held: the time that it held is the part `held` of those I/Os alone, the limit is named, and no I/O is called
cached, unknown or lost for it. Without a limit nothing is held: what io_uring's own workers queue is `handed`."""
# label: kernel
# timeout: 240
# alone: its I/Os must wait for the limit and for nothing else
# cost: 18
import sys
import threading

import split
from all_parts import check, failures, joined, max_ns, need_programs, run, share, tail_is, tried

ENGINES = (["--ioengine=psync"], ["--ioengine=io_uring", "--iodepth=8"])
LIFTED_S = 1
WINDOW_NS = 1e8  # the kernel lets I/Os go in slices of a tenth of a second


def all_of(title, result):
    """None is left out, whatever held it."""
    c = joined(title, result, least=1)
    check(c["no_request"] == c["contested"] == 0, f"{title}: {c['no_request']} called cached, {c['contested']} contested")
    return c


def named(title, result, device, iops):
    """The file of the limit, its group, the device and the number."""
    limits = result["fathom"]["breakdown"]["io_limits"]
    check(any("blkio.throttle.read_iops_device" in limit and f"{split.number_of(device)} {iops}" in limit for limit in limits), f"{title}: in force: {limits}")


def held(name, device, engine, before):
    """500 a second of a device that does thousands: nearly all the time is the limit's."""
    title = f"{name}, {engine[0]}, 500 a second"
    result = run([f"--filename={device}", "--size=32m", "--runtime=1", "--time_based", *engine], before)
    c = all_of(title, result)
    named(title, result, device, 500)
    check(share(c, "held") > 0.9, f"{title}: held is {100 * share(c, 'held'):.1f} % of the time")
    tail_is(title, c, "held")
    check(0 < c["held"]["n"] < c["matched"], f"{title}: {c['held']['n']} of {c['matched']} were held")
    longest = max_ns(c, "held")
    check(0.5 * WINDOW_NS <= longest <= c["whole"]["max_ns"] <= longest + 0.2 * WINDOW_NS, f"{title}: the longest, {c['whole']['max_ns'] / 1e6:.1f} ms, was held for {longest / 1e6:.1f} ms")
    apart = abs(result["fathom"]["jobs"][0]["read"]["lat"]["max_ns"] - c["whole"]["max_ns"])
    check(apart <= 1000, f"{title}: the longest of the job and of those divided are {apart} ns apart")
    for part in ("submit", "queue", "device", "completion"):
        check(max_ns(c, part) < 0.5 * WINDOW_NS, f"{title}: {part} took {max_ns(c, part) / 1e6:.2f} ms at most")


def lifted(name, device):
    """The limit is no more when the run ends."""
    title = f"{name}, 500 a second, until it is lifted"
    with split.blkio_group() as group:
        split.limit(group, device, 500)
        lift = threading.Timer(LIFTED_S, split.limit, (group, device, 0))
        lift.start()
        result = run([f"--filename={device}", "--size=32m", "--runtime=1.5", "--time_based", "--rate_iops=5000"], split.inside(group))
        lift.join()
    c = all_of(title, result)
    named(title, result, device, 500)
    check(share(c, "held") > 0.3, f"{title}: held is {100 * share(c, 'held'):.1f} % of the time")


def many(name, device, engine, before):
    title = f"{name}, {engine[0]}, 1,600 at 2,000 a second"
    result = run([f"--filename={device}", "--size=32m", "--number_ios=1600", *engine], before)
    c = all_of(title, result)
    named(title, result, device, 2000)
    check(c["ios"] == 1600 and share(c, "held") > 0.5, f"{title}: held is {100 * share(c, 'held'):.1f} % of the time of {c['ios']}")


def mixed(name, device, before):
    """Neighbours of two sizes, all of them held at once, and queued long after they were submitted."""
    title = f"{name}, libaio, mixed sizes, 500 a second"
    all_of(title, run([f"--filename={device}", "--size=64m", "--rw=read", "--bssplit=4k/99:1m/1", "--number_ios=400", "--ioengine=libaio", "--iodepth=32"], before))


def free(name, device, engine):
    """No limit, nothing held. zram's bios are too much for io_uring's first try: a worker of its own submits them."""
    title = f"{name}, {engine[0]}, no limit"
    result = run([f"--filename={device}", "--size=32m", "--number_ios=1600", *engine])
    c = all_of(title, result)
    check(not c.get("held") and result["fathom"]["breakdown"]["io_limits"] == [], f"{title}: nothing is held, no limit is named")
    handed = c["handed"]["n"] if c.get("handed") else 0
    expected = c["matched"] if name == "zram" and "io_uring" in engine[0] else 0
    check(handed == expected, f"{title}: {handed} of {c['matched']} were handed to another task")


def of_device(name, device):
    if device is None:
        return print(f"skipped: no {name}")
    for engine in ENGINES:
        tried(free, name, device, engine)
        for part, iops in ((held, 500), (many, 2000)):
            with split.limited(device, iops) as before:
                if before is None:
                    print("skipped: no blkio of cgroup v1")
                else:
                    tried(part, name, device, engine, before)
    with split.limited(device, 500) as before:
        if before is not None:
            split.until_clean(failures, mixed, name, device, before)
    if before is not None:
        tried(lifted, name, device)


def main():
    need_programs()
    with split.scratch_file() as path, split.loop_device(path) as device:
        of_device("loop", device)
    with split.zram_device() as device:
        of_device("zram", device)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
