# lock: paging
"""Without root: a run without pressure measures, one that asks for pressure says what was not possible, and nothing fails for it."""
# label: quick
# timeout: 240
import json
import os
import shutil
import sys
import unittest

import machine

AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def nobody(*args):
    prefix = AS_NOBODY if os.geteuid() == 0 else []
    words = [*prefix, machine.FATHOM, "paging", "--map=16M", "--duration=0.5", "--cold", "--output-format=json", *args]
    return machine.call(*words[1:], program=words[0], cwd="/")


class Unprivileged(unittest.TestCase):
    def test_a_run_without_pressure_measures(self):
        run = nobody()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertGreater(json.loads(run.stdout)["fathom"]["paging"]["score"]["accesses_per_s"], 0)

    def test_pressure_is_left_out_and_listed_as_not_possible(self):
        run = nobody("--limit=64M", "--swap=zram:64M", "--swappiness=10")
        self.assertEqual(run.returncode, 0, run.stderr)
        result = json.loads(run.stdout)["fathom"]
        said = " ".join(result["paging"]["pressure"]["not_possible"])
        for word in ("limit", "zram", "swappiness"):
            self.assertIn(word, said)
        self.assertEqual(len([f for f in result["findings"] if "no limit of" in f["evidence"]]), 1, "said once")


if __name__ == "__main__":
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        print("skipped: no setpriv(1) to become nobody with")
        sys.exit(77)
    unittest.main()
