# label: test
# timeout: 600
# cost: 5
"""Which bytes each job touches: fio's write_iolog against the system calls that strace sees fathom make.

Sequential orders are compared as lists, full-coverage random ones as multisets, the random sequencer by its shape. fio's side is recorded.
With recorded answers each job runs with one engine; with FATHOM_FIO=live with all of its engines.
"""
import collections
import dataclasses
import os

import compare
import recorded
import trace


@dataclasses.dataclass
class Job:
    name: str
    text: str
    files: dict = dataclasses.field(default_factory=lambda: {"f": "1m"})
    ordered: bool = True
    repeat: tuple = None  # (I/Os between two random offsets, step within)
    engines: tuple = ("psync", "pvsync2", "libaio")


ORDERED = [
    Job("read", "rw=read\nsize=1m"),
    Job("write, size no multiple of bs", "rw=write\nsize=1000000"),
    Job("read:4k", "rw=read:4k\nsize=1m"),
    Job("write:-8k", "rw=write:-8k\noffset=512k\nsize=256k", engines=("psync",)),
    Job("offset and size", "rw=read\noffset=256k\nsize=512k"),
    Job("io_size larger", "rw=read\nsize=256k\nio_size=700k"),
    Job("io_size smaller", "rw=write\nsize=1m\nio_size=100k", engines=("psync",)),
    Job("number_ios", "rw=read\nsize=1m\nnumber_ios=33", engines=("psync",)),
    Job("loops", "rw=read\nsize=256k\nloops=3", engines=("psync", "libaio")),
    Job("large blocks", "rw=read\nbs=64k\nsize=1000000", engines=("psync",)),
    Job("four files in turn", "rw=read\nnrfiles=4\nsize=256k\nfilename=a:b:c:d", {n: "64k" for n in "abcd"}),
    Job("depth 8", "rw=read\nsize=1m\niodepth=8", engines=("libaio",)),
]
SETS = [
    Job("randread", "rw=randread\nsize=1m", ordered=False),
    Job("randwrite", "rw=randwrite\nsize=1m", ordered=False),
    Job("randread twice over", "rw=randread\nsize=256k\nloops=2", ordered=False),
    Job("randread, io_size two passes", "rw=randread\nsize=256k\nio_size=512k", ordered=False, engines=("psync",)),
    Job("randread of a part", "rw=randread\noffset=256k\nsize=512k", ordered=False, engines=("psync",)),
    Job("randread, bs does not divide", "rw=randread\nbs=64k\nsize=1000000", ordered=False, engines=("psync",)),
    Job("randread of four files", "rw=randread\nnrfiles=4\nsize=256k\nfilename=a:b:c:d", {n: "64k" for n in "abcd"}, ordered=False),
    Job("depth 16", "rw=randread\nsize=1m\niodepth=16\ndirect=1", ordered=False, engines=("libaio",)),
    Job("three jobs side by side", "rw=write\nsize=128k\noffset_increment=128k\nnumjobs=3", ordered=False, engines=("psync", "libaio")),
]
SEQUENCER = [
    Job("randread:8", "rw=randread:8\nsize=1m", repeat=(8, 4096), engines=("psync",)),
    Job("randwrite:4 identical", "rw=randwrite:4\nrw_sequencer=identical\nsize=1m", repeat=(4, 0), engines=("psync",)),
]
# syncs by number of calls; fio's numbers come from strace as well
SYNCS = [
    Job("fsync=4", "rw=write\nsize=256k\nfsync=4"),
    Job("fdatasync=8", "rw=write\nsize=256k\nfdatasync=8"),
    Job("end_fsync", "rw=write\nsize=256k\nend_fsync=1", engines=("psync", "libaio")),
    Job("no sync", "rw=write\nsize=256k", engines=("psync",)),
]


def job_text(job, engine, extra=""):
    head = "" if "filename=" in job.text else "filename=f\n"
    return f"[j]\nbs=4k\nioengine={engine}\n{head}{job.text}\n{extra}"


