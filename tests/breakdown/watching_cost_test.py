"""What watching costs, beside every result that was watched. Dear on the fastest device, where the rate falls by what the CPU time rises; nothing on a disk that sleeps longer
than any program runs; of a paced job CPU time, for its rate does not move. In a ramp for --breakdown=all, which still watches every I/O of the measured part; said to be missing
without one. In a run of its own (--cost) for each watcher."""
# label: kernel
# timeout: 300
# alone: rates inside slices are held against those outside
import json
import subprocess
import sys

import split
from slow_file import SlowFile, served

failures = []


def check(condition, what):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def run(options, form="json"):
    argv = [split.FATHOM, "run", "--name=t", "--rw=randread", "--bs=4k", "--direct=1", "--ioengine=psync", "--audit=off", "--clock-check=skip", "--size=32m", "--time_based",
            f"--output-format={form}", *options]
    out = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return json.loads(out)["fathom"]["breakdown"] if form == "json" else out


def text(cost):
    return (f"{100 * cost['rate']['share']:.1f} +- {100 * cost['rate']['half_width']:.1f} % of the rate, {cost['cpu_per_io']['ns']:.0f} +- {cost['cpu_per_io']['half_width_ns']:.0f} ns of CPU an I/O, "
            f"{cost['slices']} slices")


def in_ramp(device):
    found = run([f"--filename={device}", "--breakdown=all", "--ramp_time=4", "--runtime=1"])
    c = found["classes"][0]
    cost = c["watching"]
    check(cost["by"] == "rate" and cost["from"] == "ramp" and 8 <= cost["slices"] <= 30, f"in a ramp of 4 s: {text(cost)}")
    check(found["mode"] == "all" and found["seen_share"] == 1 and not c.get("others"), f"every I/O of the measured part was watched, {c['ios']}")
    check(c["matched"] >= 0.999 * c["ios"], f"{c['matched']} of them are divided: the programs stayed attached")
    cpu = cost["cpu_per_io"]
    check(cpu["ns"] - cpu["half_width_ns"] > 0 and cpu["ns"] < 5000, "it costs CPU time, and its interval does not reach 0")
    check(cost["rate"]["share"] + cost["rate"]["half_width"] > 0.02, "and some of the rate")


def without_ramp(device):
    for options in (["--ramp_time=1"], []):
        cost = run([f"--filename={device}", "--breakdown=all", "--runtime=1", *options])["classes"][0]["watching"]
        check(cost["by"] == "nothing" and "ramp" in cost["cause"], f"{options}: not measured, {cost['cause']}")


def paced(device):
    for thread in ("0", "1"):
        cost = run([f"--filename={device}", "--breakdown=all", "--ramp_time=4", "--runtime=1", "--rate_iops=5000", f"--thread={thread}"])["classes"][0]["watching"]
        check(cost["by"] == "p50" and abs(cost["rate"]["share"]) < 0.05, f"paced, thread={thread}: {text(cost)}")
        check(cost["cpu_per_io"]["half_width_ns"] > 0 and cost["cpu"]["half_width"] > 0, f"its CPU time has an interval: {100 * cost['cpu']['share']:.1f} %")


def alone(device):
    """--cost: a run before, of its own: what the measured one is told of each watcher, and that it reads back."""
    argv = [split.FATHOM, "run", "--name=t", "--rw=randread", "--bs=4k", "--direct=1", "--ioengine=psync", "--clock-check=skip", "--size=32m", f"--filename={device}", "--number_ios=2000",
            "--cost=6", "--breakdown=all", "--audit=trace", "--output-format=json"]
    out = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    result = json.loads(out)
    rows = {row["watcher"]: row for row in result["fathom"]["watching"]}
    check({"breakdown", "tracepoints", "audit", "PCIe PMU"} <= set(rows) or any(name.startswith("PCIe PMU ") for name in rows), f"watchers: {sorted(rows)}")
    for name in ("breakdown", "tracepoints"):
        cost = rows[name]["cost"]
        check(cost["from"] == "cost_run" and cost["slices"] >= 3, f"{name}: {text(cost)}")
        check(cost["cpu_per_io"]["ns"] > cost["cpu_per_io"]["half_width_ns"] > 0, f"{name} costs CPU time for sure")
    looks = rows["audit"]["cost"]
    check(abs(looks["rate"]["share"]) < 0.02 + looks["rate"]["half_width"], f"looks twice a second cost nearly nothing: {text(looks)}")
    c = result["fathom"]["breakdown"]["classes"][0]
    check(c["ios"] == 2000 and result["jobs"][0]["read"]["total_ios"] == 2000, "the run itself is as it was asked for, and watched whole")
    check(c["watching"] == rows["breakdown"]["cost"], "and its split has the cost that it could not measure itself")
    again = subprocess.run([split.FATHOM, "report", "--output-format=json", "/dev/stdin"], input=out, capture_output=True, text=True, check=False)
    check(again.stdout == out, f"it reads back{': ' + again.stderr[-300:] if again.stdout != out else ''}")


def refused():
    done = subprocess.run([split.FATHOM, "run", "--name=t", "--size=1m", "--ioengine=null", "--cost", "--audit=off"], capture_output=True, text=True, check=False)
    check(done.returncode != 0 and "add --breakdown" in done.stderr, done.stderr.strip().replace("\n", " "))


def slow():
    """Ten reads a slice, of 5 ms each."""
    with served(SlowFile(64 << 20, 0.005, 0, 0)) as path:
        if path is None:
            print("left out: no FUSE here")
            return
        with split.loop_device(path, "--direct-io=on") as device:
            if device is None:
                print("left out: no loop device")
                return
            options = [f"--filename={device}", "--breakdown=all", "--ramp_time=6", "--runtime=2"]
            cost = run(options)["classes"][0]["watching"]
            check(abs(cost["rate"]["share"]) < cost["rate"]["half_width"] + 0.02 and cost["rate"]["half_width"] < 0.2, f"a disk that sleeps for 5 ms loses nothing: {text(cost)}")
            told = [line for line in run(options, "normal").splitlines() if "breakdown cost" in line]
            check(len(told) == 1 and ("below 2 %" in told[0] or "too noisy" in told[0]), told[0].strip() if told else "no line")


def main():
    split.need_tracepoints()
    with split.zram_device() as device:
        if device is None:
            split.skip("no zram")
        for part in (in_ramp, without_ramp, paced, alone):
            split.until_clean(failures, part, device)
    split.until_clean(failures, slow)
    refused()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
