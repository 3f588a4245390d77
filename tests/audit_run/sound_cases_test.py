"""Sound runs that once were accused, each as it was found, and beside those where one is possible the lie that still has to be found."""
# label: kernel
# timeout: 300
# cost: 30
import contextlib
import ctypes
import fcntl
import os
import shutil
import struct
import subprocess
import sys
import tempfile

from audited import FATHOM, Checks, parse, witness
from sound_matrix_test import MIB, loop_of, mounted

JOB = ["--name=t", "--clock-check=skip", "--output-format=json"]


def run(*argv, cwd=None):
    done = subprocess.run([FATHOM, "run", *JOB, *argv], capture_output=True, text=True, timeout=120, cwd=cwd)
    if "{" not in done.stdout:
        sys.exit(f"{argv}: exit status {done.returncode}\n{done.stderr[-1000:]}")
    return parse(done.stdout)


def image(where, mib):
    path = os.path.join(where, "image")
    with open(path, "wb") as f:
        f.truncate(mib * MIB)
    return path


def sound(checks, fathom, what):
    checks.check(fathom["checks"] != "failed", f"{what}: {fathom['checks']}: {fathom['audit']['line']}")


@contextlib.contextmanager
def queue_setting(loop, name, value):
    path = f"/sys/block/{os.path.basename(loop)}/queue/{name}"
    with open(path) as f:
        before = f.read().strip()
    with open(path, "w") as f:
        f.write(value)
    try:
        yield
    finally:
        with open(path, "w") as f:
            f.write(before)


def counted_twice(checks, loop):
    ring = [f"--filename={loop}", f"--allow-destructive={loop}", "--direct=1", "--ioengine=io_uring", "--size=16m"]
    for rw in ("write", "read"):  # what was never written is no device to read
        with queue_setting(loop, "max_sectors_kb", "128"):
            fathom = run(*ring, f"--rw={rw}", "--bs=256k", "--iodepth=4")
        sound(checks, fathom, f"requests of at most 128 KiB, {rw}")
        checks.check(witness(fathom, "process", rw)["diagnosis"] == "counted_twice", "and the reason is told")
        with queue_setting(loop, "nr_requests", "4"):
            fathom = run(*ring, f"--rw=rand{rw}", "--bs=4k", "--iodepth=256")
        sound(checks, fathom, f"256 I/Os for a queue of 4, {rw}")


def switched_off(checks, loop):
    with queue_setting(loop, "iostats", "0"):
        fathom = run(f"--filename={loop}", "--rw=randread", "--bs=4k", "--direct=1", "--size=4m")
    sound(checks, fathom, "counters that are off")
    help_texts = [f["remedy"] for f in fathom["findings"] if f["id"] == "audit.iostats_off"]
    checks.check(len(help_texts) == 1 and f"/sys/block/{os.path.basename(loop)}/queue/iostats" in help_texts[0], f"the help is the command: {help_texts}")


def until_full(checks, loop, where):
    with mounted(loop, "ext4", os.path.join(where, "small")) as folder:
        if not folder:
            return print("     skipped: ext4 cannot be had")
        for engine in ("psync", "io_uring"):
            fathom = run(f"--directory={folder}", "--size=1g", "--fill_fs=1", "--rw=write", "--bs=4m", "--direct=1", f"--ioengine={engine}")
            sound(checks, fathom, f"fill_fs with {engine}")
            os.unlink(os.path.join(folder, "t.0.0"))
        return None


def partitions(loop):
    """Two of 16 MiB, made by BLKPG."""
    def change(operation, number, start):
        part = struct.pack("qqi64s64s4x", start, 16 * MIB, number, b"", b"")
        data = ctypes.create_string_buffer(part, len(part))
        fd = os.open(loop, os.O_RDWR)
        try:
            fcntl.ioctl(fd, 0x1269, struct.pack("iiiP", operation, 0, len(part), ctypes.addressof(data)))
        finally:
            os.close(fd)
    return change


