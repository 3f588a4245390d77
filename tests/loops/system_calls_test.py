"""System calls an I/O: what the loop makes per I/O beyond the engine's own calls is nothing. No lock, no print, no clock by system call.

The difference between a job of few I/Os and one of many is counted by strace, so that start and end cancel out.
"""
# label: quick
# timeout: 120
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

FATHOM = os.environ["FATHOM"]
FEW, MANY = 256, 2304
IOS = MANY - FEW


def calls(directory, ios, words):
    """How often each system call was made by the whole run."""
    trace = os.path.join(directory, "trace")
    argv = ["strace", "-f", "-c", "-o", trace, FATHOM, "run", "--name=t", "--size=16m", f"--directory={directory}", "--filename=f",
            f"--number_ios={ios}", "--rw=randread", "--output=/dev/null"] + words
    subprocess.run(argv, check=True, capture_output=True)
    counts = collections.Counter()
    with open(trace, encoding="ascii") as f:
        for line in f:
            fields = line.split()
            if len(fields) >= 5 and re.fullmatch(r"[0-9.]+", fields[0]) and fields[-1] != "total":
                counts[fields[-1]] += int(fields[3])
    return counts


def per_run_difference(directory, words):
    difference = calls(directory, MANY, words)
    difference.subtract(calls(directory, FEW, words))
    # The parent's own waiting and sampling depends on how long the run takes, not on its I/Os.
    slack = {"poll", "read", "wait4", "nanosleep", "clock_nanosleep", "restart_syscall"}
    return {name: n for name, n in difference.items() if n != 0 and not (name in slack and abs(n) < 50)}


# words, expected difference
CASES = [
    (["--ioengine=null"], {}),
    (["--ioengine=null", "--iodepth=32"], {}),
    (["--ioengine=psync"], {"pread64": IOS}),
    (["--ioengine=sync"], {"lseek": IOS, "read": IOS}),
    (["--ioengine=pvsync2"], {"preadv2": IOS}),
    (["--ioengine=mmap"], {}),
    (["--ioengine=libaio", "--iodepth=32", "--iodepth_batch=32", "--iodepth_batch_complete_min=32"],
     {"io_submit": IOS // 32, "io_getevents": IOS // 32}),
]


def main():
    if shutil.which("strace") is None:
        print("skipped: strace is not installed")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        subprocess.run([FATHOM, "run", "--name=t", "--size=16m", f"--directory={directory}", "--filename=f", "--rw=read",
                        "--output=/dev/null"], check=True)
        for words, expected in CASES:
            seen = per_run_difference(directory, words)
            good = seen == expected
            failed += not good
            print(("ok   " if good else "FAIL ") + " ".join(words), "" if good else f"expected {expected}, saw {seen}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
