#!/usr/bin/python3
# label: browser
# timeout: 300
# cost: 40
"""The readers of the viewer (src/report/page/assets/viewer/) against those of the program (src/import/): the same files, the same numbers, field by field, and the same files
refused. fio's logs, which the program does not read, against a count of their lines made here."""
import collections
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from browser import BUILD, FATHOM, PLAYWRIGHT, module

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
HERE = pathlib.Path(__file__).resolve().parent
DIRECTIONS = ("read", "write", "trim")
IMPORT = SOURCE / "tests" / "import"
FILES = sorted([*(IMPORT / "data").glob("*.xml"), *(IMPORT / "corpus_pmbench_xml").iterdir(), *(IMPORT / "corpus_result_json").iterdir(), *(IMPORT / "data" / "fio").glob("*.json"),
                IMPORT / "data" / "fio" / "both.txt"])
LOGS = sorted((IMPORT / "data" / "fio").glob("*.log"))
# What was asked of a run, and where it ran: a reader pivots on it.
ASKED = ("pattern", "shape", "memory", "access", "fill", "read_percent", "threads", "processes", "map_bytes", "set_bytes", "page_bytes", "duration_s", "delay_ticks", "cold",
         "offset_words", "seed")
HOST = ("hostname", "kernel", "machine", "cpu_model")
# Whole numbers are equal; a mean or deviation is computed by either side from the same sums.
CLOSE = 1e-9


