"""Runs one job with Debian's fio and with fathom in fio mode, each in a fresh directory, and holds what is left against each other.

fio is the reference because we did not write it. What a job moved (bytes, I/Os, syncs), what it left on the disk (names, sizes) and what it
told its caller (exit status) must be the same; how long it took is the benchmark's business (scripts/bench), never a test's.
Most tests read fio's answers from files (recorded.py), and FATHOM_FIO=live runs fio beside fathom.
FATHOM=/usr/bin/fio holds the reference against itself: that run finds mistakes of the suite, not of fathom.
"""
import contextlib
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import recorded

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "house"))
from attempts import note  # noqa: E402

SKIP = 77
FIO = recorded.FIO
FATHOM = os.environ.get("FATHOM", "fathom")
BASE = os.environ.get("FATHOM_TEST_DIR", "/var/tmp")  # a disk's file system: O_DIRECT must work
TIMEOUT_S = 120


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIP)


def need(*programs):
    """Ends the test as skipped where something outside the project is missing."""
    for program in programs:
        if shutil.which(program) is None:
            skip(f"{program} is not installed (scripts/setup --test)")


def need_fio(*programs):
    """What a test with recorded answers needs: fio itself only where it runs."""
    need(*([FIO] if recorded.LIVE else []), *programs)


def is_fathom():
    return os.path.realpath(FATHOM) != os.path.realpath(FIO)


def need_fathom():
    if not is_fathom():
        skip("fathom's own rules: nothing to hold fio to")


def fio_link():
    """fathom under fio's name: the link beside the binary, as the build makes it."""
    link = os.path.join(os.path.dirname(os.path.abspath(FATHOM)), "fio")
    return link if os.path.exists(link) else FATHOM


@dataclasses.dataclass
class Outcome:
    rc: int  # None: it hung and was killed
    stdout: str
    stderr: str
    files: dict  # name -> size in bytes, of everything under the directory
    allocated: dict  # name -> bytes on the disk
    strays: bool = False  # processes of its own were still there when it had ended

    @property
    def report(self):
        """The JSON report; fio may print notices before it, so it begins at the first line that is a brace."""
        return parse_report(self.stdout)


def parse_report(text):
    start = text.find("{\n") if text.startswith("{\n") else text.find("\n{\n")
    return json.loads(text[start:]) if start >= 0 else None


def kill_group(leader):
    """True if there was anybody left to kill."""
    try:
        os.killpg(leader, signal.SIGKILL)
        return True
    except ProcessLookupError:
        return False


def execute(argv, cwd, timeout=TIMEOUT_S, **kwargs):
    """One program run to its end; its whole output and what lies in cwd afterwards."""
    child = subprocess.Popen([str(a) for a in argv], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, errors="replace", start_new_session=True, **kwargs)
    try:
        out, err = child.communicate(timeout=timeout)
        rc, strays = child.returncode, kill_group(child.pid)
    except subprocess.TimeoutExpired:
        kill_group(child.pid)
        out, err = child.communicate()
        rc, strays = None, False
    files, allocated = {}, {}
    for folder, _, names in os.walk(cwd):
        for name in names:
            status = os.lstat(os.path.join(folder, name))
            key = os.path.relpath(os.path.join(folder, name), cwd)
            files[key], allocated[key] = status.st_size, status.st_blocks * 512
    return Outcome(rc, out, err, files, allocated, strays)


@contextlib.contextmanager
def workspace():
    """A fresh directory for targets; the job file lies beside it, so that it is not counted among what the job made."""
    top = tempfile.mkdtemp(prefix="fathom-ref.", dir=BASE)
    try:
        os.mkdir(os.path.join(top, "d"))
        yield os.path.join(top, "d")
    finally:
        shutil.rmtree(top, ignore_errors=True)


def write_job(cwd, text):
    path = os.path.join(os.path.dirname(cwd), "job.fio")
    with open(path, "w") as f:
        f.write(text)
    return path


def size_bytes(text):
    text = str(text)
    units = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def fill(cwd, files):
    """Makes the files a job expects: {"a": "1m", "b": b"content", "sub/": None}."""
    for name, size in files.items():
        path = os.path.join(cwd, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if size is not None:
            with open(path, "wb") as f:
                f.write(size if isinstance(size, bytes) else os.urandom(size_bytes(size)))


def on_both(function):
    """function(program) for fio and for fathom at the same time: two short runs that mostly wait."""
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(function, program) for program in (FIO, fio_link())]
        return [f.result() for f in futures]


class Checks:
    """Counts and prints; a test is a script that ends with done()."""

    def __init__(self, names=None):
        self.failed, self.count = 0, 0
        self.only = names if names is not None else sys.argv[1:]

    def wanted(self, name):
        return not self.only or any(word in name for word in self.only)

    def check(self, name, condition, detail=""):
        self.count += 1
        if condition:
            return True
        self.failed += 1
        print(f"FAIL {name}: {str(detail)[:2000]}", flush=True)
        return False

    def in_attempts(self, part, *arguments, most=3):
        """A part whose measuring may fall into other work of the machine: only its last attempt's checks count."""
        for attempt in range(1, most + 1):
            failed, count = self.failed, self.count
            part(self, *arguments)
            if self.failed == failed and attempt > 1:
                note(part.__name__, attempt)
            if self.failed == failed or attempt == most:
                return
            self.failed, self.count = failed, count
            self.note(f"  attempt {attempt} of {most}: once more, what failed above may be the machine's other work")

    def equal(self, name, ours, reference):
        return self.check(name, ours == reference, f"ours {ours!r}, expected {reference!r}")

    def of_fio(self, key, ask, **more):
        """fio's answer (recorded.py). Where the file has another one, that is a failed check, and the test goes on with fio's answer of now."""
        try:
            return recorded.answer(key, ask, **more)
        except recorded.Differs as why:
            self.check(f"{key}: fio's recorded answer", False, why)
            return why.live

    def beside_fio(self, key, run, facts, **more):
        """(facts of fio, facts of fathom, what fathom's run gave). `run(program)` runs one of them: fathom alone, or both at the same time where
        fio is asked. `facts(outcome)` is what the test compares."""
        theirs, ours = on_both(run) if recorded.LIVE else (None, run(fio_link()))
        return self.of_fio(key, lambda: facts(theirs), **more), recorded.plain(facts(ours)), ours

    def note(self, text):
        print(text, flush=True)

    def done(self):
        print(f"{self.count - self.failed} of {self.count} checks passed")
        sys.exit(1 if self.failed or not self.count else 0)
