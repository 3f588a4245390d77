# label: test
# timeout: 300
# cost: 5
"""Which bytes of a file or device a job may touch: offset, size, filesize and percentages of them, alone and together.

Both programs run the same job in fresh directories; fio's side is recorded. Bytes moved by each clone, the sizes of all files afterwards, and
whether the job failed must be equal. Where fio has an arithmetic of its own that wraps below zero (an offset beyond filesize=), fathom refuses instead, and
the row says so.
"""
from concurrent.futures import ThreadPoolExecutor

import compare
import places

MIB = 1 << 20
F = "--filename=F"
SIZED = [F, "--filesize=8m"]

# size of the file before (None: there is none), words; `{loop}` stands for a loop device of 32 MiB
SAME = [
    *[("8m", [*SIZED, f"--rw={rw}", *words]) for rw in ("read", "randwrite") for words in (
        ["--offset=4m"], ["--offset=25%", "--size=2m"], ["--offset=7m", "--size=2m"], ["--size=25%"],
        ["--numjobs=4", "--offset_increment=2m", "--size=2m"], ["--numjobs=4", "--offset_increment=3m"])],
    ("16m", [F, "--filesize=16m", "--rw=read", "--size=25%", "--numjobs=4", "--offset_increment=25%"]),
    ("8m", [*SIZED, "--rw=read", "--size=33%", "--numjobs=3", "--offset_increment=33%"]),
    ("8m", [*SIZED, "--rw=read", "--numjobs=3", "--offset=1001k", "--offset_increment=10%"]),
    ("8m", [*SIZED, "--rw=read", "--numjobs=3", "--offset_increment=1000k"]),
    (None, [*SIZED, "--rw=write", "--size=50%"]),
    (None, [*SIZED, "--rw=read", "--size=50%"]),
    (None, [*SIZED, "--rw=read", "--size=50%", "--offset=2m"]),
    (None, [*SIZED, "--rw=write", "--offset=25%"]),
    (None, [*SIZED, "--rw=write", "--offset=2m"]),
    ("8m", [F, "--filesize=4m", "--rw=read"]),
    ("8m", [F, "--filesize=4m", "--rw=read", "--offset=2m"]),
    ("8m", [F, "--filesize=16m", "--rw=read", "--offset=2m"]),
    ("8m", [F, "--filesize=16m", "--rw=write", "--offset=2m", "--size=50%"]),
    ("4m", [*SIZED, "--rw=read", "--offset=25%"]),
    (None, ["--nrfiles=4", "--filesize=1m", "--rw=write", "--size=2m"]),
    (None, ["--nrfiles=4", "--filesize=1m", "--rw=write", "--size=50%"]),
    (None, ["--nrfiles=4", "--filesize=1m", "--rw=write", "--offset=512k"]),
    (None, ["--nrfiles=3", "--rw=write", "--size=10m", "--offset=1m"]),
    ("8m", [F, "--rw=read", "--size=33%"]),
    ("8m", [F, "--rw=read", "--size=33%", "--offset=1000k"]),
    ("8m", [F, "--rw=read", "--offset=33%", "--size=33%"]),
    ("8m", [F, "--rw=read", "--bs=64k,4k", "--offset=33%"]),
    ("8m", [F, "--rw=read", "--size=4m", "--offset=6m"]),
    ("8m", [*SIZED, "--rw=read", "--io_size=3m", "--offset=4m"]),
    ("8m", [*SIZED, "--rw=read", "--io_size=6m", "--offset=4m"]),
    ("8m", [*SIZED, "--rw=read", "--size=50%", "--loops=2"]),
    ("8m", [*SIZED, "--rw=read", "--size=100%", "--offset=1m"]),
    ("8m", [*SIZED, "--rw=read", "--size=2m", "--number_ios=7", "--offset=1m"]),
    ("8m", [F, "--rw=read", "--filesize=8000k", "--offset=100k"]),
    ("8m", [F, "--rw=read", "--filesize=8000k", "--size=50%"]),
    (None, ["--filename={loop}", "--rw=read", "--size=50%", "--filesize=32m"]),
    (None, ["--filename={loop}", "--rw=read", "--size=50%", "--filesize=64m"]),
    (None, ["--filename={loop}", "--rw=read", "--size=50%", "--offset=25%"]),
    (None, ["--filename={loop}", "--rw=read", "--numjobs=4", "--offset_increment=25%", "--size=25%"]),
]
# fio wraps below zero, or reports an error where a clone has nothing left: nothing is moved either way, and no file grows.
NOTHING = [
    ("8m", [*SIZED, "--rw=read", "--offset=9m"]),
    ("8m", [*SIZED, "--rw=read", "--offset=8m"]),
    (None, [*SIZED, "--rw=write", "--offset=9m"]),
    ("8m", [F, "--rw=read", "--offset=9m"]),
]


