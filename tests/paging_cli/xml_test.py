"""Real runs through the XML and back: what `--import` prints of a run's file is what the run printed itself, in every format. Plain,
with repetitions, and under pressure with device times and the audit. (A breakdown: breakdown_test.py.)"""
# label: paging
# timeout: 400
# lock: paging
import json
import os
import tempfile
import unittest

import machine

ZRAM = (100 << 20) + 4096 * (os.getpid() % 5000)
FORMATS = "text,json+,csv"


def there_and_back(test, *args, timeout=100):
    """The result of a run, which its XML gives back."""
    run = machine.paging(*args, f"--output-format={FORMATS},xml", timeout=timeout)
    test.assertEqual(run.returncode, 0, run.stderr)
    printed, _, xml = run.stdout.partition("<?xml")
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write("<?xml" + xml)
        file.flush()
        back = machine.paging("--import", file.name, "--output-format=" + FORMATS)
        again = machine.paging("--import", file.name, "--output-format=xml")
    test.assertEqual(back.returncode, 0, back.stderr)
    test.assertEqual(again.stdout, "<?xml" + xml)
    for ours, theirs in zip(printed.split("\n"), back.stdout.split("\n")):
        test.assertEqual(ours, theirs)
    test.assertEqual(len(printed), len(back.stdout))
    return json.loads(printed[printed.index("\n{\n"):printed.rindex("\n}\n") + 3])["fathom"]


class XmlRoundTrip(unittest.TestCase):
    def test_a_run_without_pressure_is_unchanged(self):
        result = there_and_back(self, "--map=24M", "--set=16M", "--threads=2", "--duration=1", "--pattern=zipf", "--permute")
        self.assertEqual(len(result["paging"]["workers"]), 2)
        self.assertGreater(len(result["paging"]["series"]), 3)
        self.assertNotIn("import.left_out", json.dumps(result["findings"]))

    def test_repetitions_are_unchanged(self):
        result = there_and_back(self, "--map=8M", "--set=8M", "--duration=0.5", "--repeat=3", "--access=touch")
        self.assertEqual(len(result["repetitions"]), 3)
        self.assertGreater(len(result["repeated"]), 0)

    @unittest.skipIf(machine.can_press(), machine.can_press())
    def test_a_run_under_pressure_is_unchanged(self):
        result = there_and_back(self, "--map=96M", "--set=96M", f"--swap=zram:{ZRAM}", "--limit=64M", "--duration=2", "--fill=random", "--no-settle",
                                timeout=200)
        self.assertGreater(len(result["paging"]["pressure"]["swaps"]), 0)
        self.assertGreater(result["paging"]["vmstat"]["pswpin"], 0)
        self.assertGreater(len(result["paging"]["devices"]), 0)
        self.assertIn("witnesses", result["audit"])


if __name__ == "__main__":
    unittest.main()
