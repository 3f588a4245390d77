# label: kernel
# timeout: 300
# cost: 35
"""verify= in the situations that people have: jobs of every shape over a file that a FUSE layer damages (tests/tools/damaging_fs.cc), files that others write, cut
off, forbid or fill up, little memory. Where nothing was damaged nothing is accused and the exit status is 0; where a bit was flipped, that block is told and no other.
"""
import contextlib
import errno
import os
import re
import subprocess
import sys
import time

import compare
import places

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import damaged_mount  # noqa: E402

BLOCK = 4096
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
PLANTED = (3, 50, 51, 100, 177, 200)  # blocks of 4 KiB, each with one bit flipped in whatever is written there
MEMORY_GROUP = "/sys/fs/cgroup/memory"

ASYNC = ["--iodepth=16", "--norandommap", "--rw=randwrite"]
# name: options; every write of each covers whole blocks of 4 KiB
JOBS = {
    "in order": ["--rw=write"],
    "by the permutation": ["--rw=randwrite"],
    "a block size that does not divide the file": ["--rw=write", "--bs=12k"],
    "the same at random": ["--rw=randwrite", "--bs=20k"],
    "zipf": ["--rw=randwrite", "--random_distribution=zipf:0.6"],
    "zipf without a map": ["--rw=randwrite", "--random_distribution=zipf:0.6", "--norandommap"],
    "time_based with a rate": ["--rw=randwrite", "--time_based", "--runtime=1", "--rate_iops=2000"],
    "loops": ["--rw=write", "--loops=3"],
    "loops at random": ["--rw=randwrite", "--loops=3"],
    "bssplit": ["--rw=randwrite", "--bssplit=4k/50:8k/30:16k/20"],
    "bsrange": ["--rw=randwrite", "--bsrange=4k-16k"],
    "bsrange without a map": ["--rw=randwrite", "--bsrange=4k-16k", "--norandommap"],
    "norandommap, depth 16, libaio": ["--ioengine=libaio", *ASYNC],
    "norandommap, depth 16, io_uring": ["--ioengine=io_uring", *ASYNC],
    "permutation, depth 16, io_uring": ["--ioengine=io_uring", "--iodepth=16", "--rw=randwrite"],
    "reads among them": ["--rw=randrw"],
    "a stride": ["--rw=write:4k", "--size=512k"],
    "an interval, and the header elsewhere": ["--rw=randwrite", "--bs=16k", "--verify_interval=4k", "--verify_offset=1024"],
    "an offset": ["--rw=write", "--offset=8k", "--size=1000k"],
}


def words(*more):
    return [compare.FATHOM, "--output-format=json", "--bs=4k", "--size=1m", "--verify=crc32c", "--continue_on_error=verify", "--ioengine=psync", "--audit=off",
            "--clock-check=skip", *more]


def job(name, *more):
    return [f"--name={name}", *more]


def messages(outcome):
    return re.findall(r'"message" : (".*"),?$', outcome.stdout, re.M) + outcome.stderr.split("\n")


def accused(outcome, of=r"at file .*? offset"):
    """{(begin, end)} in bytes, of what messages of verification name."""
    found = (re.search(of + r"[ =](\d+), length[ =](\d+)", text) for text in messages(outcome))
    return {(int(place[1]), int(place[1]) + int(place[2])) for place in found if place}


def read_then(outcome):
    """The same of the I/Os that they were in: of several intervals of one I/O that are wrong the first is told."""
    return accused(outcome, "requested block: offset")


def clean(checks, name, outcome):
    said = [text for text in messages(outcome) if "erif" in text]
    checks.equal(f"{name}: clean: exit status", outcome.rc, 0)
    checks.equal(f"{name}: clean: accused", [*accused(outcome), *said], [])
    report = outcome.report
    errors = [one["error"] for one in report["jobs"]] if report else outcome.stderr[-800:]
    checks.check(f"{name}: clean: errors", report and not any(errors), errors)
    return report


