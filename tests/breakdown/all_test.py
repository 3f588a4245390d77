"""--breakdown=all finds every I/O again, whatever its engine, depth, size, file or namespace: on zram, a loop device and a file. Its parts add up to its latency,
and the longest I/O is among them. What shares its sectors with another is called contested, and what has no block layer or no stamps says so."""
# label: kernel
# timeout: 400
# alone: another's reads of the same disk, or a full machine, is no part of it
# cost: 20
import contextlib
import os
import shutil
import subprocess
import sys

import split
from all_parts import check, failures, joined, need_programs, only, run, text_of, tried

ENGINES = (["--ioengine=psync"], ["--ioengine=libaio", "--iodepth=8"], *(["--ioengine=io_uring", f"--iodepth={depth}"] for depth in (1, 8, 32)))
SIZES = {"4k": 2500, "64k": 600, "1m": 64, "4m": 16}  # I/Os that are half of the target at most, or all of it: no two are at the same place
IN_PID_NAMESPACE = ["unshare", "--pid", "--fork", "--mount-proc"]
IN_TIME_NAMESPACE = ["unshare", "--time", "--monotonic", "1000", "--fork"]


def title_of(name, options):
    return " ".join([name, *(o.removeprefix("--ioengine=").removeprefix("--") for o in options)])


def both_ways(name, target, size, engine):
    """Reads and writes, each of its own blocks. Of the larger the kernel makes several requests, and io_uring submits those twice."""
    title = title_of(name, [size, *engine])
    result = run([f"--filename={target}", "--size=64m", "--rw=randrw", f"--bs={size}", f"--number_ios={SIZES[size]}", *engine])
    for direction in ("read", "write"):
        joined(f"{title} {direction}", result, direction)
    bios = "(bios)" in result["fathom"]["breakdown"]["devices"][0]
    check(("queue" in only(result)) == (not bios), f"{title}: queue is {'not ' if bios else ''}told apart")


def matrix(name, target):
    for size in SIZES:
        for engine in ENGINES:
            tried(both_ways, name, target, size, engine)


def mixed_sizes(name, target, engine):
    """Small ones that lie side by side, and large ones among them: each is found, also where many are under way before the first reaches the block layer."""
    result = run([f"--filename={target}", "--size=64m", "--rw=read", "--bssplit=4k/99:1m/1", "--number_ios=2000", *engine])
    joined(title_of(f"{name} mixed sizes", engine), result)


def two_jobs(name, options):
    joined(title_of(f"two jobs, {name}", options[2:]), run([*options, "--numjobs=2", "--group_reporting", "--number_ios=800"]))


def several_jobs(directory):
    """Two workers, as threads and as processes: each in its half of one file, and each of a file of its own."""
    halves = [f"--filename={os.path.join(directory, 'f')}", "--size=32m", "--offset_increment=32m"]
    for engine in ENGINES[0], ENGINES[3]:
        for worker in [], ["--thread"]:
            tried(two_jobs, "halves", [*halves, *worker, *engine])
            tried(two_jobs, "files", [f"--directory={directory}", "--size=8m", *worker, *engine])


def cold(path):
    """Out of the page cache."""
    with open(path, "rb") as f:
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def through_page_cache(path, engine):
    cold(path)
    joined(title_of("cold", engine), run([f"--filename={path}", "--size=64m", "--direct=0", "--number_ios=1000", *engine]), least=0.95)


def no_place(directory, before=()):
    """Where a growing file's bytes go is not known before: its loop is known by its task."""
    new = os.path.join(directory, "new")
    try:
        result = run([f"--filename={new}", "--size=16m", "--rw=write", "--bs=16k", "--fallocate=none"], before)
        c = joined(title_of("growing", before[:2]), result, "write", 0.99)
        check(c["unplaced"] == 0, f"growing: {c['unplaced']} are unplaced")
    finally:
        os.unlink(new)


