"""The rows of scripts/bench hotpath that are not a rate of one job: memory of a no-repeat job, an evenly spaced rate, two jobs, an empty job.

Each measure gives {program: value} for one round; the table below says what is made of the medians and what the target is.
"""
import os
import statistics
import subprocess
import tempfile
import time

import compare
from agree import spread
from own_cpu import first_on

NULL = ["--name=j", "--output-format=json", "--ioengine=null", "--thread"]
ASKED_IOPS = 100 * 1024  # rate_iops=100k


def report(program, cpus, *words):
    done = subprocess.run([program, *NULL, *words], capture_output=True, text=True, cwd=compare.BASE, check=True, preexec_fn=first_on(cpus))
    return compare.parse_report(done.stdout)


def peak_mib(program, *words):
    """Largest resident set of the program or of a process that it waited for."""
    with tempfile.TemporaryFile() as sink:
        child = subprocess.Popen([program, *NULL, *words], stdout=sink, stderr=sink, cwd=compare.BASE)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0, f"{program} {words}"
    return usage.ru_maxrss / 1024


def memory_growth(program, _cpus, _seconds):
    """MiB more for 1 TiB than for 1 GiB."""
    small, large = (peak_mib(program, "--rw=randread", f"--size={size}", "--number_ios=100k") for size in ("1g", "1t"))
    return {"value": max(0.0, large - small)}


def paced(program, cpus, seconds):
    found = report(program, cpus, "--rw=read", "--size=1t", "--rate_iops=100k", "--time_based", f"--cpus_allowed={cpus[-1]}",
                   f"--runtime={max(1000, int(seconds * 1000))}ms")
    value = {"value": abs(found["jobs"][0]["read"]["iops"] / ASKED_IOPS - 1) * 100}
    if "fathom" in found:
        job = found["fathom"]["jobs"][0]["read"]
        value["start_jitter_p9999_ns"] = job.get("start_delay", job["intended_lat"])["percentiles_ns"]["99.990000"]
    return value


def two_jobs(program, cpus, seconds):
    def iops(*words):
        found = report(program, cpus, "--rw=read", "--size=1t", "--time_based", f"--runtime={int(seconds * 1000)}ms", "--ramp_time=300ms",
                       "--group_reporting", *words)
        return found["jobs"][0]["read"]["iops"]
    alone = statistics.mean(iops(f"--cpus_allowed={cpu}") for cpu in cpus[-2:])
    together = iops("--numjobs=2", f"--cpus_allowed={cpus[-2]},{cpus[-1]}", "--cpus_allowed_policy=split")
    return {"value": together / alone}


def empty_job(program, cpus, _seconds):
    begin = time.perf_counter()
    report(program, cpus, "--number_ios=1", "--size=4k")
    return {"value": (time.perf_counter() - begin) * 1000}


# name, unit, measure, target of fathom's median, whether more is better
ROWS = [
    ("memory of randread without repeats: 1 TiB over 1 GiB", "MiB", memory_growth, 1, False),
    ("rate_iops=100k on null: rate error", "%", paced, 0.1, False),
    ("1 -> 2 jobs on null", "x", two_jobs, 1.95, True),
    ("start and exit of an empty job", "ms", empty_job, 20, False),
]


def run(given, cpu, seconds):
    cpus = sorted(os.sched_getaffinity(0) - {cpu}) + [cpu]
    found = []
    for name, unit, measure, target, more in ROWS:
        if given.only not in name or (measure is two_jobs and len(cpus) < 2):
            continue
        rounds = {"fio": [], "fathom": []}
        for number in range(given.rounds):
            for who in sorted(rounds, reverse=number % 2 == 1):
                rounds[who].append(measure(compare.FIO if who == "fio" else os.path.abspath(given.fathom), cpus, seconds))
        values = {who: [one["value"] for one in measured] for who, measured in rounds.items()}
        median = {who: statistics.median(one) for who, one in values.items()}
        reached = median["fathom"] >= target if more else median["fathom"] <= target
        row = {"name": name, "unit": unit, "target": target, "median": median, "values": values, "verdict": "reached" if reached else "missed",
               "spread": {who: spread(one) if statistics.median(one) else 0 for who, one in values.items()}}
        jitter = [one["start_jitter_p9999_ns"] for one in rounds["fathom"] if "start_jitter_p9999_ns" in one]
        if jitter:
            row["start_jitter_p9999_ns"] = {"median": statistics.median(jitter), "values": jitter}
        found.append(row)
        limit = f"{'>=' if more else '<='} {target:g} {unit} {row['verdict']}"
        print(f"{name:52} fio {median['fio']:10.3f} {unit}  fathom {median['fathom']:10.3f} {unit}  ({limit})"
              + (f"  start jitter p99.99 {row['start_jitter_p9999_ns']['median']} ns" if jitter else ""), flush=True)
    return found
