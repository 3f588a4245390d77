"""The status line: on a terminal and only there, layout included, and gone before the report. A pseudo terminal stands for the user's."""
# label: test
# cost: 22
# timeout: 240
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile

FATHOM = os.environ["FATHOM"]
FIO = os.path.join(os.path.dirname(FATHOM), "fio")
JOB = ["--name=t", "--rw=randread", "--size=64m", "--time_based", "--runtime=2"]


def on_terminal(argv, directory, stderr_too, until=None):
    """What a terminal sees of argv; with stderr_too only standard error is the terminal. until: it is interrupted when it has shown this."""
    main, worker = pty.openpty()
    streams = {"stderr": worker, "stdout": subprocess.DEVNULL} if stderr_too else {"stdout": worker, "stderr": subprocess.PIPE}
    process = subprocess.Popen(argv, cwd=directory, stdin=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm"}, **streams)
    os.close(worker)
    seen = b""
    while True:
        try:
            chunk = os.read(main, 4096)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
        if until and until in seen:
            process.send_signal(signal.SIGINT)
            until = None
    process.wait()
    os.close(main)
    return seen.decode(errors="replace")


def check(condition, what, failures):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def seconds_left(seen):
    return [60 * int(m) + int(s) for m, s in re.findall(r"eta (\d\d)m:(\d\d)s", seen)]


def ramp_is_counted(failures):
    """Two stages, the first with a ramp: the time left counts all of it from the first line on, and never grows."""
    words = ["--ioengine=null", "--size=1g", "--time_based", "--runtime=2"]
    argv = [FATHOM, "run", "--name=a", *words, "--ramp_time=2", "--name=b", "--stonewall", *words, "--name=c", "--stonewall", *words]
    left = seconds_left(on_terminal(argv, "/", True))
    check(left and 6 <= left[0] <= 8, f"ramp, runtime and later stages are in the time left: {left}", failures)
    check(left == sorted(left, reverse=True) and left[-1] <= 1, "it never runs backwards", failures)


def settling(failures):
    seen = on_terminal([FATHOM, "run", "--name=t", "--size=1m", "--settle"], tempfile.gettempdir(), True, until=b"% busy (")
    rows = [row for row in re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;]*[A-Z]", "", seen)) if row.strip()]
    check(all(len(row) < 80 for row in rows if not row.startswith("fathom: ")), f"no row is wider than the terminal: {rows!r}", failures)
    seen = " ".join(" ".join(rows).split())
    check("settling: checking the CPUs" in seen, "--settle shows itself", failures)
    check(re.search(r"settling: CPUs [\d.]+ % busy \((waiting for 5 or less|5 allowed)\)", seen), f"what background: {seen!r}", failures)
    check(re.search(r"[\d.]+ s (of quiet needed|more), gives up in \d\d s", seen), "and how long still", failures)


def main():
    failures = []
    for part in (all_lines, ramp_is_counted, settling):
        part(failures)
    return 1 if failures else 0


def all_lines(failures):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        native = on_terminal([FATHOM, "run"] + JOB, directory, True)
        check("Laying out IO file" in native, "native: the layout shows itself on standard error", failures)
        check("Jobs: 1 (f=1): [r(1)]" in native, "native: the running job shows itself on standard error", failures)
        check("eta 00m:0" in native, "native: the time left is said", failures)
        check("IOPS=" not in native, "native: the report is not on standard error", failures)
        fio = on_terminal([FIO] + JOB, directory, False)
        check("Jobs: 1 (f=1)" in fio, "fio mode: the status line is on standard output, as fio's", failures)
        check(fio.rfind("Jobs: 1") < fio.find("read: IOPS="), "fio mode: the status line is gone before the report", failures)
        never = on_terminal([FIO, "--eta=never"] + JOB, directory, False)
        check("Jobs: 1" not in never, "--eta=never is obeyed", failures)
        json = on_terminal([FIO, "--output-format=json"] + JOB, directory, False)
        check("Jobs: 1" not in json, "JSON on a terminal stays alone", failures)
        piped = subprocess.run([FATHOM, "run"] + JOB, cwd=directory, capture_output=True, text=True)
        check("Jobs: 1" not in piped.stdout + piped.stderr and piped.stderr == "", "without a terminal: nothing", failures)
        always = subprocess.run([FIO, "--eta=always"] + JOB, cwd=directory, capture_output=True, text=True)
        check("Jobs: 1 (f=1)" in always.stdout, "--eta=always: also without a terminal", failures)


if __name__ == "__main__":
    sys.exit(main())