@contextlib.contextmanager
def overlay(path):
    """The path of a file of an overlay: its file system has no block device of its own. None where there are no overlays."""
    folders = {name: os.path.join(os.path.dirname(path), name) for name in ("lower", "upper", "work", "merged")}
    for folder in folders.values():
        os.mkdir(folder)
    shutil.copy(path, os.path.join(folders["lower"], "f"))
    os.sync()
    options = ",".join(f"{name}dir={folders[name]}" for name in ("lower", "upper", "work"))
    if subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, folders["merged"]], check=False).returncode != 0:
        yield None
        return
    try:
        yield os.path.join(folders["merged"], "f")
    finally:
        subprocess.run(["umount", folders["merged"]], check=True)


def of_overlay(path, before=()):
    joined(title_of("overlay", before[:2]), run([f"--filename={path}", "--size=64m", "--number_ios=1000"], before), least=0.99)


def overlays():
    with split.scratch_file() as lower, overlay(lower) as path:
        if path is None:
            return print("skipped: no overlay can be mounted")
        for before in (), IN_PID_NAMESPACE:
            tried(of_overlay, path, before)
            tried(no_place, os.path.dirname(path), before)
        tried(overlay_is_told, path)


def overlay_is_told(path):
    """A run that was divided to the last I/O names no cause, and where it was."""
    b = run([f"--filename={path}", "--size=64m", "--number_ios=500"])["fathom"]["breakdown"]
    check(b["cause"] == "" and b["devices"], f"overlay, all joined: cause '{b['cause']}', devices {b['devices']}")


def in_time_namespace(path):
    """Its CLOCK_MONOTONIC is not the kernel's."""
    c = joined("time namespace", run([f"--filename={path}", "--size=64m", "--number_ios=1000"], IN_TIME_NAMESPACE))
    check(c["outside"] == 0, f"time namespace: {c['outside']} I/Os have moments outside")


def trimmed(name, device, engine):
    with open(f"/sys/block/{os.path.basename(device)}/queue/discard_max_bytes", encoding="ascii") as f:
        if int(f.read()) == 0:
            return print(f"skipped: {name} does not trim")
    joined(title_of(f"{name} trim", engine), run([f"--filename={device}", "--size=64m", "--rw=randtrim", "--bs=64k", *engine]), "trim")


def same_sectors(name, device, engine):
    """Whose event is whose cannot be told of two I/Os at one place: they are left out, for that reason and no other, and nobody gets another's moments."""
    c = only(run([f"--filename={device}", "--size=128k", "--norandommap", "--numjobs=2", "--group_reporting", "--runtime=0.4", "--time_based", *engine]))
    title = title_of(f"{name} same sectors", engine)
    check(c["contested"] > 0 and c["contested"] + c["matched"] == c["ios"], f"{title}: {text_of(c)}")
    if c["matched"]:
        check(c["outside"] == 0, f"{title}: {c['outside']} have moments outside, by {c['outside_max_ns']} ns at most")


def without_any(path):
    for options, words in ((["--ioengine=null", "--size=1m"], "ioengine=null"), ([f"--filename={path}", "--size=1m", "--gtod_reduce=1"], "gtod_reduce")):
        result = run(options)
        b = result["fathom"]["breakdown"]
        check(words in b["cause"] and not b["classes"] and result["jobs"][0]["read"]["total_ios"] == 256, f"{options[-1]}: {b['cause']}")


def of_files():
    with split.scratch_file() as path:
        matrix("file", path)
        tried(mixed_sizes, "file", path, ["--ioengine=libaio", "--iodepth=32", "--iodepth_batch=32"])
        directory = os.path.dirname(path)
        several_jobs(directory)
        for engine in ENGINES[0], ["--ioengine=mmap"]:
            tried(through_page_cache, path, engine)
        for before in (), IN_PID_NAMESPACE:
            tried(no_place, directory, before)
        tried(in_time_namespace, path)
        tried(without_any, path)


def of_device(name, device):
    if device is None:
        return print(f"skipped: no {name}")
    matrix(name, device)
    tried(mixed_sizes, name, device, ENGINES[-1])
    for engine in ENGINES[0], ENGINES[3]:
        tried(trimmed, name, device, engine)


def main():
    need_programs()
    of_files()
    with split.scratch_file() as path, split.loop_device(path) as device:
        of_device("loop", device)
    with split.zram_device() as device:
        of_device("zram", device)
        for engine in (ENGINES[0], ENGINES[3]) if device is not None else ():
            tried(same_sectors, "zram", device, engine)
    overlays()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
