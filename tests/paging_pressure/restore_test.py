# label: paging
# timeout: 300
# lock: paging
"""Pressure on the real kernel: a memory cgroup, swap on zram, on a file and on a loop device; used, and all restored."""
import contextlib
import os
import subprocess
import tempfile
import time
import unittest

import driver
from driver import MIB, Held, LoopDisk

driver.skip_without("root", "zram", "cgroup", "loop")
OTHERS_SWAP = driver.active_swaps()


class PressureSetUpAndRestore(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="fathom-pressure-", dir="/var/tmp")
        cls.program = driver.link_driver(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.since = int(time.time())
        self.swap_file = os.path.join(self.folder.name, f"swap-{os.getpid()}")
        self.undo = contextlib.ExitStack()

    def tearDown(self):
        self.undo.close()
        self.assertEqual(driver.left_behind(self.since), [])
        self.assertFalse(os.path.exists(self.swap_file))

    def hold(self, *words):
        held = self.begun(*words)
        self.assertTrue(held.ready, held.rows)
        return held

    def begun(self, *words, **popen):
        held = Held(self.program, *words, **popen)
        self.undo.callback(held.end)
        return held

    def refused(self, *words):
        held = self.begun(*words)
        self.assertFalse(held.ready, held.rows)
        self.assertEqual(held.restore(), 1)
        return held.said("error")[0]

    def assert_swapped(self, held, path):
        self.assertEqual(held.said("joined"), ["yes"])
        self.assertNotIn("toucher died", held.rows)
        row = next(r for r in held.said("swap") if path in r)
        used = int(row.split("used=")[1].split()[0])
        alone = len(held.said("swap")) == 1  # else pages went to other people's swap too
        self.assertGreater(used, 20 * MIB if alone else 0, row)
        return row

    def test_pages_above_the_limit_go_to_zram(self):
        held = self.hold(f"limit={32 * MIB}", f"swap={driver.zram(128)}", "touch=64")
        path = next(r.split()[1] for r in held.said("swap") if r.startswith("zram"))
        row = self.assert_swapped(held, path)
        self.assertGreater(int(row.split("stored=")[1].split()[0]), 0)
        self.assertRegex(held.said("limit")[0], rf"^{32 * MIB} cgroup v[12]$")
        self.assertEqual(driver.active_swaps()[path], 32767)
        cgroup = held.said("cgroup")[0]
        self.assertTrue(os.path.isdir(cgroup))
        self.assertEqual(held.restore(), 0)
        self.assertNotIn("paging.not_restored", " ".join(held.rows))
        self.assertNotIn(path, driver.active_swaps())
        self.assertFalse(os.path.exists(cgroup))

    def test_a_swap_file_is_allocated_private_and_removed(self):
        held = self.hold(f"limit={32 * MIB}", f"swap=file:{self.swap_file}:{64 * MIB}", "touch=64")
        self.assert_swapped(held, self.swap_file)
        st = os.stat(self.swap_file)
        self.assertEqual(st.st_mode & 0o777, 0o600)
        self.assertEqual(st.st_size, 64 * MIB)
        self.assertGreaterEqual(st.st_blocks * 512, 64 * MIB)
        self.assertEqual(held.restore(), 0)

    def test_blkid_reads_the_swap_header(self):
        held = self.hold(f"swap=file:{self.swap_file}:{2 * MIB}")
        said = subprocess.run(["blkid", "-p", self.swap_file], capture_output=True, text=True).stdout
        self.assertEqual(held.restore(), 0)
        self.assertIn('TYPE="swap"', said)
        self.assertIn('LABEL="fathom"', said)
        self.assertRegex(said, r'UUID="[0-9a-f]{8}-[0-9a-f]{4}-4')

    def test_an_existing_file_is_refused_and_not_touched(self):
        with open(self.swap_file, "w") as f:
            f.write("precious")
        said = self.refused(f"swap=file:{self.swap_file}:{2 * MIB}")
        self.assertIn("already exists", said)
        with open(self.swap_file) as f:
            self.assertEqual(f.read(), "precious")
        os.unlink(self.swap_file)

    def test_a_swap_file_on_tmpfs_is_refused(self):
        path = f"/dev/shm/fathom-swap-{os.getpid()}"
        said = self.refused(f"swap=file:{path}:{2 * MIB}", f"limit={32 * MIB}")
        self.assertIn("tmpfs", said)
        self.assertIn("ext4", said)
        self.assertFalse(os.path.exists(path))

    def test_a_swap_file_larger_than_the_disk_is_refused(self):
        self.assertIn("no room for", self.refused(f"swap=file:{self.swap_file}:{1 << 50}"))

    def test_a_device_needs_allow_destructive_and_is_blank_afterwards(self):
        disk = LoopDisk()
        self.undo.callback(disk.close)
        with open(disk.path, "r+b") as f:
            f.write(b"some file system's superblock " * 100)
        subprocess.run(["mkfs.ext4", "-q", "-F", disk.path], check=True)
        self.assertIn("ext4", self.refused(f"swap=dev:{disk.path}"))
        held = self.hold(f"limit={32 * MIB}", f"swap=dev:{disk.path}", f"allow={disk.path}", "touch=48")
        self.assertIn(f"disk={os.path.basename(disk.path)}", next(s for s in held.said("swap") if s.startswith("dev")))
        self.assertIn(disk.path, driver.active_swaps())
        self.assertEqual(held.restore(), 0)
        self.assertNotIn(disk.path, driver.active_swaps())
        said = subprocess.run(["blkid", "-p", disk.path], capture_output=True, text=True).stdout
        self.assertNotIn("swap", said)

    def test_a_prepared_swap_device_keeps_its_header(self):
        disk = LoopDisk()
        self.undo.callback(disk.close)
        subprocess.run(["mkswap", "-q", "-L", "mine", disk.path], check=True, capture_output=True)
        held = self.hold(f"swap=dev:{disk.path}", f"allow={disk.path}")
        self.assertEqual(held.restore(), 0)
        self.assertIn('LABEL="mine"', subprocess.run(["blkid", "-p", disk.path], capture_output=True, text=True).stdout)

    def test_an_active_device_is_used_and_left_on(self):
        disk = LoopDisk()
        self.undo.callback(disk.close)
        subprocess.run(["mkswap", "-q", disk.path], check=True, capture_output=True)
        subprocess.run(["swapon", "-p", "7", disk.path], check=True)
        self.undo.callback(subprocess.run, ["swapoff", disk.path])
        held = self.hold(f"swap=dev:{disk.path}")
        self.assertEqual(held.restore(), 0)
        self.assertEqual(driver.active_swaps().get(disk.path), 7)

    @unittest.skipIf(OTHERS_SWAP, f"--only would turn off other people's swap: {OTHERS_SWAP}")
    def test_only_turns_other_swap_off_for_the_run(self):
        disk = LoopDisk()
        self.undo.callback(disk.close)
        subprocess.run(["mkswap", "-q", disk.path], check=True, capture_output=True)
        subprocess.run(["swapon", "-p", "7", disk.path], check=True)
        self.undo.callback(subprocess.run, ["swapoff", disk.path])
        held = self.hold(f"swap={driver.zram(2)}")
        self.assertIn("paging.other_swap", " ".join(held.said("finding")))
        self.assertEqual(held.restore(), 0)
        if set(driver.active_swaps()) != {disk.path}:
            self.skipTest("somebody else turned swap on meanwhile")
        held = self.begun(f"swap={driver.zram(2)}", "only")
        if not held.ready and "uses it" in " ".join(held.rows):
            self.skipTest("another run has swap on: it is not turned off")
        during = driver.active_swaps()
        self.assertEqual(held.restore(), 0)
        self.assertNotIn(disk.path, during)
        self.assertEqual(driver.active_swaps().get(disk.path), 7)

    @unittest.skipIf(OTHERS_SWAP, f"--only would turn off other people's swap: {OTHERS_SWAP}")
    def test_swaps_with_kernel_assigned_priority_return_in_their_order(self):
        disks = [LoopDisk(), LoopDisk()]
        for disk in disks:
            self.undo.callback(disk.close)
            subprocess.run(["mkswap", "-q", disk.path], check=True, capture_output=True)
            subprocess.run(["swapon", disk.path], check=True)
            self.undo.callback(subprocess.run, ["swapoff", disk.path])
        before = driver.active_swaps()
        held = self.begun(f"swap={driver.zram(2)}", "only")
        if not held.ready and "uses it" in " ".join(held.rows):
            self.skipTest("another run has swap on: it is not turned off")
        self.assertEqual(held.restore(), 0)
        if set(driver.active_swaps()) != set(before):
            self.skipTest("somebody else turned swap on or off meanwhile")
        self.assertEqual(driver.active_swaps(), before)

    def test_an_active_device_named_by_a_symlink_is_used(self):
        disk = LoopDisk()
        self.undo.callback(disk.close)
        subprocess.run(["mkswap", "-q", disk.path], check=True, capture_output=True)
        subprocess.run(["swapon", "-p", "7", disk.path], check=True)
        self.undo.callback(subprocess.run, ["swapoff", disk.path])
        link = os.path.join(self.folder.name, "by-uuid")
        os.symlink(disk.path, link)
        self.undo.callback(os.unlink, link)
        held = self.hold(f"swap=dev:{link}")
        self.assertTrue(any(s.startswith(f"dev {disk.path} ") for s in held.said("swap")), held.rows)
        self.assertEqual(held.restore(), 0)
        self.assertEqual(driver.active_swaps().get(disk.path), 7)

    def test_a_sysctl_is_set_and_restored(self):
        file = "/sys/module/zswap/parameters/max_pool_percent"
        if not os.path.exists(file):
            self.skipTest("no zswap in this kernel")
        with open(file) as f:
            before = f.read().strip()
        held = self.hold(f"set=zswap.max_pool_percent={int(before) - 1}")
        with open(file) as f:
            self.assertEqual(f.read().strip(), str(int(before) - 1))
        self.assertEqual(held.said("changed"), ["zswap.max_pool_percent"])
        self.assertEqual(held.restore(), 0)
        with open(file) as f:
            self.assertEqual(f.read().strip(), before)

    def test_the_next_start_undoes_a_killed_run_and_kills_its_processes(self):
        held = self.hold(f"limit={32 * MIB}", f"swap=file:{self.swap_file}:{64 * MIB}", "touch=64")
        toucher = int(held.said("ready")[0])
        held.kill()
        os.kill(toucher, 0)
        self.assertIn(self.swap_file, driver.active_swaps())
        undone = " ".join(driver.clean(self.program))
        self.assertIn(f"killed process {toucher}", undone)
        self.assertIn(f"swapoff {self.swap_file}", undone)
        self.assertIn(f"removed {self.swap_file}", undone)
        self.assertNotIn(self.swap_file, driver.active_swaps())
        self.assertEqual(driver.clean(self.program), [])

    def test_concurrent_clean_ups_leave_living_runs_alone(self):
        runs = [self.begun(f"limit={32 * MIB}", f"swap={driver.zram(2)}") for _ in range(6)]
        self.assertTrue(all(r.ready for r in runs), [r.rows for r in runs])
        own = [next(s.split()[1] for s in r.said("swap") if s.startswith("zram")) for r in runs]
        self.assertEqual(len(set(own)), len(runs))
        for run in runs[:3]:
            run.kill()
        cleaners = [subprocess.Popen([self.program, "clean"], stdout=subprocess.DEVNULL) for _ in range(3)]
        self.assertEqual([c.wait() for c in cleaners], [0, 0, 0])
        active = driver.active_swaps()
        alive = [path in active for path in own]
        self.assertEqual(alive, [False] * 3 + [True] * 3)
        self.assertTrue(all(os.path.isdir(r.said("cgroup")[0]) for r in runs[3:]))
        self.assertEqual([r.restore() for r in runs[3:]], [0, 0, 0])

    def test_swap_none_keeps_the_runs_processes_from_swapping(self):
        held = self.hold(f"limit={32 * MIB}", "swap=none", "touch=16")
        self.assertEqual(held.said("joined"), ["yes"])
        self.assertEqual(held.restore(), 0)

    def test_without_root_it_runs_and_lists_what_was_not_possible(self):
        os.chmod(self.folder.name, 0o755)
        held = self.begun(f"limit={32 * MIB}", f"swap={driver.zram(2)}", "set=vm.swappiness=1", user=65534, group=65534, extra_groups=[],
                          env={"PATH": os.environ["PATH"]})
        self.assertTrue(held.ready, held.rows)
        self.assertEqual(len(held.said("not_possible")), 3)
        self.assertIn("paging.not_root", " ".join(held.said("finding")))
        self.assertEqual(held.restore(), 0)
        subprocess.run(["rm", "-rf", "/tmp/fathom-65534"], check=True)


if __name__ == "__main__":
    unittest.main()