def told(checks, name, outcome, blocks, most=None):
    """Each of these blocks of 4 KiB lies in an I/O that failed, and nothing is accused that has none of them. most: these may be too."""
    ranges, ios, blocks = accused(outcome), read_then(outcome), {block * BLOCK for block in blocks}
    may = blocks | {block * BLOCK for block in most or ()}
    checks.equal(f"{name}: flipped and not told", sorted(at for at in blocks if not any(begin <= at < end for begin, end in ios)), [])
    checks.equal(f"{name}: told and not flipped", sorted((begin, end) for begin, end in ranges if not any(begin <= at < end for at in may)), [])
    checks.check(f"{name}: something is told", ranges, messages(outcome)[-5:])


def flip(path, block, byte=2000):
    with open(path, "r+b") as f:
        f.seek(block * BLOCK + byte)
        old = f.read(1)[0]
        f.seek(block * BLOCK + byte)
        f.write(bytes([old ^ 4]))


def shapes(checks, mount):
    """Every shape of a job over the damaging file: a clean run, and one in which the blocks of PLANTED are written with a bit flipped."""
    folder = os.path.dirname(mount.point)
    for name, options in JOBS.items():
        if not checks.wanted(name):
            continue
        argv = words("--name=j", f"--filename={mount.data}", *options)
        mount.command("wipe")
        report = clean(checks, name, compare.execute(argv, folder))
        read = report["jobs"][0]["read"]["io_bytes"] if report else 0
        checks.check(f"{name}: clean: was read back", read > 0, read)
        # The file stays: what laying it out writes, for reads, is not verified.
        mount.command("clear", *(f"flip {block * BLOCK} {2000 * 8 + 2}" for block in PLANTED))
        outcome = compare.execute(argv, folder)
        flipped = {at // BLOCK for at, times in mount.acted().items() if times}
        checks.check(f"{name}: something was flipped", flipped, mount.acted())
        # Where two writes were in flight at one place nothing is demanded of it.
        unordered = "norandommap" in name
        told(checks, name, outcome, () if unordered else flipped, flipped)


def own_files(checks, cwd):
    """A file for each job, or several of one job; the damaged one is told by its name."""
    for name, options, path in (("mmap", ["--ioengine=mmap"], "j.0.0"), ("numjobs=4", ["--numjobs=4"], "j.2.0"), ("nrfiles=8", ["--nrfiles=8", "--size=2m"], "j.0.5"),
                                ("nrfiles=8, at random", ["--nrfiles=8", "--size=2m", "--file_service_type=random"], "j.0.7")):
        for mode in ("write", "randwrite"):
            argv = words("--name=j", *options)
            clean(checks, f"{name} {mode}", compare.execute([*argv, f"--rw={mode}"], cwd))
            clean(checks, f"{name} {mode}, read", compare.execute([*argv, "--rw=read"], cwd))
            flip(os.path.join(cwd, path), 20)
            outcome = compare.execute([*argv, "--rw=read"], cwd)
            told(checks, f"{name} {mode}", outcome, [20])
            files = {found[1] for found in (re.search(r"at file (\S+) offset", text) for text in messages(outcome)) if found}
            checks.equal(f"{name} {mode}: the file", {os.path.basename(file) for file in files}, {path})


def two_writers(checks, cwd):
    """Two jobs of one run over one file. Whose block lies where is chance; all of them are whole."""
    common = ["--filename=shared", "--rw=randwrite", "--loops=3"]
    clean(checks, "two jobs on one file", compare.execute(words(*job("a", *common), *job("b", *common, "--randseed=7")), cwd))
    flip(os.path.join(cwd, "shared"), 33)
    told(checks, "two jobs on one file", compare.execute(words("--name=r", "--filename=shared", "--rw=read"), cwd), [33])


def two_runs(checks, cwd):
    """Two runs over one file at the same time. What the other one wrote looks as what a lost write leaves: it is told, and that it may be the other's."""
    common = ["--filename=both", "--rw=randwrite", "--time_based", "--runtime=1", "--norandommap"]
    subprocess.run(words("--name=first", "--filename=both", "--rw=write"), cwd=cwd, capture_output=True, check=True)
    runs = [subprocess.Popen(words("--name=j", *common, f"--randseed={n}"), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for n in (1, 2)]
    for n, run in enumerate(runs):
        out, err = run.communicate(timeout=60)
        outcome = compare.Outcome(run.returncode, out, err, {}, {})
        said = [line for line in err.split("\n") if "io_u error" in line]
        checks.check(f"two runs on one file, {n}: that somebody else may write there", all("or another program that writes to this target" in line for line in said), said[:2])
        checks.check(f"two runs on one file, {n}: nothing that was measured is lost", outcome.rc in (0, 1, 4) and '"write"' in out, (outcome.rc, err[:300]))
    flip(os.path.join(cwd, "both"), 33)
    told(checks, "two runs on one file", compare.execute(words("--name=r", "--filename=both", "--rw=read"), cwd), [33])


def little_memory(checks, cwd):
    """Four times as much as the group of the process may have."""
    group = f"{MEMORY_GROUP}/fathom_test_{os.getpid()}"
    try:
        os.mkdir(group)
        with open(f"{group}/memory.limit_in_bytes", "w", encoding="ascii") as f:
            f.write(str(64 << 20))
    except OSError as e:
        return checks.note(f"no memory group of 64 MiB: {e}")
    inside = ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
    try:
        for mode in ("write", "randwrite"):
            argv = [*inside, *words("--name=j", "--filename=large", "--size=192m", "--bs=64k")]
            clean(checks, f"64 MiB of memory, {mode}", compare.execute([*argv, f"--rw={mode}"], cwd))
            flip(os.path.join(cwd, "large"), 16 * 70)
            told(checks, f"64 MiB of memory, {mode}", compare.execute([*argv, "--rw=read"], cwd), [16 * 70])
    finally:
        for _ in range(50):
            with contextlib.suppress(OSError):
                os.rmdir(group)
                break
            time.sleep(0.1)


def rights(checks, cwd):
    """As nobody; and a file that may only be read."""
    path = os.path.join(cwd, "f")
    reached = subprocess.run([compare.FATHOM, "--version"], capture_output=True, **NOBODY) if os.geteuid() == 0 else None
    if reached is None or reached.returncode != 0:
        return checks.note("not root, or the program lies where nobody may not look: rights are not tested")
    for folder in (os.path.dirname(cwd), cwd):
        os.chmod(folder, 0o777)
    argv = words("--name=j", "--filename=f")
    clean(checks, "as nobody", compare.execute([*argv, "--rw=randwrite", "--loops=2"], cwd, **NOBODY))
    os.chmod(path, 0o444)
    os.chown(path, 0, 0)
    clean(checks, "a file that may be read", compare.execute([*argv, "--rw=read"], cwd, **NOBODY))
    clean(checks, "a file that may be read, verify_only", compare.execute([*argv, "--rw=write", "--verify_only"], cwd, **NOBODY))
    refused = compare.execute([*argv, "--rw=write"], cwd, **NOBODY)
    checks.check("a file that may only be read: refused", refused.rc == 1 and "Permission denied" in refused.stderr + refused.stdout, (refused.rc, refused.stderr[-500:]))
    checks.equal("a file that may only be read: accused", accused(refused), set())
    flip(path, 9)
    told(checks, "as nobody", compare.execute([*argv, "--rw=read"], cwd, **NOBODY), [9])
    told(checks, "as nobody, verify_only", compare.execute([*argv, "--rw=write", "--verify_only"], cwd, **NOBODY), [9])


def becomes_full(checks, cwd):
    """The disk has no more room in the middle of the writes: that is the job's error; what was written is right, and what was not is nobody's damage."""
    with places.small_tmpfs("8m") as where:
        path = os.path.join(where, "f")
        argv = words("--name=j", f"--filename={path}", "--size=16m", "--fallocate=none")
        for mode in ("write", "randwrite"):
            outcome = compare.execute([*argv, f"--rw={mode}"], cwd)
            checks.equal(f"full, {mode}: exit status and accused", (outcome.rc, accused(outcome)), (1, set()))
            checks.equal(f"full, {mode}: the error", [one["error"] for one in outcome.report["jobs"]], [errno.ENOSPC])
            os.unlink(path)
        clean(checks, "fill_device", compare.execute([*argv, "--rw=write", "--fill_device=1"], cwd))
        os.truncate(path, 4 << 20)
        flip(path, 500)
        told(checks, "full", compare.execute([*argv, "--rw=read", "--size=4m"], cwd), [500])


def cut_off(checks, cwd):
    """Half of the file is gone between write and verify_only: that is said, the rest is right, and nothing is written."""
    path, argv = os.path.join(cwd, "cut"), words("--name=j", "--filename=cut", "--rw=write")
    clean(checks, "before it is cut off", compare.execute(argv, cwd))
    clean(checks, "verify_only", compare.execute([*argv, "--verify_only"], cwd))
    os.truncate(path, 512 << 10)
    outcome = compare.execute([*argv, "--verify_only", "--continue_on_error=none"], cwd)
    checks.equal("cut off: is an error", outcome.rc, 1)
    checks.check("cut off: what is there is not accused", all(begin >= 512 << 10 for begin, _ in accused(outcome)), accused(outcome))
    checks.equal("cut off: the file's size", os.path.getsize(path), 512 << 10)
    os.truncate(path, 1 << 20)
    flip(path, 5)
    outcome = compare.execute([*argv, "--verify_only"], cwd)
    checks.check("cut off and made longer: the zeroes are told, and the flipped block", {(5 * BLOCK, 6 * BLOCK), (128 * BLOCK, 129 * BLOCK)} <= accused(outcome), accused(outcome))


def trims(checks, cwd):
    """On a loop device, whose trimmed blocks read as zeroes."""
    with places.loop_device("1m") as device:
        argv = words("--name=j", f"--filename={device}", f"--allow-destructive={device}", "--size=1m")
        for mode in ("trimwrite", "randtrimwrite"):
            clean(checks, mode, compare.execute([*argv, f"--rw={mode}"], cwd))
            clean(checks, f"{mode}, twice", compare.execute([*argv, f"--rw={mode}", "--loops=2"], cwd))
            flip(device, 70)
            os.sync()
            told(checks, mode, compare.execute([*argv, "--rw=read"], cwd), [70])


def each_interval(checks, cwd):
    """Of one I/O all intervals that are wrong are told, as fio does, which goes on within an I/O whatever verify_fatal= says."""
    argv = ["--name=j", "--filename=f", "--bs=16k", "--size=64k", "--verify_interval=4k"]
    clean(checks, "intervals", compare.execute(words(*argv, "--rw=write"), cwd))
    for block in (5, 6):
        flip(os.path.join(cwd, "f"), block)
    outcome = compare.execute(words(*argv, "--rw=read"), cwd)
    checks.equal("two intervals of an I/O", accused(outcome), {(block * BLOCK, (block + 1) * BLOCK) for block in (5, 6)})


def main():
    damaged_mount.skip_without_fuse()
    compare.need_fathom()
    places.need()
    checks = compare.Checks()
    with damaged_mount.mounted() as mount:
        shapes(checks, mount)
    for part in (own_files, two_writers, two_runs, little_memory, rights, becomes_full, cut_off, trims, each_interval):
        if checks.wanted(part.__name__):
            begin = time.monotonic()
            with compare.workspace() as cwd:
                part(checks, cwd)
            checks.note(f"{part.__name__}: {time.monotonic() - begin:.1f} s")
    checks.done()


main()
