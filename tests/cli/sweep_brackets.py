"""How often the bracket of `fathom sweep --slo` holds the load that a queue's law gives: two hundred sweeps of the sim engine with one server, exponential service and
Poisson arrivals (M/M/1), each with seeds of its own.     python3 tests/cli/sweep_brackets.py [SWEEPS]     (scripts/check sweep-brackets)

The time in the system of such a queue is exponential with rate mu - lambda, so that the 99th percentile is the limit at mu - ln(100) / limit. At least 93 % of the brackets
must hold that load and be at most 3 % wide."""
import json
import math
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "breakdown"))
from series import keep, machine  # noqa: E402

SWEEPS, LEAST = 200, 0.93
SERVED, LIMIT_S = 10_000, 0.001
TRUTH = SERVED - math.log(100) / LIMIT_S
JOB = """[q]
ioengine=sim
sim_latency=exp:100us
sim_servers=1
rw=randread
bs=4k
size=1g
iodepth=2048
ramp_time=2
runtime=100
time_based=1
"""


def bracket(folder, number):
    job = os.path.join(folder, "job.fio")
    done = subprocess.run([os.environ["FATHOM"], "sweep", job, "--over=rate_iops=1000..9000+1000", "--slo=lat_p99<1ms", "--repeat=1", "--refine=0", "--run-option=--audit=off",
                           f"--results={folder}/sweep{number}", "--output-format=json"], capture_output=True, text=True, check=False, timeout=600)
    if done.returncode != 0:
        sys.exit(f"sweep {number}: exit status {done.returncode}\n{done.stderr[-2000:]}")
    subprocess.run(["rm", "-rf", f"{folder}/sweep{number}"], check=True)
    found = json.loads(done.stdout)
    ends = found["curves"][0]["bracket"]
    shown = [ends[end]["load"] if ends.get(end) and ends[end]["shown"] else None for end in ("meets", "misses")]
    return {"runs": found["runs"], "meets": shown[0], "misses": shown[1], "width_percent": ends["width_percent"],
            "fresh_runs": [ends[end]["runs"] if ends.get(end) else 0 for end in ("meets", "misses")]}


def main():
    sweeps = int(sys.argv[1]) if len(sys.argv) > 1 else SWEEPS
    before = machine()
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        with open(os.path.join(folder, "job.fio"), "w", encoding="ascii") as f:
            f.write(JOB)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(lambda number: bracket(folder, number), range(sweeps)))
    held = sum(None not in (one["meets"], one["misses"]) and one["meets"] <= TRUTH <= one["misses"] for one in found)
    narrow = sum(one["width_percent"] is not None and one["width_percent"] <= 3 for one in found)
    print(f"of {sweeps} brackets {held} hold {TRUTH:.0f}, {narrow} are at most 3 % wide; {sum(one['runs'] for one in found) / sweeps:.0f} runs a sweep")
    keep(before, {"sweeps": sweeps, "truth": TRUTH, "hold_it": held, "narrow": narrow, "least": LEAST * sweeps, "found": found})
    if min(held, narrow) < LEAST * sweeps or any(min(one["fresh_runs"]) < 3 for one in found):
        sys.exit("too few, or an end that is not of three fresh runs")


if __name__ == "__main__":
    main()
