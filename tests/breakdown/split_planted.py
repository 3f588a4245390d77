"""Delays of known size, each planted in one part or in two, for three engines and depths 1, 8 and 32, on a block device and on files of ext4, xfs, btrfs and an overlay: what
--breakdown=all says of every one.     python3 tests/breakdown/split_planted.py [KIND...]     (scripts/check split-planted)

The disk below is a FUSE file under a loop device (kept_disk.py) that takes its time, one call after the other, and writes down how long each took; a limit of version 1
holds reads, and somebody with a real-time priority takes the job's CPU for a while. What was planted is known by the disk's notes or the kernel's account of the disk, and of
what is held or waits for the CPU it is the rest of the job's own log. Mean and p50 within 5 %, p99 within 10 %, shares within 5 points of where they must lie, between what
was planted and that with all of the way to the disk and back; how many are within one is counted. The longest I/O is there, and of 1,600 that a limit held none is missing.

What the split is known not to see (docs/reference/breakdown.md) is left out: flushes of files by another engine than psync, and on btrfs; a wait for a CPU beside a flush, and of a worker of
io_uring, who submits what lies on an overlay.
Waits for a CPU at depths 8 and 32 are planted on the block device only: what the task waits for does not ask where the data came from."""
import contextlib
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

import split
from all_parts import PARTS, UNDIVIDED, max_ns, mean_of, need_programs, run, share
from kept_disk import FSYNC, READ, WRITE, file_system, kept_disk, laid_out
from planters import elsewhere, spinner
from series import keep, leave_nothing_behind, machine
from slow_file import together, turns, turns_of_writes

DEPTHS = {"psync": (1,), "libaio": (1, 8, 32), "io_uring": (1, 8, 32)}
MIB = 8  # more blocks than any case has I/Os: no two of them are of the same
IOS = {1: 60, 8: 96, 32: 192}
DISK_S, FLUSH_S = 0.020, 0.030
SPIN_S, SLEEP_S = 0.030, 0.010
LIMITS = {1: 10, 8: 40, 32: 100}  # by depth: nearly none is let go at once
HELD_IOS = {1: 14, 8: 64, 32: 192}
CPU_IOS = {1: 60, 8: 200, 32: 400}
ONE_BY_ONE_IOS = {1: 14, 8: 40, 32: 72}
THROTTLED = 1600, 2000  # I/Os, a second
WITHIN, WITHIN_P99, SHARE_WITHIN, SHARE_CLOSE = 0.05, 0.1, 0.05, 0.01
ATTEMPTS = 3
KINDS = {"device": None, "ext4": ("-E", "lazy_itable_init=0,lazy_journal_init=0"), "xfs": ("-f",), "btrfs": ("-f",), "overlay": ("-E", "lazy_itable_init=0,lazy_journal_init=0")}


def latencies(log):
    """ns of each I/O, in the order in which they ended: a file of --write_lat_log."""
    with open(log, encoding="ascii") as f:
        return [int(line.split(",")[1]) for line in f]


def quantile(values, rank):
    return sorted(values)[math.ceil(rank * len(values)) - 1]


class Truth:
    """Of one part: of its times what is known. Of two sizes of I/O the median is one, as the split's is."""

    def __init__(self, mean, p50=None, p99=None):
        self.mean, self.p50, self.p99 = mean, p50, p99

    @classmethod
    def of(cls, values):
        return cls(statistics.mean(values), quantile(values, 0.5), quantile(values, 0.99))


class Beside(Truth):
    """Not planted, but known, and too short to be held against more than its share."""


class Job:
    """What is planted in is a job of reads, or of writes with a flush each."""

    def __init__(self, place, engine, depth):
        self.device, self.file, self.path, self.kind, self.engine, self.depth = *place, engine, depth
        self.direction = "read"

    def one(self, ios, *options, before=()):
        """(its class of the split, ns of each I/O); the disk's notes are of this run."""
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            log = os.path.join(folder, "log")
            result = run([f"--filename={self.path}", f"--size={MIB}m", f"--number_ios={ios}", f"--ioengine={self.engine}", f"--iodepth={self.depth}",
                          f"--allow-destructive={self.path}", f"--write_lat_log={log}", *options], before)
            return split.classes(result)[self.direction], latencies(f"{log}_lat.1.log")

    def unplanted(self):
        return self.one(200)[1]

    def alone(self):
        """The same with one I/O at a time: what an I/O takes beside, where none waits for another."""
        return Job((self.device, self.file, self.path, self.kind), self.engine, 1)


def device(job):
    with job.file.slow(read_s=DISK_S):
        c, lats = job.one(IOS[job.depth])
        took = job.file.took_ns[READ]
    return c, lats, {"device": Truth.of(turns(took, job.depth))}


