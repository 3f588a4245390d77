"""scripts/bench witnesses: what is measured beside the loop must not cost the loop: the time that --audit adds to a run of one I/O, and what
--breakdown takes from jobs of known rates on a RAM disk (zram), always in turns with the same run without it."""
import json
import os
import resource
import statistics
import subprocess
import sys
import time

import compare

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "breakdown"))
STARTS = 9  # a round: runs of one I/O, whose best counts
# name, block size, options: larger blocks make a slower job of the same path
JOBS = [("4k psync", "4k", []), ("16k psync", "16k", []), ("40k psync", "40k", []), ("64k psync", "64k", [])]


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
    """(I/Os a second, CPU microseconds an I/O, the breakdown) of one run."""
    argv = [fathom, "run", "--name=j", f"--filename={device}", "--rw=randread", f"--bs={bs}", "--direct=1", "--ioengine=psync", "--audit=off",
            "--time_based", f"--runtime={seconds}", "--clock-check=skip", "--output-format=json", *more]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = json.loads(done.stdout)
    ios = result["jobs"][0]["read"]["total_ios"]
    cpu_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return result["jobs"][0]["read"]["iops"], cpu_s / ios * 1e6, result["fathom"].get("breakdown")


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
            pairs = [(job(given.fathom, device, bs, more, seconds), job(given.fathom, device, bs, [*more, "--breakdown"], seconds))
                     for _ in range(given.rounds)]
            iops = statistics.median(with_[0] / without[0] for without, with_ in pairs)
            cpu = statistics.median(with_[1] / without[1] for without, with_ in pairs)
            seen = pairs[-1][1][2]
            row = {"job": name, "iops_without": statistics.median(p[0][0] for p in pairs), "iops_ratio": iops, "cpu_per_io_ratio": cpu,
                   "seen_share": seen["seen_share"], "reader_cpu_s": seen["reader_cpu_s"], "runtime_s": seconds,
                   "iops_pairs": [[p[0][0], p[1][0]] for p in pairs]}
            rows.append(row)
            print(f"{name:12} {row['iops_without']:9.0f} IOPS; with --breakdown x {iops:.3f}, CPU an I/O x {cpu:.3f}, "
                  f"looked at {100 * row['seen_share']:.0f} %", flush=True)
    return rows


def run(given):
    os.environ["FATHOM"] = given.fathom
    return {"start": starts(given) if given.only in "start" else {}, "breakdown": breakdowns(given)}
