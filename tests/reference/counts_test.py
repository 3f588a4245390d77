# label: slow
# timeout: 900
# cost: 40
"""What fio did and what fathom did, for each job of jobs.py: bytes, I/Os, syncs, files, errors and exit status."""
import math
import os
from concurrent.futures import ThreadPoolExecutor

import compare
import places
from jobs import JOBS
from jobs_more import MORE

DIRECTIONS = ("read", "write", "trim")
FIO_CRASHES = 12
AT_ONCE = 3 * (os.cpu_count() or 1)


def run(job, program):
    """The outcome of one job in a fresh directory, its report asked for as JSON on stdout."""
    with compare.workspace() as cwd:
        compare.fill(cwd, job.files)
        if not job.loop:
            return start(job, program, cwd, "")
        with places.loop_device("8m") as device:
            return start(job, program, cwd, device)


def start(job, program, cwd, device):
    if isinstance(job.text, list):
        words = job.text
    else:
        words = [compare.write_job(cwd, job.text.replace("{loop}", device))]
    return compare.execute([program, "--output-format=json", *words], cwd)


def counts(outcome):
    """job -> direction -> the numbers that must agree."""
    report = outcome.report
    if not report:
        return {}
    table = {}
    for n, job in enumerate(report["jobs"]):
        row = {d: {k: job[d][k] for k in ("io_bytes", "total_ios", "short_ios", "drop_ios")} for d in DIRECTIONS}
        row["sync"] = job.get("sync", {}).get("total_ios", 0)
        row["error"] = job["error"]
        row["runtime_s"] = sum(job[d]["runtime"] for d in DIRECTIONS if job[d]["io_bytes"]) / 1000
        table[f"{n}:{job['jobname']}"] = row
    return table


def near(ours, reference, relative):
    return abs(ours - reference) <= relative * max(reference, 1)


def compare_row(checks, name, job, ours, reference):
    if "error" not in job.loose:
        checks.equal(f"{name} error", ours["error"], reference["error"])
    if job.seconds:
        low, high = job.seconds
        for who, row in (("fathom", ours), ("fio", reference)):
            checks.check(f"{name} {who} runtime", low <= row["runtime_s"] <= high, row["runtime_s"])
            checks.check(f"{name} {who} did something", sum(row[d]["total_ios"] for d in DIRECTIONS) > 0)
        return
    if job.mix is not None:
        compare_mix(checks, name, job, ours, reference)
    else:
        for direction in DIRECTIONS:
            for key, kind in (("io_bytes", "bytes"), ("total_ios", "ios"), ("short_ios", "short"), ("drop_ios", "drop")):
                checks.check(f"{name} {direction}.{key}", near(ours[direction][key], reference[direction][key], job.loose.get(kind, 0)),
                             f"ours {ours[direction][key]}, fio {reference[direction][key]}")
    checks.check(f"{name} sync.total_ios", near(ours["sync"], reference["sync"], job.loose.get("sync", 0)),
                 f"ours {ours['sync']}, fio {reference['sync']}")


def compare_mix(checks, name, job, ours, reference):
    for key in ("io_bytes", "total_ios"):
        checks.equal(f"{name} read+write {key}", *(row["read"][key] + row["write"][key] for row in (ours, reference)))
    for who, row in (("fathom", ours), ("fio", reference)):
        n = row["read"]["total_ios"] + row["write"]["total_ios"]
        off = abs(row["read"]["total_ios"] - n * job.mix)
        checks.check(f"{name} {who} mix within 4 sigma", off <= 4 * math.sqrt(n * job.mix * (1 - job.mix)), f"{off:.1f} I/Os off of {n}")


def on_both(checks, job):
    """Debian's fio ends by SIGSEGV now and then, mostly when its report is out: its gtod_cpu thread writes to memory that is gone. It is asked
    again; where it crashes every time, its last report still counts, and a status of 0 is what it would have been."""
    for _ in range(FIO_CRASHES):
        reference, ours = compare.on_both(lambda program: run(job, program))
        if not crashed(reference) or crashed(ours):
            return reference, ours
        checks.note(f"{job.name}: fio was killed by signal {-reference.rc}")
    reference.rc = 0
    return reference, ours


def crashed(outcome):
    return outcome.rc is not None and outcome.rc < 0


def compare_job(checks, job):
    reference, ours = on_both(checks, job)
    before = checks.failed
    if job.coming and ours.rc and "not built in fathom yet" in ours.stderr:
        checks.note(f"{job.name}: not built yet")
        return
    checks.equal(f"{job.name}: exit status", ours.rc, reference.rc)
    checks.check(f"{job.name}: no process left behind", not ours.strays)
    if "files" not in job.loose:
        checks.equal(f"{job.name}: files", ours.files, reference.files)
    if job.allocated:
        for name, size in reference.allocated.items():
            checks.check(f"{job.name}: allocated {name}", abs(ours.allocated.get(name, -1) - size) <= 65536,
                         f"ours {ours.allocated.get(name)}, fio {size}")
    table, expected = ({}, {}) if job.refused else (counts(ours), counts(reference))
    checks.equal(f"{job.name}: reported jobs", list(table), list(expected))
    for key in expected.keys() & table.keys():
        compare_row(checks, f"{job.name}: {key}", job, table[key], expected[key])
    if checks.failed > before:
        checks.note(f"  fio rc {reference.rc}: {reference.stderr.strip()[:300]!r}\n  ours rc {ours.rc}: {ours.stderr.strip()[:300]!r}")


def at_once(job):
    """What one job's comparison counted; they wait more than they work, so several run at the same time."""
    checks = compare.Checks(names=[])
    compare_job(checks, job)
    return checks


def main():
    compare.need("fio")
    checks = compare.Checks()
    os.environ["REFERENCE_TAG"] = "tag"
    no_loop = places.why_not()
    wanted = [job for job in JOBS + MORE if checks.wanted(job.name)]
    if no_loop:
        checks.note(f"not run, {no_loop}: " + ", ".join(job.name for job in wanted if job.loop))
        wanted = [job for job in wanted if not job.loop]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for some in pool.map(at_once, [job for job in wanted if not job.seconds]):
            checks.count += some.count
            checks.failed += some.failed
    for job in wanted:
        if job.seconds:
            checks.in_attempts(compare_job, job)
    checks.note(f"{len(wanted)} jobs")
    checks.done()


main()
