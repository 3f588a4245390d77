# lock: paging
"""What watching costs the accesses (`fathom paging --cost`), on a real swap: a row for each watcher with the rate, the median major fault and CPU time an access; the same beside the device,
which is looked at all the time where its requests are few. That all of it reads back. Who cannot watch says why. A run that is stopped or killed while it is measured leaves nothing behind."""
# label: timing
# timeout: 400
# cost: 60
# alone: rates inside slices are held against those outside
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import machine

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import attempts  # noqa: E402

ZRAM = (120 << 20) + 4096 * (os.getpid() % 5000)
MARKS = {"zram_bytes": ZRAM, "page_cluster": 5}
PRESSED = ["--set=96M", f"--swap=zram:{ZRAM}", "--limit=64M", "--fill=random", "--cold", "--no-settle", "--page-cluster=5", "--duration=1"]
PACED = "--delay=200000"  # some 10,000 requests a second
AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def rows_of(result):
    return {row["watcher"].rstrip("0123456789"): row for row in result["watching"]}


def text(cost):
    return (f"{100 * cost['rate']['share']:.1f} +- {100 * cost['rate']['half_width']:.1f} % of the rate, median +{100 * cost['p50']['share']:.1f} +- {100 * cost['p50']['half_width']:.1f} %, "
            f"{cost['cpu_per_io']['ns']:.0f} +- {cost['cpu_per_io']['half_width_ns']:.0f} ns of CPU an access, {cost['slices']} slices")


def measure(test, *options, pressed=tuple(PRESSED)):
    """The result of a run; the machine is as it was after it."""
    run = machine.paging(*pressed, *options, "--output-format=json")
    test.assertEqual(run.returncode, 0, run.stderr)
    test.assertEqual(machine.left_of(0, MARKS), [])
    return json.loads(run.stdout)["fathom"], run.stdout


def needs_programs(result):
    cause = rows_of(result)["device time of zram"]["cost"].get("cause", "")
    if "BPF" in cause:
        raise unittest.SkipTest(cause)


@unittest.skipIf(machine.can_press(), machine.can_press())
@unittest.skipIf(machine.SLOW_BUILD, "times under a sanitizer are not fathom's")
class Costs(unittest.TestCase):
    @attempts
    def test_each_watcher_has_its_cost_and_a_device_that_is_looked_at_all_the_time_has_it_too(self):
        result, out = measure(self, "--cost=5", PACED)
        needs_programs(result)
        rows = rows_of(result)
        self.assertEqual(sorted(rows), ["audit", "device time of zram"])
        timing = rows["device time of zram"]["cost"]
        print(text(timing), "paced")
        self.assertEqual((timing["by"], timing["from"]), ("p50", "cost_run"))
        self.assertGreater(timing["slices"], 5)
        for interval in (timing["rate"]["half_width"], timing["p50"]["half_width"], timing["cpu"]["half_width"], timing["cpu_per_io"]["half_width_ns"]):
            self.assertGreater(interval, 0)
        self.assertLess(abs(timing["rate"]["share"]), 0.1 + timing["rate"]["half_width"], "accesses wait most of the time")
        looks = rows["audit"]["cost"]
        self.assertLess(abs(looks["rate"]["share"]), 0.02 + looks["rate"]["half_width"], text(looks))
        device, = result["paging"]["devices"]
        self.assertGreater(device["seen_share"], 0.9, "it looks all the time")
        self.assertEqual(device["watching"], timing)
        self.assertEqual(result["paging"]["duration_s"], 1)
        again = subprocess.run([machine.FATHOM, "report", "--output-format=json", "/dev/stdin"], input=out, capture_output=True, text=True, check=False)
        self.assertEqual(again.stdout, out, again.stderr)

    @attempts
    def test_without_a_wait_it_costs_rate_and_cpu_time(self):
        result, _ = measure(self, "--cost=6", "--threads=2", "--processes=2", pressed=["--set=64M", *PRESSED[1:]])
        needs_programs(result)
        timing = rows_of(result)["device time of zram"]["cost"]
        print(text(timing), "four threads")
        self.assertEqual(timing["by"], "rate")
        self.assertGreater(timing["slices"], 5)
        self.assertGreater(timing["cpu_per_io"]["ns"] + timing["cpu_per_io"]["half_width_ns"], 0)
        self.assertLess(timing["cpu_per_io"]["ns"] - timing["cpu_per_io"]["half_width_ns"], 3000)
        self.assertGreater(timing["p50"]["half_width"], 0)

    def test_without_cost_it_says_what_measures_it(self):
        result, _ = measure(self, PACED)
        self.assertNotIn("watching", result)
        device, = result["paging"]["devices"]
        if device["by"] != "bios":
            self.skipTest(device["cause"])
        self.assertIn("`--cost` measures it", device["watching"]["cause"])

    def test_it_reads_back_from_xml_in_every_format(self):
        run = machine.paging(*PRESSED, "--cost=2", "--repeat=2", "--output-format=text,json,xml")
        self.assertEqual(run.returncode, 0, run.stderr)
        printed, _, xml = run.stdout.partition("<?xml")
        self.assertIn("  watching cost accesses, audit: ", printed)
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write("<?xml" + xml)
            file.flush()
            back = machine.paging("--import", file.name, "--output-format=text,json")
        self.assertEqual(back.stdout, printed, back.stderr)