def run(program, before, words, device):
    with compare.workspace() as cwd:
        if before:
            compare.fill(cwd, {"F": before})
        words = [word.replace("{loop}", device) for word in words]
        outcome = compare.execute([program, "--output-format=json", "--name=j", "--ioengine=psync", "--bs=64k", *words], cwd)
    jobs = (outcome.report or {}).get("jobs", [])
    moved = sorted((job["error"], job["read"]["io_bytes"], job["write"]["io_bytes"]) for job in jobs)
    return outcome.rc, moved, outcome.files, outcome.stderr


def name_of(before, words):
    return f"{before}: {' '.join(words)}"


def same(checks, before, words, device):
    name = name_of(before, words)
    theirs, own, _ = checks.beside_fio(name, lambda program: run(program, before, words, device), lambda found: found[:3])
    for what, a, b in zip(("exit status", "error and bytes of each job", "files"), own, theirs):
        checks.equal(f"{name}: {what}", a, b)
    checks.check(f"{name}: something was moved", sum(r + w for _, r, w in theirs[1]) > 0, theirs)


def nothing(checks, before, words, device):
    name = name_of(before, words)
    theirs, own, ours = checks.beside_fio(name, lambda program: run(program, before, words, device), lambda found: [sum(r + w for _, r, w in found[1]), found[2]])
    checks.equal(f"{name}: bytes and files", own, theirs)
    if compare.is_fathom():
        checks.check(f"{name}: refused, and why", ours[0] != 0 and "offset" in ours[3], ours)


def failing_alone(checks):
    """A job whose set-up fails costs the jobs beside it nothing."""
    good = "[good]\nioengine=null\nsize=64m\n"
    bad = {
        "a file that cannot be made": "filename=/proc/1/no/such\nrw=write\nsize=1m",
        "a file that must not be made": "filename=missing\nallow_file_create=0\nrw=read\nsize=1m",
        "no size": "filename=missing\nrw=read",
        "no space": "directory={tmpfs}\nrw=read\nsize=2m",
    }
    with places.small_tmpfs("1m") as tmpfs:
        for name, text in bad.items():
            text = text.replace("{tmpfs}", tmpfs)
            job = f"{good}[bad]\n{text}\n[after]\nstonewall\nioengine=null\nsize=64m\n"

            def both(program):
                with compare.workspace() as cwd:
                    return compare.execute([program, "--output-format=json", compare.write_job(cwd, job)], cwd)

            def others(outcome):
                return {j["jobname"]: j["read"]["io_bytes"] for j in (outcome.report or {}).get("jobs", []) if j["jobname"] != "bad"}

            theirs, own, ours = checks.beside_fio(name, both, others)
            for who, moved in (("fio", theirs), ("ours", own)):
                checks.equal(f"{name}, {who}: the others ran", moved, {"good": 64 * MIB, "after": 64 * MIB})
            if not compare.is_fathom():
                continue
            checks.check(f"{name}: exit status", ours.rc == 1, ours.rc)
            failed = [j for j in (ours.report or {}).get("jobs", []) if j["error"] != 0]
            checks.equal(f"{name}: who failed", [j["jobname"] for j in failed], ["bad"])
            checks.check(f"{name}: said once, with its place", ours.stderr.count("job.fio:4:2: error") == 1, ours.stderr)


def main():
    compare.need_fio()
    places.need()
    checks = compare.Checks()
    with places.loop_device("32m") as device, ThreadPoolExecutor(2) as pool:
        jobs = [(part, *row) for part, rows in ((same, SAME), (nothing, NOTHING)) for row in rows if checks.wanted(name_of(*row))]

        def one(job):
            some = compare.Checks(names=[])
            job[0](some, *job[1:], device)
            return some

        for some in pool.map(one, jobs):
            checks.count += some.count
            checks.failed += some.failed
    failing_alone(checks)
    checks.done()


main()
