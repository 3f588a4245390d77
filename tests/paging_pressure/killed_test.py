# label: kills
# timeout: 600
# lock: paging
# cost: 55
"""1,000 SIGKILLs at random moments of set-up and restore: after each of them the next start, which cleans up as every start of `fathom paging` does,
leaves nothing. FATHOM_KILLS: another number. The real program is killed in killed_command_test.py."""
import os
import random
import subprocess
import tempfile
import time
import unittest

import driver
from driver import MIB, LoopDisk

driver.skip_without("root", "zram", "cgroup", "loop")
KILLS = int(os.environ.get("FATHOM_KILLS", "1000"))
SWITCH = "/sys/module/zswap/parameters/max_pool_percent"


def value(path):
    with open(path) as f:
        return f.read().strip()


class PressureKilled(unittest.TestCase):
    def setUp(self):
        self.since = int(time.time())
        self.folder = tempfile.TemporaryDirectory(prefix="fathom-kill-", dir="/var/tmp")
        self.addCleanup(self.folder.cleanup)
        self.program = driver.link_driver(self.folder.name)
        self.disk = LoopDisk(mib=4)
        self.addCleanup(self.disk.close)
        self.file = os.path.join(self.folder.name, "swap")
        limit = f"limit={16 * MIB}"
        self.plans = [
            [limit, f"swap={driver.zram(2)}"],
            [limit, f"swap=file:{self.file}:{MIB}"],
            [limit, f"swap=dev:{self.disk.path}", f"allow={self.disk.path}"],
        ]
        if os.path.exists(SWITCH):
            self.before = value(SWITCH)
            for plan in self.plans:
                plan.append(f"set=zswap.max_pool_percent={int(self.before) - 1}")

    def run_once(self, plan):
        """How long set-up and restore take when nobody kills, s."""
        begin = time.monotonic()
        subprocess.run([self.program, "hold", *plan], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        return time.monotonic() - begin

    def assert_nothing_left(self):
        self.assertEqual(driver.left_behind(self.since), [])
        self.assertNotIn(self.file, driver.active_swaps())
        self.assertNotIn(self.disk.path, driver.active_swaps())
        self.assertEqual([n for n in os.listdir(self.folder.name) if n != "pressure_driver"], [])
        if os.path.exists(SWITCH):
            self.assertEqual(value(SWITCH), self.before)

    def test_the_next_start_undoes_a_kill_at_any_moment_of_set_up_and_restore(self):
        chance = random.Random(6)
        whole = [min(self.run_once(plan) for _ in range(3)) for plan in self.plans]
        killed = found = 0
        while killed < KILLS:
            which = killed % len(self.plans)
            run = subprocess.Popen([self.program, "hold", *self.plans[which]], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
            time.sleep(chance.uniform(0, whole[which] * 1.1))
            run.kill()
            said = run.stdout.read()
            run.wait()
            run.stdout.close()
            next_start = driver.clean(self.program)
            self.assertNotIn("failed", said + " ".join(next_start))
            found += any(row.startswith("undone") for row in next_start)
            killed += run.returncode == -9
            self.assert_nothing_left()
        print(f"{killed} runs killed; {found} next starts had something to undo; a whole run takes {[round(w * 1000, 1) for w in whole]} ms")
        self.assertGreater(found, KILLS / 10, "too few kills hit a set-up half way")


if __name__ == "__main__":
    unittest.main()
