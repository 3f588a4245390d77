"""--breakdown=slices: watched in slices at drawn moments, its shares are those of the run that is watched whole, within their intervals; the programs are
detached in between; what a limit held is followed to its end; a run that is shorter than a slice and a worker that dies say what they are."""
# label: slow
# timeout: 120
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
        for part in (short, killed):
            split.until_clean(failures, part, device)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
