#!/usr/bin/python3
# label: timing
# timeout: 240
# cost: 38
"""What `fathom sweep` says while it runs: an object a second of each of its runs, a metrics file of the run that goes on, and the lines of a terminal, which a run's end and Ctrl-C
take away. Its page: live_page_test.py."""
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
import unittest

import terminals

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    text_string_to_metric_families = None

FATHOM = os.path.abspath(os.environ.get("FATHOM", ""))
JOB = "[a]\nioengine=null\nrw=randread\nsize=1g\nrate_iops=6000\ntime_based\nruntime={seconds}\n"
SETTINGS = ("iodepth=1", "iodepth=4")
SWEEP = ["sweep", "job.fio", "--over=iodepth=1,4", "--repeat=1", "--refine=0", "--run-option=--audit=off", "--run-option=--clock-check=skip"]
RUNS = 3  # two loads, and the first once more
LINE = re.compile(r"  read +[\d.]+k? IOPS +[\d.]+ [KM]iB/s  p50 +[\d.]+ [num]?s  p99 +[\d.]+ [num]?s  p99.9 ")


class LiveSweep(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.sweeps = 0

    def words(self, *words, seconds=2.3):
        """A sweep with a folder of its own."""
        (self.folder / "job.fio").write_text(JOB.format(seconds=seconds))
        self.sweeps += 1
        return [*SWEEP, f"--results=results-{self.sweeps}", *words]

    def run_program(self, *words, **how):
        return subprocess.run([FATHOM, *self.words(*words, **how)], cwd=self.folder, capture_output=True, text=True, timeout=60, env={**os.environ, "TERM": "xterm"})

    def results(self):
        """Of each run in turn, its setting and its I/Os."""
        folder = self.folder / f"results-{self.sweeps}"
        rows = [row.split("\t") for row in (folder / "state").read_text().splitlines() if row.startswith("run\t")]
        files = [folder / next(word for word in row if word.endswith(".json")) for row in rows]
        return [(file.parent.name, json.loads(file.read_text())["fathom"]["jobs"][0]["read"]["ios"]) for file in files]

    # effect: live
    def test_an_object_a_second_of_each_run(self):
        done = self.run_program("--live=json", "--output=s.txt")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("job.fio", (self.folder / "s.txt").read_text())
        self.check_objects([json.loads(line) for line in done.stdout.splitlines()])

    def check_objects(self, objects):
        results = self.results()
        self.assertEqual(sorted(setting for setting, _ in results[:2]), list(SETTINGS))
        self.assertEqual([o["run"] for o in objects], sorted(o["run"] for o in objects))
        self.assertEqual({o["run"] + o["runs_left"] for o in objects}, {RUNS})
        for number, (setting, ios) in enumerate(results, 1):
            seconds = [o for o in objects if o["run"] == number]
            self.assertEqual(len(seconds), 2, objects)
            self.assertEqual({o["setting"] for o in seconds}, {setting})
            self.assertTrue(0 < seconds[0]["read"]["ios"] < seconds[1]["read"]["ios"] <= ios, (seconds, ios))
            self.assertGreater(seconds[1]["read"]["ios"], 0.3 * ios)
            for o in seconds:
                self.assertLess(abs(o["read"]["lat_n"] - o["read"]["iops"]), 0.3 * o["read"]["iops"])
                self.assertTrue(0 < o["read"]["lat_ns_p50"] <= o["read"]["lat_ns_p99"] <= o["read"]["lat_ns_p999"], o)
        self.assertEqual(len(objects), 2 * RUNS)
        for a, b in zip(objects, objects[1:]):
            self.assertLess(0.5, b["sweep_elapsed_s"] - a["sweep_elapsed_s"])
            self.assertEqual(b["elapsed_s"] > a["elapsed_s"], a["run"] == b["run"], "the run's own time begins anew")

    def test_metrics_are_of_the_run_that_goes_on(self):
        self.assertEqual(self.metrics_of(["--live=metrics-keep:fathom.prom", "--live=json:live.json"], stays=True), 0)
        self.check_objects([json.loads(line) for line in (self.folder / "live.json").read_text().splitlines()])
        self.check_metrics([text for text in self.texts if text])

    def test_metrics_are_gone_afterwards(self):
        self.assertEqual(self.metrics_of(["--live=metrics:fathom.prom"], seconds=1.3), 0)
        self.assertEqual(self.metrics_of(["--live=metrics:fathom.prom"], interrupted_at=2), 130)

    def metrics_of(self, words, stays=False, interrupted_at=None, **how):
        """Its exit status; its texts: what the file held, in turn."""
        file, self.texts = self.folder / "fathom.prom", []
        with subprocess.Popen([FATHOM, *self.words("--output=s.txt", *words, **how)], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            while child.poll() is None:
                if file.exists():
                    self.note(file)
                elif child.poll() is None and self.texts:
                    self.assertIsNotNone(self.ended(child), "it is there from one run to the next")
                if len(self.texts) == interrupted_at:
                    child.send_signal(signal.SIGINT)
                    interrupted_at = None
                time.sleep(0.02)
        self.assertEqual(file.exists(), stays)
        self.assertEqual(list(self.folder.glob("*.new")), [])
        self.assertTrue(any(self.texts))
        return child.returncode

    def note(self, file):
        try:
            if (text := file.read_text()) not in self.texts[-1:]:
                self.texts.append(text)
        except FileNotFoundError:
            pass  # gone since

    @staticmethod
    def ended(child):
        """Its exit status, where it is at its end; else None."""
        try:
            return child.wait(timeout=1)
        except subprocess.TimeoutExpired:
            return None

    def check_metrics(self, texts):
        if text_string_to_metric_families is None:
            self.skipTest("no prometheus_client")
        counts = []
        for text in texts:
            self.assertTrue(text.endswith("\n"))
            families = {family.name: family for family in text_string_to_metric_families(text)}
            [ios] = families["fathom_ios"].samples
            self.assertEqual(ios.labels, {"direction": "read"})
            counts.append(ios.value)
        self.assertEqual(sum(b < a for a, b in zip(counts, counts[1:])), RUNS - 1, f"they begin anew with each run: {counts}")
        self.assertEqual(len(counts), 2 * RUNS)

    def on_terminal(self, columns, *words, seconds=2.3, **how):
        how = {"TERM": "xterm", "LC_ALL": "C.UTF-8", **how}
        return terminals.on_terminal(columns, self.words("--output=s.txt", *words, seconds=seconds), self.folder, to="stderr", **how)

    def test_a_terminal_shows_each_run_and_then_its_line_alone(self):
        for columns in (80, 120):
            with self.subTest(columns=columns):
                seen = self.on_terminal(columns, seconds=1.8)
                of_run = re.split(r"fathom sweep: run \d, \d left .*: iodepth=\d: .*IOPS, .*\n", seen)
                self.assertEqual(len(of_run), RUNS + 1, seen)
                self.assertEqual(of_run.pop(), "", "the last line is the last run's")
                for text in of_run:
                    self.assertGreaterEqual(len(LINE.findall(text)), 2, "one each half second, and the first has no latencies yet")
                    self.assertRegex(text, r"Jobs: 1 .*eta")
                    self.assertRegex(text, "[▁-█]")
                    self.assertTrue(text.endswith("\x1b[J"), "what stood there is gone before the run's line")
                rows = [terminals.CONTROLS.sub("", row) for row in seen.replace("\r", "\n").split("\n")]
                self.assertEqual([row for row in rows if terminals.width(row) > columns and not row.startswith("fathom sweep:")], [])
                self.assertEqual(set(terminals.CONTROLS.findall(seen)), {"\x1b[J", "\x1b[1A"}, "no mode is switched")

    def test_a_terminal_that_can_little_or_is_to_have_none_has_no_lines(self):
        dumb = self.on_terminal(80, seconds=1.3, TERM="dumb")
        self.assertNotIn("\x1b", dumb)
        self.assertNotIn("p99.9", dumb)
        self.assertIn("Jobs: 1", dumb)
        silent = self.on_terminal(80, "--eta=never", seconds=0.7)
        self.assertNotIn("\x1b", silent)
        self.assertNotIn("Jobs", silent)
        self.assertEqual(len(re.findall(r"run \d, \d left", silent)), RUNS)
        done = self.run_program("--output=s.txt", seconds=0.7)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertNotIn("\x1b", done.stderr)
        self.assertNotIn("Jobs", done.stderr)

    def test_ctrl_c_takes_the_lines_away(self):
        seen = self.on_terminal(80, interrupt_s=1.6)
        self.assertRegex(seen, LINE)
        self.assertTrue(seen.endswith("\nfathom sweep: stopped; the same command goes on from here\n") or "\x1b[Jfathom sweep: stopped" in seen, seen[-300:])
        self.assertNotIn("p99.9", seen[seen.rindex("\x1b[J"):])
        self.assertNotIn("Jobs", seen[seen.rindex("\x1b[J"):])

    def test_mistakes_are_told_before_the_first_run(self):
        for word, what in (("--live=json", "the report uses standard output"), ("--live=metrics:/nonexistent/x", "open `/nonexistent/x`"),
                           ("--live=json:/nonexistent/x", "open `/nonexistent/x`"), ("--live=smoke:x", "not a live view")):
            with self.subTest(word=word):
                done = self.run_program(word)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(done.stdout, "")
                self.assertIn(what, done.stderr)
                self.assertNotIn("run 1", done.stderr)


if __name__ == "__main__":
    unittest.main()