def writes(job, write_s, fsync_s):
    job.direction = "write"
    with job.file.slow(write_s=write_s, fsync_s=fsync_s):
        c, lats = job.one(30 if job.depth == 1 else IOS[job.depth], "--rw=randwrite", "--sync=dsync")
        if job.depth > 1:
            return c, lats, *map(Truth.of, turns_of_writes(job.file.spans_ns, job.depth))
        wrote, flushed = list(job.file.took_ns[WRITE]), list(job.file.took_ns[FSYNC])
    each = max(1, round(len(flushed) / len(lats)))  # the block layer asks, and the file's operation may ask again
    return c, lats, Truth.of(wrote), Truth.of([ns * each for ns in flushed])


def flush(job):
    """At a depth the others' data is on its way as well, which takes a part of the time that can be seen."""
    c, lats, wrote, flushed = writes(job, 0, FLUSH_S)
    return c, lats, {"flush": flushed} if job.depth == 1 else {"flush": flushed, "device": Beside(wrote.mean)}


def device_and_flush(job):
    c, lats, wrote, flushed = writes(job, DISK_S, FLUSH_S)
    return c, lats, {"device": wrote, "flush": flushed}


def held(job):
    usual = statistics.median(job.unplanted())
    with split.limited(job.device, LIMITS[job.depth]) as before:
        c, lats = job.one(HELD_IOS[job.depth], before=before)
    return c, lats, {"held": Truth.of([max(0, ns - usual) for ns in lats])}


def held_and_device(job):
    """One is let go after the other, further apart than the disk needs; now and then two at once, of which the second waits for the first at the disk."""
    with split.limited(job.device, LIMITS[1]) as before, job.file.slow(read_s=DISK_S):
        lats = job.alone().one(20)[1]
        usual = statistics.median(lats) - statistics.median(job.file.took_ns[READ])
        job.file.forget()
        c, lats = job.one(ONE_BY_ONE_IOS[job.depth], before=before)
        spans = job.file.spans_ns[READ][-len(lats):]
    took = [end - begin for begin, end in spans] if job.depth == 1 else together(spans)
    return c, lats, {"device": Truth.of(took), "held": Truth.of([max(0, lat - disk - usual) for lat, disk in zip(lats, took)])}


def cpu_and_device(job):
    """The disk's notes would do on an idle machine. On the CPU that is left to them the kernel's threads and the disk's server wait as well, and that is the disk's time: of
    it the kernel's own account has the sum."""
    cpu = max(os.sched_getaffinity(0))
    usual, before = statistics.median(job.alone().unplanted()), ["taskset", "--cpu-list", str(cpu)]
    with spinner(cpu, SPIN_S, SLEEP_S), elsewhere(cpu), job.file.slow(read_s=DISK_S):
        begin = split.read_ns(job.device)
        c, lats = job.one(CPU_IOS[job.depth], before=before)
        at_disk = (split.read_ns(job.device) - begin) / len(lats)
    return c, lats, {"device": Truth(at_disk), "cpu": Truth(statistics.mean(lats) - at_disk - usual)}


def throttled(job):
    ios, a_second = THROTTLED
    with split.limited(job.device, a_second) as before:
        c, lats = job.one(ios, before=before)
    if len(lats) != ios:
        raise AssertionError(f"{len(lats)} I/Os of {ios}")
    return c, lats, {}


def share_off(c, lats, truths, part):
    """How far the part's share is from where it must lie: what of the latencies was not planted may be its as well."""
    low = truths[part].mean * len(lats) / sum(lats)
    high = low + max(0, 1 - sum(t.mean for t in truths.values()) * len(lats) / sum(lats))
    return max(0, low - share(c, part), share(c, part) - high)


def faults_of(c, lats, truths):
    """What is not as it was planted, in words."""
    faults = [f"{c[why]} {why}" for why in UNDIVIDED if c[why]]
    if c["matched"] == 0:
        return faults or ["no I/O"]
    for part, t in truths.items():
        found = {"mean": mean_of(c, part), **{f"p{rank}": (c.get(part) or {"percentiles_ns": {}})["percentiles_ns"].get(f"{rank}.000000", 0) for rank in (50, 99)}}
        for what, truth, within in (("mean", t.mean, WITHIN), ("p50", t.p50, WITHIN), ("p99", t.p99, WITHIN_P99)):
            if truth is not None and not isinstance(t, Beside) and abs(found[what] - truth) > within * truth:
                faults.append(f"{part} {what} {found[what] / 1e6:.2f} ms, planted {truth / 1e6:.2f}")
        if share_off(c, lats, truths, part) > SHARE_WITHIN:
            faults.append(f"{part} {100 * share(c, part):.1f} % of the time, planted {100 * t.mean * len(lats) / sum(lats):.1f}")
    if abs(c["whole"]["max_ns"] - max(lats)) > 0.01 * max(lats):
        faults.append(f"the longest is {c['whole']['max_ns'] / 1e6:.2f} ms, by the job's log {max(lats) / 1e6:.2f}")
    if truths and (rest := 1 - sum(share(c, part) for part in truths)) > 0.05:
        faults.append(f"{100 * rest:.1f} % of the time is elsewhere")
    return faults


