# label: test
# cost: 5
# timeout: 600
"""Every job file of examples/: opens with what it models, how to run it and what to look at; fathom and fio both accept it; and
fathom really runs it, with sizes and times made small. fio's verdicts are recorded (tests/reference/recorded.py)."""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import tree

sys.path.insert(0, str(tree.SOURCE / "tests" / "reference"))
import recorded  # noqa: E402

FATHOM = os.environ.get("FATHOM", str(tree.SOURCE / "build/fathom"))
FIO = recorded.FIO
OWN_ENGINES = {"sim"}
DEVICE_BYTES = 8 << 20
# Whole lines of a job file, and what they become for a short run on a few MiB.
SMALLER = [(r"^runtime=.*$", "runtime=300ms"), (r"^size=\d+[kmg]$", "size=8m"), (r"^nrfiles=.*$", "nrfiles=20"),
           (r"^numjobs=.*$", "numjobs=2"), (r"^filesize=.*$", "filesize=4k-64k"), (r"^rate=.*$", "rate=8m")]


def examples():
    return sorted((tree.SOURCE / "examples").glob("*.fio"))


def digest(path):
    """An example that was changed since is asked of fio again."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def engines(text):
    return set(re.findall(r"^ioengine=(\w+)", text, re.M))


def smaller(text):
    for pattern, line in SMALLER:
        text = re.sub(pattern, line, text, flags=re.M)
    return text


def missing_in_head(text):
    """Which of the three parts the opening comment lacks."""
    head = "\n".join(row for row in re.split(r"^\[", text, 1, re.M)[0].split("\n") if row.startswith("#"))
    wanted = {"what it models": r"\A# [A-Z]", "run:": r"run: +.*fathom run .*examples/[\w-]+\.fio", "look at:": r"look at: +\S"}
    return [part for part, pattern in wanted.items() if not re.search(pattern, head)]


def io_uring_refusal():
    """Why this machine refuses io_uring, or None: containers often do."""
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall(425, 0, ctypes.create_string_buffer(256))  # io_uring_setup with no entries: EINVAL where it is allowed
    err = ctypes.get_errno()
    return None if err == 22 else os.strerror(err)


class Examples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fathom-examples-", dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "device").write_bytes(b"")
        os.truncate(self.folder / "device", DEVICE_BYTES)

    def call(self, program, *args):
        env = {**os.environ, "DEVICE": str(self.folder / "device")}
        return subprocess.run([*program, *map(str, args)], capture_output=True, text=True, env=env, cwd=self.folder, timeout=60)

    def run_small(self, path):
        text = smaller(path.read_text())
        (self.folder / path.name).write_text(text)
        where = [] if "${DEVICE}" in text or engines(text) <= OWN_ENGINES else [f"--directory={self.folder}"]
        return self.call([FATHOM, "run"], "--output-format=json", *where, path.name)

    def test_a_head_without_its_parts_is_seen(self):
        self.assertEqual(missing_in_head("# A log.\n#  run:  fathom run examples/a.fio\n#  look at:  clat\n[a]\n"), [])
        self.assertEqual(missing_in_head("[a]\n# A log.\n"), ["what it models", "run:", "look at:"])

    def test_there_are_at_least_ten(self):
        self.assertGreaterEqual(len(examples()), 10)

    def test_each_has_a_complete_head(self):
        self.assertEqual({p.name: m for p in examples() if (m := missing_in_head(p.read_text()))}, {})

    def test_fathom_accepts_each(self):
        for path in examples():
            with self.subTest(path.name):
                done = self.call([FATHOM, "run"], "--parse-only", path)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_broken_one_is_refused(self):
        (self.folder / "broken.fio").write_text("[a]\nrw=randred\nsize=1m\n")
        self.assertNotEqual(self.call([FATHOM, "run"], "--parse-only", "broken.fio").returncode, 0)

    def test_fio_accepts_each(self):
        for path in examples():
            if engines(path.read_text()) & OWN_ENGINES:
                continue
            with self.subTest(path.name):
                def of_fio():
                    done = self.call([FIO], "--parse-only", path)
                    return [done.returncode, done.stdout + done.stderr]

                self.assertEqual(recorded.answer(f"{path.name} {digest(path)}", of_fio), [0, ""])

    def test_each_runs(self):
        refusal = io_uring_refusal()
        for path in examples():
            if refusal and "io_uring" in engines(path.read_text()):
                print(f"{path.name}: left out, io_uring is refused here: {refusal}")
                continue
            with self.subTest(path.name):
                done = self.run_small(path)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                jobs = json.loads(done.stdout)["jobs"]
                self.assertEqual([j["error"] for j in jobs], [0] * len(jobs))
                self.assertGreater(min(j["read"]["total_ios"] + j["write"]["total_ios"] for j in jobs), 0)


if __name__ == "__main__":
    unittest.main()
