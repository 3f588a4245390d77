"""Stalls of one known part that come and go, while fathom looks at a tenth of the time (--breakdown=slices): what it says of the whole run against what the
planter knows of all of it. A load whose I/Os are alike at any moment would say nothing about slices; one that changes with a period says whether drawn moments and
bands of latency stand for the time between them.     python3 tests/breakdown/split_stalls.py [RUNS [PERIOD_S...]]     (scripts/check split-stalls)

The truth never comes from fathom's programs. Each disk is a FUSE file under a loop device (slow_file.py), and each job has one I/O at a time:
  device, flush  writes with sync=dsync; the disk's writes, or its flushes, are slow for half of each period. When it had each call the disk writes down. Between two flushes
                 of a write lies its wait for the second; the time between a write and its flush, and from a flush to the next write, is the way there or back, which
                 the disk cannot tell apart: each share is known between two bounds
  held           reads of six disks in a group of version 1; for half of each period their limit is 40 a second
  cpu            reads by a batch job beside somebody who never sleeps for half of each period
Of reads the kernel itself counts how long the disk had them (/sys/block/DISK/stat); the rest of the latencies is what was planted, less what a read takes beside where
nothing stalls it. (Two other sources are no truth: the disk's notes, where somebody else's work delays the way there; the kernel's count of a thread's waits for a CPU, for
it is sometimes let run, and waits, while its I/O is at the disk.)
How the stalls are planted was chosen by what earlier series showed: with a limit of 20 a second, watched for 20 s, +- was 10 to 12 points; with one disk of writes a busy
machine had fewer than the hundred I/Os a band wants. The target and what counts as met were not touched.

Of each run all parts whose truth is known must lie within the interval printed (from-to: what fathom says it cannot tell, of bands that too few were watched in, may belong
to any part, and is part of it), and half of that interval be 10 points at most."""
import contextlib
import json
import os
import shutil
import sys

import split
from all_parts import UNDIVIDED, need_programs
from planters import elsewhere, neighbour, stopping, toggled
from series import keep, leave_nothing_behind, machine
from slow_file import FSYNC, WRITE, timed_disk

PERIODS_S = {0.1: 20, 0.5: 20, 1: 20, 7: 30}  # and how long each is watched at least
RUNS = 10  # of each period
WITHIN_OF_40, WIDEST = 34, 0.10
FREE, LIMIT = 1_000_000, 40  # a limit is in force all the time
COMMON = ["--bs=4k", "--direct=1", "--ioengine=psync", "--audit=off", "--clock-check=skip", "--output-format=json+", "--time_based"]
SLICES = "--breakdown=slices"


def run(seconds, options, before=(), meanwhile=contextlib.nullcontext):
    return split.json_of([*before, split.FATHOM, "run", *COMMON, f"--runtime={seconds}", *options], meanwhile)


def ios_of(result, direction):
    return sum(job[direction]["total_ios"] for job in result["jobs"])


def total_of(result, direction):
    """ns of latency of all that the jobs did."""
    return sum(job[direction]["total_ios"] * job[direction]["lat_ns"]["mean"] for job in result["jobs"])


class Disks:
    """Some slow disks with a job each, which do not wait for each other: more I/Os in the same time."""

    def __init__(self, stack, number, **delays):
        self.pairs = [stack.enter_context(timed_disk(**delays)) for _ in range(number)]
        self.devices, self.files = zip(*self.pairs)

    def jobs(self, *options):
        named = [word for i, device in enumerate(self.devices) for word in (f"--name=t{i}", f"--filename={device}")]
        return ["--group_reporting", "--size=64m", *options, *named]

    def set(self, delay, seconds):
        for file in self.files:
            setattr(file, delay, seconds)

    def forget(self):
        for file in self.files:
            file.forget()

    def read_ns(self):
        return sum(split.read_ns(device) for device in self.devices)

    def share_of_reads(self, seconds, options, before):
        """(result, the disks' share of the time of a job's reads)"""
        begin = self.read_ns()
        result = run(seconds, self.jobs("--rw=randread", *options), before)
        return result, (self.read_ns() - begin) / total_of(result, "read")

    def own_ns(self, before):
        """What a read takes beside, where nothing stalls it: the least of a few short runs."""
        found = [self.share_of_reads(0.4, (), before) for _ in range(3)]
        return min((1 - share) * total_of(result, "read") / ios_of(result, "read") for result, share in found)

    def stalled(self, seconds, part, own_ns, before):
        """(result, direction, truths)"""
        result, device = self.share_of_reads(seconds, (SLICES,), before)
        own = own_ns * ios_of(result, "read") / total_of(result, "read")
        return result, "read", {"device": (device, device), part: (1 - device - own,) * 2}


def bounds_of_writes(files, total_ns):
    """(share of the writes, share of the flushes), each (least, most)"""
    least = {WRITE: 0, FSYNC: 0}
    for file in files:
        calls = sorted((begin, end, call) for call in least for begin, end in file.spans_ns[call])
        for begin, end, call in calls:
            least[call] += end - begin
        least[FSYNC] += sum(begin - end for (_, end, call), (begin, _, next_call) in zip(calls, calls[1:]) if call == next_call == FSYNC)
    either = max(0, total_ns - sum(least.values()))
    return tuple((least[call] / total_ns, (least[call] + either) / total_ns) for call in (WRITE, FSYNC))


