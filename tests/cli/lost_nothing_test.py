"""Nothing measured is lost: a worker killed in mid-run, and --repeat with all its raw results."""
# label: kills
# timeout: 300
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import until_clean, wait_until  # noqa: E402

FATHOM = os.environ["FATHOM"]


def check(condition, what, failures):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


def killed_worker(failures):
    """As somebody kills it, and as a defect does."""
    for sig in (signal.SIGKILL, signal.SIGSEGV):
        killed_by(sig, failures)


def killed_by(sig, failures):
    argv = [FATHOM, "run", "--name=t", "--ioengine=null", "--size=1g", "--time_based", "--runtime=3", "--numjobs=2", "--output-format=json"]
    begun = time.monotonic()
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: len(children(process.pid)) == 2)
    time.sleep(1.3)
    victim = children(process.pid)[0]
    os.kill(victim, sig)
    took_ms = 1000 * (time.monotonic() - begun)  # and what a worker has done is looked at every half second
    out, err = process.communicate()
    result = json.loads(out)
    dead = [j for j in result["jobs"] if j["error"] != 0]
    alive = [j for j in result["jobs"] if j["error"] == 0]
    check(process.returncode == 4, f"a killed worker is an I/O error (exit {process.returncode})", failures)
    check(len(dead) == 1 and len(alive) == 1, "one job failed, one did not", failures)
    check(dead and dead[0]["read"]["total_ios"] > 1000, "what the dead worker had measured is reported", failures)
    check(dead and 500 < dead[0]["read"]["runtime"] <= took_ms + 700, f"over the time it ran: {dead and dead[0]['read']['runtime']} of {took_ms:.0f} ms", failures)
    check(alive and alive[0]["read"]["runtime"] >= 2900, "the other one ran to its end", failures)
    check(f"killed by signal {int(sig)}" in err, "the cause is said on standard error", failures)


def repeated(failures):
    argv = [FATHOM, "run", "--name=t", "--ioengine=sim", "--sim_latency=exp:100us", "--size=4m", "--rw=randread", "--repeat=5",
            "--output-format=json"]
    result = json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)
    ours = result["fathom"]
    check(len(ours["repetitions"]) == 5, "every repetition is kept", failures)
    iops = [m for m in ours["repeated"] if m["metric"] == "iops" and m["direction"] == "read"]
    check(len(iops) == 1 and len(iops[0]["values"]) == 5, "the rate of each is listed", failures)
    mean = sum(iops[0]["values"]) / 5
    check(abs(iops[0]["mean"] - mean) < 1e-3 * mean, "the mean is theirs", failures)
    check(iops[0]["ci95_low"] <= iops[0]["mean"] <= iops[0]["ci95_high"], "inside its interval", failures)


def one_interrupt_at_the_start(failures):
    """A terminal's Ctrl-C reaches the whole process group, half-born workers included: it must count once."""
    argv = [FATHOM, "run", "--name=t", "--ioengine=null", "--numjobs=64", "--rate_iops=10", "--size=1g", "--time_based", "--runtime=20",
            "--output-format=json"]
    bad = 0
    for i in range(12):
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
        time.sleep(0.012 + 0.003 * i)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()
        if "killed by signal" in err or process.returncode not in (130, -2):
            bad += 1
            print(f"     exit {process.returncode}: {err[-500:]}")
    check(bad == 0, f"one Ctrl-C during the start kills no worker ({bad} of 12 runs did)", failures)


def interrupted_repetition(failures):
    argv = [FATHOM, "run", "--name=t", "--ioengine=null", "--rate_iops=1000", "--size=1g", "--time_based", "--runtime=1", "--repeat=5",
            "--output-format=json"]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2.5)
    process.send_signal(signal.SIGINT)
    ours = json.loads(process.communicate()[0])["fathom"]
    done = [r.get("jobs", ours["jobs"])[0]["read"]["ios"] for r in ours["repetitions"]]  # the one that is shown has none of its own
    check(1 <= len(done) <= 3 and min(done) >= 900, f"a repetition that was cut short is not counted: I/Os of those counted: {done}", failures)
    check(ours["interrupted"] is True and process.returncode == 130, "and the run says that it was interrupted", failures)


def full_output(failures):
    argv = [FATHOM, "run", "--name=t", "--ioengine=null", "--size=4k", "--output=/dev/full", "--output-format=json"]
    done = subprocess.run(argv, capture_output=True, text=True)
    check(done.returncode != 0 and "No space left" in done.stderr, "a report that cannot be written is an error", failures)
    check(json.loads(done.stdout)["jobs"][0]["read"]["total_ios"] == 1, "and the report is on standard output instead", failures)


def few_descriptors(failures):
    """Forty stages in twenty descriptors; and with none for the first pipe, an error and not a crash."""
    argv = [FATHOM, "run", "--output-format=json"]
    for i in range(40):
        argv += [f"--name=j{i}", "--ioengine=null", "--size=4k", "--stonewall"]
    done = subprocess.run(["sh", "-c", 'ulimit -n 20; exec "$@"', "sh"] + argv, capture_output=True, text=True)
    jobs = json.loads(done.stdout)["jobs"] if done.returncode == 0 else []
    check(len(jobs) == 40 and all(j["read"]["total_ios"] == 1 for j in jobs), "forty stages run in twenty descriptors", failures)
    done = subprocess.run(["sh", "-c", 'ulimit -n 4; exec "$@"', "sh"] + argv, capture_output=True, text=True)
    check(done.returncode == 3 and "ulimit -n" in done.stderr, f"in four: an error that says so (exit {done.returncode})", failures)


def settled(directory, failures):
    argv = [FATHOM, "run", "--name=t", "--size=1m", f"--directory={directory}", "--settle", "--output-format=json"]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, _ = process.communicate(timeout=12)
    except subprocess.TimeoutExpired:  # a busy machine: an interrupt ends the waiting, and the result says so
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate()
    settle = json.loads(out)["fathom"]["settle"]
    check(settle["asked"] is True and settle["waited_s"] >= 1.0, "--settle waits and says how long", failures)
    check(isinstance(settle["settled"], bool) and settle["background_cpu_percent"] >= 0, "and what background remained", failures)


def main():
    failures = []
    repeated(failures)
    for part in (killed_worker, one_interrupt_at_the_start, interrupted_repetition):
        until_clean(failures, part, failures, most=3)
    full_output(failures)
    few_descriptors(failures)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        settled(directory, failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
