"""I/Os that a cgroup's limit held are no page cache: said for what they are, by how much of the time, and no table is made of the others. The same of one
I/O alone, of a flush, and of read-ahead; a job without any of it keeps its table."""
# label: slow
# timeout: 120
# alone: its I/Os must wait for the limit and for nothing else
import contextlib
import os
import re
import subprocess
import sys
import time

import split

BLKIO = "/sys/fs/cgroup/blkio"
failures = []


def check(condition, what):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


@contextlib.contextmanager
def limited(device, iops):
    """A command that moves into a group of so many reads a second from the device, and becomes what follows; None without cgroup v1."""
    if not os.path.exists(f"{BLKIO}/blkio.throttle.read_iops_device"):
        yield None
        return
    group = f"{BLKIO}/fathom_test_{os.getpid()}"
    os.mkdir(group)
    try:
        with open(f"/sys/class/block/{os.path.basename(device)}/dev", encoding="ascii") as f:
            number = f.read().strip()
        with open(f"{group}/blkio.throttle.read_iops_device", "w", encoding="ascii") as f:
            f.write(f"{number} {iops}")
        yield ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
    finally:
        for _ in range(100):
            try:
                os.rmdir(group)
                break
            except OSError:
                time.sleep(0.05)


def text(options, before=()):
    argv = [*before, split.FATHOM, "run", "--name=t", "--rw=randread", "--bs=4k", "--direct=1", "--ioengine=psync", "--audit=off", "--clock-check=skip",
            "--breakdown", *options]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


def held(device):
    for engine in (["--ioengine=psync"], ["--ioengine=io_uring", "--iodepth=8"]):
        options = [f"--filename={device}", "--size=32m", "--runtime=1", "--time_based", *engine]
        with limited(device, 500) as before:
            if before is None:
                return print("skipped: no blkio of cgroup v1")
            found = split.run(options, before)
            report = text(options, before)
        c = split.classes(found)["read"]
        title = f"{device}, {engine[0]}"
        check(c["handed_on"] > 0 and c["no_request"] == 0, f"{title}: {c['handed_on']} of {c['ios']} were handed on, {c['no_request']} called cached")
        check(c["explained_share"] < 0.2 and c["undivided_ns"]["handed_on"] > 0.5e9, f"{title}: the parts explain {100 * c['explained_share']:.1f} %")
        check(any(f["id"] == "breakdown.partial" and "handed to another task" in f["evidence"] for f in found["fathom"]["findings"]), f"{title}: a finding says so")
        check("probably held by an I/O limit" in report and "page cache" not in report and "p99 us" not in report, f"{title}: no table, no page cache")
        check(re.search(r"the parts explain \d\.\d % of this job's latency", report) is not None, f"{title}: how much of the time is explained")
    report = text(options)
    check("p99 us" in report and "handed" not in report, f"{device}: without a limit there is a table")


def one(path):
    report = text([f"--filename={path}", "--size=64m", "--number_ios=1"])
    check("no table" in report and "p99 us" not in report, "one I/O makes no table")


def flushed(path):
    options = [f"--filename={path}", "--size=64m", "--rw=randwrite", "--number_ios=200"]
    with open(f"/sys/class/block/{split.run(options)['fathom']['breakdown']['devices'][0].split()[0]}/queue/write_cache", encoding="ascii") as f:
        if f.read().strip() != "write back":
            return print("skipped: the disk has no cache to flush")
    c = split.classes(split.run([*options, "--sync=1"]))["write"]
    check(c["flushes"] >= 0.9 * c["matched"], f"sync=1: {c['flushes']} flushes for {c['matched']} writes")
    report = text([*options, "--sync=1"])
    check("compl.+flush" in report and "waits for a flush after its data" in report, "sync=1: the flush is named where it lies")
    check("flush" not in text(options), "without sync= there is none")


def read_ahead(path):
    """Buffered and sequential: nearly every read finds its page, or waits for one that an earlier read asked for."""
    c = split.classes(split.run([f"--filename={path}", "--size=64m", "--rw=read", "--direct=0"]))["read"]
    others = c["no_request"] + c["read_ahead"]
    check(c["read_ahead"] > 0 and others + c["matched"] >= 0.9 * c["ios"], f"read-ahead: {c['read_ahead']} waited for pages that were on their way, "
          f"{c['no_request']} found them, {c['matched']} of {c['ios']} matched")
    check(c["handed_on"] == 0 and c["unknown"] == 0, "and nothing else is said of them")


def main():
    split.need_tracepoints()
    with split.scratch_file() as path:
        for part in (one, flushed, read_ahead):
            split.until_clean(failures, part, path)
        with split.loop_device(path) as device:
            if device is not None:
                split.until_clean(failures, held, device)
    with split.zram_device() as device:
        if device is not None:
            split.until_clean(failures, held, device)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
