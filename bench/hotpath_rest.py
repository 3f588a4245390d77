"""The rows of scripts/bench hotpath that are not a rate of one job: memory of a no-repeat job, an evenly spaced rate, two jobs, an empty job, logs.

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


def empty_job(program, _cpus, _seconds):
    """Of twenty in a shell's loop: one started from here has Python's own milliseconds in it."""
    times = 20
    command = [program, *NULL, "--number_ios=1", "--size=4k", "--output=/dev/null"]
    begin = time.perf_counter()
    subprocess.run(["sh", "-c", f'for i in $(seq {times}); do "$@"; done', "sh", *command], cwd=compare.BASE, check=True)
    return {"value": (time.perf_counter() - begin) / times * 1000}


def ns_a_line(program, cpus, *words):
    """What an I/O takes longer for its line in a log. The other jobs' files lie in a directory of their own, since there are millions of lines."""
    def ns_an_io(*logs):
        found = report(program, cpus, "--rw=read", "--size=1t", "--number_ios=8m", f"--cpus_allowed={cpus[-1]}", *logs)
        return 1e9 / found["jobs"][0]["read"]["iops"]
    with tempfile.TemporaryDirectory(dir=compare.BASE) as directory:
        return {"value": ns_an_io(f"--write_iops_log={directory}/p", *words) - ns_an_io()}


def line_of_each_io(program, cpus, _seconds):
    return ns_a_line(program, cpus)


def averaged_log(program, cpus, _seconds):
    return ns_a_line(program, cpus, "--log_avg_msec=100")


def over_the_default(program, cpus, seconds, *generator):
    """Alternating in one round: the machine's speed changes by the second."""
    def iops(*words):
        found = report(program, cpus, "--rw=randread", "--size=1g", "--time_based", f"--runtime={max(300, int(seconds * 500))}ms", f"--cpus_allowed={cpus[-1]}", *words)
        return found["jobs"][0]["read"]["iops"]
    more = [word for word in generator if word.startswith("--norandommap")]
    return {"value": statistics.median(iops(*generator) / iops(*more) for _ in range(3))}


def lfsr(program, cpus, seconds):
    return over_the_default(program, cpus, seconds, "--random_generator=lfsr")


def tausworthe64(program, cpus, seconds):
    return over_the_default(program, cpus, seconds, "--random_generator=tausworthe64", "--norandommap")


# name, unit, measure, target of fathom's median, whether more is better
ROWS = [
    ("memory of randread without repeats: 1 TiB over 1 GiB", "MiB", memory_growth, 1, False),
    ("rate_iops=100k on null: rate error", "%", paced, 0.1, False),
    ("1 -> 2 jobs on null", "x", two_jobs, 1.95, True),
    ("start and exit of an empty job", "ms", empty_job, 10, False),
    ("random_generator=lfsr over the default on null", "x", lfsr, 1.0, True),
    ("random_generator=tausworthe64 over the default on null, both norandommap", "x", tausworthe64, 0.8, True),
    # At a million I/Os a second 30 ns are 3 % of the rate, 10 ns are 1 %.
    ("log with a line for each I/O, on null: an I/O more", "ns", line_of_each_io, 40, False),
    ("averaged log, on null: an I/O more", "ns", averaged_log, 10, False),
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
