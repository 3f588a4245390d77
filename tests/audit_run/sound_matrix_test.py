"""Sound runs on files of every kind: whatever the file system, the file's state, engine, pattern, size and syncs, no check may FAIL; but that reads of a
file which is reserved and not written measure no device. The cells are a covering design, twice: every three values of different factors meet in at
least two cells."""
# label: kernel
# timeout: 1800
# cost: 600
import collections
import contextlib
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from audited import FATHOM

MIB = 1 << 20
IMAGE = 600 * MIB
FACTORS = {
    "place": ["ext4", "ext4-nojournal", "xfs", "btrfs", "device"],
    "state": ["fresh", "preallocated", "written"],
    "engine": ["psync", "libaio", "io_uring", "mmap"],
    "rw": ["read", "write", "randread", "randwrite", "randrw"],
    "bs": ["4k", "64k", "1m"],
    "direct": ["0", "1"],
    "sync": ["", "--fsync=8", "--sync=1", "--end_fsync=1"],
    "iodepth": ["1", "8", "256"],
    "jobs": ["", "--numjobs=2", "--numjobs=2 --thread"],
}
MKFS = {
    "ext4": ["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0"],
    "ext4-nojournal": ["mkfs.ext4", "-q", "-O", "^has_journal", "-E", "lazy_itable_init=0"],
    "xfs": ["mkfs.xfs", "-q", "-f"],
    "btrfs": ["mkfs.btrfs", "-q", "-f"],
}


def covering(factors, seed=1):
    """Cells in which every three values of three factors meet, chosen greedily."""
    names = list(factors)
    at = random.Random(seed)
    todo = {tuple(zip(three, values)) for three in itertools.combinations(names, 3) for values in itertools.product(*(factors[n] for n in three))}
    order = sorted(todo)
    at.shuffle(order)
    cells = []
    for first in order:
        if first not in todo:
            continue
        best = None
        for _ in range(6):
            cell = {n: at.choice(factors[n]) for n in names} | dict(first)
            for name in at.sample(names, len(names)):
                if name not in dict(first):
                    cell[name] = max(factors[name], key=lambda value, c=cell, n=name: len(met(c | {n: value}, names) & todo))
            gain = len(met(cell, names) & todo)
            if best is None or gain > best[0]:
                best = gain, cell
        cells.append(best[1])
        todo -= met(best[1], names)
    return cells


def met(cell, names):
    return {tuple((n, cell[n]) for n in three) for three in itertools.combinations(names, 3)}


@contextlib.contextmanager
def loop_of(path):
    made = subprocess.run(["losetup", "--find", "--show", path], capture_output=True, text=True)
    loop = made.stdout.strip() if made.returncode == 0 else None
    try:
        yield loop
    finally:
        if loop:
            subprocess.run(["losetup", "--detach", loop], check=True)


@contextlib.contextmanager
def mounted(loop, file_system, where, options="defaults"):
    """A folder of this file system; None where it cannot be had."""
    made = shutil.which(MKFS[file_system][0]) and subprocess.run([*MKFS[file_system], loop], capture_output=True).returncode == 0
    os.makedirs(where, exist_ok=True)
    made = made and subprocess.run(["mount", "-o", options, loop, where], capture_output=True).returncode == 0
    try:
        yield where if made else None
    finally:
        if made:
            subprocess.run(["umount", where], check=True)


def prepare(path, state, size):
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    if state == "preallocated":
        subprocess.run(["fallocate", "--length", str(size), path], check=True)
    if state == "written":
        with open(path, "wb") as f:
            f.write(os.urandom(size))
            os.fsync(f.fileno())


def words(cell, path, size):
    line = [f"--name=t --ioengine={cell['engine']} --rw={cell['rw']} --bs={cell['bs']} --direct={cell['direct']} --iodepth={cell['iodepth']}",
            cell["sync"], cell["jobs"], f"--filename={path} --size={size}"]
    if cell["place"] == "device":
        line.append(f"--allow-destructive={path}")
    return " ".join(line).split()


def fails(argv, right):
    """What made the run fail, other than what is right; empty: nothing did."""
    done = subprocess.run([FATHOM, "run", *argv, "--clock-check=skip", "--output-format=json"], capture_output=True, text=True, timeout=120)
    if "{" not in done.stdout:
        return f"exit status {done.returncode}: {done.stderr[-300:]}", []
    fathom = json.loads(done.stdout[done.stdout.index("{"):])["fathom"]
    warned = [f["id"] for f in fathom["findings"] if f["severity"] != "note"]
    if done.returncode == 0 and (fathom["checks"] != "failed" or fathom["checks_decided_by"] == right):
        return "", warned
    causes = [w["cause"] for w in fathom["audit"]["witnesses"] if w["verdict"] == "disagrees"] if "audit" in fathom else []
    causes += [e.get("what") or str(e) for e in fathom.get("errors", [])]
    return f"{fathom['checks_decided_by']}: {fathom.get('audit', {}).get('line', '')}\n         {causes}", warned


def run_place(place, cells, where, failed, warned):
    image = os.path.join(where, "image")
    with open(image, "wb") as f:
        f.truncate(IMAGE)
    with loop_of(image) as loop, contextlib.ExitStack() as stack:
        folder = loop and (where if place == "device" else stack.enter_context(mounted(loop, place, os.path.join(where, "mnt"))))
        if not folder:
            print(f"     {place}: skipped: no loop device, no {MKFS.get(place, [''])[0]}, or the kernel does not mount it")
            return 0
        for number, cell in cells:
            size = 4 * MIB if cell["bs"] == "4k" else 16 * MIB
            path = loop if place == "device" else os.path.join(folder, "f")
            if place != "device":
                prepare(path, cell["state"], size)
            argv = words(cell, path, size)
            no_device = place != "device" and cell["state"] == "preallocated" and cell["rw"] in ("read", "randread", "randrw")
            why, ids = fails(argv, ["audit.unwritten"] if no_device else None)
            warned.update(ids)
            if why:
                failed.append(number)
                print(f"FAIL {number}: {place}, {cell['state']}: {' '.join(argv)}\n         {why}", flush=True)
    os.unlink(image)
    return len(cells)


def main():
    if os.geteuid() != 0:
        print("skipped: loop devices need root")
        return 77
    cells = list(enumerate(covering(FACTORS, 1) + covering(FACTORS, 2)))
    only = {int(n) for n in sys.argv[1:]}
    memory = os.statvfs("/dev/shm")
    base = "/dev/shm" if memory.f_bavail * memory.f_frsize > 2 * IMAGE else "/var/tmp"
    failed, warned, ran = [], collections.Counter(), 0
    for place in FACTORS["place"]:
        with tempfile.TemporaryDirectory(dir=base) as where:
            mine = [(n, c) for n, c in cells if c["place"] == place and (not only or n in only)]
            ran += run_place(place, mine, where, failed, warned)
    print(f"{ran} of {len(cells)} cells ran, {len(failed)} FAILED: {failed}; warnings: {dict(warned)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
