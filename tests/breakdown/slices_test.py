"""--breakdown=slices: watched in slices at drawn moments, its shares are those of the run that is watched whole, within their intervals; its bands add up, and what watching costs
has an interval; the programs are detached in between; what a limit held is followed to its end; a run that is shorter than a slice and a worker that dies say what they are."""
# label: kernel
# timeout: 200
# alone: shares of two runs are held against each other
import json
import os
import signal
import subprocess
import sys
import time

import split

failures = []
HOW = "--breakdown=slices"


def check(condition, what):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def run(options, how=HOW):
    argv = [split.FATHOM, "run", "--name=t", "--rw=randread", "--bs=4k", "--direct=1", "--ioengine=psync", "--audit=off", "--clock-check=skip", how,
            "--output-format=json+", *options]
    return json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)


def share(c, part):
    return c[part]["sum_ns"] / c["whole"]["sum_ns"] if c.get(part) else 0


def agrees(device):
    """Of a job whose parts are steady."""
    options = [f"--filename={device}", "--size=32m", "--runtime=4", "--time_based"]
    found, whole = run(options)["fathom"]["breakdown"], split.classes(run(options, "--breakdown=all"))["read"]
    c = found["classes"][0]
    check(found["mode"] == "slices" and 0.05 < found["seen_share"] < 0.2, f"{100 * found['seen_share']:.0f} % of the time was watched")
    check(6 <= c["slices"] <= 8, f"{c['slices']} slices in 4 s")
    check(c["matched"] >= 0.999 * c["ios"], f"{c['matched']} of {c['ios']} I/Os are divided")
    check(c["others"]["n"] > 4 * c["ios"], f"{c['others']['n']} were not watched")
    for part in ("submit", "device", "completion"):
        half = c["share_half_width"][part]
        check(0 < half < 0.2 and abs(share(c, part) - share(whole, part)) < 0.03 + half,
              f"{part}: {100 * share(c, part):.1f} +- {100 * half:.1f} %, of all I/Os {100 * share(whole, part):.1f} %")
    check(not any(band["told"] for band in c["bands"]) and c["share"]["device"] < 0, "fewer than ten slices: no band has shares, and nothing is weighted")


def by_latency(device):
    """Long enough for ten slices: the bands that hold most I/Os are told, those whose shares are not are left out of the sum, and what watching costs has an interval."""
    found = run([f"--filename={device}", "--size=32m", "--runtime=8", "--time_based"])["fathom"]["breakdown"]
    c = found["classes"][0]
    faults = split.band_faults(c)
    check(not faults, f"the bands add up{': ' if faults else ''}{'; '.join(faults)}")
    check(all(band["told"] and band["slices"] >= 10 for band in c["bands"][:2]), f"told: {[(band['name'], band['told'], band['slices'], band['ios']) for band in c['bands']]}")
    for band in c["bands"]:
        check(band["told"] or not any(band["share"].values()), f"{band['name']}: {band['ios']} I/Os hold {100 * band['time_share']:.1f} % of the time")
    together = sum(c["share"].values()) + c["untold_share"]
    check(abs(together - 1) < 0.001, f"shares and what is not told are {together:.5f} together")
    cost = c["watching"]
    check(cost["by"] == "rate" and 8 <= cost["slices"] <= 15, f"cost by {cost['by']}, {cost['slices']} slices")
    check(0 < cost["rate"]["half_width"] < 0.5 and abs(cost["rate"]["share"]) < 0.5, f"it costs {100 * cost['rate']['share']:.1f} +- {100 * cost['rate']['half_width']:.1f} % of the rate")
    more = split.p50(c["whole"]) - split.p50(c["others"])
    check(abs(cost["added_ns"] - more) < 0.1 * split.p50(c["others"]), f"it adds {cost['added_ns']:.0f} ns to an I/O, {more} to the median")


def paced(device):
    c = run([f"--filename={device}", "--size=32m", "--runtime=4", "--time_based", "--rate_iops=3000"])["fathom"]["breakdown"]["classes"][0]
    cost = c["watching"]
    check(cost["by"] == "p50" and cost["p50"]["half_width"] > 0, f"paced: {100 * cost['p50']['share']:.1f} +- {100 * cost['p50']['half_width']:.1f} % of the median, by {cost['slices']} slices")
    check(abs(cost["rate"]["share"]) < 0.2, f"paced: the rate does not move, {100 * cost['rate']['share']:.1f} %")


def short(device):
    found = run([f"--filename={device}", "--size=32m", "--runtime=0.2", "--time_based"])["fathom"]["breakdown"]
    check(len(found["classes"]) == 1 and found["classes"][0]["slices"] == 1, "a run of 0.2 s has one slice")
    check(found["classes"][0]["share_half_width"]["device"] < 0, "of which no interval can be told")


def killed(device):
    """Its I/O is over for nobody: the next slices do not wait for it."""
    argv = [split.FATHOM, "run", "--name=a", f"--filename={device}", "--rw=randread", "--bs=4k", "--direct=1", "--size=32m", "--runtime=8", "--time_based", "--numjobs=2",
            "--audit=off", "--clock-check=skip", HOW, "--output-format=json"]
    job = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    time.sleep(1)
    with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="ascii") as f:
        os.kill(int(f.read().split()[0]), signal.SIGKILL)
    out = job.communicate(timeout=60)[0]
    result = json.loads(out[out.index("{\n"):out.rindex("\n}") + 2])
    classes = result["fathom"]["breakdown"]["classes"]
    check(max(c["slices"] for c in classes) >= 3, f"a worker was killed: slices went on for the other ({[c['slices'] for c in classes]})")


def main():
    split.need_tracepoints()
    with split.zram_device() as device:
        if device is None:
            split.skip("no zram")
        probe = run([f"--filename={device}", "--size=1m", "--number_ios=1"], "--breakdown=all")["fathom"]["breakdown"]
        if not probe["events_by"]:
            split.skip(probe["cause"])
        split.until_clean(failures, agrees, device)
        for part in (by_latency, paced, short, killed):
            split.until_clean(failures, part, device)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
