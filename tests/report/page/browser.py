"""What tests of a page in headless Chromium share: the browser's driver and axe-core from the npm registry, once a build folder, and how a page is made and looked at. Needs chromium,
and node and npm with that registry: skipped where they are not (Debian's npm is four minutes of packages, so scripts/setup does not install it)."""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

FATHOM = os.environ.get("FATHOM", "")
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", "/var/tmp"))
HERE = pathlib.Path(__file__).resolve().parent
PLAYWRIGHT = ("playwright-core", "1.52.0")  # the last lines of versions that run with the node of Debian 12
AXE = ("axe-core", "4.10.3")


def module(package):
    """The folder of a module, fetched once a build folder."""
    name, version = package
    if not (shutil.which("chromium") and shutil.which("node") and shutil.which("npm")):
        raise unittest.SkipTest("no chromium, node or npm")
    folder = BUILD / "browser"
    at = folder / "node_modules" / name
    if not (at / "package.json").exists():
        folder.mkdir(exist_ok=True)
        done = subprocess.run(["npm", "install", "--no-fund", "--no-audit", "--prefix", str(folder), f"{name}@{version}"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise unittest.SkipTest(f"{name} cannot be fetched: " + done.stderr[-300:])
    return at


def edges(ns):
    """Of the bucket that a value stands for: 64 to an octave from 128 ns on."""
    width = 1 if ns < 128 else 1 << (ns.bit_length() - 1 - 6)
    return ns // width * width, ns // width * width + width


class PageCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.module = module(PLAYWRIGHT)

    def setUp(self):
        holder = tempfile.TemporaryDirectory(dir=BUILD)
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def fathom(self, *words):
        done = subprocess.run([FATHOM, *words], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def simulated(self, name="a", *more, to="result.json"):
        result = self.folder / to
        self.fathom("run", f"--name={name}", "--ioengine=sim", "--sim_latency=exp:100us", "--rw=randrw", "--size=32m", "--bs=4k", "--audit=off", "--clock-check=skip", *more,
                    "--output-format=json", f"--output={result}")
        return result

    def looked_at(self, page, axe="", result="", parts=""):
        """What page.cjs saw of the page; with `result` of the figures of that file, as a viewer adds them; of these parts alone where any are named."""
        done = subprocess.run(["node", str(HERE / "page.cjs"), str(self.module), str(page), str(self.folder), str(axe), str(result), parts], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_sound(self, seen):
        self.assertEqual(seen, {"console": [], "errors": [], "requests": []})

    def sheet(self, out, plot):
        """Head and rows of a plot's CSV."""
        with open(out["sheets"][plot], newline="", encoding="utf-8") as file:
            head, *rows = list(csv.reader(file))
        return head, rows

    def column(self, out, plot, name):
        """{x: y} of one line, as numbers; x as text where it is a name."""
        head, rows = self.sheet(out, plot)
        at = head.index(name)

        def number(text):
            try:
                return float(text)
            except ValueError:
                return text

        return {number(row[0]): float(row[at]) for row in rows if row[at] != ""}
