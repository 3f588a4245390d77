"""scripts/bench hotpath: what fathom itself spends per I/O, beside Debian's fio and beside a bare loop (bench/bare/).

One run alternates all programs: every round runs each of them once on one CPU, in an order that rotates, and gives one ratio; the median of
the rounds' ratios is held against the target, so that a machine that speeds up or slows down in between does not decide. slat, clat, lat
and their percentiles are on in fio and fathom. Before a row is measured both run a fixed number of its I/Os and must have done the same.
A bare loop makes the same system calls in the same batches and keeps no statistics (null: same stamps and histograms).
"""
import contextlib
import dataclasses
import os
import statistics
import subprocess
import sys
import tempfile

import compare
import hotpath_rest
from agree import spread
from own_cpu import first_on

CPU = max(os.sched_getaffinity(0))
FILE_MIB = 512
OWN_CPU, TRIES = 0.95, 4
# thread: a fio process makes a session of its own, which would not keep the priority of own_cpu.
COMMON = ["--thread", "--slat_percentiles=1", "--clat_percentiles=1", "--lat_percentiles=1"]
CACHED = ["--rw=randread", "--norandommap", "--direct=0", "--invalidate=0", f"--size={FILE_MIB}m", "--filename=FILE"]
NULL = ["--ioengine=null", "--size=1t"]
URING = ["--ioengine=io_uring", "--iodepth=128", *CACHED]
BATCH_32 = ["--iodepth_batch=32", "--iodepth_batch_complete_min=32", "--iodepth_batch_complete_max=32"]


@dataclasses.dataclass
class Row:
    name: str
    options: list  # of fio and fathom; FILE stands for the page-cached file
    bare: list = None  # program below bare_ and its arguments, the seconds come last
    over_fio: float = None  # target: at least so many times fio's rate
    of_bare: float = None  # target: at least this share of the bare loop's rate


ROWS = [
    Row("null, 4k sequential read, depth 1", [*NULL, "--rw=read"], ["null", "sequential"], 5, 0.93),
    Row("null, randread norandommap, depth 128", [*NULL, "--rw=randread", "--norandommap", "--iodepth=128"], ["null", "random"], 8, 0.9),
    Row("null, randread without repeats on 1 TiB", [*NULL, "--rw=randread"], None, 8),
    Row("null, randread without repeats on 1 TiB, depth 128", [*NULL, "--rw=randread", "--iodepth=128"], ["null", "random"], 8),
    Row("io_uring, page-cached, 4k randread, depth 128", URING, ["io_uring", "FILE", "1", "plain"], 1.3, 0.95),
    Row("the same, fixedbufs, registerfiles, batches of 32", [*URING, "--fixedbufs", "--registerfiles", *BATCH_32],
        ["io_uring", "FILE", "32", "registered"], 1.25, 0.95),
    Row("psync, page-cached, 4k randread", ["--ioengine=psync", *CACHED], ["sync", "psync", "FILE"], 1.3, 0.93),
    Row("pvsync2, page-cached, 4k randread", ["--ioengine=pvsync2", *CACHED], ["sync", "pvsync2", "FILE"], 1.3, 0.93),
    Row("libaio, page-cached, 4k randread, depth 128", ["--ioengine=libaio", "--iodepth=128", *CACHED], ["libaio", "FILE"], 1.2, 0.95),
    Row("mmap, page-cached, 4k randread", ["--ioengine=mmap", *CACHED], ["sync", "mmap", "FILE"], 1.1, 0.85),
    *(Row(f"null, 4k sequential read, clocksource={source}", [*NULL, "--rw=read", f"--clocksource={source}"])
      for source in ("cpu", "clock_gettime", "gettimeofday")),
]


@contextlib.contextmanager
def cached_file():
    fd, path = tempfile.mkstemp(prefix="fathom-bench.", dir=compare.BASE)
    try:
        for _ in range(FILE_MIB):
            os.write(fd, os.urandom(1 << 20))
        os.fsync(fd)
        os.close(fd)
        yield path
    finally:
        os.unlink(path)


def read_through(path):
    with open(path, "rb", buffering=0) as f:
        while f.read(1 << 22):
            pass


def pinned(argv, cpus=frozenset({CPU})):
    argv = [str(word) for word in argv]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=compare.BASE, preexec_fn=first_on(cpus))
    if done.returncode != 0:
        sys.exit(f"{' '.join(argv)}\nended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr}")
    return done.stdout


def job(program, row, path, *words):
    options = [word.replace("FILE", path) for word in row.options]
    return compare.parse_report(pinned([program, "--output-format=json", "--name=j", *COMMON, *options, *words]))["jobs"][0]


