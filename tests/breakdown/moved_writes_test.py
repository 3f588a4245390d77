"""--breakdown=all of writes that xfs puts to another place: a write that it makes atomic by itself (atomic=1), and one to a block that the file shares with a
clone. Where its extents lie beforehand says nothing of them; the loop's task, or what io_uring submits, does."""
# label: kernel
# timeout: 200
# cost: 5
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

import split
from all_parts import check, failures, need_programs, run, text_of, tried

LEAST = 0.999
SIZE = 16 << 20


@contextlib.contextmanager
def xfs():
    """A folder of an xfs on a loop device; None where there is none."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        image, point = os.path.join(folder, "image"), os.path.join(folder, "m")
        os.mkdir(point)
        with open(image, "wb") as f:
            f.truncate(400 << 20)
        with split.loop_device(image) as device:
            made = device is not None and shutil.which("mkfs.xfs") and subprocess.run(["mkfs.xfs", "-q", device], check=False).returncode == 0
            if not made or subprocess.run(["mount", device, point], check=False).returncode != 0:
                yield None
                return
            try:
                yield point
            finally:
                subprocess.run(["umount", point], check=True)


def file_of(folder, name):
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(os.urandom(SIZE))
        os.fsync(f.fileno())
    return path


def writes(path, *options):
    result = run([f"--filename={path}", "--rw=randwrite", f"--size={SIZE}", "--number_ios=1000", *options])
    return {c["direction"]: c for c in result["fathom"]["breakdown"]["classes"]}["write"]


def found(title, path, *options):
    c = writes(path, *options)
    check(c["ios"] == 1000 and c["matched"] >= LEAST * c["ios"], f"{title}: {text_of(c)}")


def not_placed(title, path, *options):
    """Of several in flight under libaio it is not known which is which, and that is said."""
    c = writes(path, *options)
    check(c["unknown"] == c["lost"] == 0 and c["unplaced"] + c["matched"] == c["ios"], f"{title}: {text_of(c)}")


def main():
    need_programs()
    with xfs() as folder:
        if folder is None:
            split.skip("no xfs can be made and mounted")
        atomic = file_of(folder, "atomic")
        if b"Operation not supported" in subprocess.run([split.FATHOM, "run", "--name=t", f"--filename={atomic}", "--size=4k", "--rw=write", "--atomic=1",
                                                         "--ioengine=pvsync2", "--audit=off"], capture_output=True, check=False).stderr:
            print("note: this kernel's xfs makes no atomic writes")
        else:
            tried(found, "atomic, pvsync2", atomic, "--ioengine=pvsync2", "--atomic=1")
            tried(found, "atomic, io_uring", atomic, "--ioengine=io_uring", "--iodepth=4", "--atomic=1")
            tried(not_placed, "atomic, libaio", atomic, "--ioengine=libaio", "--iodepth=4", "--atomic=1")
        for engine in (["--ioengine=psync"], ["--ioengine=io_uring", "--iodepth=4"]):
            clone = os.path.join(folder, "clone")
            subprocess.run(["cp", "--reflink=always", file_of(folder, "original"), clone], check=True)
            tried(found, f"a clone, {engine[0][11:]}", clone, *engine)
    sys.exit(1 if failures else 0)


main()
