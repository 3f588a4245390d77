"""Calling `fathom pmu stat` and perf: what the tests of `fathom pmu` share."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

FATHOM = os.environ["FATHOM"]
FOLDER = tempfile.TemporaryDirectory(prefix="fathom-pmu-")
TIMEOUT_S = 200


def stat(*arguments, **more):
    return subprocess.run([FATHOM, "pmu", "stat", *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, **more)


def stat_json(*arguments):
    """(exit status, document)"""
    report = os.path.join(FOLDER.name, "report.json")
    done = stat("--output-format=json", "-o", report, *arguments)
    if not os.path.exists(report):
        raise AssertionError(done.stderr)
    with open(report) as text:
        return done.returncode, json.load(text)


def stat_lines(*arguments):
    """What --output-format=json -I prints: the intervals, and the whole run."""
    done = stat("--output-format=json", "-o", "-", *arguments)
    objects = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not objects:
        raise AssertionError(done.stderr)
    return objects[:-1], objects[-1]


def events(document):
    return {event["event"]: event for event in document["events"]}


def perf():
    """The path of a perf that works, or None."""
    path = shutil.which("perf")
    if path and subprocess.run([path, "stat", "-e", "page-faults", "true"], capture_output=True).returncode == 0:
        return path
    return None


def may_count():
    """Whether this user may open counters at all."""
    return stat("-e", "page-faults", "true").returncode == 0


def build(name, source):
    """A small program, in what C and C++ share. Without a compiler the whole file is skipped."""
    compiler = shutil.which(os.environ.get("CXX") or "c++")
    if not compiler:
        print("no compiler: CXX names none, and there is no c++")
        sys.exit(77)
    path = os.path.join(FOLDER.name, name)
    with open(path + ".cc", "w") as text:
        text.write(source)
    subprocess.run([compiler, "-O1", "-o", path, path + ".cc"], check=True)
    return path
