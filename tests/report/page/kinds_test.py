#!/usr/bin/python3
# label: browser
# timeout: 600
# cost: 60
"""The structure of the pages of every kind of result: the verdict first, headings in their order, legends without empty values, a live region per plot, print, phone, names of
files, and the heat map against the counts of the result."""
import copy
import json
import re
import subprocess
import unittest

from browser import HERE, PageCase

SCREENS_OF_FORTY_JOBS = 6


class Kinds(PageCase):
    def structure(self, page):
        done = subprocess.run(["node", str(HERE / "structure.cjs"), str(self.module), str(self.folder / page), str(self.folder)], capture_output=True, text=True, timeout=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_structure(self, out, headings):
        """What every page has."""
        whole, phone = out["whole"], out["phone"]
        self.assert_sound(whole["seen"])
        self.assert_sound(phone["seen"])
        self.assertFalse(phone["wide"], "scrolled sideways on a phone")
        seen = [one for one in whole["headings"] if one in headings]
        self.assertEqual(seen, headings, whole["headings"])
        self.assertEqual(whole["headings"][0][:3], "h1 ")
        for legend in whole["legends"]:
            self.assertNotIn("--", legend)
        for entry in whole["entries"]:
            self.assertEqual(entry["colon"], entry["value"] not in ("", "--"), "a name without its value")
        self.assertEqual(whole["live"], [1] * len(whole["plots"]))
        for text in whole.get("keys", []):
            self.assertRegex(text, r"\d", "the live region has the values at the cursor")
        self.assertEqual(whole["print"]["thead"], "table-header-group")
        for hidden in ("bar", "nav", "readout"):
            self.assertIn(whole["print"][hidden], ("none", None), hidden)
        for card in phone["cards"]:
            self.assertGreaterEqual(card["radius"], 4)
            self.assertEqual(card["edge"], "solid")
            self.assertGreaterEqual(card["height"], 44, "as large as a finger")
            self.assertEqual(card["parts"], ["inline", "block", "block"][:len(card["parts"])])
        self.assertIn("The report as text", out["no_script"])

    def series_run(self):
        result = self.folder / "series.json"
        self.fathom("run", "--audit=off", "--clock-check=skip", "--ioengine=psync", f"--filename={self.folder}/file", "--size=4m", "--bs=4k", "--time_based", "--runtime=2", "--name=steps",
                    "--rw=randread", "--rate_iops=2000", "--output-format=json", f"--output={result}")
        return result

    def test_a_comparison_has_its_verdict_first_and_arrows(self):
        files = [str(self.simulated("j", "--repeat=3", "--rw=randread", f"--sim_latency=exp:{us}us", to=f"{us}.json")) for us in (100, 130)]
        self.fathom("compare", *files, "-o", "compare.html")
        out = self.structure("compare.html")
        whole = out["whole"]
        self.assertIn("Comparison of A (", whole["title"])
        self.assertIn("130.json)", whole["title"])
        self.assert_structure(out, ["h2 Metrics", "h2 Distributions", "h2 What differs", "h2 Sides"])
        self.assertRegex(whole["first"].replace("\n", " "), r"^▼ B is slower than A")
        self.assertEqual(whole["plots"], ["changes", "sides-histogram", "sides-cdf"])
        self.assertRegex(out["no_script"], r"iops\t.*\t▼ slower")
        self.assertRegex(out["no_script"], r"▲ better than A, ▼ worse")
        self.assertRegex(whole["json"], r"^compare-\d{4}-\d\d-\d\d-\d{6}\.json$")
        self.assertRegex(whole["csv"], r"^comparison-changes-\d{4}-\d\d-\d\d-\d{6}\.csv$")
        self.assertRegex(whole["keys"][0], r"^\S.*; B against A -?[0-9.]+ %")
        faster = self.folder / "faster.html"
        self.fathom("compare", files[1], files[0], "--output-format=html", f"--output={faster}")
        self.assertRegex(self.structure("faster.html")["whole"]["first"].replace("\n", " "), r"^▲ B is faster than A")

    def test_a_heat_map_has_every_io(self):
        result = self.series_run()
        document = json.loads(result.read_text())["fathom"]["jobs"][0]["read"]
        self.assertTrue(document["series_bands"])
        for i, point in enumerate(document["series"]):
            self.assertEqual(sum(band["counts"][i] for band in document["series_bands"]), point["lat_n"])
        # Counts that differ from cell to cell; the second band is the fullest.
        whole = json.loads(result.read_text())
        document = whole["fathom"]["jobs"][0]["read"]
        for b, band in enumerate(document["series_bands"]):
            band["counts"] = [(400 if b == 1 else 1 + 11 * b) + 3 * i for i in range(len(band["counts"]))]
        result.write_text(json.dumps(whole))
        self.fathom("report", str(result), "-o", "page.html")
        out = self.structure("page.html")
        self.assert_structure(out, ["h2 Findings", "h2 Jobs", "h2 Audit", "h2 Options and host"])
        heat = out["whole"]["heat"]
        self.assertEqual(heat["plot"], "heat-read")
        self.assertEqual(heat["steps"][0], "I/Os per interval and band:")
        self.assertGreater(len(heat["steps"]), 1)
        for step in heat["steps"][1:]:
            self.assertRegex(step, r"^[0-9.]+k?( to [0-9.]+k?)?$")
        self.assertEqual(heat["before"], "")
        self.assertRegex(heat["hovered"], r"^elapsed [0-9.]+ s; ")
        self.assertGreater(heat["shaded"], 0.5)
        seen = [re.fullmatch(r"elapsed ([0-9.]+) s; (.+ to .+): (\d+) I/Os?, ([0-9.]+) % of the interval|elapsed ([0-9.]+) s; (.+ to .+): 0 I/Os, 0 % of the interval", text)
                for text in heat["keys"]]
        self.assertTrue(all(seen), heat["keys"])
        # The keys begin at the fullest band, in the first interval.
        fullest = max(document["series_bands"], key=lambda band: sum(band["counts"]))
        self.assertEqual(float(seen[0][1]), document["series"][0]["time_ms"] / 1000)
        self.assertEqual(int(seen[0][3]), fullest["counts"][0])
        self.assertEqual(float(seen[1][1]), document["series"][1]["time_ms"] / 1000)
        self.assertEqual(int(seen[1][3]), fullest["counts"][1])
        self.assertEqual(seen[3][2], seen[1][2], "up and down again")
        self.assertNotEqual(seen[2][2], seen[1][2])
        self.assertRegex(out["whole"]["json"], r"^steps-\d{4}-\d\d-\d\d-\d{6}\.json$")
        self.assertRegex(out["whole"]["csv"], r"^steps-first-\d{4}-\d\d-\d\d-\d{6}\.csv$")

    def test_the_sheet_of_a_heat_map_has_the_counts(self):
        result = self.series_run()
        self.fathom("report", str(result), "-o", "page.html")
        out = self.looked_at(self.folder / "page.html", parts="used")
        self.assert_sound(out["used"])
        document = json.loads(result.read_text())["fathom"]["jobs"][0]["read"]
        head, rows = self.sheet(out, "heat-read")
        self.assertEqual(len(head), 1 + len(document["series_bands"]))
        for i, point in enumerate(document["series"]):
            self.assertEqual(float(rows[i][0]), point["time_ms"] / 1000)
            self.assertEqual([int(cell) for cell in rows[i][1:]], [band["counts"][i] for band in document["series_bands"]])

    def test_bands_that_do_not_fit_their_series_are_not_drawn(self):
        document = json.loads(self.series_run().read_text())
        for band in document["fathom"]["jobs"][0]["read"]["series_bands"]:
            band["counts"].pop()
        (self.folder / "short.json").write_text(json.dumps(document))
        self.fathom("report", "short.json", "-o", "page.html")
        out = self.structure("page.html")
        self.assert_sound(out["whole"]["seen"])
        self.assertIsNone(out["whole"]["heat"])

    def test_a_sweep(self):
        (self.folder / "q.fio").write_text("[reads]\nioengine=sim\nsim_latency=exp:100us\nrw=randread\nsize=64g\nbs=4k\niodepth=4\nruntime=1\ntime_based=1\n")
        self.fathom("sweep", "q.fio", "--over=rate_iops=10000..30000+10000", "--slo=lat_p99<1ms", "--repeat=2", "--refine=0", "--run-option=--audit=off", "--run-option=--clock-check=skip",
                    "-o", "sweep.html")
        out = self.structure("sweep.html")
        self.assert_structure(out, ["h1 Sweep of q.fio", "h2 Latency against load", "h2 Options"])
        self.assertRegex(out["whole"]["first"], r"lat_p99<1ms")
        self.assertEqual(out["whole"]["plots"], ["sweep"])
        self.assertRegex(out["no_script"], r"rate_iops\tIOPS\tachieved")
        self.assertEqual(out["whole"]["json"], "sweep-q-fio.json")

    def test_counters(self):
        self.fathom("pmu", "stat", "-I", "100", "-e", "context-switches,task-clock", "-o", "pmu.html", "--", "sleep", "0.5")
        out = self.structure("pmu.html")
        self.assert_structure(out, ["h1 fathom pmu stat", "h2 Over time", "h2 Events"])
        self.assertRegex(out["whole"]["first"], r"events? (was|were) |No event")
        self.assertRegex(out["whole"]["json"], r"^pmu-stat-\d{4}-\d\d-\d\d-\d{6}\.json$")

    def test_clocks_and_the_doctor(self):
        self.fathom("doctor", "-o", "doctor.html")
        out = self.structure("doctor.html")
        self.assert_structure(out, ["h1 fathom doctor", "h2 Findings", "h2 Can measure", "h2 Checks"])
        self.assertRegex(out["whole"]["first"], r"[Ww]arning")
        self.assertRegex(out["no_script"], r"can be measured\tbecause")
        self.fathom("clock", "sources", "-o", "sources.html")
        out = self.structure("sources.html")
        self.assert_structure(out, ["h1 fathom clock sources", "h2 Clocks", "h2 CPU clock"])
        self.assertRegex(out["whole"]["first"], r"A run uses \S+")
        self.assertEqual(out["whole"]["plots"], ["clock-costs"])
        subprocess.run([self.program(), "clock", "test", "--entries=1000", "-o", "test.html"], cwd=self.folder, check=False, timeout=60)
        out = self.structure("test.html")
        self.assert_structure(out, ["h1 fathom clock test", "h2 Barriers", "h2 Counter"])
        self.assertRegex(out["whole"]["first"], r"PASSED|FAILED|NOT TESTED")

    def program(self):
        from browser import FATHOM
        return FATHOM

    def test_memory_accesses_begin_with_the_verdict(self):
        self.fathom("paging", "--map=16M", "--set=8M", "--duration=1s", "--audit=off", "-o", "paging.html")
        out = self.structure("paging.html")
        self.assert_structure(out, ["h2 accesses", "h2 Findings", "h2 Measured", "h2 Audit"])
        self.assertRegex(out["whole"]["first"].replace("\n", " "), r"^. (Checks|\d+ warning)")
        self.assertEqual(out["whole"]["plots"][0], "first")

    def test_forty_jobs_are_six_screens(self):
        document = json.loads(self.simulated("job").read_text())
        for half in (document, document["fathom"]):
            half["jobs"] = [copy.deepcopy(half["jobs"][0]) for _ in range(40)]
        for i, job in enumerate(document["fathom"]["jobs"]):
            job["name"] = document["jobs"][i]["jobname"] = f"job{i}"
        (self.folder / "forty.json").write_text(json.dumps(document))
        self.fathom("report", "forty.json", "-o", "forty.html")
        out = self.structure("forty.html")
        self.assert_structure(out, ["h2 Findings", "h2 Jobs", "h2 Audit"])
        self.assertLessEqual(out["whole"]["screens"], SCREENS_OF_FORTY_JOBS)
        self.assertEqual(out["whole"]["drawn"], 1, "the others are drawn when they are unfolded")
        self.assertRegex(out["whole"]["json"], r"^job0-and-39-more-\d{4}-")

    def test_durations_have_minutes_and_hours(self):
        document = json.loads(self.simulated("long", "--rw=randread").read_text())
        for half in (document, document["fathom"]):
            half["jobs"][0]["read"]["runtime_ms" if half is document["fathom"] else "runtime"] = 5_400_000
        direction = document["fathom"]["jobs"][0]["read"]
        direction["series"] = [{"time_ms": 600_000 * (i + 1), "interval_ms": 600_000, "bytes": 4096, "ios": 1, "lat_n": None, "lat_ns_p50": None, "lat_ns_p99": None, "lat_ns_p999": None}
                               for i in range(9)]
        for point in direction["series"]:
            for key in ("lat_n", "lat_ns_p50", "lat_ns_p99", "lat_ns_p999"):
                point.pop(key)
        (self.folder / "long.json").write_text(json.dumps(document))
        self.fathom("report", "long.json", "-o", "long.html")
        out = self.structure("long.html")
        self.assertIn("1 h 30 min", out["whole"]["first"])
        self.assertNotRegex(out["no_script"].split("The report as text")[0], r"\d kB/s|\d MB/s|\d msec|\d usec")


if __name__ == "__main__":
    unittest.main()