def check_same_job(row, fathom, path, other=compare.FIO):
    """Both do 4096 I/Os of the row: as many, as large, as deep, in calls of the same size. fio's null engine holds one batch at a time
    whatever iodepth says (its depths read 1=100 %) and counts no calls at depth 1, so there depth and calls are only noted."""
    def facts(program):
        done = job(program, row, path, "--number_ios=4096")
        read = done["read"]
        parts = ("iodepth_level", "iodepth_submit", "iodepth_complete")
        shares = {part: max(done[part], key=lambda bucket: done[part][bucket]) for part in parts}
        return {"error": done["error"], "ios": read["total_ios"], "bytes": read["io_bytes"], "lat": read["lat_ns"]["N"],
                "clat": read["clat_ns"]["N"], **shares}
    theirs, ours = facts(other), facts(fathom)
    compared = [key for key in theirs if other != compare.FIO or "--ioengine=null" not in row.options or not key.startswith("iodepth")]
    if any(theirs[key] != ours[key] for key in compared):
        sys.exit(f"{row.name}: not the same job\n  {os.path.basename(other)} {theirs}\n  fathom {ours}")
    return {os.path.basename(other): theirs, "fathom": ours}


def once(who, row, given, path, seconds):
    """(IOPS, the share of its CPU that it was given)"""
    if who == "bare":
        words = [word.replace("FILE", path) for word in row.bare]
        return tuple(float(word) for word in pinned([os.path.join(given.bare, f"bare_{words[0]}"), *words[1:], str(seconds)]).split())
    program = {"fio": compare.FIO, "fathom": given.fathom}.get(who, given.against)
    found = job(program, row, path, "--time_based", "--ramp_time=300ms", f"--runtime={int(seconds * 1000)}ms")
    return found["read"]["iops"], (found["usr_cpu"] + found["sys_cpu"]) / 100


def undisturbed(*run):
    """All these jobs keep their CPU busy from end to end: a run that did not have it to itself is made again, TRIES times at most."""
    best = (0, 0)
    for _ in range(TRIES):
        best = max(best, once(*run), key=lambda found: found[1])
        if best[1] >= OWN_CPU:
            break
    return best


def against(rounds, shares, other, target=None, one="fathom"):
    """One program's rate over another's, round by round. Rounds in which one of the two had to share its CPU do not decide anything; where
    they are half of all rounds or more, nothing is decided."""
    pairs = [(mine / theirs, min(my_share, their_share) >= OWN_CPU) for mine, theirs, my_share, their_share
             in zip(rounds[one], rounds[other], shares[one], shares[other])]
    fair = [ratio for ratio, alone in pairs if alone]
    decided = 2 * len(fair) > len(pairs)
    ratios = fair if decided else [ratio for ratio, _ in pairs]
    ratio = statistics.median(ratios)
    verdict = "stated" if target is None else "undecided" if not decided else "reached" if ratio >= target else "missed"
    return {"ratio": ratio, "lowest": min(ratios), "highest": max(ratios), "rounds": len(ratios), "disturbed": len(pairs) - len(fair),
            "target": target, "verdict": verdict}


def run_row(given, row, path, seconds):
    same = check_same_job(row, os.path.abspath(given.fathom), path)
    who = ["fio", "fathom", *(["bare"] if row.bare else [])]
    rounds, shares = {name: [] for name in who}, {name: [] for name in who}
    for number in range(given.rounds):
        first = number % len(who)
        for name in who[first:] + who[:first]:
            iops, share = undisturbed(name, row, given, path, seconds)
            rounds[name].append(iops)
            shares[name].append(share)
    found = {"name": row.name, "options": row.options, "bare": row.bare, "both_did": same, "iops": rounds, "cpu_share": shares,
             "median": {name: statistics.median(values) for name, values in rounds.items()},
             "spread": {name: spread(values) for name, values in rounds.items()}, "over_fio": against(rounds, shares, "fio", row.over_fio)}
    if row.bare:
        found["of_bare"] = against(rounds, shares, "bare", row.of_bare)
        found["bare_over_fio"] = against(rounds, shares, "fio", one="bare")  # what could be reached at best
    print(line(found), flush=True)
    return found


def line(found):
    sides = "".join(f"{name} {found['median'][name] / 1e6:6.3f} M (+-{found['spread'][name] * 50:2.0f} %)  " if name in found["median"] else " " * 24
                    for name in ("fio", "fathom", "bare"))
    return f"{found['name']:52} {sides}{said(found, 'over_fio', 'x fio')}{said(found, 'of_bare', 'of bare')}{said(found, 'bare_over_fio', 'bare/fio')}".rstrip()


def said(found, key, unit):
    if key not in found:
        return ""
    result = found[key]
    limit = f" (>= {result['target']:g} {result['verdict']})" if result["target"] is not None else ""
    return f"{result['ratio']:5.2f} {unit}{limit}  "


def build_bare(folder, target="bench_bare"):
    done = subprocess.run(["cmake", "--build", folder, "--target", target], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{target} does not build in {folder}:\n{done.stdout}{done.stderr}")


def run(given):
    build_bare(given.bare)
    seconds = 0.3 if given.quick else 1.2
    found = []
    with cached_file() as path:
        for row in ROWS:
            if given.only in row.name:
                read_through(path)
                found.append(run_row(given, row, path, seconds))
    rest = hotpath_rest.run(given, CPU, seconds)
    verdicts = [row[key]["verdict"] for row in found for key in ("over_fio", "of_bare") if key in row] + [row["verdict"] for row in rest]
    summary = {word: verdicts.count(word) for word in ("reached", "missed", "undecided", "stated")}
    print(", ".join(f"{count} {word}" for word, count in summary.items()))
    return {"cpu": CPU, "seconds": seconds, "summary": summary, "rows": found, "rest": rest}