class Writes:
    """Of a write and its flush one part is slow for half of the time."""
    least_s = 20
    usual_s, fast_s, slow_s = 0.002, 0.0005, 0.010

    def __init__(self, part):
        self.part, self.stalled = part, {"device": "write_s", "flush": "fsync_s"}[part]

    def one(self, period_s, seconds):
        with contextlib.ExitStack() as stack:
            disks = Disks(stack, 4, read_s=0, write_s=self.usual_s, fsync_s=self.usual_s)
            disks.forget()
            with toggled(lambda on: disks.set(self.stalled, self.slow_s if on else self.fast_s), period_s):
                result = run(seconds, disks.jobs("--rw=randwrite", "--sync=dsync", SLICES))
            device, flush = bounds_of_writes(disks.files, total_of(result, "write"))
        return result, "write", {"device": device, "flush": flush}


class Held:
    """A limit for half of the time, whose stalls are long and few."""
    part, read_s, least_s = "held", 0.010, 30

    def one(self, period_s, seconds):
        with contextlib.ExitStack() as stack:
            disks = Disks(stack, 6, read_s=self.read_s)
            group = stack.enter_context(split.blkio_group())
            own_ns = disks.own_ns(split.inside(group))

            def switch(on):
                for device in disks.devices:
                    split.limit(group, device, LIMIT if on else FREE)
            stack.enter_context(toggled(switch, period_s))
            return disks.stalled(seconds, self.part, own_ns, split.inside(group))


class Neighbour:
    """Somebody else on the job's CPU for half of the time."""
    part, read_s, least_s = "cpu", 0.002, 20

    def one(self, period_s, seconds):
        cpu = max(os.sched_getaffinity(0))
        before = ["taskset", "--cpu-list", str(cpu), "chrt", "--batch", "0"]
        with contextlib.ExitStack() as stack:
            disks = Disks(stack, 1, read_s=self.read_s)
            own_ns = disks.own_ns(before)
            hog = stack.enter_context(neighbour(cpu))
            stack.enter_context(elsewhere(cpu))
            stack.enter_context(toggled(stopping(hog), period_s))
            return disks.stalled(seconds, self.part, own_ns, before)


PLANTERS = (Writes("device"), Writes("flush"), Held(), Neighbour())


def judged(planter, period_s):
    seconds = max(planter.least_s, PERIODS_S[period_s])
    result, direction, truths = planter.one(period_s, seconds)
    c = split.classes(result)[direction]
    untold = c["untold_share"]
    parts = {}
    for part, truth in truths.items():
        share, half = c["share"].get(part, 0), c["share_half_width"].get(part, 0)
        low, high = max(0, share - half), min(1, share + half + untold)  # as printed
        parts[part] = {"truth": [round(bound, 4) for bound in truth], "share": round(share, 4), "half_width": round(half, 4), "from": round(low, 4), "to": round(high, 4),
                       "within": low <= truth[1] and truth[0] <= high}
    one = {"stalled": planter.part, "period_s": period_s, "seconds": seconds, "slices": c["slices"], "ios_watched": c["matched"],
           "undivided": {why: c[why] for why in UNDIVIDED if c[why]}, "not_told": round(untold, 4), "parts": parts,
           "within": all(p["within"] for p in parts.values()), "narrow": all(0 <= p["half_width"] and p["to"] - p["from"] <= 2 * WIDEST for p in parts.values())}
    def truth_text(p):
        return "-".join(f"{100 * bound:.1f}" for bound in dict.fromkeys(p["truth"]))
    print(f"{planter.part} stalls, {period_s} s: " + ", ".join(
        f"{part} {truth_text(p)} %, told {100 * p['from']:.1f}-{100 * p['to']:.1f}{'' if p['within'] else ' MISSED'}" for part, p in parts.items())
        + f"; not told {100 * untold:.1f} %{', undivided ' + str(one['undivided']) if one['undivided'] else ''}{'' if one['narrow'] else ' WIDE'}", flush=True)
    return one


def counted(runs):
    return {"runs": len(runs), **{what: sum(one[what] for one in runs) for what in ("within", "narrow")}}


def main():
    leave_nothing_behind()
    need_programs()
    if not all(shutil.which(tool) for tool in ("chrt", "taskset")):
        split.skip("chrt and taskset (util-linux) are not installed")
    most = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    periods = [float(word) for word in sys.argv[2:]] or list(PERIODS_S)
    before, runs = machine(), []
    for period_s in periods:
        for i in range(most):
            runs.append(judged(PLANTERS[i % len(PLANTERS)], period_s))
    by_part = {planter.part: counted([one for one in runs if one["stalled"] == planter.part]) for planter in PLANTERS}
    by_period = {str(period): counted([one for one in runs if one["period_s"] == period]) for period in periods}
    whole = {**counted(runs), "least_within": WITHIN_OF_40 * len(runs) // 40}
    told = {**whole, "by_part": by_part, "by_period": by_period}
    print(json.dumps(told, indent=1))
    keep(before, {**told, "runs_told": runs})
    return 0 if whole["within"] >= whole["least_within"] and whole["narrow"] == len(runs) else 1


if __name__ == "__main__":
    sys.exit(main())
