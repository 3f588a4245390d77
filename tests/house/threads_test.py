# label: slow
# timeout: 600
"""Rooms whose tests ThreadSanitizer leaves out (FATHOM_ONE_THREAD of preset tsan) start no thread: a program with one thread has no race.
Every one of their test programs is run under strace, which would see a thread begin; that it sees one is shown on a room that has some."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import tree

BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", tree.SOURCE / "build"))


def one_thread():
    presets = json.loads((tree.SOURCE / "CMakePresets.json").read_text())["configurePresets"]
    return next(p for p in presets if p["name"] == "tsan")["cacheVariables"]["FATHOM_ONE_THREAD"].split(";")


def threads_of(program, *words):
    """Lines of strace that say that a thread began."""
    with tempfile.TemporaryDirectory(prefix="fathom-threads-") as folder:
        calls = os.path.join(folder, "calls")
        done = subprocess.run(["strace", "-f", "--seccomp-bpf", "-qq", "-e", "trace=clone,clone3", "-e", "signal=none", "-o", calls, str(program), "--gtest_brief=1", *words],
                              capture_output=True, text=True, cwd=folder)
        if done.returncode != 0:
            raise AssertionError(f"{program.name}: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return [line for line in pathlib.Path(calls).read_text().splitlines() if re.search(r"CLONE_THREAD", line)]


class OneThreadRooms(unittest.TestCase):
    def test_a_started_thread_is_detected(self):
        self.assertTrue(threads_of(BUILD / "test_clock", "--gtest_filter=CrossCoreTest.PassesAHundredTimes"))

    def test_tests_of_listed_rooms_start_no_thread(self):
        ran = 0
        for room in one_thread():
            if not any((tree.SOURCE / "tests" / room).glob("*_test.cc")):
                continue
            with self.subTest(room=room):
                self.assertEqual(threads_of(BUILD / f"test_{room}"), [])
                ran += 1
        self.assertGreater(ran, 3)


if __name__ == "__main__":
    if os.environ.get("FATHOM_SANITIZE") or not shutil.which("strace"):
        print("skipped: a sanitizer's runtime has threads of its own, or no strace is installed")
        sys.exit(77)
    unittest.main()
