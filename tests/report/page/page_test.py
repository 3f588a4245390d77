#!/usr/bin/python3
# label: browser
# timeout: 600
# alone: it measures how soon a page is drawn
# cost: 60
"""The page of a report in headless Chromium: it draws, asks nobody for anything, is whole without a script, fits 400 and 1,400 pixels, gives its numbers as CSV, no name
from a job becomes markup, and it is small and quick."""
import copy
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import time
import unittest

from browser import FATHOM, PageCase, edges

EVIL = "</script><script>window.injected=1</script><img src=x onerror=window.injected=2>\"'&"


class Pages(PageCase):
    def test_a_page_draws_and_needs_nothing_else(self):
        result = self.simulated()
        self.fathom("report", str(result), "-o", "page.html")
        page = self.folder / "page.html"
        self.assertLess(page.stat().st_size, 400_000)
        out = self.looked_at(page)
        for name in ("light", "dark", "narrow"):
            self.assert_sound(out[name]["seen"])
            self.assertGreaterEqual(out[name]["canvases"], 2, name)
            self.assertLess(out[name]["drawn_ms"], 2000)
            self.assertFalse(out[name]["wide"], f"{name} is scrolled sideways")
        self.assertNotEqual(out["light"]["back"], out["dark"]["back"])
        self.assert_sound(out["used"])
        # Without a script all tables are there.
        rows = re.findall(r"^a\s+(?:read|write)\s.*\blat\b.*\d", out["no_script"]["text"], re.M)
        self.assertEqual(len(rows), 2, out["no_script"]["text"][:2000])
        for words in ("Percentiles", "Findings", "99.9 %", "checks"):
            self.assertIn(words, out["no_script"]["text"])
        # What is drawn is what was measured.
        self.assertGreater(out["zoom_draws"], 0, "by the keyboard")
        self.assertGreater(out["pan_draws"], 0, "by the keyboard")
        self.assertRegex(out["at_cursor"], r"latency:?\s*[0-9.]+ [num]?s", "the keyboard moves the cursor")
        self.assertGreater(out["drag_draws"], 0, "by dragging")
        self.assertEqual(out["pressed"], "false")
        job = json.loads(result.read_text())["fathom"]["jobs"][0]
        head, rows = self.sheet(out, "histogram")
        self.assertEqual(head, ["latency_ns", "read lat", "write lat"])
        for column, direction in ((1, "read"), (2, "write")):
            self.assertEqual(sum(int(row[column]) for row in rows if row[column]), job[direction]["lat"]["n"])
        self.assertGreater(os.path.getsize(out["png"]), 5000)
        self.assertGreater(os.path.getsize(self.folder / "page.pdf"), 10000)

    def test_paper_is_light_and_unfolded_whatever_the_readers_system_is(self):
        self.fathom("report", str(self.simulated()), "-o", "page.html")
        printed = self.looked_at(self.folder / "page.html", parts="printed")["printed"]
        before, paper, after = (printed[name] for name in ("before", "paper", "after"))
        self.assertGreater(before["folded"], 0)
        self.assertEqual((paper["folded"], after["folded"]), (0, before["folded"]))
        for seen in (before, after):
            self.assertGreater(seen["of_dark"], 500)
            self.assertEqual(seen["of_light"], 0)
        self.assertGreater(paper["of_light"], 500)
        self.assertEqual(paper["of_dark"], 0)
        self.assertEqual(printed["paper_back"], "rgb(255, 255, 255)")

    def test_a_system_that_turns_dark_turns_the_plots_dark(self):
        self.fathom("report", str(self.simulated()), "-o", "page.html")
        seen = self.looked_at(self.folder / "page.html", parts="scheme")["scheme"]
        self.assert_sound(seen["seen"])
        light, dark, again = seen["inks"]
        for one in (light, again):
            self.assertGreater(one["of_light"], 500)
            self.assertEqual(one["of_dark"], 0)
        self.assertGreater(dark["of_dark"], 500)
        self.assertEqual(dark["of_light"], 0)
        self.assertLess(light["draws"], dark["draws"])

    def test_the_toggle_turns_the_axis_of_shares(self):
        result = self.simulated("a", "--rw=randread")
        self.fathom("report", str(result), "-o", "page.html")
        out = self.looked_at(self.folder / "page.html", parts="scales")["scales"]
        histogram = json.loads(result.read_text())["fathom"]["jobs"][0]["read"]["lat"]["histogram_ns"]
        bars = {}  # eight to an octave
        for ns, count in histogram:
            low, high = edges(ns)
            width = max(high - low, 1 if low < 8 else 1 << (low.bit_length() - 4))
            bars[low // width * width, low // width * width + width] = bars.get((low // width * width, low // width * width + width), 0) + count
        shares = [count / math.log2(high / low) for (low, high), count in bars.items()]
        least, most = min(shares), max(shares)
        self.assertGreater(most, 20 * least)
        for name, pressed, expected in (("logarithmic", "true", math.log(2) / math.log(2 * most / least)), ("linear", "false", least / most),
                                        ("again", "true", math.log(2) / math.log(2 * most / least))):
            heights = out[name]["heights"]
            self.assertEqual(out[name]["pressed"], pressed)
            self.assertAlmostEqual(min(heights) / max(heights), expected, delta=0.03)

    def test_names_are_shown_and_never_obeyed(self):
        result = self.simulated(EVIL)
        self.fathom("report", str(result), "--output-format=html", "--output=page.html")
        out = self.looked_at(self.folder / "page.html", parts="light")
        self.assertIsNone(out["light"]["injected"])
        self.assert_sound(out["light"]["seen"])
        self.assertIn("window.injected=1", out["light"]["text"])

    def test_several_results_are_one_page_and_what_cannot_be_read_is_left_out(self):
        first = self.simulated()
        second = self.folder / "second.json"
        shutil.copy(first, second)
        (self.folder / "broken.json").write_text("{ not json")
        done = subprocess.run([FATHOM, "report", str(first), "broken.json", str(second), "-o", "page.html"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("broken.json", done.stderr)
        out = self.looked_at(self.folder / "page.html", parts="light")
        self.assertGreaterEqual(out["light"]["canvases"], 4)
        done = subprocess.run([FATHOM, "report", "broken.json", "-o", "none.html"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertFalse((self.folder / "none.html").exists())

    def test_a_redacted_page_names_no_host_and_no_path(self):
        result = self.simulated("job", "--filename=/var/tmp/secret-file")
        host = json.loads(result.read_text())["fathom"]["host"]["hostname"]
        self.fathom("report", str(result), "--redact", "-o", "page.html")
        text = (self.folder / "page.html").read_text()
        for word in ("secret-file", str(self.folder), f">{host}<", f'"{host}"'):
            self.assertNotIn(word, text)
        self.assertIn("(host)", text)

    def test_so_is_one_with_what_was_counted_beside_it(self):
        self.fathom("pmu", "stat", "-e", "context-switches", "--output-format=json", "-o", "pmu.json", "--", "/bin/true", "secret")
        self.fathom("report", str(self.simulated()), "pmu.json", "--redact", "-o", "page.html")
        text = (self.folder / "page.html").read_text()
        self.assertIn("(redacted)", text)
        for word in ("secret", "/bin/true", str(self.folder)):
            self.assertNotIn(word, text)
        (self.folder / "clock.json").write_text(self.fathom("clock", "test", "--json"))
        self.fathom("report", str(self.simulated()), "clock.json", "--redact", "-o", "page.html")
        self.assertNotIn("/run/fathom", (self.folder / "page.html").read_text())

    def test_a_result_without_samples_says_so_and_hides_no_other(self):
        result = json.loads(self.simulated().read_text())
        result["fathom"]["jobs"] = result["jobs"] = []
        (self.folder / "none.json").write_text(json.dumps(result))
        self.fathom("report", "none.json", str(self.simulated()), "-o", "page.html")
        text = (self.folder / "page.html").read_text()
        self.assertEqual(text.count("Nothing was measured: there are no samples."), 1)
        self.assertEqual(text.count(">Findings</h2>"), 2)

    def test_without_a_script_nothing_is_folded(self):
        self.fathom("report", str(self.simulated()), "-o", "page.html")
        text = (self.folder / "page.html").read_text()
        self.assertGreater(text.count("<details open"), 1)
        self.assertNotIn("<details>", text, "paper shows nothing of it")

    def test_a_comparison_has_a_page_too(self):
        first = self.simulated()
        shutil.copy(first, self.folder / "b.json")
        self.fathom("compare", str(first), "b.json", "--output-format=html", "--output=compare.html")
        out = self.looked_at(self.folder / "compare.html", parts="light")
        self.assert_sound(out["light"]["seen"])
        self.assertIn("metric", out["light"]["text"])

    def long_result(self):
        """Ten jobs of ten minutes: 600 points a direction, as a series has at most."""
        document = json.loads(self.simulated("job").read_text())
        job = document["fathom"]["jobs"][0]
        for direction in ("read", "write"):
            job[direction]["series"] = [{"time_ms": 1000 * (i + 1), "interval_ms": 1000, "bytes": 4096 * (10_000 + 7 * i), "ios": 10_000 + 7 * i, "lat_n": 10_000 + 7 * i,
                                         "lat_ns_p50": 81_920 + i, "lat_ns_p99": 1_204_224 + i, "lat_ns_p999": 10_551_296 + i} for i in range(600)]
        for half in (document, document["fathom"]):
            half["jobs"] = [copy.deepcopy(half["jobs"][0]) for _ in range(10)]
        path = self.folder / "long.json"
        path.write_text(json.dumps(document))
        return path

    def test_a_page_is_small(self):
        result = self.long_result()
        self.fathom("report", str(result), "-o", "long.html")
        self.assertLessEqual((self.folder / "long.html").stat().st_size, 1_500_000)
        # And whole: what it gives back makes the same page.
        jobs = json.loads(result.read_text())["fathom"]["jobs"]
        back = pathlib.Path(self.looked_at(self.folder / "long.html", parts="result")["result"])
        self.assertEqual([job["read"]["series"] for job in json.loads(back.read_text())["fathom"]["jobs"]], [job["read"]["series"] for job in jobs])
        self.fathom("report", str(result), "--output-format=json", "--output=as-read.json")
        self.assertEqual(json.loads(back.read_text()), json.loads((self.folder / "as-read.json").read_text()))
        result = self.simulated(to="short.json")
        names = [str(shutil.copy(result, self.folder / f"{i}.json")) for i in range(100)]
        self.fathom("report", *names, "-o", "hundred.html")
        self.assertLessEqual((self.folder / "hundred.html").stat().st_size, 6_000_000)

    def test_a_hundred_files_are_reported_soon(self):
        """Of half a megabyte each, as they were written: six jobs, reads and writes. Five times at most, for others may have the CPUs."""
        text = self.simulated("a", "--numjobs=6").read_text()
        self.assertTrue(400_000 < len(text) <= 500 * 1024, len(text))
        for i in range(100):
            (self.folder / f"{i}.json").write_text(text)
        took = []
        while len(took) < 5:
            begin = time.monotonic()
            with subprocess.Popen([FATHOM, "report", *(f"{i}.json" for i in range(100)), "-o", "hundred.html"], cwd=self.folder) as child:
                _, status, used = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            took.append(time.monotonic() - begin)
            self.assertEqual(child.returncode, 0)
            self.assertLessEqual(used.ru_maxrss, 300 * 1024, "KiB")
            if took[-1] <= 2:
                return
        self.fail(f"{took} s")

    def assert_drawn_within(self, name, limit_ms):
        """The median of five; three times, for others may have the CPUs."""
        medians = []
        while len(medians) < 3:
            medians.append(statistics.median(self.looked_at(self.folder / name, "", "times")["drawn_ms"]))
            if medians[-1] <= limit_ms:
                return
        self.fail(f"{name} is drawn in {medians} ms, not {limit_ms}")

    def test_a_page_is_drawn_at_once(self):
        result = self.simulated()
        self.fathom("report", str(result), "-o", "page.html")
        self.assert_drawn_within("page.html", 200)
        names = [str(shutil.copy(result, self.folder / f"{i}.json")) for i in range(100)]
        self.fathom("report", *names, "-o", "hundred.html")
        self.assert_drawn_within("hundred.html", 1000)


if __name__ == "__main__":
    unittest.main()
