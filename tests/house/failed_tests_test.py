"""scripts/failed-tests: of a folder of ctest's own, the failed tests alone, each with its last lines."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = os.environ["FATHOM_SOURCE"]
TESTS = """add_test(good sh -c "echo fine")
add_test(bad sh -c "echo FAIL first; seq 40; echo why >&2; exit 1")
add_test(mute false)
"""


def said(folder, *words):
    return subprocess.run(["python3", f"{SOURCE}/scripts/failed-tests", folder, *words], check=True, capture_output=True, text=True).stdout


class FailedTests(unittest.TestCase):
    def test_each_failed_test_is_shown_with_its_last_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CTestTestfile.cmake").write_text(TESTS)
            subprocess.run(["ctest", "--test-dir", folder], capture_output=True)
            self.assertEqual(said(folder, "3"), "bad:\n  FAIL first\n  39\n  40\n  why\nmute:\n")

    def test_a_folder_without_failures_shows_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CTestTestfile.cmake").write_text('add_test(good true)\n')
            subprocess.run(["ctest", "--test-dir", folder], capture_output=True)
            self.assertEqual(said(folder), "")


if __name__ == "__main__":
    unittest.main()
