#!/usr/bin/python3
# How many system calls an engine makes: one io_uring_enter hands over a whole batch of 32, and page-cached reads need no second call
# to come in; sync seeks only where the file does not stand already.
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "house"))
from straced import whole_calls  # noqa: E402

program = os.path.join(os.environ["FATHOM_BUILD"], "test_engine")
if not shutil.which("strace"):
    print("skipped: strace is not installed")
    sys.exit(77)
if not os.path.exists(program):
    print(f"skipped: {program} is not built")
    sys.exit(77)


def traced(test, calls):
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        run = subprocess.run(["strace", "-f", "-e", f"trace={calls}", "-o", trace, program, f"--gtest_filter={test}"],
                             capture_output=True, text=True)
        if "Operation not permitted" in run.stderr:
            print("skipped: strace may not trace here")
            sys.exit(77)
        assert run.returncode == 0 and "[  PASSED  ] 1 test" in run.stdout, run.stdout + run.stderr
        with open(trace) as lines:
            return "\n".join(whole_calls(lines.read()))


for attempt in range(3):  # a page that the machine takes away meanwhile is read by the kernel's own thread and waited for
    calls = re.findall(r"io_uring_enter\((\d+), (\d+), (\d+),.*= (-?\d+)", traced("IoUringBatches.TenBatchesOfThirtyTwoComplete", "io_uring_enter"))
    if len(calls) <= 20:
        break
submitting = [c for c in calls if c[1] != "0"]
assert [c[1] for c in submitting] == ["32"] * 10, calls
assert all(c[3] == "32" for c in submitting), calls
waiting = len(calls) - len(submitting)
assert waiting <= 10, f"{waiting} more calls than batches need: {calls}"
print(f"10 batches of 32: {len(submitting)} submitting and {waiting} waiting calls")

trace = traced("SyncEngine.SeeksOnlyWhenThePositionDiffers", "lseek,read")
seeks = [int(offset) for offset in re.findall(r"lseek\(\d+, (\d+), SEEK_SET\)", trace)]
assert seeks == [0, 2 * 4096], trace
print(f"10 reads, 8 of them in order: {len(seeks)} seeks")

trace = traced("VsyncEngine.MergesNeighboursIntoOneCall", "lseek,readv,writev")
calls = re.findall(r"(readv|writev)\(\d+, \[(.*)\], (\d+)\) += (\d+)", trace)
assert [(call, int(buffers), int(moved) // 4096) for call, _, buffers, moved in calls] == [("readv", 4, 4), ("readv", 1, 1), ("readv", 1, 1), ("writev", 2, 2)], trace
seeks = [int(offset) // 4096 for offset in re.findall(r"lseek\(\d+, (\d+), SEEK_SET\)", trace)]
assert seeks == [0, 5, 6, 7], trace
print("8 requests, 4 calls, one seek each")


# effect: stat_type
def stat_types():
    """stat_type=stat, lstat and statx, once each, after the file or folder was made."""
    trace = traced("FileNameEngines.StatTypeSelectsTheCall", "%file")
    for name in ("filestat", "dirstat"):
        lines = [line for line in trace.splitlines() if f"/{name}\"" in line]
        assert sum("statx(" in line and "STATX_ALL" in line for line in lines) == 1, lines
        assert sum("AT_SYMLINK_NOFOLLOW" in line or "lstat(" in line for line in lines) == 1, lines
        assert sum(("newfstatat(" in line or " stat(" in line) and "NOFOLLOW" not in line for line in lines) == 1, lines
    print("stat, lstat and statx, once each")


stat_types()
