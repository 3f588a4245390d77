#!/usr/bin/python3
# timeout: 300
# cost: 20
"""`fathom history add` killed at each write, sync and removal of a file, by strace: the history has the run or has not, and is sound in both cases."""
import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from compare_files import FATHOM, Results

CALLS = ("pwrite64", "fdatasync", "unlink")
EVERY = 5  # of the writes, and the first ten


class Killed(unittest.TestCase):
    def setUp(self):
        if not shutil.which("strace") or subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
            print("skipped: strace cannot trace here")
            sys.exit(77)
        holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        self.addCleanup(holder.cleanup)
        self.file, self.start = (os.path.join(holder.name, name) for name in ("history.db", "start.db"))
        results = Results(holder.name)
        self.first, self.second = results.run("1.json", 1000, 1), results.run("2.json", 1100, 2)

    def add(self, result, *tracer):
        return subprocess.run([*tracer, FATHOM, "history", "add", f"--history={self.file}", result], capture_output=True, text=True, timeout=60)

    def ids(self):
        """Runs of the history after it was opened again, by fathom first."""
        done = subprocess.run([FATHOM, "history", "list", f"--history={self.file}"], capture_output=True, text=True, timeout=60)
        if done.returncode == 2 and ("no such file" in done.stderr or "an empty file" in done.stderr):
            return []
        self.assertEqual(done.returncode, 0, done.stderr)
        with contextlib.closing(sqlite3.connect(self.file)) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            counts = [database.execute(f"SELECT count(DISTINCT {column}) FROM {table}").fetchone()[0]
                      for table, column in (("runs", "id"), ("results", "run"), ("parts", "run"))]
            self.assertEqual(len(set(counts)), 1, "a run is there with all that belongs to it, or not at all")
            return [row[0] for row in database.execute("SELECT id FROM runs ORDER BY id")]

    def at_each_call(self, begin, result, before, after):
        """Kills at the nth call until the command comes to its end. begin() restores the file."""
        seen = set()
        for call in CALLS:
            for n in range(1, 1000):
                if call == "pwrite64" and n > 10 and n % EVERY != 0:
                    continue
                begin()
                done = self.add(result, "strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={n}")
                found = self.ids()
                self.assertIn(found, (before, after), f"{call} {n}")
                if done.returncode == 0:
                    self.assertEqual(found, after)
                    break
                seen.add(tuple(found))
                self.add(result)
                self.assertEqual(self.ids(), after, "the same command adds it")
            self.assertGreater(n, 1, f"no {call} was reached")
        self.assertIn(tuple(before), seen)

    def test_a_further_run(self):
        self.add(self.first)
        shutil.copy(self.file, self.start)

        def begin():
            for suffix in ("", "-journal"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.file + suffix)
            shutil.copy(self.start, self.file)
        self.at_each_call(begin, self.second, [1], [1, 2])

    def test_the_first_run(self):
        def begin():
            for suffix in ("", "-journal"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.file + suffix)
        self.at_each_call(begin, self.first, [], [1])


if __name__ == "__main__":
    unittest.main()
