"""scripts/bench build: what a build of `fathom` costs, the working tree beside an older commit (--old=REV), in turns.

Both trees lie in temporary folders, without ccache. From nothing: CPU seconds (user and system of ninja and all that it starts), wall time and
the number of units compiled, in each round. With --tests the trees have FATHOM_TESTS=ON, and ninja makes the program first and `all` after it:
the figures of program and tests are the sums of both. Then, in the last round's folders, one file of each kind is touched and `fathom` is built again.
The machine must be idle: a neighbour's load is in the wall times, and through the shared caches in the CPU times too."""
import os
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What is touched, of what kind it is, and the most seconds until it is linked.
TOUCHED = [("src/cli/help.cc", "outside the hot rooms", 10), ("src/paging/measure.cc", "outside the hot rooms", 10),
           ("src/workload/stream.cc", "on an I/O's path", 60), ("src/loops/io_uring.cc", "on an I/O's path", 60),
           ("src/loops/nvme_words.cc", "on an I/O's path", 60)]
# The most of each figure. The ratios are of CPU time, new / old; the goal of half is for program and tests with --tests, for the program without.
MOST_RATIO, MOST_WALL_S, MOST_CPU_S = 0.5, 180, 250
SLOWEST = 25  # units that the result names


def working_tree(folder):
    """What git would commit of the working tree, and what it does not know yet."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True).stdout
    for name in listed.decode().split("\0"):
        if name and os.path.lexists(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, name), os.path.join(folder, name), follow_symlinks=False)


def old_tree(folder, revision):
    os.makedirs(folder)
    archive = subprocess.Popen(["git", "archive", revision], cwd=ROOT, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", folder], stdin=archive.stdout, check=True)
    if archive.wait() != 0:
        raise SystemExit(f"scripts/bench build: --old={revision} is no commit")


def ninja(folder, target):
    """{"cpu_s", "wall_s"} of `ninja TARGET`."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(["ninja", "-C", os.path.join(folder, "build"), target], capture_output=True, text=True)
    wall, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"{folder}: {target} does not build\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return {"cpu_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, "wall_s": wall}


def steps(folder):
    """{output: seconds} of the steps in ninja's log."""
    rows = {}
    with open(os.path.join(folder, "build", ".ninja_log")) as log:
        for line in log:
            if not line.startswith("#"):
                begin, end, _, made, _ = line.split("\t")
                rows[made] = (int(end) - int(begin)) / 1000
    return rows


def units(folder):
    """How many units were compiled, precompiled headers among them."""
    return sum(re.search(r"\.(o|gch|pch)$", made) is not None for made in steps(folder))


def slowest(folder):
    return [{"made": made, "wall_s": s} for made, s in sorted(steps(folder).items(), key=lambda row: -row[1])[:SLOWEST]]


def from_nothing(folder, target, tests):
    """{"program"} and, with tests, {"with_tests"}: each {"cpu_s", "wall_s", "units"}."""
    shutil.rmtree(os.path.join(folder, "build"), ignore_errors=True)
    subprocess.run(["cmake", "--preset", "release", f"-DFATHOM_TESTS={'ON' if tests else 'OFF'}", "-DCCACHE=OFF"], cwd=folder, check=True, capture_output=True)
    found = {"program": {**ninja(folder, target), "units": units(folder)}}
    if tests:
        more = ninja(folder, "all")
        found["with_tests"] = {key: found["program"][key] + more[key] for key in more} | {"units": units(folder)}
    return found


def touched(folder, target):
    rows = []
    for name, kind, most_s in TOUCHED:
        if os.path.exists(os.path.join(folder, name)):
            os.utime(os.path.join(folder, name))
            rows.append({"touched": name, "kind": kind, "most_s": most_s, **ninja(folder, target)})
    return rows


def verdict(good):
    return "reached" if good else "MISSED"


def goals(rounds):
    """[{"figure", "value", "most", "verdict"}]: medians of the rounds."""
    def ratio(what):
        return statistics.median(new[what]["cpu_s"] / old[what]["cpu_s"] for old, new in zip(rounds["old"], rounds["new"]))

    def program(key):
        return statistics.median(row["program"][key] for row in rounds["new"])
    tests = "with_tests" in rounds["new"][0]
    rows = [("program: CPU time, new / old", ratio("program"), None if tests else MOST_RATIO), ("program: CPU s", program("cpu_s"), MOST_CPU_S),
            ("program: wall s", program("wall_s"), MOST_WALL_S)]
    if tests:
        rows.insert(0, ("program and tests: CPU time, new / old", ratio("with_tests"), MOST_RATIO))
    return [{"figure": figure, "value": value, "most": most, "verdict": "stated" if most is None else verdict(value <= most)} for figure, value, most in rows]


def commit(revision):
    return subprocess.run(["git", "rev-parse", "--short=12", revision], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def run(given):
    with tempfile.TemporaryDirectory(prefix="fathom-build-", dir="/var/tmp") as folder:
        trees = {"old": os.path.join(folder, "old"), "new": os.path.join(folder, "new")}
        old_tree(trees["old"], given.old)
        working_tree(trees["new"])
        changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, check=True, capture_output=True).stdout
        commits = {"old": commit(given.old), "new": commit("HEAD") + "-dirty" * bool(changed)}
        rounds = {who: [] for who in trees}
        for n in range(given.rounds):
            for who in sorted(trees, reverse=n % 2 == 0):
                row = from_nothing(trees[who], given.target, given.tests)
                rounds[who].append({**row, "load_after": os.getloadavg()[0]})
                for what, cost in row.items():
                    print(f"round {n + 1}, {who}, {what}: {cost['cpu_s']:7.1f} s of CPU, {cost['wall_s']:6.1f} s, {cost['units']} units", flush=True)
        longest = {who: slowest(tree) for who, tree in trees.items()}
        again = {who: touched(tree, given.target) for who, tree in trees.items()}
    judged = goals(rounds)
    for row in judged:
        print(f"{row['figure']}: {row['value']:.3f}" + (f", at most {row['most']}: {row['verdict']}" if row["most"] is not None else ""))
    for who, rows in again.items():
        for row in rows:
            row["verdict"] = verdict(row["wall_s"] <= row["most_s"])
            print(f"{who}, {row['touched']} ({row['kind']}): {row['wall_s']:6.1f} s, at most {row['most_s']}: {row['verdict']}")
    return {"commits": commits, "target": given.target, "tests": given.tests, "goals": judged, "from_nothing": rounds, "touched": again, "slowest": longest}
