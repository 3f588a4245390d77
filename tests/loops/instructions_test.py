"""User instructions an I/O: the ceilings that may not be passed. What fathom itself spends is an error in every number, and instructions,
unlike nanoseconds, can be counted to the unit on any machine.

Counted by callgrind inside the worker, as the difference of two jobs that differ only in number_ios, so that start and end cancel out.
The clock is the CPU's own; no instruction sets beyond the baseline are asked for when fathom is built.
"""
# label: quick
# timeout: 900
import os
import re
import shutil
import subprocess
import sys
import tempfile

FATHOM = os.environ["FATHOM"]
FEW, MANY = 4000, 24000

# title, ceiling, options
NULL = ["--ioengine=null", "--size=1t"]
FILE = ["--size=4m", "--filename=f", "--invalidate=0", "--norandommap", "--rw=randread"]
CASES = [
    ("null, sequential read, iodepth=1", 200, NULL + ["--rw=read"]),
    ("null, randread norandommap, iodepth=128", 250, NULL + ["--rw=randread", "--norandommap", "--iodepth=128"]),
    ("null, randread without repeats on 1 TiB, iodepth=128", 300, NULL + ["--rw=randread", "--iodepth=128"]),
    ("null, sequential write, iodepth=1", 225, NULL + ["--rw=write"]),
    ("null, randwrite norandommap, iodepth=128", 335, NULL + ["--rw=randwrite", "--norandommap", "--iodepth=128"]),
    ("null, randread without repeats, a few small blocks among large ones", 650, ["--ioengine=null", "--size=64g", "--rw=randread", "--bssplit=4k/10:1m/90"]),
    ("io_uring, page-cached randread, iodepth=128", 350, FILE + ["--ioengine=io_uring", "--iodepth=128"]),
    ("psync, page-cached randread", 280, FILE + ["--ioengine=psync"]),
]


def instructions(directory, ios, words):
    argv = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=fathom::run::run_worker*", FATHOM, "run", "--name=t", "--thread", "--bs=4k", "--clocksource=cpu",
            "--clock-check=skip", f"--directory={directory}",
            f"--number_ios={ios}", "--io_size=1t", "--output=/dev/null"] + words
    run = subprocess.run(argv, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{' '.join(argv)}: exit status {run.returncode}\n{run.stderr[-2000:]}")
    return int(found.group(1))


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitizer's instructions are not fathom's")
        return 77
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        with open(os.path.join(directory, "f"), "wb") as f:
            f.write(os.urandom(4 << 20))
        for title, ceiling, words in CASES:
            for _ in range(3):  # once in many runs callgrind begins to collect too early
                each = (instructions(directory, MANY, words) - instructions(directory, FEW, words)) / (MANY - FEW)
                if 20 <= each <= ceiling:
                    break
            failed += each > ceiling
            print(f"{'FAIL' if each > ceiling else 'ok  '} {title}: {each:.1f}, ceiling {ceiling}")
            if each < 20:
                sys.exit("so few instructions cannot be an I/O: the runs were not what they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
