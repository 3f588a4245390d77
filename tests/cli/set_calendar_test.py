"""A job that stamps with gettimeofday while the calendar is set by an hour: it lasts as long as it was asked to, says that its clock was set, and
its end is not before its begin. The calendar of this machine is left alone: the call is another's (set_calendar.cc)."""
# label: timing
import json
import os
import subprocess
import sys
import tempfile
import time

FATHOM = os.environ["FATHOM"]
RUNTIME_MS, HOUR_S = 1000, 3600
JOB = ["--name=t", "--ioengine=null", "--size=1g", "--time_based", f"--runtime={RUNTIME_MS}ms", "--clocksource=gettimeofday",
       "--output-format=json"]


def check(condition, what, failures):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def run(library, folder, seconds, *more):
    shared = os.path.join(folder, "set")
    with open(shared, "wb") as file:
        file.write(bytes(8))
    # Asked for the time so often is nobody but the job's loop.
    how = {**os.environ, "LD_PRELOAD": library, "SET_CALENDAR_FILE": shared, "SET_CALENDAR_S": str(seconds), "SET_CALENDAR_AT": "200000"}
    began = time.monotonic()
    done = subprocess.run([FATHOM, "run", *JOB, *more], capture_output=True, text=True, env=how, cwd=folder, timeout=120)
    return json.loads(done.stdout[done.stdout.index("{\n"):])["fathom"], time.monotonic() - began


def jumps(document):
    """Of each: its severity, what it says, and by how many seconds the clock jumped."""
    found = [f for f in document["findings"] if f["id"] == "clock.jumped"]
    return [(f["severity"], f["evidence"], *(v["number"] for v in f["values"] if v["name"] == "largest_s")) for f in found]


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("a library that is preloaded comes before the sanitizer's")
        return 77
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "set_calendar.so")
        source = os.path.join(os.environ["FATHOM_SOURCE"], "tests", "cli", "set_calendar.cc")
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
        for seconds, more in ((0, ()), (HOUR_S, ()), (-HOUR_S, ()), (-HOUR_S, ("--ramp_time=1s",))):
            document, wall_s = run(library, folder, seconds, *more)
            what = " ".join((f"set by {seconds} s", *more))
            runtime_ms = document["jobs"][0]["job_runtime_ms"]
            check(wall_s < 60, f"{what}: the command ends ({wall_s:.1f} s)", failures)
            measured = not more  # a job that is stopped in its ramp has measured nothing
            check(not measured or 0.99 * RUNTIME_MS <= runtime_ms <= 10 * RUNTIME_MS, f"{what}: its run time is the job's ({runtime_ms} ms)", failures)
            lasted_ms = document["end_epoch_ms"] - document["time_epoch_ms"]
            check(0 <= lasted_ms <= wall_s * 1000, f"{what}: it ends {lasted_ms} ms after it began", failures)
            found = jumps(document)
            check(len(found) == (seconds != 0), f"{what}: {[evidence for _, evidence, _ in found]}", failures)
            check(all(severity == "warning" and abs(by - seconds) < 1 for severity, _, by in found), f"{what}: a warning, by how much", failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
