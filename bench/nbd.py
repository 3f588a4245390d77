"""scripts/bench nbd: ioengine=nbd beside a bare loop on libnbd (bench/bare/nbd.cc) and beside fio's engine, on memory of nbdkit. Random 4 KiB reads.

The programs take turns on one CPU, the server has the others. Each round gives one ratio, and the median of the rounds is held against the target
(hotpath.py says why)."""
import os
import statistics
import sys

import compare
from agree import spread
from hotpath import CPU, against, build_bare, pinned, said
from own_cpu import first_on

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "engine", "network"))
import nbd_server  # noqa: E402

DEPTHS = (1, 32)
OVER_FIO, OF_BARE = 1.0, 0.95
SECONDS, QUICK_SECONDS = 3, 1
WHO = ("fio", "fathom", "bare")


def words(uri, depth, seconds):
    return ["--output-format=json", "--name=j", "--thread", "--ioengine=nbd", f"--uri={uri}", "--rw=randread", "--norandommap", "--bs=4k", f"--iodepth={depth}",
            "--ramp_time=300ms", "--time_based", f"--runtime={seconds}"]


def once(who, given, uri, depth, seconds):
    """(I/Os per second, share of a CPU that the program used)"""
    if who == "bare":
        rate, share = pinned([os.path.join(given.bare, "bare_nbd"), uri, depth, seconds]).split()
        return float(rate), float(share)
    job = compare.parse_report(pinned([compare.FIO if who == "fio" else given.fathom, *words(uri, depth, seconds)]))["jobs"][0]
    return job["read"]["iops"], (job["usr_cpu"] + job["sys_cpu"]) / 100


def row(given, depth):
    seconds = QUICK_SECONDS if given.quick else SECONDS
    rounds, shares = {name: [] for name in WHO}, {name: [] for name in WHO}
    others = frozenset(os.sched_getaffinity(0)) - {CPU} or {CPU}
    with nbd_server.nbdkit("memory", "256M", log=False, prepare=first_on(others)) as server:
        for number in range(given.rounds):
            first = number % len(WHO)
            for name in WHO[first:] + WHO[:first]:
                rate, share = once(name, given, server.uri, depth, seconds)
                rounds[name].append(rate)
                shares[name].append(share)
    waits = {name: [1] * given.rounds for name in WHO}  # all wait for the server, so a share of the CPU decides nothing
    found = {"name": f"nbd, 4k randread, depth {depth}", "iops": rounds, "cpu_share": shares, "median": {name: statistics.median(values) for name, values in rounds.items()},
             "spread": {name: spread(values) for name, values in rounds.items()}, "over_fio": against(rounds, waits, "fio", OVER_FIO),
             "of_bare": against(rounds, waits, "bare", OF_BARE)}
    sides = "".join(f"{name} {found['median'][name]:8.0f}/s (+-{found['spread'][name] * 50:2.0f} %)  " for name in WHO)
    print(f"{found['name']:28} {sides}{said(found, 'over_fio', 'x fio')}{said(found, 'of_bare', 'of bare')}".rstrip(), flush=True)
    return found


def run(given):
    if nbd_server.NBDKIT is None:
        sys.exit("nbdkit is not installed: scripts/setup --test")
    build_bare(given.bare)
    found = [row(given, depth) for depth in DEPTHS if given.only in f"depth {depth}"]
    return {"cpu": CPU, "server": "nbdkit memory 256M", "rows": found}
