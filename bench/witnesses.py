"""scripts/bench witnesses: what is measured beside the loop must not cost the loop: the time that --audit adds to a run of one I/O, and what
--breakdown takes from jobs of known rates on a RAM disk (zram), always in turns with the same run without it."""
import json
import os
import statistics
import subprocess
import sys
import time

import compare

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "breakdown"))
STARTS = 9  # a round: runs of one I/O, whose best counts
# name, block size, options: larger blocks make a slower job of the same path
PSYNC, URING = ["--ioengine=psync"], ["--ioengine=io_uring", "--iodepth=32"]
JOBS = [("4k psync", "4k", PSYNC), ("16k psync", "16k", PSYNC), ("40k psync", "40k", PSYNC), ("64k psync", "64k", PSYNC), ("4k io_uring", "4k", URING)]
MODES = ["--breakdown", "--breakdown=slices", "--breakdown=all"]
KEYS = ["iops", "cpu_ns", "p50_ns"]


def start_ms(fathom, audit):
    with compare.workspace() as cwd:
        with open(os.path.join(cwd, "f"), "wb") as f:
            f.write(os.urandom(1 << 20))
            os.fsync(f.fileno())
        argv = [fathom, "run", "--name=j", "--filename=f", "--size=1m", "--number_ios=1", "--rw=read", "--direct=1", f"--audit={audit}"]
        best = 1e9
        for _ in range(STARTS):
            begin = time.perf_counter()
            subprocess.run(argv, cwd=cwd, capture_output=True, check=True)
            best = min(best, time.perf_counter() - begin)
    return best * 1000


def job(fathom, device, bs, more, seconds):
    """Of one run: I/Os a second, CPU time of the worker an I/O, half of its latencies, and the breakdown."""
    argv = [fathom, "run", "--name=j", f"--filename={device}", "--rw=randread", f"--bs={bs}", "--direct=1", "--audit=off",
            "--time_based", f"--runtime={seconds}", "--clock-check=skip", "--output-format=json", *more]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    one = result["jobs"][0]
    cpu_ns = (one["usr_cpu"] + one["sys_cpu"]) / 100 * one["job_runtime"] * 1e6 / one["read"]["total_ios"]
    return {"iops": one["read"]["iops"], "cpu_ns": cpu_ns, "p50_ns": one["read"]["clat_ns"]["percentile"]["50.000000"],
            "split": result["fathom"].get("breakdown")}


def by_slices(split):
    return split["mode"] == "slices" and split["classes"][0].get("watching", {}).get("rate")


def ratio_by_slices(split):
    """The rate of a run against what it would be unwatched, by the run's own slices with and without the programs: no other run is compared."""
    return 1 - split["seen_share"] * split["classes"][0]["watching"]["rate"]["share"]


def starts(given):
    values = {way: [] for way in ("off", "auto")}
    for _ in range(given.rounds):
        for way in values:
            values[way].append(start_ms(given.fathom, way))
    for way, ms in values.items():
        print(f"one I/O, --audit={way:5} median {statistics.median(ms):6.2f} ms of the best of {STARTS}", flush=True)
    return {way: {"median_ms": statistics.median(ms), "values_ms": ms} for way, ms in values.items()}


def breakdowns(given):
    import split
    rows = []
    seconds = 1 if given.quick else 3
    with split.zram_device(256) as device:
        if device is None:
            print("no zram here: the cost of --breakdown is not measured")
            return rows
        for name, bs, more in JOBS:
            if given.only not in name:
                continue
            for how in MODES:
                pairs = [(job(given.fathom, device, bs, more, seconds), job(given.fathom, device, bs, [*more, how], seconds)) for _ in range(given.rounds)]
                row = {"job": name, "how": how, "runtime_s": seconds, "iops_without": statistics.median(p[0]["iops"] for p in pairs),
                       "seen_share": pairs[-1][1]["split"]["seen_share"], "mode": pairs[-1][1]["split"]["mode"],
                       "pairs": [[{key: p[key] for key in KEYS} for p in pair] for pair in pairs]}
                told = [ratio_by_slices(p[1]["split"]) for p in pairs if by_slices(p[1]["split"])]
                if told:
                    row["iops_ratio_by_slices"] = statistics.median(told)
                for key in KEYS:
                    row[f"{key}_ratio"] = statistics.median(p[1][key] / p[0][key] for p in pairs)
                row["cpu_ns_more"] = statistics.median(p[1]["cpu_ns"] - p[0]["cpu_ns"] for p in pairs)
                rows.append(row)
                print(f"{name:12} {row['iops_without']:9.0f} IOPS; with {how:18} x {row['iops_ratio']:.3f}, p50 x {row['p50_ns_ratio']:.3f}, "
                      f"CPU an I/O {row['cpu_ns_more']:+.0f} ns, looked {100 * row['seen_share']:.0f} % of the time"
                      + (f", by its own slices x {row['iops_ratio_by_slices']:.3f}" if told else ""), flush=True)
    return rows


def run(given):
    os.environ["FATHOM"] = given.fathom
    os.environ["FATHOM_SOURCE"] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # the devices of tests/breakdown/split.py
    return {"start": starts(given) if given.only in "start" else {}, "breakdown": breakdowns(given)}