def on_partition(checks, loop):
    change = partitions(loop)
    try:
        change(1, 1, MIB)
        change(1, 2, 17 * MIB)
    except OSError as error:
        return print(f"     skipped: no partition can be made: {error}")
    try:
        fathom = run(f"--filename={loop}p1", f"--allow-destructive={loop}p1", "--rw=randrw", "--bs=4k", "--direct=1", "--size=4m")
        sound(checks, fathom, "a partition")
        checks.check(not any(f["id"].startswith("delivery.direct") for f in fathom["findings"]), "direct is not called ignored")
    finally:
        change(2, 1, 0)
        change(2, 2, 0)
    return None


def swapped_symlink(checks, where):
    """The name is another file's when the run is over, and that file's cached pages are not the job's. The postrun command leaves its output in cwd."""
    for name in ("one", "two"):
        with open(os.path.join(where, name), "wb") as f:
            f.write(os.urandom(8 * MIB))
            os.fsync(f.fileno())
    link = os.path.join(where, "link")
    os.symlink("one", link)
    swap = f"ln -sfn two {link}; cat {link}"
    fathom = run(f"--filename={link}", "--size=8m", "--rw=read", "--bs=64k", "--direct=1", f"--exec_postrun={swap} > /dev/null", cwd=where)
    checks.check(not any(f["id"] == "delivery.direct_ignored" for f in fathom["findings"]), "a symbolic link that is swapped")
    sound(checks, fathom, "and nothing else of it")


def made_on_open(checks, where):
    folder = os.path.join(where, "made")
    os.makedirs(folder)
    done = subprocess.run([FATHOM, "run", "--name=t", f"--directory={folder}", "--size=4m", "--create_on_open=1", "--rw=randrw", "--bs=4k",
                           "--clock-check=skip"], capture_output=True, text=True, timeout=60)
    told = done.stdout + done.stderr
    checks.check("cut short" not in told and "create_on_open=1 created the file" in told, "a file that the job makes was not cut short")


def on_fuse(checks, where):
    if not shutil.which("bindfs") or not os.path.exists("/dev/fuse"):
        return print("     skipped: bindfs or /dev/fuse is missing (Debian package bindfs)")
    below, above = os.path.join(where, "below"), os.path.join(where, "above")
    os.makedirs(below)
    os.makedirs(above)
    with open(os.path.join(below, "f"), "wb") as f:
        f.write(os.urandom(4 * MIB))
    if subprocess.run(["bindfs", below, above], capture_output=True).returncode != 0:
        return print("     skipped: bindfs cannot mount")
    try:
        fathom = run(f"--filename={above}/f", "--size=4m", "--rw=write", "--bs=64k", "--direct=1")
        checks.check(fathom["audit"]["verdict"] == "no witness" and "audit.no_disk" in ids(fathom), f"FUSE, a write: {fathom['audit']['line']}")
        for direct in "01":
            fathom = run(f"--filename={above}/f", "--size=4m", "--rw=randread", "--bs=64k", f"--direct={direct}")
            sound(checks, fathom, f"FUSE, direct={direct}")
            w = witness(fathom, "process")
            checks.check(w["verdict"] == "no witness" and not w["explained"], f"what a server read did not come from memory: {w['cause']}")
    finally:
        subprocess.run(["umount", above], check=True)
    return None


def ids(fathom, severity=None):
    return [f["id"] for f in fathom["findings"] if severity in (None, f["severity"])]


def compressed(checks, loop, where):
    """What is read and written is thirty times what the device moves."""
    with mounted(loop, "btrfs", os.path.join(where, "packed"), "compress-force=zstd") as folder:
        if not folder:
            return print("     skipped: btrfs cannot be had")
        words = [f"--filename={folder}/f", "--size=32m", "--bs=1m"]
        fathom = run(*words, "--rw=write", "--fallocate=none", "--buffer_pattern=0x41", "--end_fsync=1")
        sound(checks, fathom, "writes that are compressed")
        checks.check("audit.compressed" in ids(fathom, "warning"), f"and it is said: {ids(fathom)}")
        fathom = run(*words, "--rw=read", "--direct=1")
        sound(checks, fathom, "reads of what is compressed")
        checks.check("audit.compressed" in ids(fathom, "warning"), f"and it is said: {ids(fathom)}")
        fathom = run(f"--filename={folder}/g", "--size=32m", "--bs=1m", "--rw=write", "--fallocate=none", "--refill_buffers=1", "--end_fsync=1")
        return checks.check("audit.compressed" not in ids(fathom), "data that do not compress")


