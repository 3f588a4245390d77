# lock: paging
"""Repetitions: one whose measuring process is killed is kept and said, is in no mean, and the exit status tells; each draws with the next
seed. And a breakdown whose second swap cannot be made is refused before the first is."""
# label: quick
# timeout: 400
import json
import os
import signal
import subprocess
import sys
import unittest

import machine


def killed_in_the_second():
    """A run of three, and SIGKILL for the measuring process of its second repetition."""
    process = subprocess.Popen([machine.FATHOM, "paging", "--map=16M", "--set=16M", "--cold", "--duration=1.5", "--repeat=3", "--eta=always",
                                "--output-format=json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seen = ""
    while "2 of 3: measuring" not in seen:
        line = process.stderr.readline()
        if not line:
            break
        seen += line
    for child in machine.read(f"/proc/{process.pid}/task/{process.pid}/children").split():
        os.kill(int(child), signal.SIGKILL)
    out, err = process.communicate(timeout=80)
    return process.returncode, json.loads(out)["fathom"], err


def paging_of(repetition, result):
    """The one that is shown stands once, above the repetitions; its score, which there is that of all, stands with it."""
    return {**result["paging"], "score": repetition["score"]} if repetition["shown"] else repetition["paging"]


class Repetitions(unittest.TestCase):
    def test_a_killed_repetition_is_a_finding_and_enters_no_mean(self):
        status, result, err = killed_in_the_second()
        self.assertEqual(status, 4, err)
        self.assertIn(("paging.worker_killed", "repetition 2"), [(f["id"], f["job"]) for f in result["findings"]])
        self.assertEqual(len(result["repetitions"]), 3)
        self.assertEqual([paging_of(r, result)["seed"] for r in result["repetitions"]], [1, 2, 3])
        whole = [paging_of(result["repetitions"][i], result)["score"]["accesses_per_s"] for i in (0, 2)]
        score = result["paging"]["score"]
        self.assertEqual(score["how"], "2 repetitions")
        self.assertAlmostEqual(score["accesses_per_s"], sum(whole) / 2, delta=1)

    @unittest.skipIf(machine.can_press(), "no pressure here")
    def test_breakdown_checks_every_swap_before_it_sets_up_the_first(self):
        run = machine.paging("breakdown", "--swap=zram:16M,file:/dev/shm/fathom-test.swap:16M", "--limit=64M", "--set=68M", "--duration=1",
                             "--repeat=1", "--no-settle", "--eta=always")
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("/dev/shm/fathom-test.swap", run.stderr)
        self.assertNotIn("setting up", run.stderr)


if __name__ == "__main__":
    unittest.main()
