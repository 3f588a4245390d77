#!/usr/bin/python3
# label: browser
# timeout: 300
# alone: it measures how soon ten thousand files are listed
# cost: 60
"""The viewer in headless Chromium: files are chosen, dropped, ticked, overlaid, merged, pivoted and exported; a bad file costs no other; no name becomes markup; ten thousand files
are listed while the page answers. Any line on the console and any request is a failure. Skipped where the other tests of pages are."""
import csv
import json
import os
import pathlib
import subprocess
import unittest
import xml.etree.ElementTree

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
        older = json.loads(ours.read_text())
        older["fathom"]["schema_version"] = 13
        one = json.loads(ours.read_text())
        one["fathom"]["jobs"] = []
        large = self.folder / "large.json"
        with open(large, "wb") as file:
            file.truncate(500 << 20)
        bad = {"text.txt": ("hello", "neither JSON"), "other.json": ("{\"a\": 1}", "no result of fathom or fio"), "cut.json": (ours.read_text()[:5000], "cut off"),
               "newer.json": (json.dumps(newer), "newer than this page"), "older.json": (json.dumps(older), "older than this page"),
               "none.json": (json.dumps(one), "no samples"), "empty.json": ("", "an empty file"),
               "svg.xml": ("<svg/>", "not pmbench's report"), "cut.xml": ((DATA / "linux.xml").read_text()[:9000], "cut off"),
               "any.html": ("<!DOCTYPE html><p>hi</p>", "no report page"),
               "stored_lat.1.log.fz": ("x\x9c", "--inflate-log"), "x_lat.1.log": ("5, 10, 0, 4096, 0\n6, 1", "cut off"), "nameless.log": ("5, 10, 0, 4096, 0\n", "does not say of what")}
        single = self.written("single_lat.1.log", "5, 1000, 0, 4096, 0\n")
        fio = [DATA / "fio" / name for name in ("plus.json", "json.json", "means_bw.1.log", "every_lat.1.log")]
        good = [ours, *fio, DATA / "linux.xml", self.folder / "page.html", SOURCE / "tests/import/corpus_result_json/14_plus.json", single]
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
        self.assertIn("schema 14;", rows["14_plus.json"]["text"])
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
            "by_bs": {"Rows": "bs", "Columns": "iodepth", "Cells": "p99"}, **{name: {"Rows": name} for name in ("kernel", "CPU", "host memory")},
            "by_file": {"Rows": "file", "Columns": "direction", "Cells": "iops"}})["pivoted"]
        self.assertTrue(out["none"])
        head, *rows = self.table(out["csv"]["by_bs"])
        self.assertEqual(head, ["bs", *(text for depth in (1, 8) for of in ("read", "write") for text in (f"{depth}, {of}", f"n ({depth}, {of})"))])
        self.assertEqual([row[0] for row in rows], ["4k", "16k"], "by size, not by letter")
        for row in rows:
            for at, (depth, direction) in enumerate((depth, of) for depth in (1, 8) for of in ("read", "write")):
                values = [self.latency(path, direction)["percentiles_ns"]["99.000000"] for (bs, own, _), path in results.items() if (bs, own) == (row[0], depth)]
                self.assertAlmostEqual(float(row[1 + 2 * at]), sum(values) / len(values), 6)
                self.assertEqual(int(row[2 + 2 * at]), len(values))
        host = json.loads(results["4k", 1, 0].read_text())["fathom"]["host"]
        self.assertEqual([[row[0] for row in self.table(out["csv"][name])[1:]] for name in ("kernel", "CPU")], [[host["kernel"]], [host["cpu_model"]]])
        self.assertEqual(len(self.table(out["csv"]["host memory"])), 2)
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
            for ns, count in latency["histogram_ns"]:
                counts[ns] = counts.get(ns, 0) + count
        total, running = sum(counts.values()), 0
        for ns in sorted(counts):
            running += counts[ns]
            if running >= 0.99 * total:
                break
        self.assertEqual(int(row["p99"]), ns)
        self.assertAlmostEqual(float(row["mean"]), sum(latency["sum_ns"] for latency in all_of) / total, 3)
        self.assertEqual(row["latency"], f"counts of {len(all_of)} added")

    def test_results_of_one_name_are_not_one(self):
        for folder in ("a", "b"):
            (self.folder / folder).mkdir()
        results = [self.measured("a/same.json", "--bs=4k"), self.measured("b/same.json", "--bs=4k", "--randseed=7")]
        head, *rows = self.table(self.seen_of(pivoted=results, choices={})["pivoted"]["bands_csv"])
        self.assertEqual([row[0] for row in rows], 2 * ["same.json: job lat"])
        for row, path in zip(rows, results):
            self.assertEqual(float(row[head.index("time_ns")]), sum(ns * n for of in ("read", "write") for ns, n in self.latency(path, of)["histogram_ns"]))

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

    def test_percentiles_of_intervals_lie_over_each_other(self):
        results = [self.folder / f"{i}.json" for i in range(2)]
        for path in results:
            self.fathom("run", "--name=job", "--audit=off", "--clock-check=skip", "--ioengine=psync", f"--filename={self.folder}/file", "--size=4m", "--bs=4k", "--rw=randrw",
                        "--time_based", "--runtime=2", "--output-format=json", f"--output={path}")
        out = self.seen_of(pivoted=results, choices={})["pivoted"]
        for key, plot in (("p50", "overlay-p50"), ("p99", "overlay-p99"), ("p999", "overlay-p999")):
            head, *rows = self.table(out[plot])
            lines = {name: {float(row[0]): float(row[i]) for row in rows if row[i]} for i, name in enumerate(head) if i}
            self.assertEqual(list(lines), [f"{path.name}: job {of}" for path in results for of in ("read", "write")])
            for path in results:
                for of in ("read", "write"):
                    series = json.loads(path.read_text())["fathom"]["jobs"][0][of]["series"]
                    expected = {point["time_ms"] / 1000: point[f"lat_ns_{key}"] for point in series if point[f"lat_ns_{key}"] > 0}
                    self.assertTrue(expected)
                    self.assertEqual(lines[f"{path.name}: job {of}"], expected)

    def paged(self, name, *more):
        self.fathom("paging", "--map=16M", "--set=8M", "--duration=1s", "--audit=off", *more, "--output-format=json", f"--output={name}")
        return self.folder / name

    def test_accesses_to_memory_are_pivoted_merged_and_laid_over_each_other(self):
        results = [self.paged("one.json", "--seed=1"), self.paged("two.json", "--seed=2")]
        out = self.seen_of(pivoted=results, thresholds="1us, 10 us,100us", choices={"by_seed": {"Rows": "seed", "Columns": "class", "Cells": "mean"},
                                                                                  "by_kernel": {"Rows": "kernel", "Columns": "duration", "Cells": "p50"}})["pivoted"]
        documents = [json.loads(path.read_text())["fathom"] for path in results]
        classes = [{f"{one['direction']} {one['class']}": one["latency"] for one in document["paging"]["classes"]} for document in documents]
        head, *rows = self.table(out["csv"]["by_seed"])
        self.assertEqual([row[0] for row in rows], ["1", "2"])
        for row, of in zip(rows, classes):
            self.assertAlmostEqual(float(row[head.index("hit, read hit")]), of["read hit"]["mean_ns"], 6)
        (_, row), host = self.table(out["csv"]["by_kernel"]), documents[0]["host"]
        self.assertEqual(row[0], host["kernel"])
        # Counts of equal buckets are added.
        merged = {row[0]: dict(zip(self.table(out["merged_csv"])[0], row)) for row in self.table(out["merged_csv"])[1:]}["read hit access"]
        both = [of["read hit"] for of in classes]
        self.assertEqual(merged["latency"], "counts of 2 added")
        self.assertAlmostEqual(float(merged["mean"]), sum(one["sum_ns"] for one in both) / sum(one["n"] for one in both), 6)
        # The time at and above each threshold is the program's own table of long accesses.
        head, *rows = self.table(out["bands_csv"])
        self.assertEqual(head[2:], ["below 1 us", "1 us to 10 us", "10 us to 100 us", "from 100 us"])
        for row, document in zip(rows, documents):
            for i, long_ones in enumerate(document["paging"]["at_least"][:3]):
                self.assertAlmostEqual(sum(map(float, row[3 + i:])), long_ones["time_percent"], 6)
            self.assertAlmostEqual(sum(map(float, row[2:])), 100, 6)
        self.assertEqual(self.table(out["overlay-bands"])[0], ["of", *head[2:]])
        # Of all classes together, over time.
        head, *rows = self.table(out["overlay-accesses"])
        self.assertEqual(head[1:], [f"{path.name}: uniform accesses" for path in results])
        for i, document in enumerate(documents):
            expected = {p["time_ms"] / 1000: p["accesses"] * 1000 / p["interval_ms"] for p in document["paging"]["series"]}
            self.assertEqual({float(row[0]): float(row[1 + i]) for row in rows if row[1 + i]}, expected)
        self.assertIn("overlay-minor", out)
        self.assertNotIn("overlay-iops", out)

    def test_reports_of_pmbench_are_pivoted_merged_and_exported(self):
        text = (DATA / "linux.xml").read_text()
        slow = self.written("slow.xml", text.replace("<delay>0<", "<delay>500<").replace("<release>5.4.0-made-up<", "<release>6.1.0<").replace("<shape>1.0000<", "<shape>1.5000<"))
        out = self.seen_of(pivoted=[DATA / "linux.xml", slow], choices={
            "by_delay": {"Rows": "delay", "Columns": "shape", "Cells": "mean"}, "by_kernel": {"Rows": "kernel", "Columns": "fill", "Cells": "iops"},
            **{name: {"Rows": name} for name in ("duration", "cold", "page size", "processes", "seed", "CPU", "system", "date", "offset", "stamps")}})["pivoted"]
        head, *rows = self.table(out["csv"]["by_delay"])
        self.assertEqual([row[0] for row in rows], ["0 ticks", "500 ticks"])
        self.assertEqual(head[1:3], ["1, read", "n (1, read)"])
        # Half of the accesses are reads, and their mean that of the bins' middles.
        self.assertAlmostEqual(float(rows[0][1]), 7458.194, 6)
        self.assertEqual([row[head.index("n (1.5, write)")] for row in rows], ["0", "1"])
        self.assertEqual([row[0] for row in self.table(out["csv"]["by_kernel"])[1:]], ["5.4.0-made-up", "6.1.0"])
        for name, value in {"duration": "60 s", "cold": "no", "page size": "4 KiB", "processes": "1", "seed": "0", "CPU": "Made-up(R) CPU & Co @ 2.30GHz", "system": "Linux 64bit +mt -xa",
                            "date": "2019-03-01", "offset": "random", "stamps": "rdtscp"}.items():
            self.assertEqual([row[0] for row in self.table(out["csv"][name])[1:]], [value], name)
        head, *rows = self.table(out["merged_csv"])
        read = dict(zip(head, rows[0]))
        self.assertEqual((read["of"], read["runs"], read["latency"]), ("read access", "2", "counts of 2 added"))
        self.assertAlmostEqual(float(read["mean"]), 7458.194, 6)
        threads, memory = out["threads"]
        head, *rows = self.table(threads)
        rows = [dict(zip(head, row)) for row in rows]
        self.assertEqual([(row["file"], row["thread"], row["accesses"]) for row in rows],
                         [(name, str(i), accesses) for name in ("linux.xml", "slow.xml") for i, accesses in enumerate(("3140891", "3123646"))])
        for name, us in (("net_ns", 9.1101), ("each_ns", 9.1315), ("overhead_ns", 0.0214)):
            self.assertAlmostEqual(float(rows[0][name]) / 1000, us, delta=1e-4)
        head, *rows = self.table(memory)
        report = xml.etree.ElementTree.parse(DATA / "linux.xml").getroot().find("report")
        items = report.findall("sys_mem_info/sys_mem_item")
        self.assertEqual([row[head.index("moment")] for row in rows], 2 * [item.get("name") for item in items])
        for row, item in zip(rows, items):
            for count in item.find("mem_item_info"):
                self.assertEqual(row[head.index(count.tag)], count.text)
        self.assertEqual(int(rows[0][head.index("free_kib change")]), int(rows[1][head.index("free_kib")]) - int(rows[0][head.index("free_kib")]))
        self.assertEqual(rows[len(items) - 1][head.index("free_kib change")], "")

    def test_a_comparison_stands_apart(self):
        first, second = (str(self.measured(f"{i}.json", "--bs=4k")) for i in range(2))
        self.fathom("compare", first, second, "--output-format=json", "--output=compare.json")
        self.fathom("report", "compare.json", "-o", "page.html")
        out = self.seen_of(dropped=[[name, self.folder / name] for name in ("compare.json", "page.html")])["dropped"]
        for row in out["rows"]:
            self.assertEqual((row["bad"], row["disabled"], row["ticked"]), (False, True, False), row)
            self.assertIn("fathom compare", row["text"])

    def test_what_was_counted_beside_a_run_stands_apart_and_is_shown(self):
        run = self.measured("run.json", "--bs=4k")
        self.fathom("pmu", "stat", "-e", "context-switches,page-faults", "-I", "100", "--output-format=json", "-o", "pmu.json", "--", "sleep", "0.5")
        self.fathom("pmu", "stat", "-e", "context-switches", "--output-format=json", "-o", "once.json", "--", "true")
        self.fathom("report", str(run), "pmu.json", "-o", "both.html")
        lines = (self.folder / "pmu.json").read_text().splitlines()
        self.written("cut.json", "\n".join(lines[:-1]) + "\n")
        out = self.seen_of(whole=[[name, self.folder / name] for name in ("both.html", "pmu.json", "once.json", "cut.json")])["whole"]
        of_run, counted, alone, once, cut = out["rows"]
        self.assertEqual([(row["bad"], row["disabled"], row["ticked"]) for row in (of_run, counted, alone)], [(False, False, True), (False, True, False), (False, True, False)])
        for row in (counted, alone):
            self.assertIn("fathom pmu stat", row["text"])
        self.assertIn("without intervals", once["text"])
        self.assertIn("cut off", cut["text"])
        intervals = [json.loads(line) for line in lines[:-1]]
        for sheets in out["sheets"][1:3]:
            head, *rows = self.table(sheets["counters"])
            self.assertEqual(head, ["elapsed_s", "context-switches", "page-faults"])
            self.assertEqual([float(row[0]) for row in rows], [one["time_ns"] / 1e9 for one in intervals])
        self.assertIn("histogram", out["sheets"][0])

    def test_the_bins_of_other_programs_are_shown_whole_at_their_edges(self):
        self.fathom("report", str(DATA / "linux.xml"), "-o", "pmb.html")
        coarse = DATA / "fio" / "every_clat_hist.1.log"
        out = self.seen_of(whole=[["linux.xml", DATA / "linux.xml"], ["pmb.html", self.folder / "pmb.html"], [coarse.name, coarse]])["whole"]
        for sheets in out["sheets"][:2]:
            head, *rows = self.table(sheets["paging-histogram"])
            self.assertEqual((head, rows[0], [row[0] for row in rows[1:3]], rows[-1][0]), (["latency_ns", "hit"], ["0.5", "2843"], ["256", "272"], "8388608"))
            self.assertEqual([row[0] for row in self.table(sheets["paging-slower"])[1:]], [row[0] for row in rows])
        _, *rows = self.table(out["sheets"][2]["histogram"])
        for row in rows:
            # Eight buckets are an eighth of an octave.
            begin = int(row[0])
            self.assertEqual(begin % (1 << max(begin.bit_length() - 4, 3)), 0, row)
        _, *shares = self.table(out["sheets"][2]["cdf"])
        self.assertEqual(float(shares[-1][1]), 100)

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
        # The first one, which is shown whole and was unticked, then the other one.
        self.assertEqual(out["removed"], [{"count": 1, "status": "1 result", "lines": 2, "focus": "Remove: 1.json", "whole": False},
                                          {"count": 0, "status": "", "lines": 0, "focus": "files", "whole": False}])

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
