"""A file system of the tests, compiled, mounted, commanded and taken away again: the damaging one (damaging_fs.cc) or that for large files (recomputing_fs.cc)."""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

DAMAGING = "damaging_fs"
RECOMPUTING = "recomputing_fs"
SKIP = 77


def skip_without_fuse():
    reason = None
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        reason = "no /dev/fuse for this user"
    elif subprocess.run(["pkg-config", "--exists", "fuse3"]).returncode != 0:
        reason = "libfuse3-dev is not installed (scripts/setup --test)"
    if reason:
        print("skipped:", reason)
        sys.exit(SKIP)


def compiled(folder, tool):
    program = os.path.join(folder, tool)
    source = pathlib.Path(__file__).with_name(f"{tool}.cc")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "fuse3"], capture_output=True, text=True, check=True).stdout.split()
    subprocess.run([os.environ.get("CXX", "g++"), "-std=c++20", "-O2", "-Wall", "-Wextra", str(source), "-o", program, *flags], check=True)
    return program


class Mount:
    def __init__(self, point):
        self.point = point
        self.data = os.path.join(point, "data")

    def command(self, *lines):
        with open(os.path.join(self.point, "control"), "wb", buffering=0) as f:
            f.write("".join(line + "\n" for line in lines).encode())

    def acted(self):
        """{offset: how often its damage was done}"""
        with open(os.path.join(self.point, "control"), encoding="ascii") as f:
            return {int(words[1]): int(words[3]) for words in (row.split() for row in f)}


@contextlib.contextmanager
def mounted(tool=DAMAGING):
    """A Mount; gone when the block ends."""
    with tempfile.TemporaryDirectory(prefix="fathom-fuse.") as top:
        point = os.path.join(top, "m")
        os.mkdir(point)
        child = subprocess.Popen([compiled(top, tool), "-f", "-s", point])
        try:
            for _ in range(200):
                if os.path.ismount(point) or child.poll() is not None:
                    break
                time.sleep(0.02)
            if not os.path.ismount(point):
                raise AssertionError(f"the file system did not mount: exit status {child.poll()}")
            yield Mount(point)
        finally:
            subprocess.run(["umount", point], check=False)
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(10)
            child.kill()
