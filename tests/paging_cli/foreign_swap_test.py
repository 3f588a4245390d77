"""A swap of somebody else is on, full of data, at a high priority: a run whose pages never go there neither times nor reads it, and holds
nothing against it. File memory has the disk under its file; --swap=none has nothing."""
# label: paging
# timeout: 120
# lock: paging
import json
import os
import subprocess
import sys
import tempfile
import unittest

import machine

SKIP = machine.can_press()
QUICK = ["--map=48M", "--set=48M", "--limit=24M", "--duration=1", "--cold", "--eta=never", "--output-format=json"]


class ForeignProcess:
    """A zram that is swap, every page of it random."""

    def __enter__(self):
        self.id = machine.read("/sys/class/zram-control/hot_add").strip()
        self.disk, sysfs = f"zram{self.id}", f"/sys/block/zram{self.id}"
        with open(sysfs + "/disksize", "w") as file:
            file.write("32M")
        with open(f"/dev/{self.disk}", "wb") as file:
            file.write(os.urandom(32 << 20))
        subprocess.run(["mkswap", f"/dev/{self.disk}"], check=True, capture_output=True)
        subprocess.run(["swapon", "-p", "5", f"/dev/{self.disk}"], check=True)
        return self

    def reads(self):
        return int(machine.read(f"/sys/block/{self.disk}/stat").split()[0])

    def __exit__(self, *_):
        subprocess.run(["swapoff", f"/dev/{self.disk}"], check=False)
        for path, text in ((f"/sys/block/{self.disk}/reset", "1"), ("/sys/class/zram-control/hot_remove", self.id)):
            with open(path, "w") as file:
                file.write(text)


@unittest.skipIf(SKIP, SKIP)
class ForeignSwap(unittest.TestCase):
    def run_beside(self, *more):
        with ForeignProcess() as foreign:
            before = foreign.reads()
            done = machine.paging(*QUICK, *more)
            read = foreign.reads() - before
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        paging = json.loads(done.stdout)["fathom"]["paging"]
        self.assertNotIn(foreign.disk, json.dumps([paging["devices"], paging["pressure"]["swaps"]]))
        self.assertLess(read, 200, "reads of somebody else's swap device")
        return paging

    def test_file_backed_memory_does_not_count_foreign_swap_as_its_device(self):
        with tempfile.TemporaryDirectory(prefix="fathom-", dir="/var/tmp") as folder:
            path = os.path.join(folder, "map")
            with open(path, "wb") as file:
                file.write(bytes(48 << 20))
            for memory in (f"file-shared:{folder}", f"file-private:{path}"):
                paging = self.run_beside("--memory=" + memory, "--read-ratio=100")
                self.assertEqual(len(paging["devices"]), 1, memory)

    def test_swap_none_does_not_count_foreign_swap_as_its_device(self):
        paging = self.run_beside("--swap=none", "--map=12M", "--set=12M")
        self.assertEqual(paging["devices"], [])
        self.assertEqual([swap["kind"] for swap in paging["pressure"]["swaps"]], ["none"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
