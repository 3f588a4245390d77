"""--breakdown=all against delays of known size, each planted in one place: a disk that says itself how long it took, its flushes, a queue of four tags, a
submitter and a reaper held back, and a worker that is stopped. Each shows in its part, to 5 %, and in no other."""
# label: kernel
# timeout: 400
# alone: planted delays are held against means of latencies
# cost: 20
import contextlib
import os
import shutil
import signal
import statistics
import sys
import threading
import time

import split
from all_parts import PARTS, check, failures, joined, max_ns, mean_of, need_programs, only, run, tail_is, text_of, tried
from attempts import wait_until
from slow_file import FSYNC, READ, WRITE, timed_disk, turns

SLOW_S = 0.008  # on the way to the disk and back 0.1 ms pass, which are the disk's too, but which it does not know of
HELD_US = (200, 1700)  # a CPU that sleeps meanwhile is slower to take an interrupt: both runs let it sleep
STOPPED_S = 0.4
ENGINES = (["--ioengine=psync"], ["--ioengine=libaio", "--iodepth=1"], ["--ioengine=io_uring", "--iodepth=1"], ["--ioengine=libaio", "--iodepth=8"],
           ["--ioengine=io_uring", "--iodepth=8"])


def title_of(what, engine):
    return ", ".join([what, *(o.removeprefix("--").removeprefix("ioengine=") for o in engine)])


def near(title, part, found_ns, planted_ns, within=0.05):
    check(abs(found_ns - planted_ns) <= within * planted_ns, f"{title}: {part} {found_ns / 1000:.0f} us, planted {planted_ns / 1000:.0f} us")


def nowhere_else(title, c, *where):
    for part in PARTS:
        if part not in where:
            check(mean_of(c, part) <= 0.05 * c["whole"]["mean_ns"], f"{title}: {mean_of(c, part) / 1000:.1f} us in {part}")


def slow_device(device, file, engine):
    title, ios = title_of("a slow disk", engine), 120
    depth = 8 if "--iodepth=8" in engine else 1
    file.forget()
    c = joined(title, run([f"--filename={device}", "--size=64m", f"--number_ios={ios}", *engine]))
    took = file.took_ns[READ]
    check(len(took) == ios, f"{title}: the disk was asked {len(took)} times")
    waited = turns(took, depth)
    near(title, "device, mean", c["device"]["mean_ns"], statistics.mean(waited))
    near(title, "device, p50", split.p50(c["device"]), statistics.median(waited))
    nowhere_else(title, c, "device")


def flushed(device, file, engine):
    """Each write waits for the disk, and then for its cache to be flushed: once by the block layer, and once more by the file operation where that asks too."""
    title, ios = title_of("sync=dsync", engine), 60
    file.forget()
    c = joined(title, run([f"--filename={device}", "--size=64m", "--rw=randwrite", f"--number_ios={ios}", "--sync=dsync", *engine]), "write")
    writes, flushes = file.took_ns[WRITE], file.took_ns[FSYNC]
    check(len(writes) == ios <= len(flushes), f"{title}: the disk was asked for {len(writes)} writes and {len(flushes)} flushes")
    check(c["flushes"] == c["flush"]["n"] == ios and c["fua"] == 0, f"{title}: {c['flushes']} I/Os were flushed, none was written through the cache")
    near(title, "flush", c["flush"]["mean_ns"], sum(flushes) / ios)
    near(title, "device", c["device"]["mean_ns"], statistics.mean(writes))
    nowhere_else(title, c, "device", "flush")


def not_flushed(device, file):
    file.forget()
    c = only(run([f"--filename={device}", "--size=64m", "--rw=randwrite", "--number_ios=60"]), "write")
    near("no sync=", "device", c["device"]["mean_ns"], statistics.mean(file.took_ns[WRITE]))
    check(not c.get("flush") and c["flushes"] == 0, "no sync=: no part is a flush's")


def full_queue(device, file):
    """Four tags and eight who want one: four are at the disk, and four wait for a tag, whoever they are."""
    title = "four tags, eight jobs"
    with split.setting(f"/sys/block/{os.path.basename(device)}/queue/nr_requests", 4):
        file.forget()
        c = joined(title, run([f"--filename={device}", "--size=8m", "--offset_increment=8m", "--numjobs=8", "--thread", "--group_reporting", "--runtime=2", "--time_based"]))
    took = statistics.mean(file.took_ns[READ])
    near(title, "device", mean_of(c, "device"), 4 * took)
    near(title, "tags", mean_of(c, "tags"), 4 * took, 0.1)  # who is still waiting when the job's time is over waits for fewer
    nowhere_else(title, c, "device", "tags")


