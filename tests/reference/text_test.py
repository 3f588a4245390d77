# label: test
# timeout: 400
# cost: 4
"""The shape of the normal report: both programs' text of the same job, line by line, every number replaced by N and every unit by one word.

fathom may write more only behind all of fio's lines, and the line that names fathom and its version behind fio's version. fio's lines are recorded.
"""
import difflib
import re
from concurrent.futures import ThreadPoolExecutor

import compare

TIMED = ["--time_based", "--runtime=700ms", "--size=1m"]  # one sample of the bandwidth, and no more
RUNS = [
    ("one job", ["--name=j", "--rw=randread", *TIMED]),
    ("mixed, libaio, syncs", ["--name=j", "--rw=randrw", "--ioengine=libaio", "--iodepth=4", "--direct=1", "--fsync=16", *TIMED]),
    ("group of threads", ["--group_reporting", "--thread", "--name=j", "--numjobs=2", "--rw=write", *TIMED]),
    ("two jobs, two groups", ["--name=a", "--rw=read", *TIMED, "--name=b", "--stonewall", "--rw=write", *TIMED, "--description=words"]),
    ("null", ["--name=j", "--ioengine=null", "--rw=write", *TIMED]),
    ("gtod_reduce", ["--name=j", "--rw=randread", "--gtod_reduce=1", *TIMED]),
    ("lat percentiles, own list", ["--name=j", "--rw=read", "--lat_percentiles=1", "--clat_percentiles=0", "--percentile_list=50:99", *TIMED]),
    ("all latencies", ["--name=j", "--rw=read", "--ioengine=io_uring", "--slat_percentiles=1", "--lat_percentiles=1", "--direct=1", *TIMED]),
    ("directions as one", ["--name=j", "--rw=randrw", "--unified_rw_reporting=mixed", *TIMED]),
    ("six figures, no disks", ["--name=j", "--rw=read", "--significant_figures=6", "--disk_util=0", *TIMED]),
    ("different block sizes", ["--name=j", "--rw=randrw", "--bs=4k,8k", "--norandommap", *TIMED]),
]

SUBSTITUTIONS = [
    (r"[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d+:\d+:\d+ \d{4}", "DATE"),
    (r"\d+(\.\d+)?(e[+-]?\d+)?", "N"),
    (r"N[kKMGT]?i?B?\b", "N"),  # 16.2k, 4096B, 165MiB
    (r"\b[kKMGTP]?i?B/s", "B/s"),
    (r"(\b|N)([num]?sec|[num]?s)\b", r"\1SEC"),
    # 3.42 added these to 3.33's text: syncfs, units of the latency target.
    (r"/syncfs:$", ":"),
    (r"target=NSEC, window=NSEC", "target=N, window=N"),
    (r" +", " "),
    (r"([=\[(]) ", r"\1"),
]


DISKS = re.compile(r"\nDisk stats \(read/write\):\n(?: .*\n?)+")  # these lines are the machine's (tests/cli/fio_text_test.py has ours)


def shape(text):
    """The report's lines without numbers and without disks; what depends on the values is one line: percentile columns, runs of latency buckets."""
    rows = []
    for row in DISKS.sub("", text).splitlines():
        for pattern, word in SUBSTITUTIONS:
            row = re.sub(pattern, word, row)
        row = re.sub(r"^ lat \(SEC\) ?: .*%$", " lat (SEC) : BUCKETS", row.rstrip())
        if row.startswith(" | ") and rows and rows[-1].startswith(" | "):
            rows[-1] += row[2:]
        elif not (rows and row == rows[-1] == " lat (SEC) : BUCKETS"):
            rows.append(row)
    return [f" | PERCENTILES {row.count('Nth=[N]')}" if row.startswith(" | Nth=[N]") else row for row in rows]


def run(program, words):
    with compare.workspace() as cwd:
        return compare.execute([program, *words], cwd)


def fio_part(rows):
    """Our lines that stand for fio's: up to fathom's own section, without the line that names fathom behind fio's version."""
    named = [n for n, row in enumerate(rows) if row.startswith("fathom N.N")]
    if len(named) != 2:
        return None
    part = [row for n, row in enumerate(rows[:named[1]]) if n != named[0]]
    return part[:-1] if part and not part[-1] else part


def compare_run(checks, name, words):
    theirs, rows, ours = checks.beside_fio(name, lambda program: run(program, words), lambda outcome: shape(outcome.stdout))
    if compare.is_fathom():
        rows = fio_part(rows)
        if not checks.check(f"{name}: fathom names itself after fio's version and after fio's part", rows, ours.stdout):
            return
    checks.check(f"{name}: fio's lines", rows == theirs, "\n" + "\n".join(difflib.unified_diff(theirs, rows, "fio", "ours", "", "", 1)))


def checks_of(row):
    checks = compare.Checks(names=[])
    compare_run(checks, *row)
    return checks


def main():
    compare.need_fio()
    checks = compare.Checks()
    with ThreadPoolExecutor(2) as pool:
        for some in pool.map(checks_of, [row for row in RUNS if checks.wanted(row[0])]):
            checks.count += some.count
            checks.failed += some.failed
    checks.done()


main()
