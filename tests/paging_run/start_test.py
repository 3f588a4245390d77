"""One map of 1 TiB, 16 threads, a set of 16 MiB: from the program's start to the first access 100 ms at most. Counted from before the program
is executed to the begin of its window, so that stale state, choosing the clock, the floor of the stamps and mapping are all in it.

The median of five; on a busy machine a five may fall into somebody's burst, so the best of up to eight fives counts.
"""
# label: timing
# timeout: 300
# alone: milliseconds of a start
import json
import os
import statistics
import subprocess
import sys
import time

FATHOM = os.environ["FATHOM"]
CEILING_MS, FIVE, MOST_FIVES = 100, 5, 8


def start_ms():
    argv = [FATHOM, "paging", "--map=1T", "--set=16M", "--threads=16", "--cold", "--duration=0.05", "--output-format=json"]
    begin_ms = time.time() * 1e3
    run = subprocess.run(argv, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(argv)}: exit status {run.returncode}\n{run.stderr[-2000:]}")
    paging = json.loads(run.stdout)["fathom"]["paging"]
    if paging["map_bytes"] != 1 << 40 or len(paging["workers"]) != 16:
        sys.exit("FAIL another map or other threads than asked for")
    return paging["start_epoch_ms"] - begin_ms


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitizer's own start is not fathom's")
        return 77
    start_ms()  # the clock of this boot is calibrated once
    medians = []
    while len(medians) < MOST_FIVES and (not medians or min(medians) > CEILING_MS):
        fives = sorted(start_ms() for _ in range(FIVE))
        medians.append(statistics.median(fives))
        print("start in " + ", ".join(f"{ms:.0f}" for ms in fives) + " ms")
    if min(medians) <= CEILING_MS:
        return 0
    print(f"FAIL the median of five is above {CEILING_MS} ms, {MOST_FIVES} times")
    return 1


if __name__ == "__main__":
    sys.exit(main())