def journaled_data(checks, loop, where):
    """direct=1 goes through the page cache: a block that is written twice is charged once."""
    with mounted(loop, "ext4", os.path.join(where, "journaled"), "data=journal") as folder:
        if not folder:
            return print("     skipped: ext4 cannot be had")
        for rw in ("write", "randread"):
            fathom = run(f"--filename={folder}/f", "--size=8m", f"--rw={rw}", "--bs=4k", "--direct=1", "--loops=3")
            sound(checks, fathom, f"data=journal, {rw}")
            causes = [f["evidence"] for f in fathom["findings"] if f["id"] == "delivery.direct_ignored"]
            checks.check(len(causes) == 1 and "data=journal" in causes[0], f"direct is ignored, and why: {causes}")
        return None


def copied_writes(checks, loop, where):
    """btrfs copies direct writes of data with checksums (Linux 6.14 and later); without checksums (chattr +C) it does not."""
    with mounted(loop, "btrfs", os.path.join(where, "copied")) as folder:
        if not folder:
            return print("     skipped: btrfs cannot be had")
        plain, bare = os.path.join(folder, "plain"), os.path.join(folder, "bare")
        open(bare, "w").close()
        subprocess.run(["chattr", "+C", bare], check=True)
        copies = tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 14)
        for name, path, expected in (("with checksums", plain, copies), ("without", bare, False)):
            fathom = run(f"--filename={path}", "--size=32m", "--rw=randwrite", "--bs=4k", "--direct=1", "--ioengine=io_uring", "--iodepth=16", "--time_based", "--runtime=1")
            sound(checks, fathom, f"btrfs, {name}")
            checks.check(("delivery.direct_ignored" in ids(fathom)) == expected, f"btrfs, {name}: copied {expected}: {ids(fathom)}")
        return None


def in_memory(checks, where, on_disk):
    """A file of a tmpfs, and a loop device whose file is there: memory is measured, and a job on a disk beside them is not blamed."""
    for target in ("file", "loop"):
        with contextlib.ExitStack() as stack:
            path = os.path.join(where, "in_memory")
            with open(path, "wb") as f:
                f.write(os.urandom(4 * MIB))
            name = stack.enter_context(loop_of(path)) if target == "loop" else path
            fathom = run(f"--filename={name}", "--size=4m", "--rw=randread", "--bs=4k", "--name=u", f"--filename={on_disk}/u", "--size=4m", "--rw=read",
                         "--direct=1")
            found = [(f["job"], f["severity"]) for f in fathom["findings"] if f["id"] == "run.no_medium"]
            checks.check(found == [("t", "warning")], f"a {target} in memory: {found}")


def never_written(checks, where):
    """fallocate is no write: a loop device that goes past the page cache answers most of such an image by itself."""
    path = os.path.join(where, "reserved")
    if subprocess.run(["fallocate", "--length", str(40 * MIB), path], capture_output=True).returncode != 0:
        return print("     skipped: fallocate is not possible there")
    with open(path, "r+b") as f:
        f.write(os.urandom(4 * MIB))
        os.fsync(f.fileno())
    with loop_of(path) as loop:
        if subprocess.run(["losetup", "--direct-io=on", loop], capture_output=True).returncode != 0:
            return print("     skipped: direct I/O of a loop device is not possible there")
        fathom = run(f"--filename={loop}", "--rw=randread", "--bs=64k", "--direct=1", "--size=40m", "--norandommap")
    found = [f["severity"] for f in fathom["findings"] if f["id"] == "audit.below"]
    checks.check(found == ["error"], f"an image that is mostly reserved: {found}: {fathom['audit']['line']}")
    return os.unlink(path)


def without_journal(checks, loop, where):
    with mounted(loop, "ext4-nojournal", os.path.join(where, "plain")) as folder:
        if not folder:
            return print("     skipped: ext4 cannot be had")
        fathom = run(f"--filename={folder}/f", "--size=128m", "--rw=randwrite", "--bs=4k", "--direct=1")
        return sound(checks, fathom, "first random writes on ext4 without a journal")


