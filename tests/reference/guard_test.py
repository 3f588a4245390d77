# timeout: 400
"""Nobody's data is destroyed by mistake: fathom refuses to write to a block device in use, in fio mode too, and says what it found.

fio would write. Each case makes a loop device that holds something, asks for a write, and reads the device back.
"""
import contextlib
import hashlib
import os

import compare
import places

SIZE = "16m"


@contextlib.contextmanager
def holding_ext4(device):
    places.call("mkfs.ext4", "-q", "-F", "-L", "precious", device)
    yield


@contextlib.contextmanager
def holding_mounted(device):
    with holding_ext4(device), places.mounted(device):
        yield


@contextlib.contextmanager
def holding_partitions(device):
    places.dos_partition_table(device)
    yield


@contextlib.contextmanager
def holding_partitions_and_more(device):
    """A partition table, and beside it a file system that a partition holds."""
    places.call("mkfs.ext4", "-q", "-F", device)
    places.dos_partition_table(device)
    yield


# name, what lies on the device, words that the refusal must have
USES = [
    ("ext4", holding_ext4, ["ext4", "precious"]),
    ("mounted", holding_mounted, ["mounted", "ext4"]),
    ("swap in use", places.swapped_on, ["swap"]),
    ("partition table", holding_partitions, ["dos", "partition table"]),
    ("partition table over ext4", holding_partitions_and_more, ["dos"]),
]
WAYS = [("fio mode", [compare.fio_link()], 1), ("run", [compare.FATHOM, "run"], 2)]


def digest(device):
    """Of what lies on the disk; a mounted file system's own writes are not ours."""
    with open(device, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def write(head, device, *words, env=None, mode="write"):
    """Writes the last 64 KiB, where no file system keeps what it needs to be unmounted."""
    with compare.workspace() as cwd:
        argv = [*head, "--name=j", f"--filename={device}", f"--rw={mode}", "--bs=4k", "--offset=15m", "--size=64k", *words]
        return compare.execute(argv, cwd, env={**os.environ, **(env or {})})


def check_refused(checks, name, outcome, device, words, status):
    checks.equal(f"{name}: exit status", outcome.rc, status)
    for word in [device, "16.0 MiB", *words]:
        checks.check(f"{name}: stderr says {word}", word in outcome.stderr, outcome.stderr)
    checks.check(f"{name}: says how to lift it", f"--allow-destructive={device}" in outcome.stderr, outcome.stderr)


def check_use(checks, name, hold, words):
    with places.loop_device(SIZE) as device, hold(device):
        before = digest(device)
        for way, head, status in WAYS:
            check_refused(checks, f"{name}, {way}", write(head, device), device, words, status)
        check_refused(checks, f"{name}, trim", write(WAYS[0][1], device, mode="trim"), device, words, 1)
        check_refused(checks, f"{name}, one job of two writes", write(WAYS[0][1], device, "--name=r", "--rw=read", "--ioengine=null", "--size=64k"), device, words, 1)
        other = write(WAYS[0][1], device, "--allow-destructive=/dev/null")
        check_refused(checks, f"{name}, another device allowed", other, device, words, 1)
        if hold is not holding_mounted:
            checks.equal(f"{name}: nothing was written", digest(device), before)
        reading = write(WAYS[0][1], device, "--readonly", mode="randread")
        checks.equal(f"{name}: reading is free", (reading.rc, reading.stderr), (0, ""))
        if hold is places.swapped_on:
            return
        check_lifted(checks, name, device, ["--allow-destructive=" + device], None)
        check_lifted(checks, name, device, ["--offset=14m"], {"FATHOM_ALLOW_DESTRUCTIVE": "/dev/null," + device})


def check_lifted(checks, name, device, words, env):
    before = digest(device)
    outcome = write(WAYS[0][1], device, *words, env=env)
    checks.equal(f"{name}: lifted by {env or words}", (outcome.rc, outcome.stderr), (0, ""))
    checks.check(f"{name}: lifted by {env or words}, it is written", digest(device) != before)


def check_mount_alone(checks):
    """allow_mounted_write=1 lifts the mount check and no other."""
    with places.loop_device(SIZE) as device, holding_mounted(device):
        outcome = write(WAYS[0][1], device, "--allow_mounted_write=1")
        checks.check("allow_mounted_write: the file system still stands in the way", outcome.rc == 1 and "ext4" in outcome.stderr, outcome.stderr)
        with open(device, "r+b", buffering=0) as f:  # without its magic number only the mount is left to object
            block = bytearray(f.read(4096))
            block[1080:1082] = b"\0\0"
            f.seek(0)
            f.write(block)
        check_refused(checks, "mount alone", write(WAYS[0][1], device), device, ["mounted"], 1)
        outcome = write(WAYS[0][1], device, "--allow_mounted_write=1")
        checks.equal("mount alone, allow_mounted_write=1", (outcome.rc, outcome.stderr), (0, ""))


def check_free(checks):
    with places.loop_device(SIZE) as device:
        for way, head, _ in WAYS:
            outcome = write(head, device)
            checks.equal(f"an empty device, {way}", (outcome.rc, outcome.stderr), (0, ""))


def main():
    compare.need("losetup", "mkfs.ext4", "mkswap", "blockdev")
    places.need()
    compare.need_fathom()
    checks = compare.Checks()
    for name, hold, words in USES:
        if checks.wanted(name):
            check_use(checks, name, hold, words)
    check_mount_alone(checks)
    check_free(checks)
    checks.done()


main()
