#!/usr/bin/python3
# label: browser
# timeout: 600
# cost: 45
"""What the plots of a page draw is what the result holds: each plot's CSV against numbers that are computed here from the JSON. And axe-core finds no serious fault in any kind of page."""
import json
import math
import os
import pathlib
import re
import tempfile
import unittest

from browser import AXE, FATHOM, PageCase, edges, module

SOURCE = pathlib.Path(os.environ.get("FATHOM_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
DIRECTIONS = ("read", "write", "trim")


def pmbench_edges(ns):
    """16 bins to an octave, below 256 ns one, above 8.4 ms one an octave."""
    if ns < 256:
        return 0, 256
    octave = min(ns.bit_length() - 1, 30)
    width = 1 << (octave if octave >= 23 else octave - 4)
    return ns // width * width, (1 << 32 if octave == 30 else ns // width * width + width)


def added(histograms):
    out = {}
    for histogram in histograms:
        for ns, count in histogram:
            out[ns] = out.get(ns, 0) + count
    return dict(sorted(out.items()))


class Plots(PageCase):
    def all_of(self, page):
        return self.looked_at(self.folder / page, module(AXE) / "axe.min.js")

    def assert_line(self, seen, expected):
        self.assertEqual(list(seen), list(expected))
        for x, y in expected.items():
            self.assertAlmostEqual(seen[x], y, delta=abs(y) * 1e-9 + 1e-9)

    def assert_histogram(self, out, plot, name, histogram, edges_of=edges):
        self.assert_line(self.column(out, plot, name), {float(edges_of(ns)[0] or 0.5): count for ns, count in histogram.items()})

    def assert_cdf(self, out, plot, name, histogram):
        total, below, expected = sum(histogram.values()), 0, {}
        for ns, count in histogram.items():
            expected = expected or {float(edges(ns)[0] or 0.5): 0.0}
            below += count
            expected[float(edges(ns)[1])] = 100 * below / total
        self.assert_line(self.column(out, plot, name), expected)

    def assert_slower(self, out, histogram, edges_of=edges):
        total, rest, expected = sum(ns * count for ns, count in histogram.items()), 0, {}
        for ns, count in reversed(histogram.items()):
            rest += ns * count
            expected[float(edges_of(ns)[0] or 0.5)] = 100 * rest / total
        self.assert_line(self.column(out, "paging-slower", "share of the time"), dict(reversed(expected.items())))

    def assert_same(self, out, plots):
        """Of every width and colour, and nothing was complained of."""
        for name in ("light", "dark", "narrow"):
            self.assert_sound(out[name]["seen"])
            self.assertEqual(out[name]["plots"], plots)
            self.assertEqual(out[name]["canvases"], len(plots))
            self.assertFalse(out[name]["wide"], name)
            self.assertEqual([one for one in out[name]["complaints"] if one["impact"] in ("serious", "critical")], [], name)
        self.assert_sound(out["used"])
        self.assertEqual((out["printed"]["figures"], out["printed"]["canvases"]), (len(plots), len(plots)))

    def two_jobs(self):
        """Of a file, since the simulated device has no series."""
        result = self.folder / "two.json"
        self.fathom("run", "--audit=off", "--clock-check=skip", "--ioengine=psync", f"--filename={self.folder}/file", "--size=4m", "--bs=4k", "--time_based", "--runtime=2", "--name=one",
                    "--rw=randrw", "--name=two", "--rw=randread", "--rate_iops=1000", "--output-format=json", f"--output={result}")
        return result

    def test_jobs_and_all_of_them_together(self):
        result = self.two_jobs()
        self.fathom("report", str(result), "-o", "page.html")
        out = self.all_of("page.html")
        job = ["histogram", "cdf", "percentiles", "series", "bandwidth", "latency-series", "heat-read", "heat-write", "asked"]
        self.assert_same(out, ["first", "jobs-iops", "jobs-p99", "merged-histogram", "merged-cdf", "merged-percentiles", "merged-series", "merged-bandwidth", "merged-latency-series",
                               "merged-heat-read", "merged-heat-write", *job, *(plot for plot in job if plot != "heat-write")])
        run = json.loads(result.read_text())["fathom"]
        first, second = run["jobs"]
        together = run["groups"][0]["read"]["series"]
        self.assert_line(self.column(out, "merged-series", "read IOPS"), {p["time_ms"] / 1000: p["ios"] * 1000 / p["interval_ms"] for p in together})
        self.assert_line(self.column(out, "merged-bandwidth", "read bandwidth"), {p["time_ms"] / 1000: p["bytes"] * 1000 / p["interval_ms"] for p in together})
        self.assert_line(self.column(out, "merged-latency-series", "read p99"), {p["time_ms"] / 1000: p["lat_ns_p99"] for p in together})
        reads = added(one["read"]["lat"]["histogram_ns"] for one in (first, second))
        self.assert_histogram(out, "merged-histogram", "read lat", reads)
        self.assert_cdf(out, "merged-cdf", "read lat", reads)
        writes = added([first["write"]["lat"]["histogram_ns"]])
        self.assert_histogram(out, "merged-histogram", "write lat", writes)
        self.assert_histogram(out, "histogram", "write lat", writes)
        self.assert_cdf(out, "cdf", "write lat", writes)
        for plot, name, key in (("series", "IOPS", "ios"), ("bandwidth", "bandwidth", "bytes")):
            for direction in ("read", "write"):
                self.assert_line(self.column(out, plot, f"{direction} {name}"), {p["time_ms"] / 1000: p[key] * 1000 / p["interval_ms"] for p in first[direction]["series"]})
        points = first["read"]["series"]
        self.assert_line(self.column(out, "latency-series", "read p50"), {p["time_ms"] / 1000: p["lat_ns_p50"] for p in points})
        delivery = first["delivery"]
        name = f"reads of {delivery['asked_read_percent']:g} %"
        self.assert_line(self.column(out, "asked", "delivered"), {name: 100 * delivery["read_percent"] / delivery["asked_read_percent"]})

    def test_a_clock_and_a_cursor_for_all_over_time(self):
        result = self.two_jobs()
        document = json.loads(result.read_text())
        document["fathom"]["utc_offset_s"] = 7200
        for job in document["fathom"]["jobs"]:
            job["start_epoch_ms"] = 1_700_000_000_000  # 22:13:20 UTC
        result.write_text(json.dumps(document))
        self.fathom("report", str(result), "-o", "page.html")
        clocks = self.looked_at(self.folder / "page.html", parts="used")["clocks"]
        self.assertEqual(len(clocks["elapsed"]), 14)
        self.assertEqual(clocks["pressed"], ["true"] * 14)
        # The pointer is over the first alone; every plot says what it has there.
        for legend in clocks["elapsed"]:
            self.assertRegex(legend, r"elapsed:?\s*[0-9.]+ s")
            self.assertRegex(legend, r"read (IOPS|bandwidth|p50):?\s*[0-9.]+|; .+ to .+: \d+ I/O|no I/Os of this latency")
        for legend in clocks["wall"]:
            self.assertRegex(legend, r"wall clock of the host, \+02:00:?\s*00:13:2[0-9.]+ \+02:00")

    def seen_of(self, document):
        """The figures of a result that this program did not write, as a viewer adds them."""
        (self.folder / "seen.json").write_text(json.dumps(document))
        self.fathom("report", str(self.simulated()), "-o", "page.html")
        out = self.looked_at(self.folder / "page.html", "", self.folder / "seen.json", parts="used")
        self.assert_sound(out["used"])
        return out

    def test_latencies_over_time(self):
        points = [{"time_ms": 500 * (i + 1), "interval_ms": 500, "bytes": 4096, "ios": 1} for i in range(6)]
        for i, point in enumerate(points[:5]):
            point |= {"lat_n": 100, "lat_ns_p50": 1000 + i, "lat_ns_p99": 20_000 + i, "lat_ns_p999": None if i == 1 else 300_000 + i}
        out = self.seen_of({"fathom": {"utc_offset_s": 0, "jobs": [{"name": "<b>x</b>", "start_epoch_ms": 0, "read": {"series": points}}]}})
        self.assertEqual(self.sheet(out, "latency-series")[0], ["elapsed_s", "read p50", "read p99", "read p99.9"])
        for p, name in (("p50", "p50"), ("p99", "p99"), ("p999", "p99.9")):
            self.assert_line(self.column(out, "latency-series", f"read {name}"), {q["time_ms"] / 1000: q[f"lat_ns_{p}"] for q in points[:5] if q[f"lat_ns_{p}"]})

    def test_where_the_time_passed(self):
        def band(name, told, device):
            return {"name": name, "told": told, "share": {"device": device, "submit": 1 - device}, "mean_ns": {"device": 1000 * device, "submit": 1000 * (1 - device)}}

        split = {"job": "j", "direction": "read", "slices": 5, "share": {"device": 0.6, "submit": 0.1}, "whole": {"n": 10, "sum_ns": 10_000}, "device": {"n": 10, "sum_ns": 7000},
                 "submit": {"n": 10, "sum_ns": 3000}, "bands": [band("p0-50", True, 0.9), band("p50-99", True, 0.5), band("p99-99.9", False, 0.2)]}
        out = self.seen_of({"fathom": {"jobs": [], "breakdown": {"classes": [split]}}})
        self.assertEqual(self.sheet(out, "split-share")[0], ["ios", "submit", "device", "unattributed"])
        self.assert_line(self.column(out, "split-share", "device"), {"all I/Os": 60, "p0-50": 90, "p50-99": 50})
        self.assert_line(self.column(out, "split-share", "unattributed"), {"all I/Os": 30, "p0-50": 0, "p50-99": 0})
        self.assert_line(self.column(out, "split-mean", "all I/Os"), {"submit": 300, "device": 700})
        self.assert_line(self.column(out, "split-mean", "p0-50"), {"submit": 100, "device": 900})

    def test_a_latency_that_was_divided(self):
        """Of a real run, where the kernel lets this user look."""
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            self.fathom("run", "--name=a", f"--filename={folder}/f", "--size=16m", "--rw=randrw", "--number_ios=2000", "--direct=1", "--breakdown=all", "--audit=off", "--clock-check=skip",
                        "--output-format=json", "--output=split.json")
        split = json.loads((self.folder / "split.json").read_text())["fathom"]["breakdown"]
        if not split["classes"] or os.geteuid() != 0:
            self.skipTest(split["cause"] or "not as root")
        self.fathom("report", "split.json", "-o", "page.html")
        out = self.all_of("page.html")
        of_a_class = ["split-share", "split-mean"]
        self.assertEqual([plot for plot in out["light"]["plots"] if plot.startswith("split-")], 2 * of_a_class)
        self.assert_same(out, out["light"]["plots"])
        reads = next(one for one in split["classes"] if one["direction"] == "read")
        for part in ("submit", "device"):
            self.assert_line({"all I/Os": self.column(out, "split-share", part)["all I/Os"]}, {"all I/Os": 100 * reads[part]["sum_ns"] / reads["whole"]["sum_ns"]})
            self.assert_line({part: self.column(out, "split-mean", "all I/Os")[part]}, {part: reads[part]["sum_ns"] / reads[part]["n"]})
        # The tables that stand there without a script say the same.
        text = out["no_script"]["text"]
        self.assertIn("Latency breakdown", text)
        self.assertRegex(text, rf"device\s+{reads['device']['n']}\s+\S+ [mu]s")
        self.assertRegex(text, r"share of the time\s+p0-50\s+p50-99")

    def test_counters_beside_a_run(self):
        run = ["run", "--name=a", "--ioengine=null", "--rw=randread", "--rate_iops=2000", "--size=1g", "--time_based", "--runtime=3", "--audit=off", "--clock-check=skip",
               "--output-format=json", "--output=run.json"]
        self.fathom("pmu", "stat", "-I", "250", "-e", "context-switches,task-clock", "--output-format=json", "-o", "pmu.json", "--report=direct.html", "--", os.path.abspath(FATHOM), *run)
        self.assertIn("start_epoch_ms", (self.folder / "direct.html").read_text().split('class="result">')[1])
        self.fathom("report", "run.json", "pmu.json", "-o", "page.html")
        out = self.looked_at(self.folder / "page.html", module(AXE) / "axe.min.js", parts="light,narrow,used,result")
        lines = [json.loads(line) for line in (self.folder / "pmu.json").read_text().splitlines()]
        intervals, whole = lines[:-1], lines[-1]
        self.assertEqual([plot for plot in out["light"]["plots"] if plot.startswith("counter")], ["counters"])
        self.assert_sound(out["used"])
        for name in ("light", "narrow"):
            self.assertFalse(out[name]["wide"], name)
            self.assertEqual([one for one in out[name]["complaints"] if one["impact"] in ("serious", "critical")], [], name)
        begins = [0, *(one["time_ns"] for one in intervals)]
        expected = {one["time_ns"] / 1e9: one["events"][0]["count"] * 1e9 / (one["time_ns"] - begin) for begin, one in zip(begins, intervals) if one["events"][0]["state"] == "counted"}
        self.assert_line(self.column(out, "counters", "context-switches"), expected)
        # One time for both: what the cursor of one points at is there in the other.
        job = json.loads((self.folder / "run.json").read_text())["fathom"]["jobs"][0]
        self.assertLess(abs(whole["start_epoch_ms"] - job["start_epoch_ms"]), 3000)
        walls = [re.search(r"[0-9:.]{8,} [+-]\d\d:\d\d", legend)[0] for legend in out["clocks"]["wall"]]
        seconds = [sum(60 ** i * float(part) for i, part in enumerate(reversed(wall.split(" ")[0].split(":")))) for wall in walls]
        self.assertEqual(len(walls), 5)
        self.assertLess(max(seconds) - min(seconds), 0.6, walls)

    def test_accesses_to_memory(self):
        self.fathom("paging", "--map=16M", "--set=8M", "--duration=1s", "--audit=off", "--output-format=json", "--output=paging.json")
        self.fathom("report", "paging.json", "-o", "page.html")
        out = self.all_of("page.html")
        self.assertEqual(out["light"]["plots"][:4], ["first", "paging-histogram", "paging-slower", "paging-series"])
        self.assert_same(out, out["light"]["plots"])
        paging = json.loads((self.folder / "paging.json").read_text())["fathom"]["paging"]
        whole = added(one["latency"]["histogram_ns"] for one in paging["classes"])
        hits = added(one["latency"]["histogram_ns"] for one in paging["classes"] if one["class"] == "hit")
        self.assert_histogram(out, "paging-histogram", "hit", hits)
        self.assert_slower(out, whole)
        self.assert_line(self.column(out, "paging-series", "accesses"), {p["time_ms"] / 1000: p["accesses"] * 1000 / p["interval_ms"] for p in paging["series"]})
        # The table that stands there without a script says the same.
        self.assertIn("of the time", out["no_script"]["text"])

    def test_what_pmbench_counted_is_drawn_at_the_edges_of_its_bins(self):
        self.fathom("report", str(SOURCE / "tests/import/data/linux.xml"), "-o", "page.html")
        out = self.looked_at(self.folder / "page.html", parts="used,result,scales")
        self.assert_sound(out["used"])
        with open(out["result"], encoding="utf-8") as file:
            paging = json.load(file)["fathom"]["paging"]
        whole = added(one["latency"]["histogram_ns"] for one in paging["classes"])
        self.assert_histogram(out, "paging-histogram", "hit", whole, pmbench_edges)
        self.assert_slower(out, whole, pmbench_edges)
        starts = list(self.column(out, "paging-histogram", "hit"))
        self.assertEqual((starts[:2], starts[-1]), ([0.5, 256.0], 8388608.0))
        # A bar is as wide as its bin. Of the first one, the widest by far, all columns have one height.
        heights = out["scales"]["logarithmic"]["heights"]
        widths = [math.log(high / (low or 0.5)) for low, high in map(pmbench_edges, whole)]
        first = heights[len(heights) // 50]
        same = next(i for i, height in enumerate([*heights[len(heights) // 50:], -9]) if abs(height - first) > 3) + len(heights) // 50
        self.assertAlmostEqual(same / len(heights), widths[0] / sum(widths), delta=0.03)

    def test_a_comparison(self):
        files = [str(self.simulated("j", "--repeat=3", f"--sim_latency=exp:{us}us", to=f"{us}.json")) for us in (100, 120)]
        for how in ("html", "json"):
            self.fathom("compare", *files, f"--output-format={how}", f"--output=compare.{how}")
        out = self.all_of("compare.html")
        self.assert_same(out, ["changes", "sides-histogram", "sides-cdf"])
        document = json.loads((self.folder / "compare.json").read_text())
        metrics = [(f"{one['of']} {one['name']}".strip(), one["changes"][0]) for one in document["metrics"]]
        for column, key in (("B against A", "percent"), ("B against A low", "low_percent"), ("B against A high", "high_percent")):
            self.assert_line(self.column(out, "changes", column), {name: change[key] for name, change in metrics if change["percent"] is not None})
        for side in document["sides"]:
            self.assert_histogram(out, "sides-histogram", side["name"], added([side["histogram_ns"]]))
            self.assert_cdf(out, "sides-cdf", side["name"], added([side["histogram_ns"]]))

    def test_a_sweep(self):
        (self.folder / "q.fio").write_text("[reads]\nioengine=sim\nsim_latency=exp:100us\nrw=randread\nsize=64g\nbs=4k\niodepth=4\nruntime=1\ntime_based=1\n")
        self.fathom("sweep", "q.fio", "--over=rate_iops=10000..30000+10000", "--slo=lat_p99<1ms", "--repeat=2", "--refine=0", "--run-option=--audit=off", "--run-option=--clock-check=skip",
                    "--output-format=json", "--output=sweep.json")
        self.fathom("report", "sweep.json", "-o", "page.html")
        out = self.all_of("page.html")
        self.assert_same(out, ["sweep"])
        document = json.loads((self.folder / "sweep.json").read_text())
        name, expected = document["latency"], {}
        for point in document["curves"][0]["points"]:
            number = next((one for one in point["numbers"] if one["name"] == name), None)
            if point["load"] and number and point["runs"] >= expected.get(point["load"], (0,))[0]:
                expected[point["load"]] = point["runs"], number
        for column, key in ((name, "typical"), (f"{name} low", "low"), (f"{name} high", "high")):
            self.assert_line(self.column(out, "sweep", column), {load: number[key] for load, (_, number) in sorted(expected.items())})


if __name__ == "__main__":
    unittest.main()