def zones_read_again(checks, where):
    """Zones that wrap around are read from the page cache after the first pass."""
    name = os.path.join(where, "zones")
    for way in ("read", "randread"):
        fathom = run(f"--filename={name}", "--size=32m", f"--rw={way}", "--bs=64k", "--zonemode=strided", "--zonesize=1m", "--zonerange=4m",
                     "--runtime=300ms", "--time_based")
        sound(checks, fathom, f"{way} of strided zones, again and again")
        checks.check("audit.page_cache" in ids(fathom), f"{way} of strided zones came from memory: {ids(fathom)}")
    os.unlink(name)


def not_to_the_device(checks, where):
    """Runs whose rate is memory's, by a warning each: rewritten there, synced after the run time, a sync that never comes, buffered libaio."""
    name = os.path.join(where, "memory")
    for what, words, finding in (
            ("rewritten", ["--size=1m", "--rw=randwrite", "--bs=64k", "--norandommap", "--end_fsync=1", "--runtime=300ms", "--time_based"], "audit.rewritten"),
            ("synced at the close", ["--size=64m", "--rw=write", "--bs=64k", "--fsync_on_close=1"], "delivery.unsynced"),
            ("synced before it is read back", ["--size=64m", "--rw=write", "--bs=64k", "--verify=crc32c"], "delivery.unsynced"),
            ("a sync that never comes", ["--size=64m", "--rw=write", "--bs=64k", "--fsync=1000000"], "delivery.unsynced"),
            ("a mapping with sync=1", ["--size=16m", "--rw=write", "--bs=4k", "--ioengine=mmap", "--sync=1"], "delivery.unsynced"),
            ("buffered libaio", ["--size=16m", "--rw=randread", "--bs=4k", "--ioengine=libaio", "--iodepth=16"], "delivery.synchronous")):
        fathom = run(f"--filename={name}", *words)
        checks.check(fathom["checks"] != "passed" and finding in ids(fathom), f"{what}: {fathom['checks']}, {ids(fathom)}")
    os.unlink(name)


def always_synced(checks, where):
    """chattr +S: each buffered write waits for the device."""
    name = os.path.join(where, "synced")
    with open(name, "wb") as f:
        f.write(os.urandom(MIB))
    if subprocess.run(["chattr", "+S", name], capture_output=True).returncode != 0:
        return print("     skipped: the file system has no attribute S")
    fathom = run(f"--filename={name}", "--size=1m", "--rw=write", "--bs=4k")
    checks.check("delivery.unsynced" not in ids(fathom), f"chattr +S: {ids(fathom)}")
    return os.unlink(name)


def read_beforehand(checks, where):
    """pre_read=1: what the run itself reads into memory is nobody else's, and does not show that direct=1 was ignored."""
    name = os.path.join(where, "pre_read")
    run(f"--filename={name}", "--size=32m", "--rw=write", "--bs=1m", "--direct=1")
    for direct in ("1", "0"):
        fathom = run(f"--filename={name}", "--size=32m", "--rw=randread", "--bs=16k", "--pre_read=1", f"--direct={direct}", "--ioengine=psync")
        sound(checks, fathom, f"pre_read=1, direct={direct}")
        checks.check(not {"audit.foreign_io", "delivery.direct_ignored"} & set(ids(fathom)), f"pre_read=1, direct={direct}: {ids(fathom)}")
    os.unlink(name)


def read_by_another(checks, where):
    """Another process reads the file of a direct job through the page cache."""
    name = os.path.join(where, "shared")
    run(f"--filename={name}", "--size=32m", "--rw=write", "--bs=1m", "--direct=1")
    reader = subprocess.Popen([sys.executable, "-c", f"import time; time.sleep(0.4)\nwith open({name!r}, 'rb') as f: f.read(); time.sleep(5)"])
    fathom = run(f"--filename={name}", "--size=32m", "--rw=randread", "--bs=4k", "--direct=1", "--runtime=1", "--time_based")
    reader.kill()
    reader.wait()
    checks.check("delivery.direct_ignored" not in ids(fathom), f"a reader beside a direct job: {ids(fathom)}")
    os.unlink(name)


