# timeout: 400
"""Nobody's data is destroyed by mistake: fathom refuses to write to a block device in use, in fio mode too, and says what it found.

fio would write. Each case makes a loop device that holds something, asks for a write, and reads the device back.
"""
import contextlib
import hashlib
import os
import subprocess
import sys
import time

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
# The second word that lifts a use at this moment.
SECOND = {"mounted": ":mounted", "mount alone": ":mounted", "swap in use": ":swap"}
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
    word = device + next((w for n, w in SECOND.items() if name.startswith(n)), "")
    checks.check(f"{name}: says how to lift it", f"--allow-destructive={word} " in outcome.stderr, outcome.stderr)


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
        if name in SECOND:
            check_refused(checks, f"{name}, by name alone", write(WAYS[0][1], device, "--allow-destructive=" + device), device, words[:1], 1)
        if hold is places.swapped_on:
            return
        word = device + SECOND.get(name, "")
        check_lifted(checks, name, device, ["--allow-destructive=" + word], None)
        check_lifted(checks, name, device, ["--offset=14m"], {"FATHOM_ALLOW_DESTRUCTIVE": "/dev/null," + word})


def check_lifted(checks, name, device, words, env):
    before = digest(device)
    outcome = write(WAYS[0][1], device, *words, env=env)
    checks.equal(f"{name}: lifted by {env or words}", (outcome.rc, outcome.stderr), (0, ""))
    checks.check(f"{name}: lifted by {env or words}, it is written", digest(device) != before)


# effect: allow_mounted_write
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
        outcome = write(WAYS[1][1], device, "--allow_mounted_write=1")
        check_refused(checks, "mounted, allow_mounted_write=1 under the name fathom", outcome, device, ["mounted", "only under the name fio"], 2)


def check_wiped_disk(checks):
    """The table is gone, and the kernel still holds the partition that it found there once."""
    with places.loop_device(SIZE, "--partscan") as device:
        places.call("addpart", device, "1", "2048", "16384")
        try:
            places.call("mkfs.ext4", "-q", "-F", "-L", "precious", device + "p1")
            before = digest(device)
            for way, head, status in WAYS:
                check_refused(checks, f"wiped disk, {way}", write(head, device), device, ["p1 carries ext4", "precious"], status)
            checks.equal("wiped disk: nothing was written", digest(device), before)
            check_lifted(checks, "wiped disk", device, ["--allow-destructive=" + device], None)
        finally:
            places.call("delpart", device, "1")


HOLDER = "import os, sys; os.open(sys.argv[1], os.O_WRONLY | int(sys.argv[2])); print(flush=True); sys.stdin.read()"


