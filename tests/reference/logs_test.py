# label: test
# timeout: 300
# cost: 5
"""Logs of the same job by Debian's fio (recorded) and by fathom: names, lines, and what stands in the columns that follow from the job alone.

Then what fio 3.42 wrote: of each of its logs the number of columns, held against ours of the job that its README names.
"""
import collections
import contextlib
import hashlib
import os
import re
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import compare

JOB = "--name=j --filename=f --size=256k --bs=4k"
ALL = "--write_bw_log=p --write_lat_log=p --write_iops_log=p"
# title, words
CASES = [
    ("each I/O", f"{JOB} --ioengine=psync --rw=randrw {ALL}"),
    ("two jobs", f"{JOB} --ioengine=psync --rw=randread --numjobs=2 {ALL}"),
    ("two jobs in one file", f"{JOB} --ioengine=psync --rw=read --numjobs=2 {ALL} --per_job_logs=0"),
    ("threads", f"{JOB} --ioengine=psync --rw=randread --numjobs=2 --thread --group_reporting {ALL}"),
    ("a queue", f"{JOB} --ioengine=libaio --iodepth=8 --rw=randread {ALL}"),
    ("io_uring", f"{JOB} --ioengine=io_uring --iodepth=32 --rw=randread {ALL}"),
    ("null", f"{JOB} --ioengine=null --rw=trim {ALL}"),
    ("null with a queue", f"{JOB} --ioengine=null --iodepth=4 --rw=randrw {ALL}"),
    ("mmap", f"{JOB} --ioengine=mmap --rw=read {ALL}"),
    ("offset and priority", f"{JOB} --ioengine=psync --rw=write {ALL} --log_offset=1 --log_prio=1"),
    ("several block sizes", f"{JOB} --ioengine=psync --rw=write --bsrange=4k-64k --rw=write --write_bw_log=p --log_offset=1"),
    ("syncs have no line", f"{JOB} --ioengine=psync --rw=write --fsync=4 --end_fsync=1 {ALL}"),
    ("loops", f"{JOB} --ioengine=psync --rw=read --loops=3 {ALL}"),
    ("stored compressed", f"{JOB} --ioengine=psync --rw=read {ALL} --log_store_compressed=1"),
    ("compressed on the way", f"{JOB} --ioengine=psync --rw=read {ALL} --log_compression=1k --log_compression_cpus=0"),
    ("two latencies off", f"{JOB} --ioengine=libaio --iodepth=2 --rw=read --disable_slat=1 --disable_clat=1 {ALL}"),
    ("no bandwidth", f"{JOB} --ioengine=psync --rw=read --disable_bw=1 --write_bw_log=p"),
    ("no stamps", f"{JOB} --ioengine=psync --rw=read --gtod_reduce=1 {ALL}"),
    ("more memory at first", f"{JOB} --ioengine=psync --rw=read {ALL} --log_entries=4096"),
    ("histograms without an interval", f"{JOB} --ioengine=psync --rw=read --write_hist_log=p"),
]
PACED = "--rate_iops=500,500 --time_based --runtime=300ms"
# With times in them: names and columns agree, and a line a window.
AVERAGED = [
    ("averaged", f"{JOB} --ioengine=psync --rw=randrw {ALL} --log_avg_msec=20 {PACED}"),
    ("largest values", f"{JOB} --ioengine=psync --rw=read --write_lat_log=p --log_avg_msec=20 --log_max_value=1 {PACED}"),
    ("averaged, with offset and priority", f"{JOB} --ioengine=psync --rw=read {ALL} --log_avg_msec=30 --log_offset=1 --log_prio=1 {PACED}"),
    ("histograms", f"{JOB} --ioengine=psync --rw=read --write_hist_log=p --log_hist_msec=40 --log_hist_coarseness=4 {PACED}"),
]


def logs_of(program, words):
    """name -> lines as lists of cells; of a stored log the size stands for them. Debian's fio now and then waits for ever for its thread that
    compresses a log, where another program has the CPUs: then it is ended and has another try."""
    with compare.workspace() as cwd:
        compare.fill(cwd, {"f": "256k"})
        for _ in range(4 if program == compare.FIO else 1):
            outcome = compare.execute([program, *words.split()], cwd, timeout=40)
            if outcome.rc is not None:
                break
        logs = {}
        for name in sorted(os.listdir(cwd)):
            if name.endswith(".log"):
                with open(os.path.join(cwd, name), encoding="ascii") as f:
                    logs[name] = [line.strip("\n").split(", ") for line in f]
            elif name.endswith(".fz"):
                text = subprocess.run([program, f"--inflate-log={name}"], cwd=cwd, capture_output=True, text=True, check=False).stdout
                logs[name] = [line.split(", ") for line in text.splitlines()]
        return outcome, logs


