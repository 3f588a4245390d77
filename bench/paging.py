"""scripts/bench paging: what a measured access costs when nothing faults (wall time by stamps, instructions by callgrind), and the paper's
Table 2 on swap in memory (zram), in a file and on a loop device: `fathom paging breakdown`, all of them in turns. Needs root for the swaps."""
import contextlib
import glob
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile

import compare

# name, options, the goal in ns (0: none)
NO_FAULT = [("fenced", [], 116), ("fenced, not classified", ["--no-classify"], 0), ("rdtscp", ["--stamps=rdtscp", "--no-classify"], 0),
            ("rdtsc", ["--stamps=rdtsc", "--no-classify"], 0), ("touch", ["--access=touch"], 0)]
SMALL_SET = ["--map=16m", "--set=16m", "--swap=none", "--fill=random", "--audit=off"]
ACCESSES = (1_000_000, 3_000_000)  # two lengths: what differs is the loop's
ROWS = ("all_mean_ns", "major_peak_ns", "major_mean_ns", "overhead_ns", "overhead_percent")


def call(argv):
    """Standard output and process id. However this program ends, fathom is asked to end first: it restores what it has changed."""
    child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=compare.BASE)
    try:
        out, err = child.communicate()
    except BaseException:
        child.terminate()
        try:
            child.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            child.kill()
        raise
    if child.returncode != 0 and not out.startswith("{"):
        raise RuntimeError(f"{' '.join(argv)}: exit status {child.returncode}\n{err[-2000:]}")
    return out, child.pid


def report(fathom, action, *options):
    """A run that went wrong in parts has a report all the same, which says what is missing."""
    out, _ = call([fathom, "paging", *action, *options, "--output-format=json", "--eta=never"])
    found = json.loads(out)["fathom"]
    for finding in found["findings"]:
        if finding["severity"] == "error":
            print(f"{finding['job'] or 'run'}: {finding['id']}: {finding['evidence']}", flush=True)
    return found


def wall_ns(fathom, options, seconds):
    """Of one thread: wall time of its window over its accesses, all that the loop does included."""
    worker = report(fathom, [], *SMALL_SET, f"--duration={seconds}s", *options)["paging"]["workers"][0]
    return worker["wall_ns"] / (worker["reads"] + worker["writes"])


def no_fault(given):
    seconds = 1 if given.quick else 2
    values = {name: [] for name, _, _ in NO_FAULT if given.only in name}
    for _ in range(given.rounds):
        for name, options, _ in NO_FAULT:
            if name in values:
                values[name].append(wall_ns(given.fathom, options, seconds))
    rows = []
    for name, _, goal in NO_FAULT:
        if name not in values:
            continue
        rows.append({"case": name, "median_ns": statistics.median(values[name]), "best_ns": min(values[name]), "goal_ns": goal, "values_ns": values[name]})
        print(f"no fault, {name:24} median {rows[-1]['median_ns']:6.1f} ns an access, best {rows[-1]['best_ns']:6.1f}"
              + (f" (goal {goal})" if goal else ""), flush=True)
    return rows


def instructions_of(fathom, accesses):
    """User instructions of the measuring process; the parent's, which samples by time, are left out. Under valgrind all is slow, so nothing
    is looked up for being slow."""
    with tempfile.TemporaryDirectory(dir=compare.BASE) as folder:
        argv = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out.%p", fathom, "paging", *SMALL_SET, "--duration=600s",
                f"--accesses={accesses}", "--slow-above=10s", "--cold", "--output-format=json", "--eta=never"]
        _, parent = call(argv)
        total = 0
        for path in glob.glob(f"{folder}/out.*"):
            if path.endswith(f".{parent}"):
                continue
            with open(path) as f:
                total += sum(int(line.split()[1]) for line in f if line.startswith("totals:"))
        return total


def instructions(given):
    if given.only not in "instructions" or subprocess.run(["which", "valgrind"], capture_output=True).returncode != 0:
        return None
    short, long = (instructions_of(given.fathom, n) for n in ACCESSES)
    each = (long - short) / (ACCESSES[1] - ACCESSES[0])
    print(f"user instructions an access {each:.1f} (goal 60 besides the access; pmbench 114.6)", flush=True)
    return {"per_access": each, "totals": [short, long], "accesses": ACCESSES, "goal": 60}


@contextlib.contextmanager
def loop_device(mib):
    path = os.path.join(compare.BASE, f"fathom-bench-{os.getpid()}.loop")
    device = ""
    try:
        with open(path, "wb") as f:
            os.fchmod(f.fileno(), 0o600)
            for _ in range(mib):
                f.write(os.urandom(1 << 20))
            os.fsync(f.fileno())
        device = subprocess.run(["losetup", "--find", "--show", path], capture_output=True, text=True).stdout.strip()
        yield device
    finally:
        if device:
            subprocess.run(["losetup", "--detach", device], check=False)
        os.unlink(path)


def run_of(paging):
    """What is kept of one repetition: classes, the kernel's totals, the devices."""
    kept = {"accesses": paging["accesses"], "score": paging["score"], "window_ns": paging["window_ns"], "devices": []}
    for device in paging["devices"]:
        kept["devices"].append({k: device[k] for k in ("device", "by", "cause", "lost", "seen_share", "foreign")}
                               | {way: {"n": device[way]["n"], "mean_ns": device[way]["mean_ns"]} for way in ("read", "write")})
    kept["kernel_major"] = sum(w["kernel_major"] for w in paging["workers"])
    kept["kernel_minor"] = sum(w["kernel_minor"] for w in paging["workers"])
    kept["own_faults"] = sum(w["own_faults"] for w in paging["workers"])
    return kept


def table(given):
    if given.only not in "table":
        return None
    if os.geteuid() != 0:
        print("Table 2 is left out: it takes root")
        return None
    limit, size, seconds, repeat = ("64m", "160m", 2, min(given.rounds, 2)) if given.quick else ("256m", "512m", 8, given.rounds)
    swap_mib = 192 if given.quick else 768
    with loop_device(swap_mib) as device:
        swaps = [f"zram:{swap_mib}m", f"file:{compare.BASE}/fathom-bench-{os.getpid()}.swap:{swap_mib}m"] + ([f"dev:{device}"] if device else [])
        argv = [f"--map={size}", f"--set={size}", f"--limit={limit}", "--fill=random", "--cold", "--page-cluster=0", "--no-settle", f"--duration={seconds}s",
                f"--repeat={repeat}", f"--swap={','.join(swaps)}", f"--allow-destructive={device}"]
        try:
            found = report(given.fathom, ["breakdown"], *argv)
        except RuntimeError as error:  # what was measured before is kept
            print(f"no Table 2: {error}")
            return {"argv": argv, "error": str(error)}
    columns = found["paging"]["table2"]
    for column in columns:
        print(f"{column['name'].split(':')[0]:6}" + "  ".join(f"{row} {column[row]['mean']:.0f}" for row in ROWS) + f"  media {column['media_ns']:.0f} ({column['media']})",
              flush=True)
    runs = [run_of(one["paging"]) | {"audit": one["audit"]["line"]} for one in found["repetitions"]]
    findings = sorted({f["id"] for f in found["findings"]})
    return {"argv": argv, "columns": columns, "runs": runs, "findings": findings}


def run(given):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was set up is taken away then too
    return {"no_fault": no_fault(given), "instructions": instructions(given), "table2": table(given)}
