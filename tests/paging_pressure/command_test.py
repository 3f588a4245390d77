# label: paging
# timeout: 300
# lock: paging
"""`fathom paging` ended in every way while its pressure stands: regularly, by Ctrl-C, by SIGTERM, by SIGKILL and then the next start or
`fathom paging cleanup`. And what it refuses, with the arithmetic, before it changes anything."""
import os
import signal
import subprocess
import tempfile
import time
import unittest

import driver

driver.skip_without("root", "zram", "cgroup")
FATHOM = os.environ["FATHOM"]
QUICK = ["--cold", "--eta=never", "--threads=2", "--set=48M", "--limit=32M"]


def fathom(*words):
    return subprocess.run([FATHOM, "paging", *words], capture_output=True, text=True)


class PagingUnderPressure(unittest.TestCase):
    def setUp(self):
        self.since = int(time.time())
        self.folder = tempfile.TemporaryDirectory(prefix="fathom-command-", dir="/var/tmp")
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "swap")

    def assert_nothing_left(self):
        self.assertEqual(driver.left_behind(self.since), [])
        self.assertEqual(os.listdir(self.folder.name), [])
        self.assertNotIn(self.file, driver.active_swaps())

    def started(self, *words):
        """A run whose swap is on and whose processes have begun."""
        run = subprocess.Popen([FATHOM, "paging", *QUICK, "--duration=60", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        end = time.time() + 60
        cgroup = f"fathom-paging-{run.pid}"
        while time.time() < end and run.poll() is None:
            here = [c for c in driver.cgroups() if c.endswith("/" + cgroup)]
            if here and driver.rows(here[0] + "/cgroup.procs"):
                return run, driver.rows(here[0] + "/cgroup.procs")
            time.sleep(0.02)
        self.fail(f"did not start: {run.stdout.read() if run.poll() is not None else 'still setting up'}")

    def ended(self, number, *words):
        run, _ = self.started(*words)
        time.sleep(0.5)
        run.send_signal(number)
        text = run.communicate(timeout=60)[0]
        self.assert_nothing_left()
        return text

    def test_regular_end_leaves_nothing(self):
        done = fathom(*QUICK, "--duration=1", f"--swap={driver.zram(128)}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assert_nothing_left()

    def test_ctrl_c_and_sigterm_leave_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.ended(number, f"--swap={driver.zram(128)}")
            self.ended(number, f"--swap=file:{self.file}:128M")

    def test_cleanup_after_sigkill_leaves_nothing(self):
        run, processes = self.started(f"--swap=file:{self.file}:128M")
        run.kill()
        run.communicate()
        done = fathom("cleanup")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assert_nothing_left()
        for pid in processes:
            self.assertFalse(driver.start_of(pid), "a measuring process lives")

    def test_the_next_start_after_sigkill_leaves_nothing(self):
        run, _ = self.started(f"--swap={driver.zram(128)}")
        run.kill()
        run.communicate()
        done = fathom("--set=1M", "--duration=1", "--cold", "--eta=never")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assert_nothing_left()

    def test_refusals_name_sizes_and_remedies(self):
        cases = (
            (["--set=4G", "--limit=512M", "--swap=zram:1G"], ["the set of 4 GiB", "limit 512 MiB + swap 1 GiB (zram:1G)", "for the measurement itself", "--set ", "--force"]),
            (["--set=1M", "--limit=4M"], ["limit of 4 MiB is less than the measurement itself needs"]),
            (["--set=48M", "--limit=32M", f"--swap=file:/dev/shm/{os.getpid()}.swap:128M"], ["tmpfs", "ext4"]),
            (["--set=48M", "--limit=32M", f"--swap={driver.zram(128)}", "--setting=vm.swapiness=1"], ["vm.swappiness"]),
            (["--set=48M", "--limit=32M", "--swap=zram:128M:nosuch"], ["this kernel has"]),
        )
        for words, expected in cases:
            done = fathom(*words, "--duration=1", "--cold", "--eta=never")
            self.assertNotEqual(done.returncode, 0, words)
            for text in expected:
                self.assertIn(text, done.stderr)
            self.assert_nothing_left()

    def test_the_smallest_accepted_limit_is_enough_to_measure(self):
        for threads in (1, 4):
            said = fathom("--set=1M", "--limit=1M", f"--threads={threads}", "--duration=1", "--cold", "--eta=never").stderr
            least = said.split("--limit ")[1].split()[0]
            done = fathom("--set=1M", f"--limit={least}", f"--threads={threads}", "--duration=1", "--cold", "--eta=never", f"--swap={driver.zram(64)}")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("killed", done.stdout + done.stderr)
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()
