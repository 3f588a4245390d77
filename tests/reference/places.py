"""Places to run a job that need root: loop devices, small file systems, swap. Each is a context manager that puts everything back."""
import contextlib
import os
import subprocess
import tempfile

import compare


def call(*argv):
    return subprocess.run([str(a) for a in argv], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout.strip()


def why_not():
    """Why loop devices and mounts cannot be used here; empty if they can. Root in a container often cannot."""
    if os.geteuid() != 0:
        return "needs root"
    try:
        with loop_device("1m"), small_tmpfs("1m"):
            return ""
    except (subprocess.CalledProcessError, OSError) as e:
        return f"needs loop devices and mounts: {getattr(e, 'stderr', None) or e}".strip()


def need():
    if reason := why_not():
        compare.skip(reason)


@contextlib.contextmanager
def image(size):
    """A zeroed file that lies on the disk, to put a loop device on."""
    fd, path = tempfile.mkstemp(prefix="fathom-img.", dir=compare.BASE)
    try:
        os.write(fd, b"\0" * compare.size_bytes(size))
        os.close(fd)
        yield path
    finally:
        os.unlink(path)


@contextlib.contextmanager
def loop(path, *options):
    device = call("losetup", "--find", "--show", *options, path)
    try:
        yield device
    finally:
        call("losetup", "--detach", device)


@contextlib.contextmanager
def loop_device(size="8m", *options):
    with image(size) as path, loop(path, *options) as device:
        yield device


@contextlib.contextmanager
def mounted(what, *options):
    where = tempfile.mkdtemp(prefix="fathom-mnt.", dir=compare.BASE)
    try:
        call("mount", *options, what, where)
        try:
            yield where
        finally:
            call("umount", where)
    finally:
        os.rmdir(where)


@contextlib.contextmanager
def small_tmpfs(size):
    with mounted("none", "-t", "tmpfs", "-o", f"size={size}") as where:
        yield where


@contextlib.contextmanager
def small_ext4(size):
    with image(size) as path:
        call("mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal", path)
        with mounted(path, "-o", "loop") as where:
            yield where


@contextlib.contextmanager
def swapped_on(device):
    call("mkswap", device)
    call("swapon", device)
    try:
        yield
    finally:
        call("swapoff", device)


def dos_partition_table(device):
    """One Linux partition from sector 8 on: what libblkid calls "dos"."""
    sectors = int(call("blockdev", "--getsz", device))
    entry = bytes([0, 0, 2, 0, 0x83, 0, 3, 0]) + (8).to_bytes(4, "little") + (sectors - 8).to_bytes(4, "little")
    with open(device, "r+b", buffering=0) as f:
        f.write(bytes(446) + entry + bytes(48) + b"\x55\xaa")