def check_open_elsewhere(checks):
    for name, flags, words in (("writer", 0, "open for writing in "), ("exclusive", os.O_EXCL, "held exclusively")):
        with places.loop_device(SIZE) as device:
            with subprocess.Popen([sys.executable, "-c", HOLDER, device, str(flags)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
                holder.stdout.readline()
                outcome = write(WAYS[0][1], device)
                check_refused(checks, f"another process, {name}", outcome, device, [words, f"(pid {holder.pid})"], 1)
                holder.stdin.close()
            outcome = write(WAYS[0][1], device)
            checks.equal(f"another process, {name}: free when it has ended", (outcome.rc, outcome.stderr), (0, ""))


def check_own_shell(checks):
    """A redirection of the shell that fathom was typed in: it is named as that."""
    with places.loop_device(SIZE) as device:
        shell = ["sh", "-c", 'exec 3<>"$0"; "$@"; exit $?', device]
        check_refused(checks, "own shell", write([*shell, *WAYS[0][1]], device), device, ["sh (pid ", ", which started this command)"], 1)


def check_hidden_processes(checks):
    """A writer outside of this PID namespace cannot be seen from inside; that it was not looked for is said."""
    inside = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*inside, "true"], capture_output=True).returncode != 0:
        return checks.note("no PID namespace here")
    with places.loop_device(SIZE) as device:
        with subprocess.Popen([sys.executable, "-c", HOLDER, device, "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            holder.stdout.readline()
            outcome = write([*inside, *WAYS[1][1]], device, "--output-format=json")
            holder.stdin.close()
        said = "have the device open for writing: processes outside of this container's PID namespace"
        checks.check("hidden processes: said", outcome.rc == 0 and "guard.not_known" in outcome.stdout and said in outcome.stdout, outcome.stdout[-2000:] + outcome.stderr)
        outcome = write(WAYS[1][1], device, "--output-format=json")
        checks.check("processes in sight: nothing said", (outcome.rc, "guard.not_known" in outcome.stdout) == (0, os.readlink("/proc/self/ns/pid") != "pid:[4026531836]"), outcome.stderr)


def check_backing_file(checks):
    with places.image(SIZE) as path, places.loop(path):
        for way, head, status in WAYS:
            check_refused(checks, f"backing file, {way}", write(head, path), path, ["in use by a loop device: loop"], status)
        check_lifted(checks, "backing file", path, ["--allow-destructive=" + path], None)


def check_verify_only(checks):
    """It reads back what was written, from a device that by then carries something, and with no right to write."""
    with places.loop_device(SIZE) as device:
        verify = ["--verify=crc32c", "--verify_state_save=0"]
        checks.equal("verify_only: written first", write(WAYS[0][1], device, *verify).rc, 0)
        places.call("mkfs.ext4", "-q", "-F", "-E", "nodiscard", device)
        before = digest(device)
        for way, head, _ in WAYS:
            outcome = write(head, device, *verify, "--verify_only=1")
            checks.equal(f"verify_only is no write, {way}", (outcome.rc, outcome.stderr), (0, ""))
        checks.equal("verify_only: nothing was written", digest(device), before)
        outcome = write(WAYS[0][1], device, *verify, "--verify_only=1", "--readonly")
        checks.equal("verify_only beside --readonly", (outcome.rc, outcome.stderr), (0, ""))
        with compare.workspace() as cwd:
            job = [*WAYS[0][1], "--name=j", "--filename=kept", "--rw=write", "--bs=4k", "--size=64k", *verify]
            for words in ([], ["--verify_only=1", "--unlink=1"]):
                outcome = compare.execute([*job, *words], cwd)
                checks.equal(f"verify_only removes nothing, {words}", (outcome.rc, outcome.stderr, os.listdir(cwd)), (0, "", ["kept"]))
            for words, why in ((["--verify=crc32c"], "verify_only forbids writing it"), ([], "verify_only in a job that does not verify")):
                argv = [*WAYS[0][1], "--name=j", "--filename=f", "--rw=write", "--bs=4k", "--size=64k", "--verify_only=1", *words]
                outcome = compare.execute(argv, cwd)
                checks.check(f"verify_only {words}: refused", outcome.rc == 1 and why in outcome.stderr, outcome.stderr)
                checks.check(f"verify_only {words}: makes no file", not os.path.exists(os.path.join(cwd, "f")))


def check_mounted_since(checks):
    """Mounted after the device was looked at, while its worker has it open and waits for its start."""
    with places.loop_device(SIZE) as device, compare.workspace() as cwd:
        argv = [*WAYS[1][1], "--name=j", f"--filename={device}", "--rw=write", "--bs=4k", "--offset=15m", "--size=64k", "--startdelay=2", "--output=o"]
        with subprocess.Popen(argv, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            time.sleep(1)
            places.call("mkfs.ext4", "-q", "-F", device)
            with places.mounted(device):
                _, errors = run.communicate(timeout=60)
        with open(os.path.join(cwd, "o"), encoding="utf-8") as f:
            text = errors + f.read()
        checks.check("mounted since: refused", run.returncode != 0 and "mounted on " in text and f"{device}:mounted" in text, text)
        with open(device, "rb") as f:
            f.seek(15 << 20)
            checks.equal("mounted since: no block of the job was written", f.read(65536).count(0), 65536)


def check_character_devices(checks):
    """Flash memory (mtd), a disk's sg and a tape are character devices: nothing can be looked for there, so that they must be named."""
    device = "/dev/loop-control"  # refuses every write
    for way, head, status in WAYS:
        outcome = write(head, device)
        refused = outcome.rc == status and "would destroy its data" in outcome.stderr and f"--allow-destructive={device}" in outcome.stderr
        checks.check(f"character device, {way}: refused", refused, outcome.stderr)
        outcome = write(head, device, f"--allow-destructive={device}")
        checks.check(f"character device, named, {way}: tried", outcome.rc != 0 and "would destroy" not in outcome.stderr, outcome.stderr)
        for harmless in ("/dev/null", "/dev/zero"):
            outcome = write(head, harmless)
            checks.equal(f"{harmless}, {way}", (outcome.rc, outcome.stderr), (0, ""))


def check_free(checks):
    with places.loop_device(SIZE) as device:
        for way, head, _ in WAYS:
            outcome = write(head, device)
            checks.equal(f"an empty device, {way}", (outcome.rc, outcome.stderr), (0, ""))


def main():
    compare.need("losetup", "mkfs.ext4", "mkswap", "blockdev", "addpart")
    places.need()
    compare.need_fathom()
    checks = compare.Checks()
    for name, hold, words in USES:
        if checks.wanted(name):
            check_use(checks, name, hold, words)
    check_mount_alone(checks)
    check_wiped_disk(checks)
    check_open_elsewhere(checks)
    check_own_shell(checks)
    check_hidden_processes(checks)
    check_backing_file(checks)
    check_verify_only(checks)
    check_mounted_since(checks)
    check_character_devices(checks)
    check_free(checks)
    checks.done()


main()
