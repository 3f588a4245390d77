"""A device that is torn away in the middle of a run: the process that serves it is killed. Whatever the loop is doing then, waiting, looking
now and then, pacing or driving several devices, the job ends with ENODEV within two seconds, and what was measured before is reported."""
# label: kills
# timeout: 600
# alone: two processes that poll, and the device
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import until_clean  # noqa: E402

FATHOM = os.environ["FATHOM"]
# How long a dead device may go unseen: a look every 50 ms, and a machine with other work.
MOST_S = 2.0 if not os.environ.get("FATHOM_SANITIZE") else 10.0
ENODEV = 19
CASES = [
    ["--iodepth=1"],
    ["--iodepth=32"],
    ["--iodepth=128", "--iodepth_batch=128", "--iodepth_batch_complete_max=128"],
    ["--iodepth=16", "--iodepth_batch_complete_min=0"],
    ["--iodepth=8", "--rate_iops=1000"],
    ["--iodepth=8", "--gtod_reduce=1"],
    ["--iodepth=8", "--numjobs=2", "--group_reporting"],
    ["--iodepth=8", "--bs=1m"],
]


def serve(folder, name, soft="--soft=ideal"):
    socket = os.path.join(folder, name)
    server = subprocess.Popen([FATHOM, "nvme", "serve", "--socket", socket, soft], stdout=subprocess.PIPE, text=True)
    if "serv" not in server.stdout.readline():
        sys.exit("fathom nvme serve did not say that it serves")
    return server, socket


def run_and_kill(words, devices=1):
    """(exit status, document, seconds from the kill to the end)"""
    with tempfile.TemporaryDirectory() as folder:
        served = [serve(folder, f"s{i}") for i in range(devices)]
        report = os.path.join(folder, "report.json")
        names = ":".join(f"vfio-user:{socket}" for _, socket in served)
        driver = subprocess.Popen([FATHOM, "run", "--name=t", "--thread", "--ioengine=nvme", f"--filename={names}", "--rw=randread", "--norandommap", "--bs=4k", "--time_based",
                                   "--runtime=60", "--clock-check=skip", "--output-format=json", f"--output={report}", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            time.sleep(1.2)
            if driver.poll() is not None:
                sys.exit(f"{words}: ended before the device did: {driver.stderr.read()}")
            began = time.monotonic()
            served[0][0].send_signal(signal.SIGKILL)
            try:
                driver.wait(timeout=30)
            except subprocess.TimeoutExpired:
                return None, {}, 30.0
            seconds = time.monotonic() - began
            with open(report, encoding="utf-8") as f:
                text = f.read()
            return driver.returncode, json.loads(text[text.index("{"):]), seconds
        finally:
            for process in [driver] + [server for server, _ in served]:
                if process.poll() is None:
                    process.kill()
                process.wait()


def faults(status, document, seconds):
    if status is None:
        return ["it hangs"]
    job = document["fathom"]["jobs"][0]
    found = []
    if status != 4:
        found.append(f"exit status {status}, not 4")
    if job["error"] != ENODEV:
        found.append(f"error {job['error']}, not ENODEV")
    if seconds > MOST_S:
        found.append(f"{seconds:.2f} s to the end")
    if job["read"]["ios"] < 10:  # two processes that poll, on CPUs that others use as well
        found.append(f"only {job['read']['ios']} I/Os are reported")
    # Nothing may have waited longer than the device was dead.
    longest = job["read"].get("lat_ns", {}).get("max", 0)
    if longest > 1e9 * (seconds + 1.2):
        found.append(f"a latency of {longest} ns in a run of less")
    return found


def main():
    failures = []

    def one(words, devices):
        status, document, seconds = run_and_kill(words, devices)
        found = faults(status, document, seconds)
        failures.extend(found)
        print(f"{'FAIL' if found else 'ok  '} {' '.join(words)}: {seconds:.2f} s", *("\n     " + f for f in found))
    for words, devices in [(case, 1) for case in CASES] + [(["--iodepth=8", "--depth_per_file=1"], 2)]:
        until_clean(failures, one, words, devices, most=3)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
