#!/usr/bin/python3
# label: timing
# timeout: 240
# cost: 38
"""--live and --report beside a real run: an object a second whose counts agree with the result's, a metrics file that Prometheus's own parser reads, which is there while the
run goes on and gone afterwards; what a terminal shows, and what is left of it after Ctrl-C; and what the parent spends on all that."""
import fcntl
import json
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
import unittest

import cpu_spent
import terminals

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    text_string_to_metric_families = None

FATHOM = os.path.abspath(os.environ.get("FATHOM", ""))
NULL = ["--name=t", "--ioengine=null", "--rw=randrw", "--size=1g", "--time_based", "--audit=off", "--clock-check=skip"]
DIRECTIONS = ("read", "write")


class Live(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def command(self, *words):
        return [FATHOM, "run", *NULL, "--output-format=json", "--output=out.json", *words]

    def run_program(self, *words):
        return subprocess.run(self.command(*words), cwd=self.folder, capture_output=True, text=True, timeout=60)

    def result(self):
        return json.loads((self.folder / "out.json").read_text())["fathom"]["jobs"][0]

    # effect: live
    def test_an_object_a_second(self):
        done = self.run_program("--runtime=3.6", "--live=json")
        self.assertEqual(done.returncode, 0, done.stderr)
        objects = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertIn(len(objects), (3, 4))
        job = self.result()
        for name in DIRECTIONS:
            counts = [o[name]["ios"] for o in objects]
            self.assertEqual(counts, sorted(counts))
            self.assertLessEqual(counts[-1], job[name]["ios"])
            self.assertGreater(counts[-1], 0.3 * job[name]["ios"])
            for o in objects:
                self.assertLessEqual(o[name]["lat_ns_p50"], o[name]["lat_ns_p99"])
                self.assertLessEqual(o[name]["lat_ns_p99"], o[name]["lat_ns_p999"])
            # The latencies of a second are those of its I/Os; both are read within some hundred microseconds.
            last = objects[-1][name]
            self.assertLess(abs(last["lat_n"] - last["iops"]), 0.3 * last["iops"])
        for a, b in zip(objects, objects[1:]):
            self.assertLess(abs(b["elapsed_s"] - a["elapsed_s"] - 1), 0.4)
            self.assertLess(a["done_percent"], b["done_percent"])

    def test_the_series_has_the_latencies_of_its_intervals(self):
        self.assertEqual(self.run_program("--runtime=2.2").returncode, 0)
        for name in DIRECTIONS:
            direction = self.result()[name]
            self.assertEqual(direction["series_latency"], "lat")
            self.assertGreaterEqual(len(direction["series"]), 3)
            for point in direction["series"]:
                self.assertLess(abs(point["lat_n"] - point["ios"]), 0.05 * point["ios"])
                self.assertLessEqual(direction["lat"]["min_ns"] * 0.99, point["lat_ns_p50"])
                self.assertLessEqual(point["lat_ns_p999"], direction["lat"]["max_ns"] * 1.01)

    def test_where_no_latency_is_measured_none_is_told(self):
        done = self.run_program("--runtime=1.7", "--gtod_reduce=1", "--live=json:live.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.result()["read"]["series_latency"], "")
        self.assertNotIn("lat_n", self.result()["read"]["series"][0])
        self.assertIsNone(json.loads((self.folder / "live.json").read_text().splitlines()[0])["read"]["lat_ns_p50"])

    def test_metrics_are_there_while_it_runs(self):
        for how, signum, stays in (("metrics", None, False), ("metrics-keep", None, True), ("metrics", signal.SIGINT, False)):
            with self.subTest(how=how, signum=signum):
                file = self.folder / "fathom.prom"
                child = subprocess.Popen(self.command("--runtime=3", f"--live={how}:fathom.prom"), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                texts = set()
                while child.poll() is None:
                    if file.exists():
                        texts.add(file.read_text())
                    if len(texts) == 3 and signum:
                        child.send_signal(signum)
                    time.sleep(0.02)
                self.assertGreaterEqual(len(texts), 3, "an empty one before, and one a second")
                self.assertEqual(file.exists(), stays)
                self.assertEqual([p.name for p in self.folder.glob("*.new")], [])
                self.check_metrics(max(texts, key=len))

    def check_metrics(self, text):
        self.assertTrue(text.endswith("\n"))
        if text_string_to_metric_families is None:
            self.skipTest("no prometheus_client")
        families = {family.name: family for family in text_string_to_metric_families(text)}
        self.assertEqual(families["fathom_ios"].type, "counter")
        self.assertEqual({sample.labels["direction"] for sample in families["fathom_ios"].samples}, set(DIRECTIONS))
        latencies = {(s.labels["direction"], s.labels["quantile"]): s.value for s in families["fathom_latency_seconds"].samples}
        self.assertEqual(set(latencies), {(d, q) for d in DIRECTIONS for q in ("0.5", "0.99", "0.999")})
        self.assertTrue(all(0 < value < 1 for value in latencies.values()))

    def test_mistakes_are_told_before_the_run(self):
        for words, what in ((["--live=json"], "the report would be among the objects"), (["--live=metrics"], "a file is missing"), (["--live=smoke:x"], "not a live view"),
                            (["--live=json:a", "--live=json:b"], "written twice"), (["--live=metrics:a", "--live=metrics-keep:b"], "written twice"),
                            (["--live=metrics:/nonexistent/x"], "open `/nonexistent/x`"), (["--report=/nonexistent/x"], "")):
            done = subprocess.run([FATHOM, "run", *NULL, "--runtime=9", *words], cwd=self.folder, capture_output=True, text=True, timeout=20)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertEqual(done.stdout, "")
            if what != "the report would be among the objects":
                self.assertIn(what, done.stderr)

    def test_a_reader_that_goes_away_costs_nothing(self):
        child = subprocess.Popen(self.command("--runtime=3.2", "--live=json"), cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        child.stdout.readline()
        child.stdout.close()
        with child.stderr:
            self.assertEqual(child.wait(timeout=30), 0, child.stderr.read())
        self.assertGreater(self.result()["read"]["ios"], 0)

    # effect: report
    def test_a_page_beside_the_report(self):
        done = self.run_program("--runtime=1", "--report=page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.folder / "page.html").read_text()
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertIn(json.loads((self.folder / "out.json").read_text())["fathom"]["run_id"], page)

    def test_a_terminal_shows_latencies_and_is_left_as_it_was(self):
        words = ["run", *NULL, "--runtime=1.7", "--output=/dev/null"]
        for columns in (80, 120):
            seen = terminals.on_terminal(columns, words, self.folder, to="stderr", TERM="xterm", LC_ALL="C.UTF-8")
            self.assertRegex(seen, r"\n  read +[\d.]+[kM]? IOPS.*p50 +[\d.]+ ns  p99 +[\d.]+ [nu]s  p99.9 ")
            self.assertRegex(seen, "[▁-█]")
            rows = [row for row in seen.replace("\r", "\n").split("\n") if row]
            self.assertEqual([row for row in rows if terminals.width(terminals.CONTROLS.sub("", row)) > columns], [])
            self.assertTrue(seen.endswith("\x1b[J"), "it is gone at the end")
            self.assertEqual(set(terminals.CONTROLS.findall(seen)), {"\x1b[J", "\x1b[2A"}, "no mode is switched")
        dumb = terminals.on_terminal(80, words, self.folder, to="stderr", TERM="dumb")
        self.assertNotIn("\x1b", dumb)
        self.assertIn("Jobs: 1", dumb)
        self.assertNotIn("p99", dumb)
        self.assertEqual(subprocess.run([FATHOM, *words], cwd=self.folder, capture_output=True, timeout=30, env={**os.environ, "TERM": "xterm"}).stderr, b"")

    def test_a_terminal_that_is_resized_has_lines_of_its_new_width(self):
        words = ["run", *NULL, "--rate_iops=2000,2000", "--runtime=3.2", "--output=/dev/null"]
        for before, after in ((120, 70), (70, 110)):
            seen = terminals.on_terminal(before, words, self.folder, to="stderr", resized=(1.8, after), TERM="xterm", LC_ALL="C.UTF-8")
            wide, narrow = seen.split(terminals.RESIZED.decode())
            for text, columns in ((wide, before), (narrow, after)):
                rows = [terminals.CONTROLS.sub("", row) for row in text.replace("\r", "\n").split("\n")]
                widths = [terminals.width(row) for row in rows if row.lstrip().startswith("read")]
                self.assertGreaterEqual(len(widths), 2)
                self.assertLess(max(widths), columns)
            self.assertTrue(seen.endswith("\x1b[J"), "nothing of it is left")
            # What stands there at the new width is what is gone up over: two lines, or those that the terminal has folded into more.
            folded = [int(rows) for rows in re.findall("\x1b\\[(\\d+)A", narrow)]
            self.assertEqual(set(folded[1:]), {2})
            self.assertGreaterEqual(folded[0], 2)

    # effect: report
    def test_memory_a_sweep_and_a_comparison_have_pages_too(self):
        (self.folder / "job.fio").write_text("[a]\nioengine=sim\nsim_latency=const:100us\nrw=randread\nsize=4m\n")
        sweep = ["sweep", "job.fio", "--over=iodepth=1,4", "--repeat=1", "--refine=0", "--output=s.txt", "--run-option=--audit=off", "--run-option=--clock-check=skip"]
        for words, what in ((["paging", "--map=16m", "--set=16m", "--duration=0.5", "--audit=off", "--output=p.txt"], '"paging"'), (sweep, "Latency against load"),
                            (["compare", "sweep-results/iodepth=1", "sweep-results/iodepth=4", "--output=c.txt"], "Change of each metric")):
            done = subprocess.run([FATHOM, *words, "--report=page.html"], cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            page = (self.folder / "page.html").read_text()
            self.assertTrue(page.startswith("<!DOCTYPE html>") and what in page, words)
            (self.folder / "page.html").unlink()
            done = subprocess.run([FATHOM, *words, "--report=/nonexistent/x"], cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("/nonexistent/x", done.stderr)

    # effect: live
    def test_seconds_of_memory_accesses(self):
        words = ["paging", "--map=16m", "--set=16m", "--duration=2.6", "--audit=off", "--output-format=json", "--output=out.json", "--live=json:live.json", "--live=metrics-keep:fathom.prom"]
        done = subprocess.run([FATHOM, *words], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        seconds = [json.loads(line) for line in (self.folder / "live.json").read_text().splitlines()]
        measured = [s for s in seconds if s["phase"] == "measuring"]
        self.assertIn(len(measured), (2, 3))
        paging = json.loads((self.folder / "out.json").read_text())["fathom"]["paging"]
        self.assertLessEqual(measured[-1]["accesses"], paging["accesses"])
        for second in measured:
            self.assertLess(abs(second["access_n"] - second["accesses_per_s"]), 0.3 * second["accesses_per_s"])
            self.assertTrue(0 < second["access_ns_p50"] <= second["access_ns_p99"] <= second["access_ns_p999"], second)
        if text_string_to_metric_families is None:
            self.skipTest("no prometheus_client")
        families = {family.name: family for family in text_string_to_metric_families((self.folder / "fathom.prom").read_text())}
        self.assertEqual(families["fathom_accesses"].samples[0].value, measured[-1]["accesses"])

    def test_ctrl_c_takes_the_lines_away(self):
        seen = terminals.on_terminal(80, ["run", *NULL, "--runtime=20", "--output=/dev/null"], self.folder, to="stderr", interrupt_s=1.4, TERM="xterm")
        self.assertIn("p99.9", seen)
        self.assertTrue(seen.rstrip("\r\n").endswith("\x1b[J") or "p99.9" not in seen[seen.rindex("\x1b[J"):], seen[-300:])

    def test_watching_costs_less_than_a_two_hundredth_of_a_cpu(self):
        words = self.command("--runtime=6", "--numjobs=2", "--live=json:live.json", "--live=metrics:fathom.prom")
        self.check_cost(lambda: subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def test_the_lines_of_a_terminal_cost_no_more(self):
        terminal, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 120, 0, 0))
        told = []
        threading.Thread(target=read_all, args=(terminal, told.append)).start()
        self.addCleanup(os.close, end)
        words, environment = self.command("--runtime=6", "--numjobs=2"), {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        self.check_cost(lambda: subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=end, env=environment))
        self.assertGreaterEqual(b"".join(told).count(b"p99.9"), 10, "two lines each half second")

    def check_cost(self, start):
        spent = []
        for _ in range(3):
            with start() as child:
                spent += cpu_spent.share([child.pid])
                self.assertEqual(child.wait(timeout=30), 0)
            if spent[-1] <= cpu_spent.MOST_OF_WATCHING:
                return
        self.fail(f"the parent used of a CPU: {cpu_spent.told(spent)}")


def read_all(terminal, take):
    """Until nobody has the other end."""
    try:
        while part := os.read(terminal, 1 << 16):
            take(part)
    except OSError:
        pass
    os.close(terminal)


if __name__ == "__main__":
    unittest.main()
