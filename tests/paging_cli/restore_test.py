"""However a run under pressure ends (of itself, Ctrl-C once and twice, SIGTERM, SIGHUP, an error), the machine is as it was, and what was
measured until then is reported."""
# label: kills
# timeout: 600
# lock: paging
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import machine

SIZE = "64M" if not machine.SLOW_BUILD else "32M"
MARKS = {"zram_bytes": (1000 << 20) + 4096 * (os.getpid() % 5000), "page_cluster": 5}
ARGS = ["--map=128M", "--set=128M", "--limit=" + SIZE, f"--swap=zram:{MARKS['zram_bytes']}", "--fill=random", "--cold",
        f"--page-cluster={MARKS['page_cluster']}", "--eta=always", "--output-format=json"]


def started(*more):
    return subprocess.Popen([machine.FATHOM, "paging", *ARGS, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            stdin=subprocess.DEVNULL, start_new_session=True)


def wait_for(process, words):
    """Until the status line says so."""
    seen = ""
    while words not in seen:
        line = process.stderr.readline()
        seen += line
        if not line or "restoring" in line:
            process.communicate(timeout=100)
            raise AssertionError(f"ended before `{words}`: {seen}")


class RestoreAtExit(unittest.TestCase):
    def ended(self, process):
        out, err = process.communicate(timeout=100)
        self.assertEqual(machine.left_of(process.pid, MARKS), [])
        return out, err

    def test_regular_end_restores_the_machine(self):
        for _ in range(3):
            process = started("--duration=3")
            wait_for(process, "measuring")
            self.assertEqual(len(machine.left_of(process.pid, MARKS)), 3, "the marks are seen while it runs")
            out, err = self.ended(process)
            # Whoever turns another swap off meanwhile brings its pages back into our limit, and the kernel kills for it.
            if process.returncode == 0 or "paging.other_swap" not in out:
                break
        self.assertEqual(process.returncode, 0, err)
        paging = json.loads(out)["fathom"]["paging"]
        self.assertGreater(paging["vmstat"].get("pswpin", 0), 0)
        ours = [swap for swap in paging["pressure"]["swaps"] if swap["kind"] == "zram"]
        self.assertEqual(len(ours), 1)
        self.assertGreater(ours[0]["used_bytes"], 0, "looked at while it held pages")
        self.assertIn(ours[0]["disk"], [device["disk"] for device in json.loads(out)["fathom"]["host"]["devices"]])

    def interrupted(self, phase, *signals, gap_s=0.0, more=()):
        process = started("--duration=20", *more)
        wait_for(process, phase)
        for sig in signals:
            os.killpg(process.pid, sig)
            time.sleep(gap_s)
        out, err = self.ended(process)
        self.assertEqual(process.returncode, 128 + signals[0], err)
        return out

    def reported(self, out):
        paging = json.loads(out)["fathom"]["paging"]
        self.assertTrue(paging["interrupted"])
        self.assertGreater(paging["accesses"], 0)

    def test_ctrl_c_while_measuring_restores_and_reports(self):
        self.reported(self.interrupted("measuring", signal.SIGINT))

    def test_ctrl_c_twice_restores_the_machine(self):
        self.interrupted("measuring", signal.SIGINT, signal.SIGINT, gap_s=0.05)

    def test_sigterm_and_sighup_restore_and_report(self):
        self.reported(self.interrupted("measuring", signal.SIGTERM))
        self.reported(self.interrupted("measuring", signal.SIGHUP))

    def test_ctrl_c_during_the_fill_restores_the_machine(self):
        self.interrupted("filling", signal.SIGINT, more=["--map=900M", "--set=900M"])

    def test_an_error_after_set_up_restores_the_machine(self):
        with tempfile.NamedTemporaryFile() as short:
            process = started("--memory=file-shared:" + short.name, "--duration=1")
            out, _ = self.ended(process)
            self.assertNotEqual(process.returncode, 0)
            self.assertEqual(out, "")


if __name__ == "__main__":
    reason = machine.can_press()
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    unittest.main()
