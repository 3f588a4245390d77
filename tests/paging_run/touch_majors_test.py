"""Over at least 100,000 major faults from swap: accesses classed major are the kernel's count within 0.1 %, by three of its counters that the
tool does not classify with (the cgroup's memory.stat, perf's software event, and getrusage(2) over the whole window), and no fault is left over.
"""
# label: paging
# timeout: 900
# lock: paging
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import until_clean  # noqa: E402

FATHOM = os.environ["FATHOM"]
WANTED, MOST_DIFFERENCE = 100_000, 0.001


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def measure(folder, seconds):
    """(result, perf's count of the measuring process, None without perf)."""
    report, counted = os.path.join(folder, "r.json"), os.path.join(folder, "perf.txt")
    argv = [FATHOM, "paging", "--map=320M", "--set=320M", "--limit=160M", "--swap=zram:1G", "--fill=random", "--cold", "--page-cluster=0",
            f"--duration={seconds}s", "--threads=2", "--output-format=json", f"--output={report}"]
    perf = shutil.which("perf")
    if perf:
        argv = [perf, "stat", "-x,", "-e", "major-faults", "-o", counted, "--", *argv]
    run = subprocess.run(argv, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(argv)}: exit status {run.returncode}\n{run.stdout[-1000:]}{run.stderr[-2000:]}")
    with open(report, encoding="utf-8") as f:
        result = json.load(f)
    found = None
    if perf:
        with open(counted, encoding="utf-8") as f:
            match = re.search(r"^(\d+),,major-faults", f.read(), re.M)
        found = int(match.group(1)) if match else None
    return result, found


def difference(a, b):
    return abs(a - b) / max(a, b, 1)


def main():
    if os.geteuid() != 0:
        skip("a cgroup and swap need root")
    if not os.path.exists("/sys/class/zram-control"):
        skip("the kernel has no zram")
    if os.environ.get("FATHOM_SANITIZE"):
        skip("a sanitizer's memory does not fit the limit")
    # perf and the cgroup also count what the program reads of itself at its start: a page that the machine has taken away is none of the window's.
    # A worker's own account is not at their mercy: what is wrong there once is wrong.
    failures, lasting = [], []
    until_clean(failures, judge, failures, lasting, most=3)
    return 1 if failures or lasting else 0


def judge(failures, lasting):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        for seconds in (8, 30, 90):  # a loaded machine needs longer for as many
            result, perf = measure(folder, seconds)
            paging = result["fathom"]["paging"]
            majors = sum(c["accesses"] for c in paging["classes"] if c["class"] == "major")
            if majors >= WANTED:
                break
    workers = paging["workers"]
    kernel = sum(w["kernel_major"] for w in workers)
    minors = sum(w["kernel_minor"] for w in workers)
    rows = [("getrusage", kernel), ("memory.stat", paging["memcg"].get("pgmajfault"))] + ([("perf", perf)] if perf is not None else [])
    if majors < WANTED:
        failures.append("too few")
    print(f"{majors} major accesses, {minors} minor faults in the window, wanted {WANTED}")
    for name, count in rows:
        wrong = count is None or difference(majors, count) > MOST_DIFFERENCE
        if wrong:
            (lasting if name == "getrusage" else failures).append(name)
        print(f"{'FAIL' if wrong else 'ok  '} {name}: {count}")
    own = sum(w["own_faults"] for w in workers)
    if own:
        failures.append("own faults")
        print(f"FAIL {own} faults of the tool itself")


if __name__ == "__main__":
    sys.exit(main())
