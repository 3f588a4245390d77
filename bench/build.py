"""scripts/bench build: what a build of `fathom` costs, the working tree beside an older commit (--old=REV), in turns.

Both trees lie in temporary folders, without ccache and without tests. From nothing: CPU seconds (user and system of ninja and all that it
starts) and wall time of each round. Then, in the last round's folders, one file of each kind is touched and `fathom` is asked for again.
The machine must be idle: a neighbour's load is in the wall times, and through the shared caches in the CPU times too."""
import os
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
MOST_RATIO, MOST_WALL_S = 0.5, 210
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


def slowest(folder):
    """[{"made", "wall_s"}] of the costliest steps, as ninja's log has them."""
    rows = {}
    with open(os.path.join(folder, "build", ".ninja_log")) as log:
        for line in log:
            if not line.startswith("#"):
                begin, end, _, made, _ = line.split("\t")
                rows[made] = (int(end) - int(begin)) / 1000
    return [{"made": made, "wall_s": s} for made, s in sorted(rows.items(), key=lambda row: -row[1])[:SLOWEST]]


def from_nothing(folder, target):
    shutil.rmtree(os.path.join(folder, "build"), ignore_errors=True)
    subprocess.run(["cmake", "--preset", "release", "-DFATHOM_TESTS=OFF", "-DCCACHE=OFF"], cwd=folder, check=True, capture_output=True)
    return ninja(folder, target)


def touched(folder, target):
    rows = []
    for name, kind, most_s in TOUCHED:
        if os.path.exists(os.path.join(folder, name)):
            os.utime(os.path.join(folder, name))
            rows.append({"touched": name, "kind": kind, "most_s": most_s, **ninja(folder, target)})
    return rows


def verdict(good):
    return "reached" if good else "MISSED"


def run(given):
    with tempfile.TemporaryDirectory(prefix="fathom-build-", dir="/var/tmp") as folder:
        trees = {"old": os.path.join(folder, "old"), "new": os.path.join(folder, "new")}
        old_tree(trees["old"], given.old)
        working_tree(trees["new"])
        rounds = {who: [] for who in trees}
        for n in range(given.rounds):
            for who in sorted(trees, reverse=n % 2 == 0):
                row = from_nothing(trees[who], given.target)
                rounds[who].append({**row, "load_after": os.getloadavg()[0]})
                print(f"round {n + 1}, {who}: {row['cpu_s']:7.1f} s of CPU, {row['wall_s']:6.1f} s", flush=True)
        units = {who: slowest(tree) for who, tree in trees.items()}
        again = {who: touched(tree, given.target) for who, tree in trees.items()}
    ratio = statistics.median(new["cpu_s"] / old["cpu_s"] for old, new in zip(rounds["old"], rounds["new"]))
    wall = statistics.median(row["wall_s"] for row in rounds["new"])
    print(f"new / old: {ratio:.3f} of the CPU time, at most {MOST_RATIO}: {verdict(ratio <= MOST_RATIO)}; {wall:.0f} s, at most {MOST_WALL_S}: {verdict(wall <= MOST_WALL_S)}")
    for who, rows in again.items():
        for row in rows:
            print(f"{who}, {row['touched']} ({row['kind']}): {row['wall_s']:6.1f} s, at most {row['most_s']}: {verdict(row['wall_s'] <= row['most_s'])}")
    return {"old": given.old, "target": given.target, "from_nothing": rounds, "cpu_ratio": ratio, "wall_s": wall,
            "touched": again, "slowest": units}