def hot_holes(checks, where):
    """The places that a job visits most are holes."""
    name = os.path.join(where, "hot")
    run(f"--filename={name}", "--size=16m", "--rw=write", "--bs=1m", "--direct=1")
    if subprocess.run(["fallocate", "--punch-hole", "--length", str(3 * MIB), name], capture_output=True).returncode != 0:
        return print("     skipped: no hole can be punched")
    fathom = run(f"--filename={name}", "--size=16m", "--rw=randread", "--bs=4k", "--direct=1", "--random_distribution=zoned:80/20:20/80",
                 "--norandommap", "--loops=4")
    checks.check("audit.holes" in ids(fathom) and "audit.disagrees" not in ids(fathom), f"hot holes: {ids(fathom)}: {fathom['audit']['line']}")
    return os.unlink(name)


def every_io_fails(checks, where):
    """A loop device whose file was cut to nothing: the job goes on, the first lines say that nothing was measured."""
    path = image(where, 16)
    with loop_of(path) as loop:
        os.truncate(path, 0)
        words = [FATHOM, "run", "--name=t", "--brief", f"--filename={loop}", "--rw=randread", "--direct=1", "--size=1m", "--continue_on_error=all"]
        text = subprocess.run(words, capture_output=True, text=True, timeout=60).stdout
    checks.check("  measured nothing: every I/O failed\n  checks   FAILED: I/Os failed" in text and "[run.io_errors]" in text, f"every I/O fails: {text}")


def bad_blocks(checks, where):
    """Blocks that fail verification are read once more, for the words of the error: these bytes are the run's own."""
    name = os.path.join(where, "bad")
    words = [f"--filename={name}", "--size=4m", "--bs=16k", "--direct=1", "--verify=crc32c"]
    run(*words, "--rw=write", "--do_verify=0")
    with open(name, "r+b") as f:
        for block in range(0, 256, 4):
            f.seek(block * 16384 + 5000)
            f.write(b"damaged")
        os.fsync(f.fileno())
        os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    fathom = run(*words, "--rw=read", "--continue_on_error=verify")
    checks.check(fathom["audit"]["verdict"] in ("agrees", "explained"), f"64 bad blocks: {fathom['audit']['line']}")
    checks.check("delivery.direct_ignored" not in ids(fathom) and "run.io_errors" in ids(fathom), f"64 bad blocks: {ids(fathom)}")
    os.unlink(name)


def full_disk(checks, where):
    """The log of a job, and nothing else, finds no space."""
    words = [FATHOM, "run", "--name=t", "--brief", "--ioengine=null", "--rw=read", "--size=4m", "--bs=4k", f"--write_lat_log={where}/log"]
    with mounted_small(where) as folder:
        text = subprocess.run([word.replace(where, folder) for word in words], capture_output=True, text=True, timeout=60).stdout
    checks.check("FAILED: a job failed" in text and "I/Os failed" not in text, f"a log on a full disk: {text}")


@contextlib.contextmanager
def mounted_small(where):
    folder = os.path.join(where, "small")
    os.makedirs(folder)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def main():
    if os.geteuid() != 0:
        print("skipped: loop devices need root")
        return 77
    checks = Checks()
    memory = os.statvfs("/dev/shm")
    base = "/dev/shm" if memory.f_bavail * memory.f_frsize > 1024 * MIB else "/var/tmp"
    with tempfile.TemporaryDirectory(dir=base) as where, tempfile.TemporaryDirectory(dir="/var/tmp") as on_disk:
        with loop_of(image(where, 64)) as loop:
            if not loop:
                print("skipped: no loop device can be made")
                return 77
            counted_twice(checks, loop)
            switched_off(checks, loop)
            on_partition(checks, loop)
            until_full(checks, loop, where)
        with loop_of(image(where, 300)) as loop:
            without_journal(checks, loop, where)
            journaled_data(checks, loop, where)
            compressed(checks, loop, where)
            copied_writes(checks, loop, where)
        in_memory(checks, where, on_disk) if base == "/dev/shm" else print("     skipped: /dev/shm is too small")
        never_written(checks, on_disk)
        swapped_symlink(checks, on_disk)
        made_on_open(checks, on_disk)
        zones_read_again(checks, on_disk)
        not_to_the_device(checks, on_disk)
        always_synced(checks, on_disk)
        read_beforehand(checks, on_disk)
        read_by_another(checks, on_disk)
        hot_holes(checks, on_disk)
        every_io_fails(checks, on_disk)
        bad_blocks(checks, on_disk)
        full_disk(checks, on_disk)
        on_fuse(checks, where)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
