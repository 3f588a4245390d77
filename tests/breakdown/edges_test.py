"""What has no block layer, no request or no way to be followed is said, and the run goes on; a partition is followed to its disk."""
# label: kernel
# alone: a neighbour that starves the reader of events is no edge
# timeout: 400
# cost: 16
import contextlib
import os
import signal
import subprocess
import sys
import time

import split
from slow_file import slow_disk

failures = []


def check(condition, what):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def cause_of(options):
    result = split.run(options)
    return result["fathom"]["breakdown"]["cause"], result["jobs"][0]["read"]["total_ios"]


def without_block_layer():
    for options, words in ((["--ioengine=null", "--size=1m"], "ioengine=null"), (["--ioengine=sim", "--size=1m"], "simulated clock"),
                           (["--filename=/dev/shm/fathom-split", "--size=1m", "--direct=0"], "no block device"),
                           (["--filename=/var/tmp/fathom-split", "--size=1m", "--gtod_reduce=1"], "stamps"),
                           (["--filename=/var/tmp/fathom-split", "--size=1m", "--io_submit_mode=offload", "--iodepth=4"], "io_submit_mode=offload")):
        cause, ios = cause_of(options)
        check(words in cause and ios == 256, f"{options[0]}: {cause}")
    for path in ("/dev/shm/fathom-split", "/var/tmp/fathom-split"):
        os.unlink(path)


def page_cache(path):
    subprocess.run(["cat", path], stdout=subprocess.DEVNULL, check=True)
    c = split.classes(split.run([f"--filename={path}", "--size=8m", "--direct=0", "--invalidate=0"]))["read"]
    check(c["no_request"] == c["ios"] and c["matched"] == 0, f"page cache: {c['no_request']} of {c['ios']} made no request")
    check("submit" not in c and c["uncovered"]["n"] == c["ios"], "and their time is uncovered")


def one(path):
    """A few I/Os make no table."""
    argv = [split.FATHOM, "run", "--name=t", f"--filename={path}", "--size=64m", "--rw=randread", "--bs=4k", "--direct=1", "--number_ios=1", "--breakdown"]
    report = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    check("no table" in report and "p99 us" not in report, "one I/O makes no table")


def paced(path):
    """Slow enough for the CPU to fall idle between two I/Os: each is seen, whatever its CPU does when it is done, and plain --breakdown watches all of them."""
    result = split.run([f"--filename={path}", "--size=64m", "--rate_iops=2000", "--runtime=1.5", "--time_based"])
    found, c = result["fathom"], split.classes(result)["read"]
    check(c["matched"] >= 0.99 * c["ios"] and c["ios"] == result["jobs"][0]["read"]["total_ios"], f"paced: {c['matched']} of {c['ios']} I/Os have all their events")
    check(found["breakdown"]["mode"] == "all" and not any(f["id"].startswith("breakdown.") for f in found["findings"]), "paced: all are watched, and there is nothing to find about it")


def fast(device):
    """What would cost more than 3 % is looked at in slices, and the workers hold nothing of what is detached in between."""
    result = split.run([f"--filename={device}", "--size=64m", "--runtime=2.5", "--time_based", "--numjobs=2", "--offset_increment=64m"])
    b = result["fathom"]["breakdown"]
    for c in b["classes"]:
        check(b["mode"] == "slices" and c["slices"] >= 2 and c["matched"] >= 0.99 * c["ios"], f"fast: mode {b['mode']}, {c['matched']} of {c['ios']} matched in {c['slices']} slices")
        check(c["ios"] <= 0.5 * (c["ios"] + c["others"]["n"]), f"fast: {c['ios']} looked at, {c['others']['n']} not")


def ramp(path):
    result = split.run([f"--filename={path}", "--size=64m", "--ramp_time=0.5", "--runtime=1", "--time_based", "--rate_iops=2000"])
    c, ios = split.classes(result)["read"], result["jobs"][0]["read"]["total_ios"]
    check(abs(c["ios"] - ios) <= 0.02 * ios, f"the ramp's I/Os are left out: {c['ios']} of {ios}")


def foreigner(path):
    """Somebody else's direct reads of the same file, all the time, are no part of a job that lives in the page cache."""
    subprocess.run(["cat", path], stdout=subprocess.DEVNULL, check=True)
    other = subprocess.Popen([split.FATHOM, "run", "--name=o", f"--filename={path}", "--size=8m", "--rw=randread", "--bs=4k", "--direct=1", "--invalidate=0",
                              "--ioengine=psync", "--runtime=3", "--time_based", "--audit=off"], stdout=subprocess.DEVNULL)
    try:
        found = split.run([f"--filename={path}", "--size=8m", "--direct=0", "--invalidate=0", "--runtime=1", "--time_based", "--rate_iops=5000", "--audit=auto"])
    finally:
        other.wait()
    c = split.classes(found)["read"]
    own = sum(w["seen_bytes"] for w in found["fathom"]["audit"]["witnesses"] if w["source"] == "process") / 4096  # pages that memory pressure had taken
    check(c["matched"] <= own <= 0.01 * c["ios"], f"a foreign's requests at the same sectors are not taken: {c['matched']} of {c['ios']}, own {own:.0f}")