def of_disk():
    with timed_disk(read_s=SLOW_S, write_s=SLOW_S, fsync_s=2 * SLOW_S) as (device, file):
        if device is None:
            return print("skipped: no loop device, or no FUSE")
        for engine in ENGINES:
            tried(slow_device, device, file, engine)
        for engine in ENGINES[:3]:
            tried(flushed, device, file, engine)
        tried(not_flushed, device, file)
    with timed_disk(read_s=SLOW_S / 2) as (device, file):
        tried(full_queue, device, file)


def held_back(path, part, where):
    """strace stops the caller at entry and exit whatever is injected: a short delay is what the planted one is held against. Only calls on the job's file are
    delayed: of a long way back the loop asks the kernel how long it waited, and that is a pread64 too."""
    found = []
    for us in HELD_US:
        before = ["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-P", path, "-e", "trace=pread64", "-e", f"inject=pread64:delay_{where}={us}"]
        found.append(only(run([f"--filename={path}", "--size=64m", "--number_ios=1000"], before)))
        check(found[-1]["matched"] >= 0.95 * found[-1]["ios"], f"{part} held back for {us} us: {text_of(found[-1])}")
    planted = (HELD_US[1] - HELD_US[0]) * 1000
    added = {name: split.p50(found[1][name]) - split.p50(found[0][name]) for name in (*split.PARTS, "whole")}
    near(part, "added to the whole", added["whole"], planted, 0.2)
    check(added[part] >= 0.95 * added["whole"], f"{part}: {100 * added[part] / added['whole']:.1f} % of it shows there")
    for other in split.PARTS:
        if other != part:
            check(added[other] <= 0.05 * added["whole"], f"{part}: {added[other] / 1000:.1f} us of it in {other}")


def of_program(path):
    if shutil.which("strace") is None:
        return print("skipped: strace is not installed: a submitter and a reaper are not held back")
    for part, where in (("submit", "enter"), ("completion", "exit")):
        tried(held_back, path, part, where)


def children(pid):
    found = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as f:
            found += [int(child) for child in f.read().split()]
    return found


def workers():
    """Of the run that this test waits for."""
    return [worker for run_pid in children(os.getpid()) for worker in children(run_pid)]


def stop_for_a_while(stopped_s):
    if not wait_until(workers):
        return
    time.sleep(0.4)
    found, begin = workers(), time.monotonic()
    for signum in signal.SIGSTOP, signal.SIGCONT:
        for worker in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signum)
        if signum == signal.SIGSTOP:
            time.sleep(STOPPED_S)
    stopped_s.append(time.monotonic() - begin)


def stopped(path, engine):
    """A worker that is not let on a CPU for a while: its I/O is done, or not yet begun. It is the longest of all, and it is not left out."""
    title, stopped_s = title_of("a stopped worker", engine), []
    stopper = threading.Thread(target=stop_for_a_while, args=(stopped_s,))
    stopper.start()
    result = run([f"--filename={path}", "--size=64m", "--runtime=1.5", "--time_based", *engine])
    stopper.join()
    c = only(result)
    check(c["matched"] >= 0.95 * c["ios"], f"{title}: {text_of(c)}")
    longest, lat_max_ns, planted_ns = c["whole"]["max_ns"], result["jobs"][0]["read"]["lat_ns"]["max"], 1e9 * sum(stopped_s)
    near(title, "the longest", longest, planted_ns)
    check(planted_ns > 0 and abs(longest - lat_max_ns) <= 0.01 * lat_max_ns, f"{title}: the longest of the job, {lat_max_ns / 1e6:.1f} ms, is among them")
    near(title, "submit or completion", max(max_ns(c, "submit"), max_ns(c, "completion")), planted_ns)
    tail_is(title, c, "submit", "completion", "cpu", first="above p99.9")
    for part in "queue", "device":
        check(max_ns(c, part) < 0.5 * planted_ns, f"{title}: {part} took {max_ns(c, part) / 1e6:.2f} ms at most")


def main():
    need_programs()
    of_disk()
    with split.scratch_file() as path:
        of_program(path)
        for engine in ENGINES[0], ENGINES[4]:
            tried(stopped, path, engine)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
