# label: quick
# timeout: 120
# cost: 6
"""Logs that memory does not hold, logs whose disk is full, and the switches of logs (fathom's own rules).

A spilled log is the same log. Where the file system of the logs is full the job fails with the log's name, and what it measured is reported.
"""
import json
import os
import re
import subprocess

import compare
import places

NULL = "--name=j --ioengine=null --size=1t --bs=4k --rw=read --output-format=json"


def run(cwd, words):
    outcome = compare.execute([compare.FATHOM, "run", *words.split()], cwd)
    assert "{" in outcome.stdout, f"{words}: {outcome}"
    return outcome, json.loads(outcome.stdout[outcome.stdout.index("{"):])


def count(path):
    with open(path, "rb") as f:
        return sum(part.count(b"\n") for part in iter(lambda: f.read(1 << 20), b""))


def findings(report):
    return [finding["id"] for finding in report["fathom"]["findings"]]


def spilled(checks):
    for title, words in (("as it is", ""), ("deflated", "--log_compression=256k")):
        with compare.workspace() as cwd:
            outcome, report = run(cwd, f"{NULL} --number_ios=300k --write_iops_log=p --log_offset=1 --log-memory=1m {words}")
            checks.equal(f"{title}: exit status", outcome.rc, 0)
            checks.equal(f"{title}: lines", count(f"{cwd}/p_iops.1.log"), 300 * 1024)
            checks.check(f"{title}: it is said", "log.spilled" in findings(report), findings(report))
            checks.equal(f"{title}: nothing else is left", sorted(os.listdir(cwd)), ["p_iops.1.log"])
            with open(f"{cwd}/p_iops.1.log", encoding="ascii") as f:
                wrong = sum(line.split(", ")[4] != str(i * 4096) for i, line in enumerate(f))
            checks.equal(f"{title}: lines out of order", wrong, 0)


def full(checks):
    if why := places.why_not():
        checks.note(f"skipped: a disk that is full: {why}")
        return
    for title, words in (("in mid-run", "--number_ios=300k --log-memory=1m"), ("at the end", "--number_ios=300k")):
        with places.small_tmpfs("4m") as small, compare.workspace() as cwd:
            outcome, report = run(cwd, f"{NULL} {words} --write_iops_log={small}/p --name=other --ioengine=null --size=1t --number_ios=1000")
            checks.equal(f"{title}: exit status", outcome.rc, 4)
            checks.check(f"{title}: what is full", re.search(rf"log.*({small}|spill).*No space left", outcome.stderr), outcome.stderr)
            first, other = report["jobs"]
            checks.equal(f"{title}: nothing measured is lost", first["read"]["total_ios"], 300 * 1024)
            checks.equal(f"{title}: the other job", (other["error"], other["read"]["total_ios"]), (0, 1000))


# effect: log_compression_cpus
def compressing_cpus(checks):
    """The thread that compresses goes to the CPUs of log_compression_cpus for it, and comes back."""
    cpu = max(os.sched_getaffinity(0))
    with compare.workspace() as cwd:
        traced = subprocess.run(["strace", "-f", "-e", "trace=sched_setaffinity", compare.FATHOM, "run", *NULL.split(), "--number_ios=20k", "--audit=off", "--clock-check=skip",
                                 "--write_iops_log=p", "--log_compression=512k", f"--log_compression_cpus={cpu}"], cwd=cwd, capture_output=True, text=True, check=True)
        checks.check("it goes there", len(re.findall(rf"sched_setaffinity\(0, \d+, \[{cpu}\]", traced.stderr)) >= 1, traced.stderr)


def switches(checks):
    with compare.workspace() as cwd:
        outcome, _ = run(cwd, f"{NULL} --rate_iops=1000 --runtime=1300ms --time_based --bandwidth-log")
        checks.equal("agg: files", sorted(os.listdir(cwd)), ["agg-read_bw.log", "agg-trim_bw.log", "agg-write_bw.log"])
        with open(f"{cwd}/agg-read_bw.log", encoding="ascii") as f:
            lines = [line.strip().split(", ") for line in f]
        checks.check("agg: samples of 500 ms", 1 <= len(lines) <= 2 and all(2000 <= int(line[1]) <= 6000 and line[2:] == ["0", "0", "0"] for line in lines), lines)
        for windows, name in (("--bwavgtime=100", "one"), ("--bwavgtime=300 --name=b --ioengine=null --size=1t --rate_iops=1000 --runtime=1s --time_based --bwavgtime=100", "two")):
            run(cwd, f"{NULL} --rate_iops=1000 --runtime=1s --time_based {windows} --bandwidth-log={name}")
            with open(f"{cwd}/{name}-read_bw.log", encoding="ascii") as f:
                samples = [int(line.split(", ")[0]) for line in f]
            checks.check(f"agg: a sample each smallest bwavgtime, {name}", 4 <= len(samples) <= 10 and 90 <= samples[0] <= 290, samples)
        run(cwd, f"{NULL} --number_ios=10 --bandwidth-log=mine")
        checks.check("agg: own names", os.path.exists(f"{cwd}/mine-trim_bw.log"))
        for name in ("nothing", "junk"):
            with open(f"{cwd}/junk", "w", encoding="ascii") as f:
                f.write("no log")
            outcome = compare.execute([compare.FATHOM, "run", f"--inflate-log={name}"], cwd)
            checks.check(f"inflate-log of {name}", outcome.rc != 0 and name in outcome.stderr, outcome)


if __name__ == "__main__":
    compare.need_fathom()
    CHECKS = compare.Checks()
    spilled(CHECKS)
    full(CHECKS)
    compressing_cpus(CHECKS)
    switches(CHECKS)
    CHECKS.done()
