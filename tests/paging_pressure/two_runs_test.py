# label: paging
# timeout: 300
# lock: paging
# cost: 30
"""Two runs under pressure at once, each with a zram of its own: the kernel fills both in turn, so each has pages in the other's. Whichever ends
first leaves its swap to the other's end, kills nobody and is no error; at the end nothing of either is left, killed or not."""
import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

import driver
from driver import MIB

driver.skip_without("root", "zram", "cgroup")
FATHOM = os.environ["FATHOM"]


SWAP = driver.zram(128)
# A sanitizer's child is larger itself.
SIZES = ["--set=96M", "--limit=64M"] if os.environ.get("FATHOM_SANITIZE") else ["--set=48M", "--limit=24M"]


def our_swaps():
    """{path: MiB in it}, by their size: another program's may have the same number when ours is gone."""
    kib = int(SWAP.partition(":")[2]) // 1024 - 4  # without the header
    return {r.split()[0]: int(r.split()[3]) / 1024 for r in driver.rows("/proc/swaps")[1:] if int(r.split()[2]) == kib}


class ConcurrentPressureRuns(unittest.TestCase):
    def setUp(self):
        self.since = int(time.time())
        self.undo = contextlib.ExitStack()
        folder = self.undo.enter_context(tempfile.TemporaryDirectory(prefix="fathom-two-", dir="/var/tmp"))
        self.folder = folder
        self.program = driver.link_driver(folder)
        self.undo.callback(subprocess.run, [FATHOM, "paging", "cleanup", "--force"], capture_output=True)

    def tearDown(self):
        self.undo.close()
        self.assertEqual(driver.left_behind(self.since), [])

    def hold(self, touch_mib):
        """A run whose process in a group of 16 MiB has touched so much."""
        run = driver.Held(self.program, f"limit={16 * MIB}", f"swap={SWAP}", f"touch={touch_mib}")
        self.undo.callback(run.end)
        self.assertTrue(run.ready, run.rows)
        (run.swap,) = set(our_swaps()) - self.seen
        self.seen.add(run.swap)
        run.toucher = run.said("ready")[0]
        return run

    def both(self):
        self.seen = set(our_swaps())
        first = self.hold(1)
        second = self.hold(80)
        if our_swaps()[first.swap] < 8:
            second.end()
            first.end()
            self.skipTest(f"the kernel put the second run's pages elsewhere: {driver.rows('/proc/swaps')}")
        return first, second

    def assert_gone(self, *runs):
        for run in runs:
            self.assertNotIn(run.swap, our_swaps())
            self.assertFalse(any(n.startswith(f"{run.process.pid}-") for n in driver.journals()))
            self.assertEqual(driver.start_of(run.toucher), "")

    def findings(self, run):
        return {f.split(":")[0]: f for f in run.said("finding")}

    def test_the_run_that_ends_first_leaves_its_swap_to_the_other(self):
        first, second = self.both()
        first.restore()
        said = self.findings(first)
        self.assertNotIn("paging.not_restored", said)
        self.assertIn(f"swapoff {first.swap}: postponed until another run", said["paging.left_to_other_run"])
        self.assertIn(f"pid {second.process.pid} (up to ", said["paging.left_to_other_run"])
        self.assertIn(first.swap, our_swaps())
        self.assertNotEqual(driver.start_of(second.toucher), "", "the other run's process was killed")
        second.restore()
        said = self.findings(second)
        self.assertNotIn("paging.not_restored", said)
        self.assertIn(f"of the run with pid {first.process.pid}, which has ended: swapoff {first.swap}", said["paging.leftovers"])
        self.assert_gone(first, second)

    def test_ending_in_reverse_order_removes_both_swaps(self):
        first, second = self.both()
        second.restore()
        first.restore()
        for run in (first, second):
            self.assertNotIn("paging.not_restored", self.findings(run))
        self.assert_gone(first, second)

    def test_a_killed_runs_swap_is_removed_when_the_other_ends(self):
        first, second = self.both()
        first.kill()
        early = subprocess.run([FATHOM, "paging", "cleanup"], capture_output=True, text=True)
        self.assertEqual(early.returncode, 0, early.stdout + early.stderr)
        self.assertIn(f"swapoff {first.swap}: postponed until another run", early.stdout)
        self.assertIn(first.swap, our_swaps())
        self.assertNotEqual(driver.start_of(second.toucher), "", "the clean-up killed the other run's process")
        second.restore()
        self.assertNotIn("paging.not_restored", self.findings(second))
        self.assert_gone(first, second)

    def test_swap_left_to_a_killed_run_is_removed_by_the_next_start(self):
        first, second = self.both()
        first.restore()
        second.kill()
        self.assertIn(first.swap, our_swaps())
        late = subprocess.run([FATHOM, "paging", "cleanup"], capture_output=True, text=True)
        self.assertEqual(late.returncode, 0, late.stdout + late.stderr)
        self.assert_gone(first, second)

    def test_cleanup_after_two_killed_runs_leaves_nothing(self):
        first, second = self.both()
        first.kill()
        second.kill()
        late = subprocess.run([FATHOM, "paging", "cleanup"], capture_output=True, text=True)
        self.assertEqual(late.returncode, 0, late.stdout + late.stderr)
        self.assert_gone(first, second)

    def test_runs_that_end_or_are_killed_at_the_same_moment_leave_nothing(self):
        for kills in ((False, False), (True, False), (False, True), (False, False)):
            with self.subTest(kills=kills):
                runs = self.both()
                for run, kill in zip(runs, kills):
                    run.process.kill() if kill else run.process.stdin.close()  # its end begins
                for run, kill in zip(runs, kills):
                    run.kill() if kill else run.restore()
                    self.assertNotIn("paging.not_restored", self.findings(run))
                if any(kills):
                    done = subprocess.run([FATHOM, "paging", "cleanup"], capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assert_gone(*runs)

    def start(self):
        return subprocess.Popen([FATHOM, "paging", *SIZES, f"--swap={SWAP}", "--fill=random", "--cold", "--no-settle", "--duration=60s",
                                 "--eta=always", "--audit=off", "--output-format=json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)

    def measuring(self, run):
        self.undo.callback(lambda: (run.kill(), run.communicate()) if run.poll() is None else None)
        seen = ""
        while "measuring" not in seen:
            line = run.stderr.readline()
            seen += line
            self.assertTrue(line, "ended before it measured: " + seen)

    def report(self, run):
        out, err = run.communicate(timeout=100)
        self.assertEqual(run.returncode, 130, err)  # as after Ctrl-C, not 4
        return {f["id"]: f for f in json.loads(out)["fathom"]["findings"]}

    def test_two_fathom_paging_processes_leave_nothing_in_any_order(self):
        for order in ((0, 1), (1, 0), None):
            with self.subTest(order=order):
                runs = [self.start()]
                self.measuring(runs[0])
                runs.append(self.start())
                self.measuring(runs[1])
                time.sleep(1)
                for which in order or (0, 1):
                    runs[which].send_signal(signal.SIGINT)
                    if order:
                        self.assertNotIn("paging.not_restored", self.report(runs[which]))
                if not order:  # at the same moment
                    for run in runs:
                        self.assertNotIn("paging.not_restored", self.report(run))
                self.assertEqual(our_swaps(), {})
                self.assertEqual(driver.left_behind(self.since), [])

    def beside_another(self, *words):
        """What is written of a run whose swap the other, which has none of its own, fills while the first measurement stands still."""
        run = subprocess.Popen([FATHOM, "paging", *words, *SIZES, "--fill=random", "--cold", "--no-settle", "--repeat=2", "--duration=1",
                                "--eta=always", "--audit=off", "--output-format=json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.measuring(run)
        os.killpg(run.pid, signal.SIGSTOP)
        other = driver.Held(self.program, f"limit={16 * MIB}", "touch=60")
        self.undo.callback(other.end)
        os.killpg(run.pid, signal.SIGCONT)
        self.assertTrue(other.ready, other.rows)
        out, err = run.communicate(timeout=100)
        self.assertEqual(run.returncode, 0, err + out)
        self.assertNotEqual(driver.start_of(other.said("ready")[0]), "", "the other run's process was killed")
        result = json.loads(out)["fathom"]
        return other, result, [{f["id"]: f for f in r["findings"]} for r in result["repetitions"]]

    def file(self):
        return os.path.join(self.folder, "swap")

    def assert_the_file_goes_with(self, other):
        self.assertEqual([s for s in driver.active_swaps() if s.startswith(self.folder)], [self.file()])
        other.restore()
        self.assertNotIn("paging.not_restored", self.findings(other))
        self.assertNotIn(self.file(), driver.active_swaps())
        self.assertFalse(os.path.exists(self.file()))

    def test_the_next_repetition_reuses_its_swap_file(self):
        other, result, (first, second) = self.beside_another(f"--swap=file:{self.file()}:128M")
        self.assertIn("paging.left_to_other_run", first)
        self.assertNotIn("paging.swap_taken_again", first)
        self.assertIn(self.file(), second["paging.swap_taken_again"]["evidence"])
        self.assert_the_file_goes_with(other)

    def test_a_breakdown_reports_own_swap_left_on_beside_a_columns_device(self):
        file = f"file:{self.file()}:128M"
        other, result, rows = self.beside_another("breakdown", f"--swap={file},{SWAP}")
        self.assertEqual([column["name"] for column in result["paging"]["table2"]], [file, SWAP])
        first, second, *of_zram = rows
        self.assertFalse({"paging.own_swap_left", "paging.swap_taken_again"} & set(first))
        self.assertIn("paging.swap_taken_again", second)
        self.assertEqual(["paging.own_swap_left" in row for row in of_zram], [True, True])
        left, = [f for f in result["findings"] if f["id"] == "paging.own_swap_left" and f["job"] == SWAP]
        self.assertEqual(left["severity"], "warning")
        self.assertIn(self.file(), left["evidence"])
        self.assert_the_file_goes_with(other)


if __name__ == "__main__":
    unittest.main()
