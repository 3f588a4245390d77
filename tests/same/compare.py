"""What scripts/same does: each row by two programs, their masked outputs held against each other.

A row that measures may come out in more than one way, so where the first pair differs both programs are asked again, and the row is the same
if any answer of one is any answer of the other. What is wrong in a program is wrong each time.
"""
import argparse
import concurrent.futures
import contextlib
import difflib
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import files
import masks
import rows
import wanted

SOURCE = pathlib.Path(__file__).resolve().parents[2]
NAMES = ("fathom", "fio", "spdk_nvme_perf", "pmbench")
ATTEMPTS = 5
TIMEOUT_S = 60
MEMORY = "/dev/shm"  # no disk: nobody else's I/O comes into a report
sys.path[:0] = [str(SOURCE / "tests" / "pmu_cli")]
import recorded  # noqa: E402


class Program:
    """A program under all its names, in a folder of its own; both folders' names are equally long."""

    def __init__(self, place, binary):
        self.place = pathlib.Path(place)
        (self.place / "bin").mkdir(parents=True)
        for name in NAMES:
            (self.place / "bin" / name).symlink_to(os.path.abspath(binary))
        self.environment = {"PATH": f"{self.place}/bin:/usr/bin:/bin", "HOME": str(self.place), "XDG_RUNTIME_DIR": str(self.place), "LANG": "C",
                            "TZ": "UTC", "SAME_TAG": "7"}

    def run(self, words, folder, stdin):
        """Completed, or None where it did not end."""
        given = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": open(os.path.join(folder, stdin), "rb")}
        if words[0] in NAMES:
            words = [os.path.join(self.place, "bin", words[0]), *words[1:]]
        try:
            return subprocess.run(words, cwd=folder, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S, **given)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if "stdin" in given:
                given["stdin"].close()

    def answer(self, row, shared):
        """stdout, stderr, exit status and written files as one masked text."""
        with tempfile.TemporaryDirectory(prefix="row-", dir=self.place) as folder:
            there = fill(folder, row, shared)
            parts = []
            for words, stdin in row.commands():
                done = self.run(words, folder, stdin)
                status = "none: it did not end" if done is None else str(done.returncode)
                parts += [(f"{words[-1]}: " if row.swept else "") + f"exit status {status}"]
                parts += [f"--- {name}\n{self.shown(content, folder, row)}" for name, content in (("stdout", done.stdout), ("stderr", done.stderr)) if content] if done else []
            parts += [f"--- file {name}\n{self.shown(content, folder, row)}" for name, content in written(folder, there)]
            return "\n".join(parts)

    def shown(self, content, folder, row):
        """Text masked; of bytes their number, and what they add up to where that is not the time of day, as in written blocks."""
        if content.count(b"\0") * 10 <= len(content):
            with contextlib.suppress(UnicodeDecodeError):
                return masks.masked(content.decode().replace(folder, "DIR").replace(str(self.place), "PLACE"), row.level)
        return f"{len(content)} bytes" + ("" if row.level else f", {hashlib.sha256(content).hexdigest()}")


def fill(folder, row, shared):
    for name, content in shared["files"].items():
        if name in row.text or name.endswith(".inc"):
            pathlib.Path(folder, name).write_bytes(content)
    for name in shared["folders"]:
        if f"--root={name}" in row.text:
            os.symlink(shared["folders"][name], os.path.join(folder, name))
    return set(os.listdir(folder))


def written(folder, given):
    """What is new, and what was given and is no longer what it was: never the case but for data."""
    return [(path.relative_to(folder), path.read_bytes()) for path in sorted(pathlib.Path(folder).rglob("*"))
            if path.is_file() and path.name not in given]


def differences(old, new):
    return [line for line in difflib.unified_diff(old.split("\n"), new.split("\n"), "old", "new", lineterm="", n=0)
            if not line.startswith(("---", "+++", "@@"))]


def compare(row, old, new, shared, list_of_wanted):
    """The lines that differ, none if it is the same."""
    answers = {old: [], new: []}
    first = None
    for _ in range(ATTEMPTS):
        if row.alone:
            now = [program.answer(row, shared) for program in (old, new)]
        else:
            with concurrent.futures.ThreadPoolExecutor(2) as pair:
                now = list(pair.map(lambda program: program.answer(row, shared), (old, new)))
        answers[old].append(now[0])
        answers[new].append(now[1])
        found = [list_of_wanted.left(row.text, differences(o, n)) for o in answers[old] for n in answers[new]]
        if [] in found:
            return []
        first = first or found[0]
    return min(found, key=len)


def shared_things(folder):
    """Made once, read by every row."""
    machines = {name: os.path.join(folder, name) for name in ("server", "bare")}
    recorded.article_server(machines["server"])
    os.mkdir(machines["bare"])
    for manifest in (SOURCE / "tests" / "pmu" / "sysfs").glob("*.txt"):
        machines[manifest.stem] = os.path.join(folder, manifest.stem)
        recorded.unpack(manifest, machines[manifest.stem])
    content = files.all_files()
    content |= {path.name: path.read_bytes() for path in (SOURCE / "tests" / "import" / "data").glob("*.xml")}
    return {"files": content, "folders": machines}


def options(arguments):
    parser = argparse.ArgumentParser(prog="scripts/same", description="Prints where two builds of fathom answer differently; nothing if nowhere.")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--only", default="", metavar="WORDS", help="only rows that contain this")
    parser.add_argument("--list", action="store_true", help="print the rows and run nothing")
    parser.add_argument("-v", "--verbose", action="store_true", help="each row and how long it took, on standard error")
    return parser.parse_args(arguments)


def main(arguments):
    given = options(arguments)
    for program in (given.old, given.new):
        if not os.access(program, os.X_OK):
            sys.exit(f"scripts/same: {program} is no program")
    list_of_wanted = wanted.Wanted.read()
    differing = 0
    with tempfile.TemporaryDirectory(prefix="fathom-same-", dir=MEMORY if os.path.isdir(MEMORY) else None) as folder:
        shared = shared_things(folder)
        old, new = Program(f"{folder}/old", given.old), Program(f"{folder}/new", given.new)
        every = rows.all_rows(lambda words: old.run(words, folder, os.devnull).stdout.decode())
        chosen = [row for row in every if given.only in row.text]
        if given.list:
            print("\n".join(row.text for row in chosen))
            return 0
        old.run(["fathom", "doctor"], folder, os.devnull)  # the clock is calibrated before anything is compared

        def one(row):
            began = time.monotonic()
            lines = compare(row, old, new, shared, list_of_wanted)
            if given.verbose:
                print(f"{time.monotonic() - began:6.2f} s  {row.text}", file=sys.stderr)
            return row, lines

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for row, lines in [*pool.map(one, (row for row in chosen if not row.alone)), *map(one, (row for row in chosen if row.alone))]:
                if lines:
                    differing += 1
                    print(f"== {row.text}", *lines, sep="\n", flush=True)
    if given.verbose and not given.only:
        print(*list_of_wanted.unseen(), sep="\n", file=sys.stderr)
    return 1 if differing else 0
