#!/usr/bin/python3
# label: test
# cost: 10
"""Every command with a result of its own writes it as a page: by --output-format=html, or by the name of the file. What is no place for a page is refused before it measures."""
import os
import pathlib
import subprocess
import tempfile
import unittest

FATHOM = os.environ["FATHOM"]
# Each ends with status 0 and is quick.
COMMANDS = {"doctor": ["doctor"], "clock sources": ["clock", "sources"], "clock test": ["clock", "test", "--cpus=0", "--entries=100"]}
COUNT = ["--", "/bin/true"]


class ResultPages(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_in(self, *words):
        return subprocess.run([FATHOM, *words], capture_output=True, text=True, cwd=self.folder, timeout=60)

    def assert_page(self, text, name):
        self.assertTrue(text.startswith("<!DOCTYPE html>"), text[:100])
        self.assertIn(f"<h1>fathom {name}</h1>", text)
        self.assertIn('class="badge ', text)

    def test_by_format_by_name_and_from_a_file(self):
        for name, words in COMMANDS.items():
            with self.subTest(name):
                done = self.run_in(*words, "--output-format=html")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_page(done.stdout, name)
                done = self.run_in(*words, "-o", "x.html")
                self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
                self.assert_page((self.folder / "x.html").read_text(), name)
                done = self.run_in(*words, "-o", "x.html", "--output-format=json")  # replaces the page, which fathom wrote
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue((self.folder / "x.html").read_text().startswith("{"))
                done = self.run_in("report", "x.html", "-o", "again.html", "--force")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(f"<h1>fathom {name} (x.html)</h1>", (self.folder / "again.html").read_text())
                self.assertEqual(self.run_in(*words, "--json").stdout[:1], "{")

    def test_counts(self):
        for words in (["-o", "x.html"], ["-I", "10", "-o", "y.html"], ["--output-format=html", "-o", "z"]):
            done = self.run_in("pmu", "stat", "-e", "context-switches", *words, *COUNT)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_page((self.folder / words[-1]).read_text(), "pmu stat")
        done = self.run_in("pmu", "stat", "-e", "context-switches", "-x,", "-o", "w.html", *COUNT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("<html", (self.folder / "w.html").read_text(), "-x asks for lines")
        done = self.run_in("pmu", "stat", "--append", "-o", "x.html", *COUNT)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--append cannot add to an HTML page", done.stderr)

    def test_what_is_refused(self):
        (self.folder / "mine.html").write_text("<p>mine</p>")
        locked = self.folder / "locked"
        locked.mkdir()
        for name, words in COMMANDS.items():
            with self.subTest(name):
                done = self.run_in(*words, "--output-format=htm")
                self.assertEqual(done.returncode, 2)
                self.assertIn("html", done.stderr)
                done = self.run_in(*words, "-o", "mine.html")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual((self.folder / "mine.html").read_text(), "<p>mine</p>")
                self.assertNotEqual(self.run_in(*words, "-o", "none/x.html").returncode, 0)
                done = self.run_in(*words, "-o", "/dev/full", "--output-format=html")
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn("<!DOCTYPE html>", done.stdout, "no measurement is lost")
                done = self.run_in(*words, "-o", "mine.html", "--force")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assert_page((self.folder / "mine.html").read_text(), name)
                (self.folder / "mine.html").write_text("<p>mine</p>")


if __name__ == "__main__":
    unittest.main()
