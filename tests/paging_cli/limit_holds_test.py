"""What a run may use is what the report says: a limit of the memory group that it is started in is found, counted and printed, the run's own
group is made below it; and pages of a file that were cached before are not taken for hits."""
# label: timing
# timeout: 240
# alone: what a second of accesses counts
import json
import os
import re
import tempfile
import unittest

import machine

SKIP = machine.can_press() or ("" if os.path.isdir("/sys/fs/cgroup/memory") else "cgroup v2: tests/guest/paging/box.py")
ROOT = "/sys/fs/cgroup/memory"
LIMIT = 64 << 20


class Box:
    """A memory group with a limit, and a way to start in it."""

    def __enter__(self):
        self.name = f"/fathom-box-{os.getpid()}"
        self.path = ROOT + self.name
        os.mkdir(self.path)
        self.write("memory.limit_in_bytes", LIMIT)
        return self

    def write(self, file, value):
        with open(f"{self.path}/{file}", "w") as out:
            out.write(str(value))

    def start(self, *words):
        return machine.paging(*words, "--eta=never", preexec_fn=lambda: self.write("cgroup.procs", os.getpid()))

    def peak(self):
        return int(machine.read(self.path + "/memory.max_usage_in_bytes"))

    def __exit__(self, *_):
        os.rmdir(self.path)  # fails where the run has left its own


@unittest.skipIf(SKIP, SKIP)
class StartedInACgroup(unittest.TestCase):
    def test_the_cgroups_limit_is_printed(self):
        with Box() as box:
            done = box.start("--map=16M", "--set=16M", "--duration=1", "--cold")
        text = re.sub(r"\s+", " ", done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"pressure: limit 64 MiB of the inherited memory group {box.name}", text)

    def test_a_set_above_the_cgroups_limit_is_refused(self):
        with Box() as box:
            done = box.start("--map=256M", "--set=256M", "--duration=1", "--cold", "--swap=none")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(f"limit 64 MiB of the memory group {box.name} that fathom is started in + no swap", done.stderr)

    def test_a_run_with_its_own_limit_is_charged_to_the_cgroup(self):
        with Box() as box:
            done = box.start("--map=48M", "--set=48M", "--fill=random", "--duration=1", "--cold", "--limit=40M", "--swap=zram:80M",
                             "--output-format=json")
            peak = box.peak()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        pressure = json.loads(done.stdout)["fathom"]["paging"]["pressure"]
        self.assertEqual((pressure["limit_bytes"], pressure["ambient_limit_bytes"]), (40 << 20, LIMIT))
        self.assertGreater(peak, 38 << 20, "the run's pages are the group's")

    def test_an_oom_kill_names_the_cgroup(self):
        with Box() as box:
            done = box.start("--map=256M", "--set=256M", "--fill=random", "--duration=2", "--cold", "--swap=none", "--force")
        text = re.sub(r"\s+", " ", done.stdout + done.stderr)
        self.assertNotEqual(done.returncode, 0, text)
        self.assertIn(f"by the OOM killer of the memory group {box.name} that fathom was started in (limit 64 MiB)", text)


@unittest.skipIf(SKIP, SKIP)
class CachedFile(unittest.TestCase):
    def test_pages_cached_before_the_run_are_dropped(self):
        with tempfile.TemporaryDirectory(prefix="fathom-", dir="/var/tmp") as folder:
            path = os.path.join(folder, "map")
            with open(path, "wb") as file:
                file.write(os.urandom(48 << 20))  # cached from now on, for this process
            done = machine.paging(f"--memory=file-private:{path}", "--map=48M", "--set=48M", "--limit=24M", "--read-ratio=100", "--cold",
                                  "--duration=1", "--eta=never", "--output-format=json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = json.loads(done.stdout)["fathom"]
        majors = sum(worker["kernel_major"] for worker in result["paging"]["workers"])
        self.assertGreater(majors, 50)
        self.assertIn("paging.cache_dropped", [finding["id"] for finding in result["findings"]])


if __name__ == "__main__":
    unittest.main(verbosity=2)
