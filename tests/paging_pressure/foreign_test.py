# label: paging
# timeout: 300
# lock: paging
"""Others have pages in the run's swap when it is restored: whoever has no room for them is not killed, whoever has gets them back, and no signal
cuts it short. And a device that is in use never becomes swap, whatever is allowed."""
import contextlib
import glob
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import driver
from driver import MIB, LoopDisk

driver.skip_without("root", "zram", "cgroup", "loop")
FATHOM = os.environ["FATHOM"]

# Fills memory; the counts of its group are read so that the kernel adds them up (docs/reference/paging.md, known sources of error). "out": pushes it into swap.
FOREIGN = """
import mmap, os, sys
size, procs, stat = int(sys.argv[1]), sys.argv[2], sys.argv[3]
if procs:
    open(procs, "w").write(str(os.getpid()))
memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
for at in range(0, size, 1 << 18):
    memory[at:at + (1 << 18)] = os.urandom(1 << 18)
    if stat:
        open(stat).read()
print("filled", flush=True)
for line in sys.stdin:
    memory.madvise(21)  # MADV_PAGEOUT
    print("out", flush=True)
"""


class ForeignProcess:
    def __init__(self, mib, group=None):
        procs, stat = (group + "/cgroup.procs", group + "/memory.stat") if group else ("", "")
        self.process = subprocess.Popen([sys.executable, "-c", FOREIGN, str(mib * MIB), procs, stat], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.filled = self.process.stdout.readline() == "filled\n"

    def page_out(self):
        self.process.stdin.write("out\n")
        self.process.stdin.flush()
        return self.process.stdout.readline() == "out\n"

    def lives(self):
        return self.process.poll() is None

    def end(self):
        self.process.kill()
        self.process.communicate()


class Group:
    """A memory cgroup of somebody else, of version 1 or 2."""

    def __init__(self, limit_bytes):
        v1 = [m.split()[4] for m in driver.rows("/proc/self/mountinfo") if " - cgroup " in m and "memory" in m.split(" - ")[1]]
        v2 = [m.split()[4] for m in driver.rows("/proc/self/mountinfo") if " - cgroup2 " in m]
        self.top, file = (v1[0], "memory.limit_in_bytes") if v1 else (v2[0], "memory.max")
        self.control = None if v1 else pathlib.Path(self.top, "cgroup.subtree_control")
        self.given = self.control is not None and "memory" not in self.control.read_text().split()
        if self.given:
            self.control.write_text("+memory")
        self.name = f"fathom-foreign-{os.getpid()}"
        self.path = f"{self.top}/{self.name}"
        os.mkdir(self.path)
        pathlib.Path(self.path, file).write_text(str(limit_bytes))

    def remove(self):
        for _ in range(100):
            with contextlib.suppress(OSError):
                os.rmdir(self.path)
                break
            time.sleep(0.05)
        if self.given:
            with contextlib.suppress(OSError):
                self.control.write_text("-memory")


def cleanup(*words):
    return subprocess.run([FATHOM, "paging", "cleanup", *words], capture_output=True, text=True)


def used_mib(path):
    return next((int(r.split()[3]) / 1024 for r in driver.rows("/proc/swaps")[1:] if r.split()[0] == path), None)


class RestoreWithForeignSwapPages(unittest.TestCase):
    def setUp(self):
        self.since = int(time.time())
        self.undo = contextlib.ExitStack()
        self.undo.callback(cleanup, "--force")

    def tearDown(self):
        self.undo.close()
        self.assertEqual(driver.left_behind(self.since), [])

    def run_with_swap(self):
        """A run that measures, and its zram device."""
        swap = driver.zram(256)
        before = set(driver.active_swaps())
        run = subprocess.Popen([FATHOM, "paging", "--map=8M", "--set=8M", f"--swap={swap}", "--cold", "--duration=100", "--eta=always", "--audit=off",
                                "--output-format=json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
        self.undo.callback(lambda: (run.kill(), run.communicate()) if run.poll() is None else None)
        seen = ""
        while "measuring" not in seen:
            line = run.stderr.readline()
            seen += line
            self.assertTrue(line, "ended before it measured: " + seen)
        size = swap.partition(":")[2]
        ours = [f"/dev/{os.path.basename(p)}" for p in glob.glob("/sys/block/zram*") if pathlib.Path(p, "disksize").read_text().strip() == size]
        ours = [p for p in ours if p in driver.active_swaps() and p not in before]
        self.assertEqual(len(ours), 1)
        return run, ours[0]

    def foreign(self, mib, group=None):
        foreign = ForeignProcess(mib, group)
        self.undo.callback(foreign.end)
        self.assertTrue(foreign.filled)
        return foreign

    def need(self, mib, path):
        if used_mib(path) < mib:
            self.skipTest(f"others' pages went to another swap: {driver.rows('/proc/swaps')}")

    def findings(self, run, *signals):
        """Of the report of a run that is sent these, and then no more until it ends."""
        for number in signals:
            run.send_signal(number)
        out, err = run.communicate(timeout=100)
        self.assertEqual(run.returncode, 130, err)
        return {f["id"]: f for f in json.loads(out)["fathom"]["findings"]}

    def test_a_process_without_room_for_its_pages_is_not_killed(self):
        run, path = self.run_with_swap()
        group = Group(24 * MIB)
        self.undo.callback(group.remove)
        foreign = self.foreign(80, group.path)
        self.need(20, path)
        finding = self.findings(run, signal.SIGINT).get("paging.not_restored")
        self.assertTrue(foreign.lives(), "killed by the restore")
        self.assertIsNotNone(finding)
        self.assertEqual(finding["severity"], "error")
        for text in (f"swapoff {path}: not done", group.name, "limit 24 MiB", f"(pid {foreign.pid}) ", " MiB"):
            self.assertIn(text, finding["evidence"])
        self.assertIn("fathom paging cleanup", finding["remedy"])
        self.assertIn(path, driver.active_swaps(), "what was reported is so")
        self.assertTrue(any(n.startswith(f"{run.pid}-") for n in driver.journals()))

        early = cleanup()
        self.assertEqual(early.returncode, 4, early.stdout + early.stderr)
        self.assertIn(f"(pid {foreign.pid})", early.stdout)
        self.assertTrue(foreign.lives(), "killed by the clean-up")
        self.assertIn(path, driver.active_swaps())

        foreign.end()
        late = cleanup()
        self.assertEqual(late.returncode, 0, late.stdout + late.stderr)
        self.assertNotIn(path, driver.active_swaps())
        self.assertFalse(any(n.startswith(f"{run.pid}-") for n in driver.journals()))

    def test_cleanup_with_force_swaps_off_even_if_processes_are_killed(self):
        run, path = self.run_with_swap()
        group = Group(24 * MIB)
        self.undo.callback(group.remove)
        self.foreign(80, group.path)
        self.need(20, path)
        self.assertIn("paging.not_restored", self.findings(run, signal.SIGINT))
        # swapoff(2) itself may fail while the kernel kills; what it killed has no pages any more.
        self.assertIn(0, [cleanup("--force").returncode for _ in range(2)])
        self.assertNotIn(path, driver.active_swaps())

    def test_a_process_with_room_gets_its_pages_back(self):
        run, path = self.run_with_swap()
        foreign = self.foreign(32)
        self.assertTrue(foreign.page_out())
        self.need(20, path)
        findings = self.findings(run, signal.SIGINT)
        self.assertNotIn("paging.not_restored", findings)
        self.assertIn(f"(pid {foreign.pid})", findings["paging.others_brought_back"]["evidence"])
        self.assertEqual(findings["paging.others_brought_back"]["severity"], "note")
        self.assertNotIn(path, driver.active_swaps())
        self.assertTrue(foreign.lives())

    def test_signals_do_not_interrupt_swapoff(self):
        run, path = self.run_with_swap()
        foreign = [self.foreign(10) for _ in range(8)]
        for foreign in foreign:
            self.assertTrue(foreign.page_out())
        self.need(40, path)
        sent = 0
        while run.poll() is None and sent < 20000:
            run.send_signal((signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[sent % 3])
            sent += 1
            time.sleep(0.001)
        out, err = run.communicate(timeout=100)
        self.assertNotIn("not_restored", out)
        self.assertNotIn("not restored", err)
        self.assertNotIn(path, driver.active_swaps(), f"after {sent} signals")
        self.assertFalse(any(n.startswith(f"{run.pid}-") for n in driver.journals()))

    def refused(self, path):
        done = subprocess.run([FATHOM, "paging", "--map=8M", "--set=8M", "--duration=1", "--cold", "--no-settle", f"--swap=dev:{path}",
                               f"--allow-destructive={path}"], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("add --allow-destructive", done.stderr)
        self.assertNotIn(path, driver.active_swaps())
        return done.stderr

    def test_a_mounted_device_is_refused_as_swap(self):
        disk = LoopDisk()
        self.undo.callback(disk.close)
        subprocess.run(["mkfs.ext4", "-q", "-F", disk.path], check=True)
        folder = self.undo.enter_context(tempfile.TemporaryDirectory(prefix="fathom-mount-", dir="/var/tmp"))
        for _ in range(2):  # a file system whose first page was overwritten does not mount again
            subprocess.run(["mount", disk.path, folder], check=True)
            try:
                self.assertIn(f"mounted on {folder}", self.refused(disk.path))
            finally:
                subprocess.run(["umount", folder], check=True)
        self.assertEqual(subprocess.run(["e2fsck", "-fn", disk.path], capture_output=True).returncode, 0)

    def test_a_device_held_exclusively_is_refused_as_swap(self):
        disk = LoopDisk()
        self.undo.callback(disk.close)
        claim = os.open(disk.path, os.O_RDONLY | os.O_EXCL)
        try:
            self.assertIn("held exclusively by another program", self.refused(disk.path))
        finally:
            os.close(claim)
        with open(disk.path, "rb") as f:
            self.assertEqual(f.read(4096), bytes(4096))


if __name__ == "__main__":
    unittest.main()
