"""tgt as the server of a test. Its system calls on the file of its disk are the server's own count. It runs in the test's own network (own_network.py)."""
import collections
import contextlib
import os
import pathlib
import re
import subprocess
import tempfile
import time

PORT = 13260
TARGET = "iqn.2026-11.example:t1"
CALLS = "pread64,pwrite64,fsync,fdatasync,fallocate"
CALL = re.compile(r"(\w+)\(\d+(?:, .*?)?(?:, (\d+), (\d+))? *\) += (-?\d+)")
Counted = collections.namedtuple("Counted", "calls bytes")


def whole_calls(text):
    """Lines of strace, with the two parts of a call that another thread interrupted put together."""
    begun = {}
    for line in text.splitlines():
        pid, _, rest = line.partition(" ")
        rest = rest.strip()
        if rest.endswith("<unfinished ...>"):
            begun[pid] = rest.removesuffix("<unfinished ...>")
        elif "resumed>" in rest and pid in begun:
            yield begun.pop(pid) + rest.partition("resumed>")[2]
        else:
            yield rest


class Server:
    def __init__(self, process, folder, image):
        self.process, self.image, self.log = process, image, folder / "calls"
        self.url = f"iscsi://127.0.0.1:{PORT}/{TARGET}/1"

    def counted(self):
        """{system call: how often, bytes} on the file of the disk."""
        found = {}
        for line in whole_calls(self.log.read_text()):
            if match := CALL.search(line):
                calls, size_bytes = found.get(match[1], (0, 0))
                moved = int(match[3] or 0) if match[1] == "fallocate" else max(int(match[4]), 0)
                found[match[1]] = Counted(calls + 1, size_bytes + moved)
        return found

    def forget(self):
        os.truncate(self.log, 0)  # strace appends

    def admin(self, *words):
        subprocess.run(["tgtadm", "-C", "9", "--lld", "iscsi", *words], check=True, capture_output=True)

    def kill(self):
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def tgtd(size_bytes, params=(), trace=True, image=None, allowed="ALL", prepare=None):
    """tgtd with one target, whose LUN 1 is a file of zeros."""
    with tempfile.TemporaryDirectory(prefix="fathom-iscsi-") as name:
        folder = pathlib.Path(name)
        image = image or folder / "disk"
        with image.open("wb") as file:
            file.truncate(size_bytes)
        log = folder / "calls"
        log.touch()
        traced = ["strace", "-D", "-f", "-A", "-qq", "-s", "0", "-P", str(image), "-e", f"trace={CALLS}", "-o", str(log)] if trace else []
        process = subprocess.Popen([*traced, "tgtd", "-f", "-C", "9", "--iscsi", f"portal=127.0.0.1:{PORT}"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, preexec_fn=prepare)
        try:
            server = Server(process, folder, image)
            while subprocess.run(["tgtadm", "-C", "9", "--mode", "sys", "--op", "show"], capture_output=True).returncode != 0:
                assert process.poll() is None, f"tgtd ended with {process.returncode}"
                time.sleep(0.05)
            server.admin("--mode", "target", "--op", "new", "--tid", "1", "--targetname", TARGET)
            server.admin("--mode", "logicalunit", "--op", "new", "--tid", "1", "--lun", "1", "-b", str(image))
            for param in params:
                server.admin("--mode", "logicalunit", "--op", "update", "--tid", "1", "--lun", "1", "--params", param)
            server.admin("--mode", "target", "--op", "bind", "--tid", "1", "-I", allowed)
            yield server
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
