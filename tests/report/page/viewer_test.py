#!/usr/bin/python3
# label: slow
# timeout: 300
# cost: 60
"""The viewer in headless Chromium: files are chosen, dropped, ticked, overlaid, merged, pivoted and exported; a bad file costs no other; no name becomes markup; ten thousand files
are listed while the page answers. Any line on the console and any request is a failure. Skipped where the other tests of pages are."""
import csv
import json
import os
import pathlib
import subprocess
import unittest

from browser import AXE, FATHOM, PageCase, module
from page_test import EVIL

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
HERE = pathlib.Path(__file__).resolve().parent
DATA = SOURCE / "tests" / "import" / "data"
SOUND = {"console": [], "errors": [], "requests": []}


class Viewer(PageCase):
    def measured(self, file, *more, name="job"):
        result = self.folder / file
        self.fathom("run", f"--name={name}", "--ioengine=sim", "--sim_latency=exp:100us", "--rw=randrw", "--size=8m", "--audit=off", "--clock-check=skip", *more,
                    "--output-format=json", f"--output={result}")
        return result

    def written(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def seen_of(self, **plan):
        self.fathom("report", "--viewer", "-o", "viewer.html")
        self.written("plan.json", json.dumps(plan, default=str))
        words = [HERE / "viewer.cjs", self.module, self.folder / "viewer.html", self.folder / "plan.json", self.folder]
        done = subprocess.run(["node", *map(str, words)], capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done.stderr)
        out = json.loads((self.folder / "seen.json").read_text())
        for name, scene in out.items():
            self.assertEqual(scene["seen"], SOUND, name)
        return out

    def table(self, path):
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    def latency(self, result, direction="read"):
        return json.loads(result.read_text())["fathom"]["jobs"][0][direction]["lat"]

    def test_each_kind_of_file_is_read_and_a_bad_one_costs_no_other(self):
        ours = self.measured("ours.json", "--bs=4k")
        self.fathom("report", str(ours), str(ours), "-o", "page.html")
        newer = json.loads(ours.read_text())
        newer["fathom"]["schema_version"] = 99
        one = json.loads(ours.read_text())
        one["fathom"]["jobs"] = []
        large = self.folder / "large.json"
        with open(large, "wb") as file:
            file.truncate(500 << 20)
        bad = {"text.txt": ("hello", "neither JSON"), "other.json": ("{\"a\": 1}", "no result of fathom or fio"), "cut.json": (ours.read_text()[:5000], "cut off"),
               "newer.json": (json.dumps(newer), "newer than this page"), "none.json": (json.dumps(one), "no samples"), "empty.json": ("", "an empty file"),
               "svg.xml": ("<svg/>", "not pmbench's report"), "cut.xml": ((DATA / "linux.xml").read_text()[:9000], "cut off"),
               "any.html": ("<!DOCTYPE html><p>hi</p>", "no report page"),
               "stored_lat.1.log.fz": ("x\x9c", "--inflate-log"), "x_lat.1.log": ("5, 10, 0, 4096, 0\n6, 1", "cut off"), "nameless.log": ("5, 10, 0, 4096, 0\n", "does not say of what")}
        single = self.written("single_lat.1.log", "5, 1000, 0, 4096, 0\n")
        fio = [DATA / "fio" / name for name in ("plus.json", "json.json", "means_bw.1.log", "every_lat.1.log")]
        good = [ours, *fio, DATA / "linux.xml", self.folder / "page.html", SOURCE / "tests/import/corpus_result_json/1_plus.json", single]
        out = self.seen_of(chosen=[*[self.written(name, text) for name, (text, _) in bad.items()], large, *good])
        for name in ("wide", "narrow", "dark"):
            self.assertFalse(out[name]["wide"], f"{name} is scrolled sideways")
        rows = {row["name"]: row for row in out["wide"]["rows"]}
        self.assertEqual(len(out["wide"]["rows"]), len(bad) + 1 + len(good) + 1)  # the page has two results
        for name, (_, message) in bad.items():
            self.assertTrue(rows[name]["bad"] and rows[name]["disabled"], rows[name])
            self.assertIn(message, rows[name]["text"])
        self.assertIn("500 MiB: no file above 256 MiB is read", rows["large.json"]["text"])
        for path in good:
            self.assertFalse(rows[path.name]["bad"], rows[path.name])
        self.assertIn("schema 1;", rows["1_plus.json"]["text"])
        self.assertIn("one sample", rows["single_lat.1.log"]["text"])
        self.assertIn("without histograms", rows["json.json"]["text"])
        self.assertEqual(sum(row["ticked"] for row in out["wide"]["rows"]), 6)
        self.assertEqual(out["wide"]["plots"][:2], ["overlay-histogram", "overlay-percentiles"])
        self.assertIn(f"{len(out['wide']['rows'])} results, {len(bad) + 1} of them cannot be shown", out["wide"]["status"])
        # fio's json+ and json: of one of them nothing is known but percentiles.
        (merged,) = [row for row in out["wide"]["merged"] if row[0] == "read clat"]
        self.assertIn("mean of runs'", merged[-1])
        self.assertIn("1 of 2 have no histogram", merged[-1])

    def test_unequal_buckets_are_never_added(self):
        coarse, fine = DATA / "fio" / "every_clat_hist.1.log", DATA / "fio" / "fine_clat_hist.1.log"
        out = self.seen_of(dropped=[[path.name, path] for path in (coarse, fine)])["dropped"]
        (merged,) = [row for row in out["merged"] if row[0] == "read clat"]
        self.assertIn("their buckets differ", merged[-1])
        self.assertIn("mean of runs'", merged[-1])

    def test_what_is_dropped_is_pivoted_merged_and_exported(self):
        results = {(bs, depth, i): self.measured(f"{bs}-{depth}-{i}.json", f"--bs={bs}", f"--iodepth={depth}", f"--randseed={i + 1}")
                   for bs in ("4k", "16k") for depth in (1, 8) for i in range(2 if bs == "4k" else 1)}
        self.assertLessEqual(len(results), 6)
        out = self.seen_of(pivoted=list(results.values()), choices={
            "by_bs": {"Rows": "bs", "Columns": "iodepth", "Cells": "p99"}, "by_file": {"Rows": "file", "Columns": "direction", "Cells": "iops"}})["pivoted"]
        self.assertTrue(out["none"])
        head, *rows = self.table(out["csv"]["by_bs"])
        self.assertEqual(head, ["bs", *(text for depth in (1, 8) for of in ("read", "write") for text in (f"{depth}, {of}", f"n ({depth}, {of})"))])
        self.assertEqual([row[0] for row in rows], ["4k", "16k"], "by size, not by letter")
        for row in rows:
            for at, (depth, direction) in enumerate((depth, of) for depth in (1, 8) for of in ("read", "write")):
                values = [self.latency(path, direction)["percentiles_ns"]["99.000000"] for (bs, own, _), path in results.items() if (bs, own) == (row[0], depth)]
                self.assertAlmostEqual(float(row[1 + 2 * at]), sum(values) / len(values), 6)
                self.assertEqual(int(row[2 + 2 * at]), len(values))
        head, *rows = self.table(out["csv"]["by_file"])
        self.assertEqual(head, ["file", "read", "n (read)", "write", "n (write)"])
        iops = {row[0]: float(row[1]) for row in rows}
        for path in results.values():
            self.assertAlmostEqual(iops[path.name], json.loads(path.read_text())["fathom"]["jobs"][0]["read"]["iops"], 6)
        self.assert_merged(results.values(), self.table(out["merged_csv"]))
        head, *rows = self.table(out["overlay-percentiles"])
        self.assertEqual(len(head), 1 + 2 * len(results))
        head, *_ = self.table(out["overlay-histogram"])
        self.assertEqual(head[0], "latency_ns")

    def assert_merged(self, results, table):
        head, *rows = table
        row = dict(zip(head, next(row for row in rows if row[0] == "read lat")))
        all_of = [self.latency(path) for path in results]
        counts = {}
        for latency in all_of:
            for ns, count in latency["histogram_ns"].items():
                counts[int(ns)] = counts.get(int(ns), 0) + count
        total, running = sum(counts.values()), 0
        for ns in sorted(counts):
            running += counts[ns]
            if running >= 0.99 * total:
                break
        self.assertEqual(int(row["p99"]), ns)
        self.assertAlmostEqual(float(row["mean"]), sum(latency["sum_ns"] for latency in all_of) / total, 3)
        self.assertEqual(row["latency"], f"counts of {len(all_of)} added")

    def test_repetitions_are_runs_of_their_own(self):
        result = self.measured("repeated.json", "--bs=4k", "--repeat=3")
        out = self.seen_of(pivoted=[result], choices={"by_file": {"Rows": "file", "Columns": "direction", "Cells": "iops"}, "each": {"Rows": "repetition"}})["pivoted"]
        (_, row), values = self.table(out["csv"]["by_file"]), None
        for metric in json.loads(result.read_text())["fathom"]["repeated"]:
            if (metric["direction"], metric["metric"]) == ("read", "iops"):
                values = metric["values"]
        self.assertEqual((row[0], row[2]), ("repeated.json", "3"))
        self.assertAlmostEqual(float(row[1]), sum(values) / 3, 6)
        head, *rows = self.table(out["csv"]["each"])
        self.assertEqual([float(row[head.index("read")]) for row in rows], values)
        self.assertEqual(out["legends"][0], 6)

    def test_a_comparison_stands_apart(self):
        first, second = (str(self.measured(f"{i}.json", "--bs=4k")) for i in range(2))
        self.fathom("compare", first, second, "--output-format=json", "--output=compare.json")
        self.fathom("report", "compare.json", "-o", "page.html")
        out = self.seen_of(dropped=[[name, self.folder / name] for name in ("compare.json", "page.html")])["dropped"]
        for row in out["rows"]:
            self.assertEqual((row["bad"], row["disabled"], row["ticked"]), (False, True, False), row)
            self.assertIn("fathom compare", row["text"])

    def test_axe_finds_no_serious_fault(self):
        results = [self.measured(f"{i}.json", "--bs=4k") for i in range(2)]
        out = self.seen_of(chosen=[*results, DATA / "linux.xml", self.written("bad.json", "{")], axe=module(AXE) / "axe.min.js")
        for name in ("wide", "narrow", "dark"):
            self.assertEqual([one for one in out[name]["complaints"] if one["impact"] in ("serious", "critical")], [], name)

    def test_names_are_shown_and_never_obeyed(self):
        hostile = self.measured("hostile.json", "--bs=4k", name=EVIL)
        log = self.written("h_lat.1.log", "5, 1000, 0, 4096, 0\n6, 1000, 0, 4096, 0\n")
        self.fathom("report", str(hostile), "-o", "page.html")
        image = "&lt;img src=x onerror=window.injected=3&gt;"
        xml = self.written("h.xml", (DATA / "linux.xml").read_text().replace("synthetic-host", image).replace("<pattern>zipf", f"<pattern>{image}"))
        files = [[f"{EVIL}.json", hostile], ["</script><img src=x onerror=window.injected=4>_lat.1.log", log], ["=1+1.html", self.folder / "page.html"], [f"{EVIL}.xml", xml],
                 [EVIL, self.written("bad", "{ <img src=x onerror=window.injected=5>")]]
        out = self.seen_of(dropped=files)["dropped"]
        self.assertIsNone(out["injected"])
        self.assertEqual(out["markup"], 0)
        self.assertEqual([row["name"] for row in out["rows"]], [name for name, _ in files])
        self.assertIn(EVIL, [row[0].removesuffix(".json") for row in out["table"]])

    def test_the_keyboard_reaches_all(self):
        out = self.seen_of(keyboard=[self.measured(f"{i}.json", "--bs=4k") for i in range(2)])["keyboard"]
        self.assertEqual(out["first"], "files")
        self.assertEqual(out["reached"][-1], "box", out["reached"])
        self.assertEqual((out["before"], out["after"]), (4, 2))
        self.assertEqual(out["focus"], "whole-title")
        self.assertGreaterEqual(out["whole"], 1)

    def test_ten_thousand_files_are_listed_and_few_are_drawn(self):
        out = self.seen_of(many=DATA / "fio" / "unified.json", many_count=10_000)["many"]
        self.assertEqual(out["count"], 10_000)
        self.assertEqual(sum(row["ticked"] for row in out["rows"]), 6)
        self.assertEqual(out["legends"][0], 6)
        self.assertLess(out["longest_ms"], 3000, "the page stood still")

    def test_a_file_beside_it_is_an_error(self):
        for words in (["x.json"], ["--redact"], ["--output-format=html"]):
            done = subprocess.run([FATHOM, "report", "--viewer", *words], capture_output=True, text=True, timeout=20)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--viewer", done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