def partition(path):
    table = subprocess.run(["sfdisk", "--quiet", path], input="start=2048, size=65536\n", text=True, capture_output=True)
    if table.returncode != 0:
        return print("skipped: sfdisk is not installed")
    with split.loop_device(path, "--partscan") as device:
        if device is None or not os.path.exists(f"{device}p1"):
            return print("skipped: no partition on a loop device")
        c = split.classes(split.run([f"--filename={device}p1", "--number_ios=2000"]))["read"]
        check(c["matched"] >= 0.95 * c["ios"] and "queue" in c, f"partition: {c['matched']} of {c['ios']} matched on its disk")


def growing(directory):
    """Direct writes that extend a file go where it had no place before; reads of a hole go nowhere."""
    new, sparse = os.path.join(directory, "new"), os.path.join(directory, "sparse")
    for engine in (["--ioengine=psync"], ["--ioengine=io_uring", "--iodepth=8"]):
        c = split.classes(split.run([f"--filename={new}", "--size=64m", "--rw=write", "--bs=64k", "--fallocate=none", *engine]))["write"]
        check(c["no_request"] == 0 and c["matched"] >= 0.95 * c["ios"], f"growing, {engine[0]}: {c['matched']} of {c['ios']} matched, {c['no_request']} called cached")
        os.unlink(new)
    with open(sparse, "wb") as f:
        f.truncate(64 << 20)
    found = split.classes(split.run([f"--filename={sparse}", "--size=64m", "--rw=randrw", "--bs=8k", "--number_ios=4000"]))
    reads, writes = found["read"], found["write"]
    check(reads["no_request"] >= 0.95 * reads["ios"], f"holes: {reads['no_request']} of {reads['ios']} reads made no request")
    check(writes["matched"] >= 0.95 * writes["ios"], f"holes: {writes['matched']} of {writes['ios']} writes matched where they were put")


def slow_io():
    """A read of three seconds waited for its disk, not for the page cache."""
    with slow_disk(3) as device:
        if device is None:
            return print("skipped: no loop device, or no FUSE")
        c = split.classes(split.run([f"--filename={device}", "--size=64m", "--number_ios=1", "--invalidate=0"]))["read"]
    check(c["matched"] == 1 and c["device"]["mean_ns"] >= 0.9 * c["whole"]["mean_ns"], f"an I/O of {c['whole']['mean_ns'] / 1e9:.1f} s is matched" if c["matched"]
          else f"an I/O of seconds: {c['no_request']} called cached, {c['lost']} lost")


def watched(path, repeat):
    """The most descriptors that the program had at a time, and the signals that the reader of the split blocks."""
    run = subprocess.Popen([split.FATHOM, "run", "--name=t", f"--filename={path}", "--size=4m", "--rw=read", "--bs=4k", "--direct=1", "--audit=off", "--breakdown",
                            "--thread", "--runtime=0.5", "--time_based", f"--repeat={repeat}"], stdout=subprocess.DEVNULL)
    most, blocked = 0, None
    while run.poll() is None:
        with contextlib.suppress(OSError):
            most = max(most, len(os.listdir(f"/proc/{run.pid}/fd")))
            for task in os.listdir(f"/proc/{run.pid}/task"):
                with open(f"/proc/{run.pid}/task/{task}/status", encoding="ascii") as f:
                    status = dict(line.split(":", 1) for line in f)
                if status["Name"].strip() == "fathom-split":
                    blocked = int(status["SigBlk"], 16)
        time.sleep(0.01)
    return most, blocked


def repeated(path):
    (once, blocked), (often, _) = watched(path, 1), watched(path, 5)
    check(often <= once + 2, f"descriptors: {often} in five repetitions, {once} in one")
    interrupt = 1 << (signal.SIGINT - 1)
    check(blocked is not None and blocked & interrupt, "an interrupt is the main thread's, not the reader's")


def main():
    split.need_tracepoints()
    without_block_layer()
    split.until_clean(failures, slow_io)
    with split.scratch_file() as path:
        for part in (page_cache, one, paced, ramp, foreigner, growing, repeated, partition):
            split.until_clean(failures, part, os.path.dirname(path) if part is growing else path)
    with split.zram_device() as device:
        if device is None:
            print("skipped: no zram")
        else:
            split.until_clean(failures, fast, device)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
