"""scripts/bench http: ioengine=http beside a bare loop on libcurl (bench/bare/http.cc), on objects of apache2 on the loopback interface. Random reads of objects of 4 KiB.

The programs take turns on one CPU, the server has the others. Each round gives one ratio, and the median of the rounds is held against the target
(hotpath.py says why). Debian's fio has no such engine."""
import os
import statistics
import subprocess
import sys

import compare
from agree import spread
from hotpath import CPU, against, build_bare, pinned, said
from own_cpu import first_on

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "engine", "network"))
import apache_server  # noqa: E402

DEPTHS = (1, 32)
OF_BARE = 0.95
SECONDS, QUICK_SECONDS = 3, 1
BLOCKS = 1024
WHO = ("fathom", "bare")


def words(host):
    return ["--output-format=json", "--name=j", "--thread", "--ioengine=http", f"--http_host={host}", "--filename=/o", "--http_missing=error", "--bs=4k",
            f"--size={BLOCKS * 4}k"]


def once(who, given, host, depth, seconds):
    """(I/Os per second, share of a CPU that the program used)"""
    if who == "bare":
        rate, share = pinned([os.path.join(given.bare, "bare_http"), f"http://{host}/o", BLOCKS, depth, seconds]).split()
        return float(rate), float(share)
    asked = ["--rw=randread", "--norandommap", f"--iodepth={depth}", "--ramp_time=300ms", "--time_based", f"--runtime={seconds}"]
    job = compare.parse_report(pinned([given.fathom, *words(host), *asked]))["jobs"][0]
    return job["read"]["iops"], (job["usr_cpu"] + job["sys_cpu"]) / 100


def row(given, depth):
    seconds = QUICK_SECONDS if given.quick else SECONDS
    rounds, shares = {name: [] for name in WHO}, {name: [] for name in WHO}
    others = frozenset(os.sched_getaffinity(0)) - {CPU} or {CPU}
    with apache_server.apache(prepare=first_on(others)) as server:
        subprocess.run([given.fathom, *words(server.host), "--rw=write", "--iodepth=8"], check=True, capture_output=True)
        for number in range(given.rounds):
            first = number % len(WHO)
            for name in WHO[first:] + WHO[:first]:
                rate, share = once(name, given, server.host, depth, seconds)
                rounds[name].append(rate)
                shares[name].append(share)
    waits = {name: [1] * given.rounds for name in WHO}  # all wait for the server, so a share of the CPU decides nothing
    found = {"name": f"http, 4k randread, depth {depth}", "iops": rounds, "cpu_share": shares, "median": {name: statistics.median(values) for name, values in rounds.items()},
             "spread": {name: spread(values) for name, values in rounds.items()}, "of_bare": against(rounds, waits, "bare", OF_BARE)}
    sides = "".join(f"{name} {found['median'][name]:8.0f}/s (+-{found['spread'][name] * 50:2.0f} %)  " for name in WHO)
    print(f"{found['name']:28} {sides}{said(found, 'of_bare', 'of bare')}".rstrip(), flush=True)
    return found


def run(given):
    if apache_server.APACHE is None:
        sys.exit("apache2 is not installed: scripts/setup --dev")
    build_bare(given.bare)
    found = [row(given, depth) for depth in DEPTHS if given.only in f"depth {depth}"]
    return {"cpu": CPU, "server": "apache2 mod_dav", "rows": found}