def told(c, lats, truths):
    def row(part, t):
        percentiles = (c.get(part) or {}).get("percentiles_ns", {})
        return {"planted_ms": {what: ms(value) for what, value in vars(t).items() if value is not None}, "mean_ms": ms(mean_of(c, part)),
                "p50_ms": ms(percentiles.get("50.000000", 0)), "p99_ms": ms(percentiles.get("99.000000", 0)), "share": round(share(c, part), 4)}
    return {"ios": len(lats), "joined": c["matched"], "longest_ms": ms(max_ns(c, "whole")), "parts": {part: row(part, t) for part, t in truths.items()},
            "shares_within_a_point": all(share_off(c, lats, truths, part) <= SHARE_CLOSE for part in truths),
            "shares": {part: round(share(c, part), 4) for part in PARTS if c.get(part)}}


def ms(ns):
    return round(ns / 1e6, 4)


def one(plant, place, engine, depth):
    """Some other work of the machine is as long as what is planted: three attempts, and each is told."""
    case = {"planted": plant.__name__.replace("_", " "), "kind": place[3], "engine": engine, "depth": depth, "failed_attempts": []}
    for _ in range(ATTEMPTS):
        try:
            c, lats, truths = plant(Job(place, engine, depth))
            faults = faults_of(c, lats, truths)
            case.update(told(c, lats, truths) if c["matched"] else {}, good=not faults)
        except KeyError as error:  # a class or a part that is not there
            faults, case["good"] = [repr(error)], False
        if not faults:
            break
        case["failed_attempts"].append(faults)
    print(f"{'ok  ' if case['good'] else 'FAIL'} {case['planted']}, {case['kind']}, {engine}, {depth}" + "".join(f"\n     {'; '.join(f)}" for f in case["failed_attempts"]), flush=True)
    return case


EVERYWHERE = [(engine, depth) for engine, depths in DEPTHS.items() for depth in depths]


def cases(kind):
    """(plant, engine, depth)"""
    everywhere = EVERYWHERE
    one_at_a_time = [(engine, depth) for engine, depth in everywhere if depth == 1]
    flushes = everywhere if kind == "device" else [("psync", 1)] if kind != "btrfs" else []
    cpu = everywhere if kind == "device" else [(engine, depth) for engine, depth in one_at_a_time if (kind, engine) != ("overlay", "io_uring")]
    for plant, where in ((device, everywhere), (held, everywhere), (throttled, everywhere), (flush, flushes), (device_and_flush, flushes),
                         (held_and_device, everywhere), (cpu_and_device, cpu)):
        yield from ((plant, *engine) for engine in where)


@contextlib.contextmanager
def overlay(folder):
    """An overlay whose layers are all in the folder; None where there are none."""
    layers = {name: os.path.join(folder, name) for name in ("lower", "upper", "work", "merged")}
    for layer in layers.values():
        os.mkdir(layer)
    options = f"lowerdir={layers['lower']},upperdir={layers['upper']},workdir={layers['work']}"
    if subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, layers["merged"]], check=False).returncode != 0:
        yield None
        return
    try:
        yield layers["merged"]
    finally:
        subprocess.run(["umount", layers["merged"]], check=False)


@contextlib.contextmanager
def places(kind):
    """(loop device, its file, what the job opens, the kind); None where there is none."""
    with contextlib.ExitStack() as stack:
        device_path, file = stack.enter_context(kept_disk())
        if device_path is None or KINDS[kind] is None:
            yield None if device_path is None else (device_path, file, device_path, kind)
            return
        folder = stack.enter_context(file_system(device_path, "ext4" if kind == "overlay" else kind, *KINDS[kind]))
        if folder is not None and kind == "overlay":
            folder = stack.enter_context(overlay(folder))
        yield None if folder is None else (device_path, file, laid_out(folder, MIB), kind)


def main():
    leave_nothing_behind()
    need_programs()
    if not all(shutil.which(tool) for tool in ("chrt", "taskset")) or not os.path.isdir(split.BLKIO):
        split.skip("no chrt and taskset (util-linux), or no blkio of cgroup v1")
    before, found, usual, missing = machine(), [], {}, []
    for kind in sys.argv[1:] or KINDS:
        with places(kind) as place:
            if place is None:
                missing.append(kind)
                print(f"skipped: no {kind}")
                continue
            os.sync()
            usual[kind] = {f"{engine} {depth}": ms(statistics.median(Job(place, engine, depth).unplanted())) for engine, depth in EVERYWHERE}
            found += [one(plant, place, engine, depth) for plant, engine, depth in cases(kind)]
    bad = [case for case in found if not case["good"]]
    counts = {"cases": len(found), "good": len(found) - len(bad), "shares_within_a_point": sum(case.get("shares_within_a_point", False) and case["planted"] != "throttled" for case in found),
              "at_first": sum(case["good"] and not case["failed_attempts"] for case in found), "not_here": missing}
    print(counts)
    keep(before, {**counts, "unplanted_p50_ms": usual, "cases_told": found})
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
