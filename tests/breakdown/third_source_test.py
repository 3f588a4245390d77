"""The parts against times that are not fathom's: the kernel's own trace buffer (ftrace, Documentation/trace/events.rst) notes the system calls and the
requests of the same job in the same run, by one clock. Its resolution is 1 us."""
# label: kernel
# timeout: 240
# alone: times of two sources are held within 2.5 us
import collections
import contextlib
import os
import re
import statistics
import sys

import split

TRACEFS = next((p for p in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing") if os.path.isdir(f"{p}/instances")), None)
EVENTS = ("syscalls/sys_enter_pread64", "syscalls/sys_exit_pread64", "block/block_bio_queue", "block/block_rq_issue", "block/block_rq_complete")
LINE = re.compile(r"-(\d+)\s+\[\d+\]\s+\S+\s+(\d+\.\d+): (\w+)(.*)")
SECTOR = re.compile(r" R\w* (?:\d+ )?\(.*?\)\s*(\d+) \+ 8 | R\w* (\d+) \+ 8 ")
MOST_APART_NS = 2500  # the tracing of a system call's entry and exit lies between the two times
# The kernel's own trace is not asked when a request has its tag.
PARTS = (("submit", ("submit",)), ("queue", ("tags", "queue")), ("device", ("device",)), ("completion", ("completion",)))
failures = []


def check(condition, what):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


@contextlib.contextmanager
def trace_buffer():
    folder = f"{TRACEFS}/instances/fathom_test_{os.getpid()}"
    os.mkdir(folder)
    try:
        write(f"{folder}/trace_clock", "mono")
        write(f"{folder}/buffer_size_kb", "8192")
        for event in EVENTS:
            write(f"{folder}/events/{event}/enable", "1")
        yield folder
    finally:
        for event in EVENTS:
            with contextlib.suppress(OSError):
                write(f"{folder}/events/{event}/enable", "0")
        os.rmdir(folder)


def read_ios(folder):
    """{pid: [(enter, queue, issue, complete, exit) in s]} of reads of 4 KiB by pread."""
    open_by_pid, open_by_sector, done = {}, {}, collections.defaultdict(list)
    with open(f"{folder}/trace", encoding="utf-8", errors="replace") as f:
        for line in f:
            found = LINE.search(line)
            if not found:
                continue
            pid, at, what, rest = int(found[1]), float(found[2]), found[3], found[4]
            if what == "sys_pread64" and "->" not in rest:
                open_by_pid[pid] = [at]
            elif what == "sys_pread64":
                io = open_by_pid.pop(pid, [])
                if len(io) == 4:
                    done[pid].append((*io, at))
            elif (place := SECTOR.search(rest)) is not None:
                sector = place[1] or place[2]
                if what == "block_bio_queue" and len(open_by_pid.get(pid, [])) == 1:
                    open_by_sector[sector] = open_by_pid[pid]
                io = open_by_sector.get(sector)
                if io is not None and len(io) == {"block_bio_queue": 1, "block_rq_issue": 2, "block_rq_complete": 3}.get(what):
                    io.append(at)
    return done


def main():
    split.need_tracepoints()
    if TRACEFS is None or not all(os.path.isdir(f"{TRACEFS}/events/{event}") for event in EVENTS):
        split.skip("tracefs is not mounted, or has no system calls")
    split.until_clean(failures, compare)
    return 1 if failures else 0


def compare():
    with split.scratch_file() as path, trace_buffer() as folder:
        c = split.classes(split.run([f"--filename={path}", "--size=64m", "--rate_iops=2000", "--runtime=1.5", "--time_based"]))["read"]
        ios = max(read_ios(folder).values(), key=len, default=[])
    check(len(ios) >= 0.9 * c["matched"], f"the kernel's own trace has {len(ios)} reads, the split {c['matched']}")
    for i, (part, parts) in enumerate(PARTS if ios else ()):
        theirs = 1e9 * statistics.median(io[i + 1] - io[i] for io in ios)
        ours = sum(split.p50(c[one]) for one in parts)
        check(abs(ours - theirs) <= MOST_APART_NS + 0.03 * theirs, f"{part}: p50 {ours / 1000:.1f} us, by the kernel's trace {theirs / 1000:.1f} us")


if __name__ == "__main__":
    sys.exit(main())
