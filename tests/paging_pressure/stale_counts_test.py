# label: paging
# timeout: 300
# lock: paging
# cost: 17
"""A new cgroup under a tight limit, with swap to spare: its OOM killer must not strike. The kernel adds up a cgroup's counts every 2 s at most
and ages its active pages by them (mm/vmscan.c: inactive_is_low); unless somebody has them added up, a set that is turned over in less runs
out of pages that may be swapped (src/paging/cgroup_watch.h). Without that about one run in three is killed here."""
import os
import subprocess
import unittest

import driver

driver.skip_without("root", "zram", "cgroup")
FATHOM = os.environ["FATHOM"]
RUNS = 8


class CgroupWatch(unittest.TestCase):
    def test_no_run_is_oom_killed_while_most_of_its_swap_is_free(self):
        for i in range(RUNS):
            done = subprocess.run([FATHOM, "paging", "--set=128M", "--limit=64M", f"--swap={driver.zram(256)}", "--fill=random", "--duration=200ms",
                                   "--eta=never"], capture_output=True, text=True)
            said = done.stdout + done.stderr
            self.assertNotIn("killed", said, f"run {i + 1} of {RUNS}")
            self.assertEqual(done.returncode, 0, said)


if __name__ == "__main__":
    unittest.main()
