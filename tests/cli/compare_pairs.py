"""What `fathom compare` says of real pairs: forty of a job against itself, and forty of a disk against one whose reads take 5 % longer.     python3 tests/cli/compare_pairs.py
[PAIRS]     (scripts/check compare-pairs)

Each pair is `fathom compare --run` with five runs a side, each an invocation of its own, in drawn order. The job against itself reads a file of this machine's disk, whatever
else that has to do. The disks of the planted pair are two FUSE files under loop devices (tests/breakdown/slow_file.py), whose server sleeps before it answers; how long the reads
really took the servers write down, and that is the truth that the pair is held against.

Of a job against itself at most 4 of 40 may be called faster or slower; of the planted 34 must be called slower, and `cannot tell` counts as wrong."""
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "breakdown"))
import split  # noqa: E402
from series import keep, leave_nothing_behind, machine  # noqa: E402
from slow_file import READ, timed_disk  # noqa: E402

PAIRS, REPEAT = 40, 5
MOST_FALSE, LEAST_RIGHT = 4, 34  # of 40
READ_S, PLANTED = 0.004, 1.05
JOB = "[t]\nrw=randread\nbs=4k\ndirect=1\nioengine=psync\nruntime={runtime}\ntime_based\nsize={size}\nfilename={path}\n"


def compared(folder, first, second, number):
    """(verdict on I/Os a second, change and interval in percent)"""
    for name, text in (("a.fio", first), ("b.fio", second)):
        with open(os.path.join(folder, name), "w", encoding="ascii") as f:
            f.write(text)
    done = subprocess.run([split.FATHOM, "compare", "--run", "a.fio", "b.fio", f"--repeat={REPEAT}", f"--results=pair{number}", "--output-format=json"], cwd=folder,
                          capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        sys.exit(f"compare: exit status {done.returncode}\n{done.stderr[-2000:]}")
    change = json.loads(done.stdout)["metrics"][0]["changes"][0]
    return {key: change[key] for key in ("verdict", "percent", "low_percent", "high_percent")}


def against_itself(folder, number, path):
    job = JOB.format(runtime="500ms", size="64m", path=path)
    return compared(folder, job, job, number)


def planted(folder, number):
    """The same, and how much longer the reads of B really took."""
    with timed_disk(read_s=READ_S) as (first, file_a), timed_disk(read_s=READ_S * PLANTED) as (second, file_b):
        if first is None or second is None:
            split.skip("no FUSE")
        found = compared(folder, *(JOB.format(runtime="700ms", size="32m", path=path) for path in (first, second)), number)
        took = [statistics.mean(file.took_ns[READ]) for file in (file_a, file_b)]
    return {**found, "reads_took_longer_percent": round(100 * (took[1] / took[0] - 1), 3)}


def count(pairs, *verdicts):
    return sum(pair["verdict"] in verdicts for pair in pairs)


def main():
    leave_nothing_behind()
    if os.geteuid() != 0:
        split.skip("loop devices need root")
    most = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    before, itself, longer = machine(), [], []
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, split.scratch_file() as path:
        for number in range(most):
            itself.append(against_itself(folder, f"_itself_{number}", path))
            longer.append(planted(folder, f"_longer_{number}"))
            print(f"{number}: itself {itself[-1]}; longer {longer[-1]}", flush=True)
    told = {"pairs": most, "runs_a_side": REPEAT, "itself_told": count(itself, "faster", "slower"), "longer_told": count(longer, "slower"),
            "most_false": MOST_FALSE * most // PAIRS, "least_right": LEAST_RIGHT * most // PAIRS}
    print(told)
    keep(before, {**told, "itself": itself, "longer": longer})
    return 0 if told["itself_told"] <= told["most_false"] and told["longer_told"] >= told["least_right"] else 1


if __name__ == "__main__":
    sys.exit(main())
