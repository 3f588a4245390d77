"""How much of one CPU a process spends, by its own clock: ticks are as long as what is asked of it."""
import os
import pathlib
import time

MOST_OF_WATCHING = 0.005  # of one CPU
BEGINNING_S = 1.5  # in which it starts, which is not asked


def cpu_s(pid):
    """Of this process alone, all of its threads."""
    return sum(float(pathlib.Path(f"/proc/{pid}/task/{task}/schedstat").read_text().split()[0]) for task in os.listdir(f"/proc/{pid}/task")) / 1e9


def share(pids, seconds=4):
    """Of each of them, over so many seconds from when it has begun."""
    time.sleep(BEGINNING_S)
    begin = [cpu_s(pid) for pid in pids]
    time.sleep(seconds)
    return [(cpu_s(pid) - before) / seconds for pid, before in zip(pids, begin)]


def told(shares):
    return ", ".join(f"{100 * share:.2f} %" for share in shares)