def traced(program, job, engine):
    with compare.workspace() as cwd:
        compare.fill(cwd, job.files)
        return trace.strace([program, compare.write_job(cwd, job_text(job, engine))], cwd)


def logged(job, engine):
    """What fio says it did, and how it ended."""
    with compare.workspace() as cwd:
        compare.fill(cwd, job.files)
        log = os.path.join(os.path.dirname(cwd), "iolog")
        single = "numjobs" not in job.text
        path = compare.write_job(cwd, job_text(job, engine, f"write_iolog={log}\n" if single else ""))
        if not single:  # jobs would share one log
            return trace.strace([compare.FIO, path], cwd)[1]
        compare.execute([compare.FIO, path], cwd)
        return trace.iolog(log)


def in_runs(accesses):
    """[[op, file, offset, length, step, how many]]: I/Os whose offsets have one distance are one row, so that a whole pass is short."""
    rows = []
    for op, file, offset, length in accesses:
        if rows and rows[-1][:2] == [op, file] and rows[-1][3] == length:
            row = rows[-1]
            step = offset - row[2] - row[4] * (row[5] - 1)
            if row[5] == 1 or step == row[4]:
                row[4:] = [step, row[5] + 1]
                continue
        rows.append([op, file, offset, length, 0, 1])
    return rows


def each(rows):
    return [trace.Access(op, file, offset + n * step, length) for op, file, offset, length, step, count in rows for n in range(count)]


def describe(ours, expected):
    more, less = collections.Counter(ours) - collections.Counter(expected), collections.Counter(expected) - collections.Counter(ours)
    return f"{len(ours)} I/Os, fio {len(expected)}; only ours {list(more)[:3]}, only fio's {list(less)[:3]}, first ours {ours[:4]}"


def shape(accesses, repeat):
    """rw=randX:N: N - 1 of N offsets follow from the one before, the Nth is a random one. {what: whether it is so}"""
    every, step = repeat
    offsets = [a.offset for a in accesses]
    inside = [b - a for i, (a, b) in enumerate(zip(offsets, offsets[1:]), 1) if i % every]
    jumps = [b - a for i, (a, b) in enumerate(zip(offsets, offsets[1:]), 1) if i % every == 0]
    return {"steps inside a run": sum(d == step for d in inside) >= 0.95 * len(inside), "jumps between runs": sum(d == step for d in jumps) <= 0.15 * len(jumps),
            "I/Os": len(offsets)}


def facts(job, accesses):
    if job.repeat:
        return shape(accesses, job.repeat)
    return in_runs(accesses if job.ordered else sorted(accesses))


def check_job(checks, name, job, engine):
    outcome, ours, _ = traced(compare.fio_link(), job, engine)
    expected = checks.of_fio(name, lambda: facts(job, logged(job, engine)))
    checks.check(f"{name}: runs", outcome.rc == 0 and expected, outcome.stderr)
    if job.repeat:
        checks.equal(f"{name}: shape", shape(ours, job.repeat), expected)
    else:
        checks.check(f"{name}: same {'order' if job.ordered else 'set'}", facts(job, ours) == expected, describe(ours, each(expected)))


def check_syncs(checks, name, job, engine):
    theirs, ours, _ = checks.beside_fio(name, lambda program: traced(program, job, engine), lambda found: found[2])
    checks.equal(f"{name}: sync calls", ours, theirs)


def main():
    compare.need_fio("strace")
    checks = compare.Checks()
    for number, job in enumerate(ORDERED + SETS + SEQUENCER + SYNCS):
        engines = job.engines if recorded.LIVE or checks.only else [job.engines[number % len(job.engines)]]
        for engine in engines:
            name = f"{job.name} with {engine}"
            if checks.wanted(name):
                (check_syncs if job in SYNCS else check_job)(checks, name, job, engine)
    checks.done()


main()
