"""Jobs beside a neighbour on the same disk: readers and writers, beside a reader, a writer and a discarder, on the disk that the build lies
on, a loop device and a zram. The neighbour must be found with amount and direction, and named; nothing may disagree."""
import contextlib
import os
import subprocess
import sys

from audited import FATHOM, SIZE, loop_disk, make_file, run_words, zram_disk

NEIGHBOURS = ("read", "write", "discard")
JOBS = {"read": ["--rw=randread"], "write": ["--rw=randwrite"]}
DISKS = ("disk", "loop", "zram")
RUN_S = 2
# Bytes a block and pause: as much as the disk gives, and a little more than a MiB in the run.
STRENGTHS = {"strong": (65536, 0.002), "faint": (65536, 0.07)}


@contextlib.contextmanager
def disks(where):
    """{name: (path of the job, path of the neighbour, their disks)}; those that can be made here."""
    with loop_disk(where) as loop, zram_disk() as zram:
        found = {"disk": (os.path.join(where, "job"), os.path.join(where, "other"))}
        for path in found["disk"]:
            make_file(path)
        if loop:
            found["loop"] = (loop, loop)
        if zram:
            fill = ["dd", "if=/dev/urandom", f"of={zram}", "bs=1M", "count=16", "oflag=direct"]
            subprocess.run(fill, check=True, stderr=subprocess.DEVNULL)
            found["zram"] = (zram, zram)
        yield found


def situations(found):
    """Discarders on devices that nobody else lives on."""
    for disk in DISKS:
        for neighbour in NEIGHBOURS:
            for job in JOBS:
                if disk in found and (disk != "disk" or neighbour != "discard"):
                    yield disk, neighbour, job


@contextlib.contextmanager
def neighbour(kind, path, strength):
    """Yields its process; `moved` and `lived_s` are there once it has ended."""
    block, pause_s = STRENGTHS[strength]
    words = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "neighbour.py"), kind, path, str(block), str(pause_s)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        process.stdout.readline()
        yield process
    finally:
        process.terminate()
        moved, lived_s = process.communicate(timeout=30)[0].split()
        process.moved, process.lived_s = int(moved), float(lived_s)


def named_in(who):
    """{pid: words} of "4711 dd 300 MiB, 99 sync 4.00 KiB; for the rest nobody ..." and "4711 python3 has it open for writing"."""
    entries = who.partition("; ")[0].split(", ")
    return {int(entry.split()[0]): entry for entry in entries if entry.split()[0].isdigit()}


def judge(fathom, kind, process, alone):
    """What is wrong, or nothing. alone: nobody but the neighbour works on that disk, so nobody else may be named there."""
    if fathom["audit"]["verdict"] == "disagrees":
        return "disagrees: " + fathom["audit"]["line"]
    found = [io for io in fathom["audit"].get("foreign", []) if io["direction"] == kind]
    named = [io for io in found if process.pid in named_in(io["who"])]
    if not named:
        return f"not named: {found or fathom['audit']['line']}"
    if not any(f["id"] == "audit.foreign_io" and process.pid in named_in(f["evidence"].rpartition(" s: ")[2]) for f in fathom["findings"]):
        return "no finding"
    innocent = [io["who"] for io in named if set(named_in(io["who"])) != {process.pid}]
    if alone and innocent:
        return f"who had nothing to do with it is named: {innocent}"
    # Others may add to it; of what the neighbour did the run saw its share of the time, more or less: both are at the mercy of the machine.
    share = min(1, named[0]["window_s"] / process.lived_s)
    if max(io["bytes"] for io in named) < 0.5 * share * process.moved:
        return f"{max(io['bytes'] for io in named):.0f} of {share:.2f} x {process.moved} bytes"
    # In ms, which a zram's requests hardly take; what it discards has no time at all.
    if kind != "discard" and not all("time_s" in io for io in named):
        return "no time"
    return ""


def once(found, disk, kind, job, strength):
    mine, others = found[disk]
    with neighbour(kind, others, strength) as process:
        fathom = run_words([FATHOM, "run", "--name=t", f"--filename={mine}", f"--size={SIZE}", "--direct=1", "--bs=4k", "--time_based",
                            f"--runtime={RUN_S}", f"--allow-destructive={mine}", "--clock-check=skip", "--output-format=json", *JOBS[job]])
    return judge(fathom, kind, process, disk != "disk"), fathom