def what_follows(lines, name):
    """Of each line what the job alone says: columns, directions, block sizes, offsets; in the order of the file, or sorted where that is chance."""
    value_too = "_iops" in name
    return sorted([len(line)] + (line[1:] if value_too else line[2:]) for line in lines)


def loose(lines):
    """Random jobs draw other offsets, and another mix: then the sums over directions are all that must agree."""
    return sorted((len(line), line[3], line[-1]) for line in lines)


def in_short(rows):
    """Each row that there is and how often; a digest where that would be many."""
    found = collections.Counter(" ".join(map(str, row)) for row in rows)
    return dict(found) if len(found) <= 4 else {hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()[:16]: len(rows)}


def facts(words, outcome, logs):
    def of_log(name, lines):
        if "bsrange" in words:
            return {"bytes": sum(int(cells[3]) for cells in lines)}
        return in_short(loose(lines) if "rand" in words else what_follows(lines, name))

    return {"rc": outcome.rc, "logs": {name: of_log(name, lines) for name, lines in logs.items()}}


def each_io(checks):
    for title, words in CASES:
        if checks.wanted(title):
            theirs, own, (ours, _) = checks.beside_fio(title, lambda program: logs_of(program, words), lambda found: facts(words, *found))
            checks.equal(title, own, theirs)
            checks.equal(f"{title}: stderr", ours.stderr, "")


def columns(logs):
    return {name: sorted({len(line) for line in lines}) for name, lines in logs.items()}


# effect: log_avg_msec log_max_value=1 write_hist_log log_hist_msec log_hist_coarseness
def averaged(checks):
    for title, words in AVERAGED:
        if not checks.wanted(title):
            continue
        theirs, own, (run, ours) = checks.beside_fio(title, lambda program: logs_of(program, words), lambda found: columns(found[1]))
        checks.equal(f"{title}: names and columns", own, theirs)
        for name in ours:
            # As many lines as the time has windows, and one that was begun; a window without an I/O has no line.
            if "bw" not in name and "iops" not in name and own[name]:
                window_ms = int(re.search(r"--log_(?:avg|hist)_msec=(\d+)", words)[1])
                most = (300 // window_ms + 2) * (2 if "randrw" in words else 1)
                checks.check(f"{title}: {name}: lines", 300 // window_ms // 3 <= len(ours[name]) <= most, len(ours[name]))
            if "hist" in name:
                moved = sum(sum(int(c) for c in line[3:]) for line in ours[name])
                issued = int(re.search(r"issued rwts: total=(\d+)", run.stdout)[1])
                checks.check(f"{title}: all I/Os", 0 < issued <= 151 and moved == issued, (moved, issued))


def wait_for_reads(parent, least):
    """The worker of the program, when it has made so many system calls that read."""
    while True:
        for pid in subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False).stdout.split():
            with contextlib.suppress(OSError), open(f"/proc/{pid}/io", encoding="ascii") as f:
                if int(dict(line.split(": ") for line in f)["syscr"]) >= least:
                    return int(pid)
        time.sleep(0.01)


def interrupted(checks):
    """A signal in mid-run, a worker that is killed, and an I/O that fails: the logs have what was done."""
    words = f"--name=j --filename=f --size=256k --rw=randread --rate_iops=1000 --time_based --runtime=30 --output-format=json {ALL}".split()
    def one(who, number):
        with compare.workspace() as cwd:
            compare.fill(cwd, {"f": "256k"})
            child = subprocess.Popen([compare.fio_link(), *words], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            worker = wait_for_reads(child.pid, 100)
            target = worker if who == "worker" else child.pid
            os.kill(target, number)
            out, _ = child.communicate(timeout=60)
            done = compare.parse_report(out)["jobs"][0]["read"]["total_ios"]
            for name in ("p_bw.1.log", "p_iops.1.log", "p_clat.1.log", "p_lat.1.log"):
                with open(os.path.join(cwd, name), encoding="ascii") as f:
                    lines = len(f.readlines())
                # Killed between its count and its line, a worker leaves one line out.
                checks.check(f"{who}, signal {int(number)}: {name}", 0 < done - (who == "worker") <= lines <= done, (lines, done))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, ("program", "program", "worker", "worker"), (signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV)))


if __name__ == "__main__":
    compare.need_fio()
    compare.need_fathom()
    CHECKS = compare.Checks()
    each_io(CHECKS)
    averaged(CHECKS)
    interrupted(CHECKS)
    CHECKS.done()