class Without(unittest.TestCase):
    def test_a_memory_without_swap_has_nobody_who_looks(self):
        begin = time.monotonic()
        run = machine.paging("--map=8M", "--cold", "--duration=0.2", "--swap=none", "--cost=30", "--output-format=json,text")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertLess(time.monotonic() - begin, 20, "there is nothing to measure for 30 s")
        self.assertIn("watching cost audit: not measured: this memory has no swap and no disk: no probe is needed", " ".join(run.stdout.split()))

    def test_few_faults_are_no_fault(self):
        run = machine.paging("--map=8M", "--duration=0.2", "--cost=2", "--access=touch", "--output-format=json")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertGreater(len(json.loads(run.stdout)["fathom"]["watching"]), 0)

    @unittest.skipIf(os.geteuid() == 0 and not shutil.which("setpriv"), "no setpriv(1) to become nobody with")
    def test_nobody_is_told_what_it_takes(self):
        prefix = AS_NOBODY if os.geteuid() == 0 else []
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            os.chmod(folder, 0o777)
            path = os.path.join(folder, "f")
            with open(path, "wb") as file:
                file.write(bytes(16 << 20))
            os.chmod(path, 0o644)
            words = [*prefix, machine.FATHOM, "paging", f"--memory=file-private:{path}", "--set=16M", "--read-ratio=100", "--duration=0.5", "--cold", "--cost=2", "--output-format=json"]
            run = machine.call(*words[1:], program=words[0], cwd="/")
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = json.loads(run.stdout)["fathom"]["watching"]
        timing = [row for row in rows if row["watcher"].startswith("device time of ")]
        if not timing:
            self.skipTest("no disk under /var/tmp")
        self.assertEqual(timing[0]["job"], "")
        self.assertNotEqual(timing[0]["cost"]["cause"], "")


@unittest.skipIf(machine.can_press(), machine.can_press())
class Ended(unittest.TestCase):
    def begun(self):
        """A run whose cost is being measured; and it has its swap."""
        process = subprocess.Popen([machine.FATHOM, "paging", *PRESSED, "--cost=60", "--eta=always"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        seen = ""
        while "probe overhead: measuring" not in seen:
            some = process.stderr.read(20)
            self.assertNotEqual(some, "", seen[-500:])
            seen += some
        time.sleep(0.5)
        return process

    def test_a_stop_restores_the_machine(self):
        process = self.begun()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err[-500:])
        self.assertIn("interrupted before anything was measured", err)
        self.assertEqual(machine.left_of(process.pid, MARKS), [])

    def test_what_a_killed_one_left_is_undone_by_cleanup(self):
        process = self.begun()
        process.kill()
        process.communicate(timeout=60)
        time.sleep(0.5)
        self.assertNotEqual(machine.left_of(process.pid, MARKS), [], "it was killed before it had a swap")
        said = f"process {process.pid} was killed: its swap, cgroup or settings are still in place"
        doctor = subprocess.run([machine.FATHOM, "doctor"], capture_output=True, text=True, timeout=60)
        self.assertIn(said, doctor.stdout)
        self.assertIn("fathom paging cleanup", doctor.stdout)
        words = ["run", "--name=x", "--ioengine=null", "--rw=read", "--size=4k", "--bs=4k", "--clock-check=skip"]
        run = subprocess.run([machine.FATHOM, *words], capture_output=True, text=True, timeout=60)
        self.assertIn(f"{said} (to undo: fathom paging cleanup)", run.stderr)
        fio = subprocess.run([os.path.join(os.path.dirname(machine.FATHOM), "fio"), *words[1:]], capture_output=True, text=True, timeout=60)
        self.assertNotIn("was killed", fio.stdout + fio.stderr)
        done = machine.paging("cleanup")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(machine.left_of(process.pid, MARKS), [])


if __name__ == "__main__":
    unittest.main()
