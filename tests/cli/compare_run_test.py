#!/usr/bin/python3
# timeout: 180
# cost: 15
"""`fathom compare --run`: rounds in which each side runs once, in drawn order; results are kept; a run that fails or is interrupted ends it."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest

from compare_files import FATHOM, compare

JOB = "[t]\nioengine=null\nsize=4m\nrw={}\n"


class CompareRuns(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(FATHOM):
            self.skipTest("the program is not built")
        holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        for name, rw in (("a.fio", "randread"), ("b.fio", "randwrite")):
            self.write(name, JOB.format(rw))

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def test_runs_are_made_in_turn_and_kept(self):
        run = compare("--run", "a.fio", "b.fio", "--repeat=4", "--output-format=json", cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        found = json.loads(run.stdout)
        self.assertEqual([(s["runs"], s["invocations"]) for s in found["sides"]], [(4, 4), (4, 4)])
        self.assertEqual(found["warnings"], [])
        self.assertIsNone(found["metrics"][0]["changes"][0]["trend_percent"])
        times = []
        for side in "AB":
            for i in range(1, 5):
                with open(os.path.join(self.folder, "compare-results", side, f"{i:04}.json")) as file:
                    times.append((json.load(file)["fathom"]["time_epoch_ms"], side))
        order = "".join(side for _, side in sorted(times))
        self.assertTrue(all(order[i:i + 2] in ("AB", "BA") for i in range(0, 8, 2)), order)
        again = compare("--output-format=json", "compare-results/A", "compare-results/B", cwd=self.folder)
        self.assertEqual(json.loads(again.stdout)["metrics"], found["metrics"])

    def kept(self, folder):
        return sorted(os.path.relpath(os.path.join(at, name), self.folder) for at, _, names in os.walk(os.path.join(self.folder, folder)) for name in names)

    # The results of the first run stay.
    def test_each_comparison_without_a_name_gets_its_own_folder(self):
        for folder in ("compare-results", "compare-results-2", "compare-results-3"):
            run = compare("--run", "a.fio", "b.fio", "--repeat=1", cwd=self.folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(self.kept(folder), [f"{folder}/A/0001.json", f"{folder}/B/0001.json"])
            self.assertEqual(f"these are in `{folder}`" in run.stderr, folder != "compare-results", run.stderr)

    def test_a_named_folder_with_results_is_left_alone(self):
        self.assertEqual(compare("--run", "a.fio", "b.fio", "--repeat=1", "--results=r", cwd=self.folder).returncode, 0)
        run = compare("--run", "a.fio", "b.fio", "--repeat=1", "--results=r", cwd=self.folder)
        self.assertEqual(run.returncode, 2)
        self.assertIn("is not empty", run.stderr)
        self.assertEqual(self.kept("r"), ["r/A/0001.json", "r/B/0001.json"])

    def test_mistakes_end_it(self):
        self.write("bad.fio", "[t]\nioengine=nosuch\n")
        run = compare("--run", "a.fio", "bad.fio", "--results=r", cwd=self.folder)
        self.assertEqual(run.returncode, 2)
        self.assertIn("the run of `bad.fio` ended with status 2", run.stderr)
        for words in (["--repeat=3"], ["--results=r"]):
            run = compare(*words, "a.fio", "b.fio", cwd=self.folder)
            self.assertEqual(run.returncode, 2)
            self.assertIn("needs --run", run.stderr)
        self.assertEqual(compare("--run", "a.fio", cwd=self.folder).returncode, 2)

    def test_interrupted_runs_are_kept(self):
        for name in "ab":
            self.write(f"{name}.fio", "[t]\nioengine=null\nsize=1m\ntime_based\nruntime=1\n")
        child = subprocess.Popen([FATHOM, "compare", "--run", "a.fio", "b.fio", "--repeat=20"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(3.5)
        child.send_signal(signal.SIGTERM)
        _, errors = child.communicate(timeout=30)
        self.assertEqual(child.returncode, 128 + signal.SIGTERM, errors)
        kept = [name for _, _, names in os.walk(os.path.join(self.folder, "compare-results")) for name in names]
        self.assertGreaterEqual(len(kept), 2)


if __name__ == "__main__":
    unittest.main()
