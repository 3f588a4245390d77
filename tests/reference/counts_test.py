# label: test
# timeout: 900
# cost: 5
"""What fio did and what fathom did, for each job of jobs.py: bytes, I/Os, syncs, files, errors and exit status.

fio's side is recorded. With recorded answers a part of the jobs runs (in_short); with FATHOM_FIO=live all run, in both programs.
"""
import math
import os
from concurrent.futures import ThreadPoolExecutor

import compare
import places
import recorded
from jobs import JOBS
from jobs_more import MORE

DIRECTIONS = ("read", "write", "trim")
NUMBERS = (("io_bytes", "bytes"), ("total_ios", "ios"), ("short_ios", "short"), ("drop_ios", "drop"))
ANY = 1e9  # a difference of this size in `loose`: the number is not compared, and not recorded
FIO_CRASHES = 12
AT_ONCE = 3 * (os.cpu_count() or 1)
EACH = 10  # of the jobs of jobs_more.py, whose rows are families, one of so many runs with recorded answers


def in_short(wanted):
    """All rows of jobs.py but those of a second and more, and a part of jobs_more.py."""
    return [job for job in wanted if job in JOBS and not job.seconds] + [job for n, job in enumerate(MORE) if n % EACH == 0 and job in wanted]


def run(job, program):
    """The outcome of one job in a fresh directory, its report asked for as JSON on stdout. Debian's fio ends by SIGSEGV now and then, mostly when
    its report is out: its gtod_cpu thread writes to memory that is gone. It is asked again; where it crashes every time, its last report still
    counts, and a status of 0 is what it would have been."""
    for _ in range(FIO_CRASHES):
        outcome = run_once(job, program)
        if program != compare.FIO or outcome.rc is None or outcome.rc >= 0:
            return outcome
        print(f"{job.name}: fio was killed by signal {-outcome.rc}", flush=True)
    outcome.rc = 0
    return outcome


def run_once(job, program):
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


def facts(job, outcome):
    """What is compared of one program's run."""
    found = {"rc": outcome.rc}
    if "files" not in job.loose:
        found["files"] = outcome.files
    if job.allocated:
        found["allocated"] = outcome.allocated
    report = None if job.refused else outcome.report
    found["jobs"] = {f"{n}:{one['jobname']}": row(job, one) for n, one in enumerate(report["jobs"])} if report else {}
    return found


def row(job, reported):
    """What one reported job did. What is 0 is left out."""
    found = {} if "error" in job.loose else {"error": reported["error"]}
    ios = {d: reported[d]["total_ios"] for d in DIRECTIONS}
    if job.seconds:
        low, high = job.seconds
        runtime_s = sum(reported[d]["runtime"] for d in DIRECTIONS if reported[d]["io_bytes"]) / 1000
        return {**found, "runtime is in its limits": low <= runtime_s <= high, "did something": sum(ios.values()) > 0}
    if job.mix is not None:
        n = ios["read"] + ios["write"]
        off = abs(ios["read"] - n * job.mix)
        found["mix is within 4 sigma"] = off <= 4 * math.sqrt(n * job.mix * (1 - job.mix))
        numbers = {key: reported["read"][key] + reported["write"][key] for key in ("io_bytes", "total_ios")}
    else:
        numbers = {f"{d}.{key}": reported[d][key] for d in DIRECTIONS for key, kind in NUMBERS if job.loose.get(kind, 0) < ANY}
    if job.loose.get("sync", 0) < ANY:
        numbers["sync"] = reported.get("sync", {}).get("total_ios", 0)
    return {**found, **{key: n for key, n in numbers.items() if n}}


def near(ours, reference, relative):
    return abs(ours - reference) <= relative * max(reference, 1)


def compared(job, ours, reference):
    """[(what, whether it agrees, the two)] of two programs' facts, or of fio's facts of now and its recorded ones."""
    def pair(key):
        return f"ours {ours.get(key)}, fio {reference.get(key)}"

    yield from ((key, ours.get(key) == reference.get(key), pair(key)) for key in ("rc", "files"))
    for name, size in reference.get("allocated", {}).items():
        yield f"allocated {name}", abs(ours["allocated"].get(name, -1) - size) <= 65536, pair("allocated")
    yield "reported jobs", ours["jobs"].keys() == reference["jobs"].keys(), pair("jobs")
    kinds = dict(NUMBERS)
    for name in ours["jobs"].keys() & reference["jobs"].keys():
        own, expected = ours["jobs"][name], reference["jobs"][name]
        for key in sorted(own.keys() | expected.keys()):
            a, b = own.get(key, 0), expected.get(key, 0)
            kind = kinds.get(key.rpartition(".")[2], key)
            yield f"{name} {key}", near(a, b, job.loose.get(kind, 0)), f"ours {a}, fio {b}"


def compare_job(checks, job):
    def same(known, live):
        return all(agrees for _, agrees, _ in compared(job, live, known))

    before = checks.failed
    theirs, own, ours = checks.beside_fio(job.name, lambda program: run(job, program), lambda outcome: facts(job, outcome), same=same)
    if job.coming and ours.rc and "not built in fathom yet" in ours.stderr:
        checks.note(f"{job.name}: not built yet")
        return
    checks.check(f"{job.name}: no process left behind", not ours.strays)
    for what, agrees, detail in compared(job, own, theirs):
        checks.check(f"{job.name}: {what}", agrees, detail)
    if checks.failed > before:
        checks.note(f"  ours rc {ours.rc}: {ours.stderr.strip()[:300]!r}")


def at_once(job):
    """What one job's comparison counted; they wait more than they work, so several run at the same time."""
    checks = compare.Checks(names=[])
    compare_job(checks, job)
    return checks


def main():
    compare.need_fio()
    checks = compare.Checks()
    os.environ["REFERENCE_TAG"] = "tag"
    no_loop = places.why_not()
    wanted = [job for job in JOBS + MORE if checks.wanted(job.name)]
    if not recorded.LIVE and not checks.only:
        wanted = in_short(wanted)
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
