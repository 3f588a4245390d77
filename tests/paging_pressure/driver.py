"""What pressure's tests share: the driver (pressure_driver.cc), linked with the rooms, and a look at what is left on the machine."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
BUILD = pathlib.Path(os.environ["FATHOM_BUILD"])
STATE = pathlib.Path("/run/fathom/paging")
ROOMS = ["paging", "pattern", "clock", "host", "result", "stats", "base"]
MIB = 1 << 20


OWN_SIZES = {0}  # of zram devices that may be ours: 0 is one just added


def zram(mib):
    """A swap of about so many MiB, of a size that nobody else is likely to take, so that what is left is known as ours."""
    size = mib * MIB + 4096 * (1 + os.getpid() % 200)
    OWN_SIZES.add(size)
    return f"zram:{size}"


def rows(path):
    return pathlib.Path(path).read_text().splitlines()


def skip_without(*needs):
    """Ends the program with 77 and the reason when something is not there."""
    reasons = {
        "root": (os.geteuid() == 0, "needs root"),
        "zram": (os.path.exists("/sys/class/zram-control/hot_add"), "no zram in this kernel"),
        "cgroup": (any(" - cgroup " in m and "memory" in m or " - cgroup2 " in m for m in rows("/proc/self/mountinfo")), "no memory cgroup"),
        "loop": (os.path.exists("/dev/loop-control"), "no loop devices"),
    }
    for need in needs:
        there, reason = reasons[need]
        if not there:
            print("skipped:", reason)
            sys.exit(77)


def link_driver(folder):
    """The driver's path; linked from the rooms' libraries of this build."""
    program = pathlib.Path(folder) / "pressure_driver"
    libraries = [BUILD / f"libfathom_{room}.a" for room in ROOMS]
    sanitize = os.environ.get("FATHOM_SANITIZE", "")
    command = [os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-fno-lto", f"-I{SOURCE / 'src'}", f"-I{BUILD / 'generated'}",
               *([f"-fsanitize={sanitize}"] if sanitize else []), SOURCE / "tests/paging_pressure/pressure_driver.cc", "-o", program,
               "-Wl,--start-group", *(p for p in libraries if p.exists()), "-Wl,--end-group", "-lfmt", "-lblkid", "-lpthread"]
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr[-3000:])
    return str(program)


class Held:
    """A run that holds its pressure until restore() or kill()."""

    def __init__(self, program, *words, **popen):
        self.process = subprocess.Popen([program, "hold", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **popen)
        self.rows = []
        for row in self.process.stdout:
            self.rows.append(row.rstrip("\n"))
            if row.startswith("ready"):
                break
        self.ready = bool(self.rows) and self.rows[-1].startswith("ready")

    def said(self, word):
        return [r[len(word) + 1:] for r in self.rows if r.startswith(word + " ")]

    def restore(self):
        self.process.stdin.close()
        self.rows += self.process.stdout.read().splitlines()
        self.process.stdout.close()
        return self.process.wait()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def end(self):
        """Whatever a failed check left."""
        if self.process.poll() is None:
            self.restore()


def clean(program):
    return subprocess.run([program, "clean"], capture_output=True, text=True, check=True).stdout.splitlines()


def active_swaps():
    return {r.split()[0]: int(r.split()[4]) for r in rows("/proc/swaps")[1:]}


def start_of(pid):
    """When a process started, in the kernel's ticks; "" when it is no more, or only waits to be reaped."""
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def living(name):
    """Whether a journal's run lives."""
    pid, start = name.split("-")
    return start_of(pid) == start


def journals():
    found = {}
    for path in STATE.glob("*-*"):
        try:
            found[path.name] = path.read_text()
        except FileNotFoundError:
            pass
    return found


def cgroups():
    roots = {m.split()[4] for m in rows("/proc/self/mountinfo") if " - cgroup" in m}
    return {str(p) for root in roots for p in pathlib.Path(root).glob("fathom-paging-*")}


def zrams():
    """id -> when its node was made, of those that may be ours."""
    born = {}
    for path in pathlib.Path("/sys/block").glob("zram*"):
        try:
            if int((path / "disksize").read_text()) not in OWN_SIZES:
                continue
            # The node's own birth: st_ctime moves with every chmod.
            said = subprocess.run(["stat", "-c", "%W", f"/dev/{path.name}"], capture_output=True, text=True).stdout.strip()
            born[int(path.name[4:])] = int(said or 0)
        except (ValueError, OSError):
            pass
    return born


def left_behind(since, patience_s=10):
    """What no living run accounts for and was not there at `since`, () if nothing. Others may use zram here for an instant."""
    end = time.time() + patience_s
    while True:
        alive = {n: t for n, t in journals().items() if living(n)}
        pids = {n.split("-")[0] for n in alive}
        of_the_living = {int(i) for t in alive.values() for i in re.findall(r"^zram (\d+) ", t, re.M)}
        left = [n for n in journals() if not living(n)]
        left += [c for c in cgroups() if c.rpartition("-")[2] not in pids]
        left += [f"zram{i}" for i, born in zrams().items() if born >= since and i not in of_the_living]
        if not left or time.time() > end:
            return left
        time.sleep(0.2)


class LoopDisk:
    """A block device over a file of our own."""

    def __init__(self, mib=32):
        self.file = tempfile.NamedTemporaryFile(prefix="fathom-pressure-", dir="/var/tmp")
        os.truncate(self.file.name, mib * MIB)
        self.path = subprocess.run(["losetup", "-f", "--show", self.file.name], capture_output=True, text=True, check=True).stdout.strip()

    def close(self):
        subprocess.run(["losetup", "-d", self.path], check=False)
        self.file.close()
