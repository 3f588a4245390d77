# label: kills
# timeout: 600
# lock: paging
# cost: 15
"""The real program, killed at moments spread over a whole run (set-up, measuring in the cgroup, restore, report): after the next start, or
`fathom paging cleanup`, there is no swap, cgroup, process or journal of it, and an old report is the old one or a whole new one.
FATHOM_COMMAND_KILLS: another number."""
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest

import driver

driver.skip_without("root", "zram", "cgroup")
FATHOM = os.environ["FATHOM"]
KILLS = int(os.environ.get("FATHOM_COMMAND_KILLS", "30"))
SWITCH = pathlib.Path("/sys/module/zswap/parameters/max_pool_percent")
GOLDEN = 0.6180339887  # its multiples lie evenly between 0 and 1, however many there are
OLD = "  measured another day\n  believe  yes\n"


class PagingKilled(unittest.TestCase):
    def setUp(self):
        self.since = int(time.time())
        folder = tempfile.TemporaryDirectory(prefix="fathom-killed-", dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.report = pathlib.Path(folder.name, "report.json")
        self.report.write_text(OLD)
        self.swap = driver.zram(128)
        self.command = [FATHOM, "paging", "--cold", "--eta=never", "--no-settle", "--threads=2", "--set=48M", "--limit=32M", "--duration=0.5", "--audit=off",
                        f"--swap={self.swap}", "--output-format=json", f"--output={self.report}"]
        if SWITCH.exists():
            self.before = SWITCH.read_text()
            self.command.append(f"--setting=zswap.max_pool_percent={int(self.before) - 1}")

    def start(self):
        return subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def whole_s(self):
        begin = time.monotonic()
        done = subprocess.run(self.command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, f"nobody killed it: {done.stderr[-1500:]}")
        return time.monotonic() - begin

    def processes(self):
        """Of a run of ours: measuring processes have its command line too."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if f"--swap={self.swap}".encode() in (path / "cmdline").read_bytes() and driver.start_of(path.name):
                    found.append(path.name)
            except OSError:
                pass
        return found

    def next_start(self, which):
        words = ["cleanup"] if which % 2 == 0 else ["--set=1M", "--duration=0.05", "--cold", "--eta=never", "--no-settle", "--audit=off"]
        done = subprocess.run([FATHOM, "paging", *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return "not undone" not in done.stdout and (done.stdout.startswith("run ") or "was killed and left" in done.stdout)

    def assert_nothing_left(self):
        self.assertEqual(driver.left_behind(self.since), [])
        self.assertEqual(self.processes(), [])
        if SWITCH.exists():
            self.assertEqual(SWITCH.read_text(), self.before)
        self.assertEqual(os.listdir(self.report.parent), [self.report.name])
        if self.report.read_text() != OLD:
            json.loads(self.report.read_text())
            self.report.write_text(OLD)

    def test_the_next_start_undoes_a_kill_at_any_moment_of_a_run(self):
        whole = min(self.whole_s() for _ in range(2))
        self.assert_nothing_left()
        found = killed = tried = 0
        while killed < KILLS and tried < 4 * KILLS:
            run = self.start()
            pause = whole * (tried * GOLDEN % 1)
            time.sleep(pause)
            run.kill()
            if run.wait() == -9:
                killed += 1
            else:  # it was over before: the machine is quicker than when `whole` was measured
                whole = max(pause, whole / 2)
            found += self.next_start(tried)
            self.assert_nothing_left()
            tried += 1
        print(f"{killed} of {tried} runs killed within {whole:.2f} s; {found} next starts had something to undo")
        self.assertEqual(killed, KILLS)
        self.assertGreater(found, KILLS / 5, "too few kills hit a run whose pressure stood")


if __name__ == "__main__":
    unittest.main()
