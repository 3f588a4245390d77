#!/usr/bin/python3
# label: timing
# timeout: 600
"""A history of 100,000 runs: list and compare answer within 200 ms. The runs are copies of real ones, made in the file itself: by `add` they would take
minutes, and the file would be the same."""
import contextlib
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import attempts  # noqa: E402

FATHOM = os.environ["FATHOM"]
RUNS = 100_000
MOST_S = 0.2
HOUR_MS = 3_600_000


class LargeHistory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        cls.file = os.path.join(cls.holder.name, "history.db")
        for name in ("nightly", "hourly"):
            done = subprocess.run([FATHOM, "run", f"--name={name}", "--ioengine=sim", "--rw=randread", "--bs=4k", "--size=4m", "--clock-check=skip",
                                   "--keep", f"--history={cls.file}"], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stderr
        with contextlib.closing(sqlite3.connect(cls.file)) as database:
            cls.copy(database)

    @classmethod
    def copy(cls, database):
        """Run i is a copy of run 1 or 2, an hour after run i - 1; one of a thousand has the tag `v1`, 90 % the tag `main`."""
        database.execute(f"CREATE TEMP TABLE n AS WITH RECURSIVE c(i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM c WHERE i < {RUNS}) "
                         "SELECT i, 1 + i % 2 AS of FROM c")
        columns = "environment, title, workload, command, checks, unfit, bytes_per_s, iops, p99_ns, cpu_ns_per_io"
        database.execute(f"INSERT INTO runs(id, run_id, time_epoch_ms, {columns}) SELECT i, printf('%08x-copy', i * 2654435761 % 4294967296), "
                         f"time_epoch_ms + i * {HOUR_MS}, {columns} FROM n JOIN runs ON runs.id = n.of")
        database.execute("INSERT INTO results SELECT i, bytes, packed FROM n JOIN results ON results.run = n.of")
        numbers = "direction, bytes_per_s, iops * (1 + 0.01 * (i % 7)), p99_ns, cpu_ns_per_io, fit"
        database.execute(f"INSERT INTO parts SELECT job, time_epoch_ms + i * {HOUR_MS}, i, {numbers} FROM n JOIN parts ON parts.run = n.of")
        database.execute("INSERT INTO tags SELECT 'v1', time_epoch_ms, id FROM runs WHERE id % 1000 = 0")
        database.execute("INSERT INTO tags SELECT 'main', time_epoch_ms, id FROM runs WHERE id % 10 <> 0")
        database.commit()

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def seconds(self, *words):
        begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([FATHOM, "history", *words, f"--history={self.file}"], capture_output=True, text=True, timeout=120)
        taken, after = time.monotonic() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.assertIn(done.returncode, (0, 1), done.stderr)
        print(f"{1000 * taken:5.0f} ms ({1000 * cpu:.0f} ms of CPU time): history {' '.join(words)}", flush=True)
        return taken, done.stdout

    def within(self, *words, says=""):
        taken, text = self.seconds(*words)
        self.assertIn(says, text)
        self.assertLessEqual(taken, MOST_S, words)

    @attempts
    def test_list(self):
        self.within("list", says=f"20 of {RUNS} runs")
        for words in (["--job=nightly"], ["--tag=v1"], ["--tag=main"], ["--host=" + os.uname().nodename], ["--job=hourly", "--tag=main"], ["--last=1000"]):
            self.within("list", *words)

    @attempts
    def test_compare(self):
        self.within("compare", "5", "99999", "--plot=0", says="cannot tell")
        self.within("compare", "5,6,7", "99997,99998,99999", "--output-format=json", says='"iops"')

    @attempts
    def test_show_tag_and_check(self):
        self.within("show", "50000")
        self.within("tag", "50000", "middle")
        self.within("check", says="hourly")


if __name__ == "__main__":
    unittest.main()
