# timeout: 600
# label: timing
# cost: 19
"""Ctrl-C: once stops, drains and reports all that was done, and the exit status says so; twice leaves at once."""
import json
import signal
import subprocess
import time

import compare

LONG = ["--name=j", "--filename=f", "--rw=randread", "--bs=4k", "--size=1m", "--time_based", "--runtime=60"]
# name, words, least number of I/Os in the report
JOBS = [
    ("psync", LONG, 100),
    ("as threads", [*LONG, "--thread", "--numjobs=2", "--group_reporting"], 100),
    ("io_uring depth 16", [*LONG, "--ioengine=io_uring", "--iodepth=16", "--direct=1"], 100),
    ("libaio depth 16", [*LONG, "--ioengine=libaio", "--iodepth=16", "--direct=1"], 100),
    ("paced slowly", [*LONG, "--rate_iops=20"], 5),
    ("in thinktime", [*LONG, "--thinktime=30s", "--thinktime_blocks=50"], 50),
    ("null", ["--name=j", "--ioengine=null", "--size=1m", "--time_based", "--runtime=60"], 100),
]
SLOW_IN_FIO = {"in thinktime"}  # fio sleeps the thinktime out


def interrupted(argv, cwd, after_s, times=1, sig=signal.SIGINT):
    """(exit status, stdout, stderr, seconds from the first signal to the end)."""
    child = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(after_s)
    begin = time.monotonic()
    for _ in range(times):
        child.send_signal(sig)
        time.sleep(0.1)
    try:
        out, err = child.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        child.kill()
        out, err = child.communicate()
        return None, out, err, 30.0
    return child.returncode, out, err, time.monotonic() - begin


def check_once(checks, name, words, least, head, status):
    with compare.workspace() as cwd:
        compare.fill(cwd, {"f": "1m"})
        rc, out, err, seconds = interrupted([*head, *words, "--output-format=json,normal"], cwd, 1.5)
    checks.equal(f"{name}: exit status", rc, status)
    checks.check(f"{name}: ends soon", seconds < 3, f"{seconds:.1f} s")
    begin = out.find("{\n")
    checks.check(f"{name}: a report", begin >= 0 and "Run status group 0" in out, out[-500:] + err)
    if begin >= 0:
        report = json.JSONDecoder().raw_decode(out[begin:])[0]
        job = report["jobs"][0]
        checks.check(f"{name}: what was done is reported", job["read"]["total_ios"] >= least, job["read"]["total_ios"])
        checks.check(f"{name}: its runtime", 500 <= job["read"]["runtime"] <= 4000, job["read"]["runtime"])
        checks.equal(f"{name}: error", job["error"], 0)
        if compare.is_fathom():
            checks.equal(f"{name}: fathom.interrupted", report["fathom"]["interrupted"], True)


def check_json_alone(checks):
    with compare.workspace() as cwd:
        compare.fill(cwd, {"f": "1m"})
        _, out, _, _ = interrupted([compare.fio_link(), *LONG, "--output-format=json"], cwd, 1)
    try:
        json.loads(out)
        checks.check("interrupted: stdout is JSON alone", True)
    except ValueError as e:
        checks.check("interrupted: stdout is JSON alone", False, e)


def check_twice(checks, name, words):
    with compare.workspace() as cwd:
        compare.fill(cwd, {"f": "1m"})
        rc, _, _, seconds = interrupted([compare.fio_link(), *words], cwd, 1.5, times=2)
    checks.check(f"{name}, twice: ends at once", seconds < 1, f"{seconds:.1f} s")
    checks.check(f"{name}, twice: not as a success", rc not in (0, None), rc)


def main():
    checks = compare.Checks()
    for name, words, least in JOBS:
        if not checks.wanted(name) or (name in SLOW_IN_FIO and not compare.is_fathom()):
            continue
        checks.in_attempts(check_once, name, words, least, [compare.fio_link()], 128)
    if compare.is_fathom():
        checks.in_attempts(check_once, "fathom run", LONG, 100, [compare.FATHOM, "run"], 130)
        checks.in_attempts(check_json_alone)
        for name, words, _ in (JOBS[0], JOBS[2], JOBS[5]):
            checks.in_attempts(check_twice, name, words)
    checks.done()


main()
