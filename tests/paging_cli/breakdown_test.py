"""The paper's Table 2 of two swaps with two repetitions: five rows a swap with their interval, whose arithmetic holds; repetitions in turns;
nothing left behind."""
# label: paging
# timeout: 600
# lock: paging
# cost: 17
import json
import os
import sys
import tempfile
import unittest

import machine

ZRAM = (150 << 20) + 4096 * (os.getpid() % 5000)
MARKS = {"zram_bytes": ZRAM, "page_cluster": 4}
ROWS = ["all_mean_ns", "major_peak_ns", "major_mean_ns", "overhead_ns", "overhead_percent"]


class Breakdown(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            cls.file = os.path.join(folder, "swap")
            cls.run_ = machine.paging("breakdown", f"--swap=zram:{ZRAM},file:{cls.file}:160M", "--limit=64M", "--duration=2", "--repeat=2",
                                      "--no-settle", "--page-cluster=4", "--output-format=json,xml", timeout=250)
            cls.left = os.listdir(folder)
        cls.json, _, xml = cls.run_.stdout.partition("<?xml")
        cls.xml = "<?xml" + xml
        cls.result = json.loads(cls.json)["fathom"] if cls.run_.returncode == 0 else None

    def test_exits_with_0_and_restores_the_machine(self):
        self.assertEqual(self.run_.returncode, 0, self.run_.stderr)
        self.assertIn("4 measurements of 2 s: at most 8 s", self.run_.stderr)
        self.assertEqual(self.left, [])
        self.assertEqual(machine.left_of(0, MARKS), [])

    def test_importing_its_xml_gives_the_same_json(self):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(self.xml)
            file.flush()
            back = machine.paging("--import", file.name, "--output-format=json")
            text = machine.paging("--import", file.name)
        self.assertEqual(back.returncode, 0, back.stderr)
        for ours, theirs in zip(self.json.split("\n"), back.stdout.split("\n")):
            self.assertEqual(ours, theirs)
        self.assertEqual(len(self.json), len(back.stdout))
        self.assertIn("95 % interval over the repetitions", text.stdout)

    def test_table2_has_five_consistent_rows_per_swap(self):
        table = self.result["paging"]["table2"]
        self.assertEqual([column["name"] for column in table], [f"zram:{ZRAM}", f"file:{self.file}:160M"])
        for column in table:
            for row in ROWS:
                self.assertEqual(len(column[row]["values"]), 2, row)
                self.assertAlmostEqual(column[row]["mean"], sum(column[row]["values"]) / 2, delta=1e-6 * abs(column[row]["mean"]) + 1e-9)
            self.assertGreater(column["media_ns"], 0)
            self.assertGreater(column["major_mean_ns"]["mean"], column["all_mean_ns"]["mean"], "a fault costs more than a hit")
            for major, over, percent in zip(*(column[row]["values"] for row in ROWS[2:])):
                self.assertAlmostEqual(percent, 100 * over / (major - over), delta=abs(percent) * 1e-6 + 1e-6)

    def test_every_repetition_is_kept_with_its_access_classes(self):
        repetitions = self.result["repetitions"]
        self.assertEqual(len(repetitions), 4)
        for repetition in repetitions:
            classes = {row["class"] for row in repetition["paging"]["classes"]}
            self.assertIn("major", classes)
        self.assertEqual(self.result["paging"]["workers"], [])


class WithoutAudit(unittest.TestCase):
    def test_breakdown_rows_from_device_times_are_kept(self):
        run = machine.paging("breakdown", f"--swap=zram:{ZRAM}", "--limit=64M", "--duration=2", "--repeat=1", "--no-settle", "--page-cluster=4",
                             "--audit=off", "--output-format=json", timeout=250)
        self.assertEqual(run.returncode, 0, run.stderr)
        result = json.loads(run.stdout)["fathom"]
        column, = result["paging"]["table2"]
        self.assertGreater(column["media_ns"], 0)
        self.assertEqual(len(column["overhead_ns"]["values"]), 1)
        self.assertFalse(any(repetition.get("audit") for repetition in result["repetitions"]))

    def test_run_has_no_finding_about_missing_device_times(self):
        run = machine.paging("--map=128M", "--set=128M", f"--swap=zram:{ZRAM}", "--limit=64M", "--duration=2", "--cold", "--fill=random",
                             "--audit=off", "--output-format=json", timeout=100)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertNotIn("paging.no_device_time", run.stdout)
        self.assertEqual(json.loads(run.stdout)["fathom"]["paging"]["devices"], [])


if __name__ == "__main__":
    reason = machine.can_press()
    if reason:
        print("skipped: " + reason)
        sys.exit(77)
    unittest.main()
