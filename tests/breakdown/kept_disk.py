"""A disk of known speed that keeps what is written to it, so that a file system can lie on it: the slow file of slow_file.py over a sparse one, with a loop
device on it. It is fast until it is told to be slow. And file systems that are always unmounted again."""
import contextlib
import os
import shutil
import subprocess
import tempfile

import split
from attempts import wait_until
from slow_file import FSYNC, READ, WRITE, SlowFile, served

SIZE = 512 << 20  # xfs wants 300 MiB
WRITE_HEADER = 40  # struct fuse_write_in


class KeptFile(SlowFile):
    def __init__(self, backing):
        super().__init__(SIZE, 0, 0, 0)
        self.backing = backing

    def read(self, body):
        zeros = super().read(body)
        offset = int.from_bytes(body[8:16], "little")
        return os.pread(self.backing, len(zeros), offset).ljust(len(zeros), b"\0")

    def write(self, body):
        answer = super().write(body)
        os.pwrite(self.backing, body[WRITE_HEADER:], int.from_bytes(body[8:16], "little"))
        return answer

    @contextlib.contextmanager
    def slow(self, read_s=0.0, write_s=0.0, fsync_s=0.0):
        self.read_s, self.write_s, self.fsync_s = read_s, write_s, fsync_s
        self.forget()
        try:
            yield
        finally:
            self.read_s = self.write_s = self.fsync_s = 0

    def took_of(self, *calls):
        return sum(sum(self.took_ns[call]) for call in calls)


@contextlib.contextmanager
def kept_disk():
    """A loop device and its file; None, None where there is none."""
    with tempfile.TemporaryFile(dir="/var/tmp") as backing:
        os.truncate(backing.fileno(), SIZE)
        file = KeptFile(backing.fileno())
        with served(file) as path:
            if path is None:
                yield None, None
                return
            with split.loop_device(path) as device:
                yield device, file


def unmounted(folder):
    """Whoever looks into it has it busy for an instant."""
    return not os.path.ismount(folder) or subprocess.run(["umount", folder], capture_output=True, check=False).returncode == 0


@contextlib.contextmanager
def file_system(device, kind, *options):
    """Its folder; None where it cannot be made."""
    if shutil.which(f"mkfs.{kind}") is None or subprocess.run([f"mkfs.{kind}", "-q", *options, device], capture_output=True, check=False).returncode != 0:
        yield None
        return
    folder = tempfile.mkdtemp(dir="/var/tmp")
    if subprocess.run(["mount", device, folder], capture_output=True, check=False).returncode != 0:
        os.rmdir(folder)
        yield None
        return
    try:
        yield folder
    finally:
        if not wait_until(lambda: unmounted(folder)):
            subprocess.run(["umount", "--lazy", folder], check=False)
        os.rmdir(folder)


def laid_out(folder, mib=4):
    """A file whose every block was written."""
    path = os.path.join(folder, "f")
    with open(path, "wb") as f:
        for _ in range(mib):
            f.write(os.urandom(1 << 20))
        os.fsync(f.fileno())
    return path


__all__ = ["FSYNC", "READ", "WRITE", "file_system", "kept_disk", "laid_out"]
