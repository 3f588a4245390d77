# label: test
# timeout: 400
"""I/O that fails in mid-run: what both programs count, how they end, and that fathom says errno and offset and keeps what it measured.

EIO is real: the file under a loop device is cut after the device was made, so that its upper half cannot be read. (The kernel's device
mapper, with its `error` target, is not on every machine.) ENOSPC is a full tmpfs and a full ext4. fio's side is recorded.
"""
import contextlib
import errno
import json
import os
import re

import compare
import places

HALF = 4 << 20


@contextlib.contextmanager
def half_dead_device():
    """8 MiB whose second half answers EIO."""
    with places.image("8m") as path, places.loop(path) as device:
        os.truncate(path, HALF)
        yield device


@contextlib.contextmanager
def in_folder(make, size):
    with make(size) as where:
        yield where


# name, place, job, errno, offset of the first failure (None: any), whether the counts are exact
JOBS = [
    ("EIO psync", "device", "ioengine=psync\nrw=read\ndirect=1", errno.EIO, HALF, True),
    ("EIO sync", "device", "ioengine=sync\nrw=read\ndirect=1", errno.EIO, HALF, True),
    ("EIO pvsync2", "device", "ioengine=pvsync2\nrw=read\ndirect=1", errno.EIO, HALF, True),
    ("EIO libaio", "device", "ioengine=libaio\nrw=read\ndirect=1", errno.EIO, HALF, True),
    ("EIO io_uring", "device", "ioengine=io_uring\nrw=read\ndirect=1", errno.EIO, HALF, True),
    ("EIO as a thread", "device", "thread\nrw=read\ndirect=1", errno.EIO, HALF, True),
    ("EIO libaio depth 8", "device", "ioengine=libaio\niodepth=8\nrw=read\ndirect=1", errno.EIO, None, False),
    ("EIO io_uring depth 8", "device", "ioengine=io_uring\niodepth=8\nrw=read\ndirect=1", errno.EIO, None, False),
    ("EIO random", "device", "rw=randread\ndirect=1\nrandseed=3", errno.EIO, None, None),
    ("ENOSPC tmpfs", "tmpfs", "rw=write\nsize=2m", errno.ENOSPC, 1 << 20, True),
    ("ENOSPC tmpfs, nothing allocated before", "tmpfs", "rw=write\nsize=2m\nfallocate=none", errno.ENOSPC, 1 << 20, True),
    ("ENOSPC while laying out", "tmpfs", "rw=read\nsize=2m", errno.ENOSPC, None, False),
    ("ENOSPC ext4", "ext4", "rw=write\nsize=8m\nfallocate=none\ndirect=1", errno.ENOSPC, None, True),
]
PLACES = {"device": half_dead_device, "tmpfs": lambda: in_folder(places.small_tmpfs, "1m"), "ext4": lambda: in_folder(places.small_ext4, "4m")}


def run(program, place, text, form="json", words=()):
    with PLACES[place]() as where, compare.workspace() as cwd:
        target = f"filename={where}\nsize=8m" if place == "device" else f"directory={where}"
        path = compare.write_job(cwd, f"[j]\nbs=4k\n{target}\n{text}\n")
        return compare.execute([program, *words, f"--output-format={form}", path], cwd)


def facts(outcome, exact):
    """Exit status, error and counts. With a queue the count of I/Os is chance, and at random the bytes are too."""
    if not outcome.report:
        return {"rc": outcome.rc, "report": None}
    job = outcome.report["jobs"][0]
    found = {"rc": outcome.rc, "error": job["error"]}
    for direction in ("read", "write"):
        if exact is not None:
            found[f"{direction}.io_bytes"] = job[direction]["io_bytes"]
        if exact:
            found[f"{direction}.total_ios"] = job[direction]["total_ios"]
    return found


def check_report(checks, name, outcome, number, offset):
    """fathom's own duties: JSON stays JSON, stderr speaks, the failed I/O is on record."""
    try:
        report = json.loads(outcome.stdout)
    except ValueError as e:
        return checks.check(f"{name}: stdout is JSON alone", False, e)
    checks.check(f"{name}: stderr names the error", os.strerror(number) in outcome.stderr, outcome.stderr)
    errors = [e for e in report["fathom"]["errors"] if e["errno"] == number]
    if checks.check(f"{name}: fathom.errors has it", errors, report["fathom"]["errors"]) and offset is not None:
        checks.equal(f"{name}: its offset", errors[0]["offset_bytes"], offset)
        checks.check(f"{name}: stderr names the offset", str(offset) in outcome.stderr, outcome.stderr)
    return True


def in_text(outcome):
    """The text form: the error stands in the job's line, and what was measured is still there."""
    patterns = {"err= 5": r"^j: \(groupid=0, jobs=1\): err= 5 \(.*Input/output error", "the measured part": r"^  read: IOPS=[\d.]+"}
    return {what: bool(re.search(pattern, outcome.stdout, re.M)) for what, pattern in patterns.items()}


def main():
    compare.need_fio()
    places.need()
    checks = compare.Checks()
    for name, place, text, number, offset, exact in JOBS:
        if not checks.wanted(name):
            continue
        theirs, own, ours = checks.beside_fio(name, lambda program: run(program, place, text), lambda outcome: facts(outcome, exact))
        checks.equal(name, own, theirs)
        checks.check(f"{name}: it fails, with a report", ours.rc != 0 and ours.report, ours.stdout[:300] + ours.stderr)
        if compare.is_fathom():
            check_report(checks, name, ours, number, offset)
    theirs, own, ours = checks.beside_fio("text", lambda program: run(program, "device", "rw=read\ndirect=1", "normal"), in_text)
    checks.equal("text", own, theirs) or checks.note(ours.stdout)
    checks.check("text: all of it", all(own.values()), own)
    if compare.is_fathom():
        for place, text in (("device", "rw=read\ndirect=1"), ("tmpfs", "rw=write\nsize=2m")):
            checks.equal(f"fathom run, {place}: exit status", run(compare.FATHOM, place, text, words=["run"]).rc, 4)
        mapped = run(compare.fio_link(), "device", "ioengine=mmap\nrw=read")
        checks.check("EIO mmap: fails, does not hang", mapped.rc != 0, mapped.rc)
    checks.done()


main()
