"""scripts/bench agree: a job that waits for a device must give fio's numbers; being faster there is a mistake of ours.

Debian's fio and fathom take turns on the same target. fathom runs twice a round: with its own stamps (lat is compared) and with
--stamps=fio (clat is compared, as it is defined there). The ratio of medians is held against 2 % for IOPS and 5 % for percentiles.
fio runs twice a round too: its median is that of both, and where the two do not agree with each other within the limit, the machine was
too busy to tell. The order within a round rotates, so that no program always comes first.
"""
import contextlib
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile

import compare
import places

LIMITS = {"iops": 0.02, "lat_p50": 0.05, "lat_p99": 0.05, "clat_p50": 0.05, "clat_p99": 0.05}
VARIANTS = ("fio", "fathom", "fathom --stamps=fio", "fio again")
FROM_FIO_STAMPS = ("clat_p50", "clat_p99")
# Both are pinned: a device whose interrupts reach one CPU only gives two rates, by where the scheduler happens to put the job.
CPU = max(os.sched_getaffinity(0))
SIZES = {"ext4": "1g", "loop": "256m"}


@dataclasses.dataclass
class Case:
    name: str
    target: str  # "ext4": a file; "loop": a loop device
    words: list
    direction: str = "read"


def cases_on(target):
    return [
        Case(f"{target} psync randread 4k", target, ["--ioengine=psync", "--rw=randread", "--bs=4k"]),
        Case(f"{target} libaio randread 4k depth 32", target, ["--ioengine=libaio", "--iodepth=32", "--rw=randread", "--bs=4k"]),
        Case(f"{target} io_uring randread 4k depth 32", target, ["--ioengine=io_uring", "--iodepth=32", "--rw=randread", "--bs=4k"]),
        Case(f"{target} psync read 1m", target, ["--ioengine=psync", "--rw=read", "--bs=1m"]),
        Case(f"{target} psync randwrite 4k", target, ["--ioengine=psync", "--rw=randwrite", "--bs=4k"], "write"),
        Case(f"{target} libaio randwrite 4k depth 32", target, ["--ioengine=libaio", "--iodepth=32", "--rw=randwrite", "--bs=4k"], "write"),
    ]


CASES = [*cases_on("ext4"), *cases_on("loop")]


@contextlib.contextmanager
def written_file(size):
    """Random bytes on the disk, so that no block is a hole."""
    fd, path = tempfile.mkstemp(prefix="fathom-bench.", dir=compare.BASE)
    try:
        chunk = os.urandom(1 << 20)
        for _ in range(compare.size_bytes(size) >> 20):
            os.write(fd, chunk)
        os.fsync(fd)
        os.close(fd)
        yield path
    finally:
        os.unlink(path)


@contextlib.contextmanager
def target(kind):
    with written_file(SIZES[kind]) as path:
        if kind == "ext4":
            yield path
        else:
            with places.loop(path) as device:
                yield device


def measure(variant, fathom, case, path, seconds):
    reference = variant.startswith("fio")
    program, *extra = [compare.FIO] if reference else [fathom, *variant.split()[1:]]
    if not reference and case.target == "loop":
        extra.append(f"--allow-destructive={path}")  # random bytes may look like anything
    argv = [program, *extra, "--output-format=json", "--name=j", f"--filename={path}", f"--size={SIZES[case.target]}", "--direct=1",
            "--time_based", f"--runtime={seconds}s", "--ramp_time=500ms", "--randrepeat=0", "--norandommap", "--lat_percentiles=1",
            "--clat_percentiles=1", "--percentile_list=50:99", f"--cpus_allowed={CPU}", *case.words]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=compare.BASE)
    if done.returncode != 0:
        sys.exit(f"{' '.join(argv)}\nended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr}")
    numbers = compare.parse_report(done.stdout)["jobs"][0][case.direction]
    found = {"iops": numbers["iops"]}
    for part in ("lat", "clat"):
        for name, key in (("p50", "50.000000"), ("p99", "99.000000")):
            found[f"{part}_{name}"] = numbers[f"{part}_ns"]["percentile"][key]
    return found


def spread(values):
    """Largest minus smallest, as a share of the median."""
    return (max(values) - min(values)) / statistics.median(values)


def judge(metric, rounds):
    """One metric of one case: medians, their ratio, and whether that is within the limit; "undecided" where the control is not."""
    ours = "fathom --stamps=fio" if metric in FROM_FIO_STAMPS else "fathom"
    reference, measured, control = ([r[metric] for r in rounds[who]] for who in ("fio", ours, "fio again"))
    base = statistics.median(reference + control)
    ratio, control_ratio = statistics.median(measured) / base, statistics.median(control) / statistics.median(reference)
    verdict = "within" if abs(ratio - 1) <= LIMITS[metric] else "undecided" if abs(control_ratio - 1) > LIMITS[metric] else "outside"
    return {"metric": metric, "ours": ours, "fio_median": base, "fathom_median": statistics.median(measured), "ratio": ratio,
            "control_ratio": control_ratio, "fio_spread": spread(reference + control), "fathom_spread": spread(measured),
            "limit": LIMITS[metric], "verdict": verdict}


def run_case(given, case, path):
    rounds = {variant: [] for variant in VARIANTS}
    for number in range(given.rounds):
        first = number % len(VARIANTS)
        for variant in VARIANTS[first:] + VARIANTS[:first]:
            rounds[variant].append(measure(variant, os.path.abspath(given.fathom), case, path, 1 if given.quick else 3))
    metrics = [judge(metric, rounds) for metric in LIMITS]
    print(case.name)
    for row in metrics:
        sides = "  ".join(f"{who} {row[f'{who}_median']:12.0f} (+-{row[f'{who}_spread'] * 50:4.1f} %)" for who in ("fio", "fathom"))
        print(f"  {row['metric']:9} {sides}  ratio {row['ratio']:6.3f} (fio to fio {row['control_ratio']:6.3f})  {row['verdict']}", flush=True)
    return {"name": case.name, "target": case.target, "options": case.words, "metrics": metrics, "rounds": rounds}


def run(given):
    found = []
    for kind in SIZES:
        wanted = [case for case in CASES if case.target == kind and given.only in case.name]
        if kind == "loop" and os.geteuid() != 0 and wanted:
            print("loop: not run, needs root")
            continue
        if wanted:
            with target(kind) as path:
                found += [run_case(given, case, path) for case in wanted]
    verdicts = [row["verdict"] for case in found for row in case["metrics"]]
    summary = {word: verdicts.count(word) for word in ("within", "undecided", "outside")}
    print(", ".join(f"{count} {word}" for word, count in summary.items()))
    return {"limits": LIMITS, "summary": summary, "cases": found}
