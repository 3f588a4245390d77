#!/usr/bin/python3
# label: slow
# timeout: 300
# cost: 30
"""The page of a report in headless Chromium: it draws, asks nobody for anything, is whole without a script, fits 400 and 1,400 pixels, gives its numbers as CSV, and no name
from a job becomes markup. Needs chromium, and node and npm
with the npm registry's playwright-core: skipped where they are not (Debian's npm is four minutes of packages, so scripts/setup does not install it)."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

FATHOM = os.environ.get("FATHOM", "")
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", "/var/tmp"))
HERE = pathlib.Path(__file__).resolve().parent
PLAYWRIGHT = "1.52.0"  # the last lines of versions that run with the node of Debian 12
EVIL = "</script><script>window.injected=1</script><img src=x onerror=window.injected=2>\"'&"


def playwright():
    """The folder of the module, fetched once a build folder."""
    if not (shutil.which("chromium") and shutil.which("node") and shutil.which("npm")):
        raise unittest.SkipTest("no chromium, node or npm")
    folder = BUILD / "browser"
    module = folder / "node_modules" / "playwright-core"
    if not (module / "package.json").exists():
        folder.mkdir(exist_ok=True)
        done = subprocess.run(["npm", "install", "--no-fund", "--no-audit", "--prefix", str(folder), f"playwright-core@{PLAYWRIGHT}"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise unittest.SkipTest("playwright-core cannot be fetched: " + done.stderr[-300:])
    return module


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = playwright()

    def setUp(self):
        holder = tempfile.TemporaryDirectory(dir=BUILD)
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def fathom(self, *words):
        done = subprocess.run([FATHOM, *words], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def measured(self, name="a", *more):
        result = self.folder / "result.json"
        self.fathom("run", f"--name={name}", "--ioengine=sim", "--sim_latency=exp:100us", "--rw=randrw", "--size=32m", "--bs=4k", "--audit=off", "--clock-check=skip", *more,
                    "--output-format=json", f"--output={result}")
        return result

    def looked_at(self, page):
        done = subprocess.run(["node", str(HERE / "page.cjs"), str(self.module), str(page), str(self.folder)], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_sound(self, seen):
        self.assertEqual(seen, {"console": [], "errors": [], "requests": []})

    def test_a_page_draws_and_needs_nothing_else(self):
        result = self.measured()
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
        for words in ("Percentiles", "Findings", "99.9 %", "believe"):
            self.assertIn(words, out["no_script"]["text"])
        # What is drawn is what was measured.
        self.assertGreater(out["zoom_draws"], 0, "by the keyboard")
        self.assertGreater(out["drag_draws"], 0, "by dragging")
        self.assertEqual(out["pressed"], "false")
        job = json.loads(result.read_text())["fathom"]["jobs"][0]
        with open(out["csv"], newline="", encoding="utf-8") as file:
            head, *rows = list(csv.reader(file))
        self.assertEqual(head, ["latency_ns", "read lat", "write lat"])
        for column, direction in ((1, "read"), (2, "write")):
            self.assertEqual(sum(int(row[column]) for row in rows if row[column]), job[direction]["lat"]["n"])
        self.assertGreater(os.path.getsize(out["png"]), 5000)
        self.assertGreater(os.path.getsize(self.folder / "page.pdf"), 10000)

    def test_names_are_shown_and_never_obeyed(self):
        result = self.measured(EVIL)
        self.fathom("report", str(result), "--output-format=html", "--output=page.html")
        out = self.looked_at(self.folder / "page.html")
        self.assertIsNone(out["light"]["injected"])
        self.assert_sound(out["light"]["seen"])
        self.assertIn("window.injected=1", out["light"]["text"])

    def test_several_results_are_one_page_and_what_cannot_be_read_is_left_out(self):
        first = self.measured()
        second = self.folder / "second.json"
        shutil.copy(first, second)
        (self.folder / "broken.json").write_text("{ not json")
        done = subprocess.run([FATHOM, "report", str(first), "broken.json", str(second), "-o", "page.html"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("broken.json", done.stderr)
        out = self.looked_at(self.folder / "page.html")
        self.assertGreaterEqual(out["light"]["canvases"], 4)
        done = subprocess.run([FATHOM, "report", "broken.json", "-o", "none.html"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertFalse((self.folder / "none.html").exists())

    def test_a_redacted_page_names_no_host_and_no_path(self):
        result = self.measured("job", "--filename=/var/tmp/secret-file")
        host = json.loads(result.read_text())["fathom"]["host"]["hostname"]
        self.fathom("report", str(result), "--redact", "-o", "page.html")
        text = (self.folder / "page.html").read_text()
        for word in ("secret-file", str(self.folder), f">{host}<", f'"{host}"'):
            self.assertNotIn(word, text)
        self.assertIn("(host)", text)

    def test_a_comparison_has_a_page_too(self):
        first = self.measured()
        shutil.copy(first, self.folder / "b.json")
        self.fathom("compare", str(first), "b.json", "--output-format=html", "--output=compare.html")
        out = self.looked_at(self.folder / "compare.html")
        self.assert_sound(out["light"]["seen"])
        self.assertIn("metric", out["light"]["text"])


if __name__ == "__main__":
    unittest.main()