def unpacked(value):
    """A list of records as it was before it said its keys once."""
    if isinstance(value, list):
        return [unpacked(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "fathom:rows" in value:
        return [unpacked(dict(zip(part["keys"], row, strict=True))) for part in value["fathom:rows"] for row in part["rows"]]
    return {key: unpacked(one) for key, one in value.items()}


def bucket_begin(index):
    """Of fio's buckets, which are ours."""
    return index if index < 128 else (64 + index % 64) << (index // 64 - 1)


def result_in(page):
    found = re.search(r'<script type="application/json" class="result">(.*?)</script>', page, re.S)
    return unpacked(json.loads(found.group(1)))["fathom"]


class Importers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        driver = module(PLAYWRIGHT)
        cls.holder = tempfile.TemporaryDirectory(dir=BUILD)
        folder = pathlib.Path(cls.holder.name)
        viewer = folder / "viewer.html"
        subprocess.run([FATHOM, "report", "--viewer", "-o", str(viewer)], check=True)
        subprocess.run(["node", str(HERE / "importers.cjs"), str(driver), str(viewer), *map(str, FILES + LOGS)], check=True, timeout=240)
        cls.seen = json.loads(pathlib.Path(f"{viewer}.read.json").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def by_program(self, file):
        """None: it refuses the file."""
        page = pathlib.Path(self.holder.name) / "report.html"
        page.unlink(missing_ok=True)
        subprocess.run([FATHOM, "report", str(file), "-o", str(page)], capture_output=True, check=False, timeout=60)
        return result_in(page.read_text()) if page.exists() else None

    def assert_number(self, ours, theirs, where, close=CLOSE):
        if isinstance(theirs, float) and ours is not None:
            self.assertTrue(math.isclose(ours, theirs, rel_tol=close, abs_tol=1e-6), f"{where}: {ours}, the program has {theirs}")
        else:
            self.assertEqual(ours, theirs, where)

    def assert_latency(self, page, program, where):
        page = page or {"n": 0}
        self.assertEqual(page["n"], program["n"], where)
        if program["n"] == 0:
            return
        for key in ("min_ns", "max_ns", "mean_ns"):
            self.assert_number(page[key], program[key], f"{where} {key}")
        # Of a deviation whose squares cancel out, as of equal samples, a double keeps few digits; sums that contradict each other, as a made-up file's, have none.
        if program["stddev_ns"] <= 2 * program["max_ns"]:
            self.assertLess(abs(page["stddev_ns"] - program["stddev_ns"]), 1e-4 * program["mean_ns"] + 1e-3, f"{where} stddev_ns")
        self.assertEqual(page["histogram_ns"] or {}, {str(ns): count for ns, count in program.get("histogram_ns") or []}, f"{where} histogram")
        for percentile, ns in (program.get("percentiles_ns") or {}).items():
            self.assertEqual(page["asked"].get(percentile), ns, f"{where} p{percentile}")

    def assert_direction(self, page, program, where):
        for key in ("ios", "bytes", "runtime_ns", "iops", "bytes_per_s"):
            self.assert_number(page[key], program[key], f"{where} {key}")
        for name in ("slat", "clat", "lat", "intended_lat"):
            if program.get(name):
                self.assert_latency(page.get(name), program[name], f"{where} {name}")
            elif page.get(name):
                self.assertEqual(page[name]["n"], 0, f"{where} {name}")
        points = [(p["time_ms"], p["interval_ms"], p["bytes"], p["ios"]) for p in program.get("series") or []]
        self.assertEqual([(p["time_ms"], p["interval_ms"], p["bytes"], p["ios"]) for p in page.get("series") or []], points, where)

    def assert_job(self, page, program, where):
        self.assertEqual(page["name"], program["name"], where)
        self.assertEqual(page["options"], program["options"], where)
        for of in DIRECTIONS:
            if program.get(of):
                self.assert_direction(page[of], program[of], f"{where} {of}")
            elif page.get(of):
                self.assertEqual(page[of]["ios"], 0, f"{where} {of}")

    def assert_repetition(self, page, program, where):
        for ours, theirs in zip(page["jobs"], program.get("jobs") or [], strict=True):
            self.assert_job(ours, theirs, f"{where} repetition {theirs['name']}")
        if program.get("paging"):
            self.assert_paging(page["paging"], program["paging"], f"{where} repetition")

    def assert_paging(self, page, program, where):
        for key in ("accesses", "window_ns", "start_epoch_ms", *ASKED):
            self.assert_number(page[key], program[key], f"{where} {key}")
        self.assertEqual(page["clock"]["stamps"], program["clock"]["stamps"], where)
        self.assertEqual(page.get("conditions") or {}, program["conditions"], where)
        self.assertEqual(page.get("pressure") is None, program.get("pressure") is None, where)
        if program.get("pressure"):
            for key in ("limit_bytes", "settings"):
                self.assertEqual(page["pressure"][key], program["pressure"][key], f"{where} {key}")
            names = [[(swap["name"], swap["path"], swap["compressor"]) for swap in one["pressure"]["swaps"]] for one in (page, program)]
            self.assertEqual(*names, where)
        self.assert_number(page["score"]["accesses_per_s"], program["score"]["accesses_per_s"], where)
        for ours, theirs in zip(page["workers"], program["workers"], strict=True):
            self.assertEqual(ours["reads"] + ours["writes"] if "reads" in ours else ours["accesses"], theirs["reads"] + theirs["writes"], where)
            for key in ("wall_ns", "overhead_ns", "warmup_accesses", "warmup_ns"):
                self.assert_number(ours[key], theirs[key], f"{where} thread {theirs['thread']} {key}")
        # Of Windows the program has the other system's counts as well, all 0.
        items = [{"name": item["name"], "windows": item["windows"]} if "windows" in item else item for item in program["memory_items"]]
        self.assertEqual(page.get("memory_items") or [], items, where)
        kinds = [(one["class"], one["direction"]) for one in program["classes"]]
        self.assertEqual([(one["class"], one["direction"]) for one in page["classes"]], kinds, where)
        for ours, theirs in zip(page["classes"], program["classes"]):
            self.assert_latency(ours["latency"], theirs["latency"], f"{where} {theirs['class']} {theirs['direction']}")

    def test_both_readers_give_the_same_numbers_of_every_file(self):
        self.assertEqual(self.seen["console"], [])
        refused = []
        for file in FILES:
            with self.subTest(file=file.name):
                program, (page,) = self.by_program(file), self.seen["files"][str(file)]
                self.assertEqual("jobs" in page, program is not None, page.get("message"))
                if program is None:
                    refused.append(file.name)
                    continue
                self.assertEqual(len(page["jobs"]), len(program["jobs"]))
                for ours, theirs in zip(page["jobs"], program["jobs"]):
                    self.assert_job(ours, theirs, f"{file.name} {theirs['name']}")
                for ours, theirs in zip(page["repetitions"], program["repetitions"], strict=True):
                    self.assert_repetition(ours, theirs, file.name)
                self.assertEqual(page.get("paging") is not None, program.get("paging") is not None)
                if program.get("paging"):
                    self.assert_paging(page["paging"], program["paging"], file.name)
                    self.assertEqual([page["host"][key] for key in HOST], [program["host"][key] for key in HOST])
        self.assertEqual(refused, ["root.xml"])

    def test_a_bucket_has_the_edges_that_its_program_gave_it(self):
        # pmbench's own intervals, in powers of 2, with 16 bins in each but the first and those above 8.4 ms.
        for name in ("linux.xml", "windows.xml"):
            file = IMPORT / "data" / name
            report, (page,) = xml.etree.ElementTree.parse(file).getroot().find("report"), self.seen["files"][str(file)]
            for one in page["paging"]["classes"]:
                counted = {}
                for bucket in report.find(f"statistics/histogram[@type='{one['direction']}']").iter("histo_bucket"):
                    low, high = (int(bucket.find(f"bucket_interval/interval_{end}").text) for end in ("lo", "hi"))
                    bins = [int(one.text) for one in bucket.iter("hex")] if 8 <= low < 23 else [int(bucket.find("sum_count").text)]
                    begin, width = (1 << low if low else 0), ((1 << high) - (1 << low if low else 0)) // len(bins)
                    counted.update({(begin + i * width, begin + (i + 1) * width): count for i, count in enumerate(bins) if count})
                latency = one["latency"]
                self.assertEqual({tuple(latency["edges"][ns]): count for ns, count in latency["histogram_ns"].items()}, counted, f"{name} {one['direction']}")
        linux = {ns: edges for one in self.seen["files"][str(IMPORT / "data" / "linux.xml")][0]["paging"]["classes"] for ns, edges in one["latency"]["edges"].items()}
        self.assertEqual((linux["129"], linux["12648448"]), ([0, 256], [8388608, 16777216]))
        # Of ours.
        latency = self.seen["files"][str(IMPORT / "corpus_result_json" / "14_sim.json")][0]["jobs"][0]["read"]["lat"]
        for ns, (low, high) in latency["edges"].items():
            width = 1 << max(int(ns).bit_length() - 7, 0)
            self.assertEqual((low, high), (int(ns) // width * width, int(ns) // width * width + width))
        # Of a sum of eight neighbours: 128 of ours below 128 ns are 16 of them.
        job, rows = self.log("every_clat_hist.1.log")
        counts = [sum(row[3 + i] for row in rows if row[1] == 0) for i in range(len(rows[0]) - 3)]
        latency = job["read"]["clat"]
        self.assertEqual({tuple(latency["edges"][ns]): count for ns, count in latency["histogram_ns"].items()},
                         {(bucket_begin(8 * i), bucket_begin(8 * i + 8)): count for i, count in enumerate(counts) if count})

    def test_the_newest_schema_is_the_programs(self):
        self.assertEqual(self.seen["newest_schema"], self.by_program(IMPORT / "corpus_result_json" / "14_sim.json")["schema_version"])

    def log(self, name):
        (page,) = self.seen["files"][str(IMPORT / "data" / "fio" / name)]
        rows = [[int(word) for word in line.split(",")] for line in (IMPORT / "data" / "fio" / name).read_text().splitlines()]
        self.assertIn("jobs", page, page)
        return page["jobs"][0], rows

    def test_a_log_of_every_io_has_all_of_them(self):
        for kind in ("lat", "clat"):
            job, rows = self.log(f"every_{kind}.1.log")
            self.assertEqual(job["name"], "every")
            for d, of in enumerate(DIRECTIONS[:2]):
                values = sorted(row[1] for row in rows if row[2] == d)
                latency = job[of][kind]
                self.assertEqual((latency["n"], latency["min_ns"], latency["max_ns"]), (len(values), values[0], values[-1]))
                self.assert_number(latency["mean_ns"], sum(values) / len(values), of)
                self.assertEqual(sum(latency["histogram_ns"].values()), len(values))
                for percentile in (50.0, 99.0):
                    exact = values[max(1, math.ceil(percentile / 100 * len(values))) - 1]
                    self.assertLessEqual(abs(latency["asked"][f"{percentile:.6f}"] - exact), exact / 128 + 1)
                self.assertEqual((job[of]["ios"], job[of]["bytes"]), (len(values), 4096 * len(values)))
                self.assertEqual(sum(point["ios"] for point in job[of]["series"]), len(values))

    def test_a_log_of_windows_has_means_and_no_percentiles(self):
        for kind, key, unit in (("bw", "bytes_per_s", 1024), ("iops", "iops", 1)):
            job, rows = self.log(f"means_{kind}.1.log")
            mine, before, total = [row for row in rows if row[2] == 0], 0, 0
            for ms, value, *_ in mine:
                total, before = total + value * (ms - before), ms
            self.assert_number(job["read"][key], total * unit / before, kind)
        job, rows = self.log("means_lat.1.log")
        values = [row[1] for row in rows if row[2] == 1]
        self.assert_number(job["write"]["lat"]["mean_ns"], sum(values) / len(values), "lat")
        self.assertIsNone(job["write"]["lat"]["histogram_ns"])
        self.assertIsNone(job["write"]["lat"]["asked"]["99.000000"])

    def test_a_log_of_histograms_keeps_its_counts_and_its_buckets(self):
        for name, buckets in (("fine_clat_hist.1.log", "64 buckets an octave"), ("every_clat_hist.1.log", "fio's buckets, 8 in one")):
            job, rows = self.log(name)
            counted = collections.Counter()
            for row in rows:
                counted[row[1]] += sum(row[3:])
            self.assertEqual([job[of]["clat"]["n"] for of in DIRECTIONS[:2]], [counted[0], counted[1]])
            self.assertEqual(job["read"]["clat"]["buckets"], buckets)


if __name__ == "__main__":
    unittest.main()
