# label: test
# timeout: 120
# cost: 4
"""Every number of fio's files as fathom reads them: JSON of each change of format (2.1.4, 2.x, 3.0 and 3.1, 3.12, 3.33, 3.42) and terse lines 3 to 5,
read here a second time by what fio's documentation and sources say of that version. Then what the user reads, and mistakes with their place.
"""
import csv
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

FATHOM = os.environ["FATHOM"]
HERE = pathlib.Path(__file__).parent
DATA, LOGS = HERE / "data", HERE / "logs"
DIRECTIONS = ("read", "write", "trim")


def fathom(*words, status=0):
    done = subprocess.run([FATHOM, *map(str, words)], capture_output=True, text=True, timeout=60)
    assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def stored(path, *words):
    return json.loads(fathom("report", "--output-format=json", *words, path).stdout)["fathom"]


def documents(text):
    """Those of fio, by a parser that knows nothing of lines."""
    found, decoder = [], json.JSONDecoder(object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    at = text.find("{")
    while at >= 0:
        try:
            document, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError:
            document, end = {}, at + 1
        if "fio version" in document:
            found.append(document)
        at = text.find("{", end)
    return found


def version_of(document):
    return tuple(int(part) for part in re.match(r"fio-(\d+)\.(\d+)", document["fio version"]).groups())


class EveryNumber(unittest.TestCase):
    def near(self, found, expected, what, relative=1e-9):
        self.assertAlmostEqual(found, expected, delta=abs(expected) * relative + 1e-9, msg=what)

    def latency(self, found, of, name, ios, what):
        scale = 1 if name + "_ns" in of else 1000
        node = of.get(name + "_ns", of.get(name))
        if not node or not node.get("max") or not node.get("N", ios):
            return self.assertFalse(found and found["n"], what)
        self.assertEqual(found["n"], node.get("N", ios), what)
        self.assertEqual((found["min_ns"], found["max_ns"]), (node["min"] * scale, node["max"] * scale), what)
        self.assertAlmostEqual(found["mean_ns"], node["mean"] * scale, delta=0.51 / found["n"] + node["mean"] * scale * 1e-9, msg=what)  # sums are whole ns
        self.assertAlmostEqual(found["stddev_ns"], node["stddev"] * scale, delta=0.1 + node["stddev"] * scale * 1e-6, msg=what)
        table = {float(name): value * scale for name, value in node.get("percentile", {}).items() if float(name) > 0}
        if "bins" in node:
            self.assertEqual(sum(count for _, count in found["histogram_ns"]), sum(node["bins"].values()), what)
            for percentile, value in table.items():  # of bins, within what was seen
                self.near(found["percentiles_ns"][f"{percentile:f}"], min(max(value, node["min"]), node["max"]), what, 1 / 64)
        elif table:
            self.assertEqual({float(name): value for name, value in found["percentiles_ns"].items()}, table, what)

    def direction(self, found, of, version, what):
        kib = version < (2, 99) and "io_kbytes" not in of
        self.assertEqual(found["bytes"], of["io_bytes"] * (1024 if kib else 1), what)
        ios = of.get("total_ios", round(of["iops"] * of["runtime"] / 1000))
        self.assertEqual((found["ios"], found["runtime_ms"]), (ios, of["runtime"]), what)
        if of["runtime"] > 0 and of["iops"] > 0 and not what.startswith("two-documents"):  # made by hand: its rate is not of its I/Os
            self.near(found["iops"], of["iops"], what, 1e-3)
        for name in ("slat", "clat", "lat"):
            self.latency(found.get(name), of, name, ios, f"{what} {name}")
        for ours, theirs, keys in (("bandwidth_samples_kib_s", "bw", ("min", "max", "mean", "dev")), ("iops_samples", "iops", ("min", "max", "mean", "stddev"))):
            if of.get(f"{theirs}_samples"):
                self.assertEqual(found[ours]["n"], of[f"{theirs}_samples"], what)
                for key, name in zip(("min", "max", "mean", "stddev"), keys):
                    self.near(found[ours][key], of[f"{theirs}_{name}"], f"{what} {theirs}_{name}")

    def controls(self, found, of, version, what):
        if of.get("latency_target"):
            target_ns = of["latency_target"] * (1000 if version < (2, 99) else 1)
            self.assertEqual(found["latency_target"], {"target_ns": target_ns, "window_ns": of["latency_window"] * 1000,
                                                       "percentile": of["latency_percentile"], "depth": of["latency_depth"]}, what)
        else:
            self.assertNotIn("latency_target", found, what)
        steady = of.get("steadystate")
        if not steady:
            return self.assertNotIn("steady_state", found, what)
        rule, limit = steady["ss"].split(":")
        self.assertEqual(found["steady_state"], {
            "criterion": rule.removesuffix("_slope"), "slope": rule.endswith("_slope"), "limit": float(limit.rstrip("%")), "percent": limit.endswith("%"),
            "duration_s": steady["duration"], "attained": steady["attained"] == 1, "value": float(steady["criterion"].rstrip("%")),
            "max_deviation": steady["max_deviation"], "slope_value": steady["slope"], "iops": steady["data"]["iops"], "bytes_per_s": steady["data"]["bw"],
            "lat_ns": steady["data"].get("lat_ns", [])}, what)

    def test_json_of_every_version(self):
        for path in sorted(DATA.glob("*.json")):
            document = documents(path.read_text())[-1]
            ours, version = stored(path), version_of(document)
            self.assertEqual(ours["program"]["version"], document["fio version"].removeprefix("fio-"), path.name)
            self.assertEqual(len(ours["jobs"]), len(document["jobs"]), path.name)
            for found, of in zip(ours["jobs"], document["jobs"]):
                what = f"{path.name} {of['jobname']}"
                self.assertEqual((found["name"], found["error"], found["group_id"]), (of["jobname"], of["error"], of["groupid"]), what)
                for key, theirs in (("usr_cpu_percent", "usr_cpu"), ("sys_cpu_percent", "sys_cpu"), ("context_switches", "ctx"), ("major_faults", "majf"), ("minor_faults", "minf")):
                    self.near(found[key], of.get(theirs, 0), f"{what} {key}")
                for name in DIRECTIONS:
                    theirs = of.get(name) or (of.get("mixed") if name == "read" else None)
                    if theirs and (name in found or theirs["io_bytes"]):
                        self.direction(found[name], theirs, version, f"{what} {name}")
                self.controls(found, of, version, what)
                if "sync" in of and of["sync"].get("total_ios"):
                    self.assertEqual(found["sync_ios"], of["sync"]["total_ios"], what)
                    self.latency(found["sync_lat"], of["sync"], "lat", 0, f"{what} sync")

    def test_terse_lines(self):
        """Fields by their numbers in fio's documentation; a direction is 41 fields, since version 5 it is 47."""
        for path in sorted(DATA.glob("*terse*.txt")):
            lines = [row for row in csv.reader(path.read_text().splitlines(), delimiter=";") if len(row) > 100 and row[1].startswith("fio-")]
            if "status" in path.name:
                lines = lines[-1:]
            ours = stored(path)
            self.assertEqual([job["name"] for job in ours["jobs"]], [row[2] for row in lines], path.name)
            for job, row in zip(ours["jobs"], lines):
                self.assertEqual((job["group_id"], job["error"]), (int(row[3]), int(row[4])))
                width = 47 if row[0] == "5" else 41
                for number, name in enumerate(DIRECTIONS[:2 if row[0] == "3" else 3]):
                    part, found, what = row[5 + width * number:], job.get(name), f"{path.name} {row[2]} {name}"
                    if not found:
                        self.assertEqual(int(part[0]), 0, what)
                        continue
                    self.assertEqual((found["bytes"], found["runtime_ms"]), (int(part[0]) * 1024, int(part[3])), what)
                    if found["runtime_ms"]:
                        self.near(found["iops"], float(part[2]), what, 1e-2)
                    for at, latency in ((4, "slat"), (8, "clat"), (32, "lat")):
                        if float(part[at + 1]) == 0:
                            continue
                        of = found[latency]
                        self.assertEqual((of["min_ns"], of["max_ns"]), (int(part[at]) * 1000, int(part[at + 1]) * 1000), what)
                        self.near(of["mean_ns"], float(part[at + 2]) * 1000, what, 1e-2)
                        self.near(of["stddev_ns"], float(part[at + 3]) * 1000, what, 5e-2)
                    table = dict(field.split("%=") for field in part[12:32])
                    for percentile, value in found.get("clat", {}).get("percentiles_ns", {}).items():
                        self.assertEqual(value, int(table[f"{float(percentile):f}"]) * 1000, what)
                self.near(job["usr_cpu_percent"], float(row[5 + width * (2 if row[0] == "3" else 3)].rstrip("%")), path.name)


class WhatTheUserReads(unittest.TestCase):
    def brief(self, name, *words):
        path = DATA / name if (DATA / name).exists() else LOGS / name
        return fathom("report", "--brief", *words, path).stdout

    def test_nothing_of_it_was_checked(self):
        for name in ("fio2-units.json", "fio342-terse-v3.txt", "plain-p_lat.1.log"):
            text = self.brief(name)
            self.assertRegex(text, r"\n  checks   not checked: reported by fio")
            self.assertNotIn("achieved as requested", text)
            self.assertRegex(text, r"\n  next     measure with `fathom run` to have the result checked\n")

    def test_the_latency_with_percentiles_is_shown(self):
        self.assertIn("1.00k IOPS, 3.91 MiB/s; clat p50 4.00 us, p99 8.00 us\n", self.brief("fio333-clat-percentiles-only.json"))
        self.assertIn("clat p50 ", self.brief("fio333-jsonplus-clat-bins.json"))
        self.assertIn("clat p50 4.00 us, p99 8.00 us\n", self.brief("fio214-no-total-ios.json"))
        self.assertRegex(self.brief("sync-latencies.json"), r"\n  sync .*p50 ")

    def test_what_is_not_known_is_not_invented(self):
        self.assertIn("rate not known: no run time", self.brief("runtime-0.json"))
        self.assertIn("IOPS=?, BW=? ", fathom("report", DATA / "runtime-0.json").stdout)
        text = fathom("report", DATA / "no-options-write-512k.json").stdout
        self.assertIn("  measured write, 512 KiB, 1 s\n", text)
        self.assertIn("rw=write, bs=(R) ?-?, (W) 512KiB-512KiB, (T) ?-?, ioengine=?, iodepth=?\n", text)

    def test_a_job_that_failed_has_failed(self):
        text = self.brief("job-error-5.json")
        self.assertIn("  checks   FAILED: a job failed; reported by fio 3.33\n", text)
        self.assertIn("  error    a: fio ended this job with error 5 (Input/output error)\n", text)

    def test_a_failed_verification_is_called_that(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "verify.json"
            path.write_text((DATA / "job-error-5.json").read_text().replace('"error" : 5', '"error" : 84').replace('"error": 5', '"error": 84'))
            self.assertIn("  error    a: fio ended this job with error 84 (verification failed)\n", self.brief(path))

    def test_jobs_that_ran_apart_or_at_times_that_are_not_known(self):
        document = json.loads((DATA / "fio342-percentiles.json").read_text())
        job = document["jobs"][0]
        job["job options"].pop("stonewall", None)
        job.pop("job_start", None)
        runtime_ms = max(job[direction]["runtime"] for direction in DIRECTIONS)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "two.json"
            for starts, expected in (((0, 0), "import.begins"), ((1790000000000, 1790000000000 + 3 * runtime_ms), "run.apart"),
                                     ((1790000000000, 1790000000000), "")):
                jobs = [dict(job, jobname=name, **({"job_start": start} if start else {})) for name, start in zip("ab", starts)]
                path.write_text(json.dumps(dict(document, jobs=jobs)))
                ids = [finding["id"] for finding in stored(path)["findings"]]
                self.assertEqual([name for name in ids if name in ("import.begins", "run.apart")], [expected] if expected else [], starts)

    def test_several_results_in_a_file_are_counted(self):
        self.assertIn("the file has 2 documents of fio", self.brief("two-documents.json"))
        self.assertIn("the file has 4 lines of one job", self.brief("fio342-terse-status-interval.txt"))

    def test_compare_and_a_page_read_them_too(self):
        text = fathom("compare", DATA / "fio2-units.json", DATA / "fio312-no-N.json").stdout
        self.assertRegex(text, r"iops +1.00 k +1.00 k")
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "p.html")
            fathom("report", *sorted(DATA.glob("*.*")), *sorted(LOGS.glob("*.log")), "-o", page)
            self.assertGreater(os.path.getsize(page), 10000)
            fathom("report", DATA / "fio333-clat-percentiles-only.json", "-o", page, "--force")
            self.assertIn("clat p50 4.00 us, p99 8.00 us", pathlib.Path(page).read_text())


class Logs(unittest.TestCase):
    def rows(self, name):
        return [[int(cell, 0) for cell in line.split(", ")] for line in (LOGS / name).read_text().splitlines()]

    def job(self, name, *words):
        return stored(LOGS / name, *words)["jobs"][0]

    def test_a_line_an_io(self):
        for name, latency in (("plain-p_lat.1.log", "lat"), ("offset-prio-p_lat.1.log", "lat"), ("issue-time-p_clat.1.log", "clat"), ("group-p_clat.2.log", "clat")):
            job = self.job(name)
            self.assertTrue(name.split("_")[0].endswith(job["name"].split("-")[-1]))
            for number, direction in enumerate(DIRECTIONS):
                values = [row[1] for row in self.rows(name) if row[2] == number]
                found = job.get(direction, {"ios": 0, "bytes": 0})
                self.assertEqual((found["ios"], found["bytes"]), (len(values), 4096 * len(values)), name)
                if values:
                    of = found[latency]
                    self.assertEqual((of["n"], of["min_ns"], of["max_ns"], of["sum_ns"]), (len(values), min(values), max(values), sum(values)))
        for name in ("plain-p_iops.1.log", "epoch-p_iops.1.log", "two-jobs-p_bw.2.log", "shared-p_bw.log"):
            found = self.job(name)["read"]
            expected = [row[3] for row in self.rows(name) if row[2] == 0]
            self.assertEqual((found["ios"], found["bytes"]), (len(expected), sum(expected)), name)
        self.assertGreater(stored(LOGS / "epoch-p_iops.1.log")["time_epoch_ms"], 1_700_000_000_000)

    def test_windows(self):
        for name, of, other in (("averaged-p_bw.1.log", "bandwidth_samples_kib_s", "iops"), ("averaged-p_iops.1.log", "iops_samples", "bytes_per_s")):
            found = self.job(name)["read"]
            values = [row[1] for row in self.rows(name) if row[2] == 0]
            self.assertEqual((found[of]["n"], found[of]["min"], found[of]["max"]), (len(values), min(values), max(values)))
            self.assertAlmostEqual(found[of]["mean"], sum(values) / len(values))
            self.assertIsNone(found[other], f"{name}: what it does not have is not known")
        values = [row[1] for row in self.rows("max-p_clat.1.log")]
        found = self.job("max-p_clat.1.log")["read"]["clat"]
        self.assertEqual((found["n"], found["min_ns"], found["max_ns"], found["sum_ns"]), (len(values), min(values), max(values), sum(values)))
        text = fathom("report", "--brief", LOGS / "averaged-p_bw.1.log").stdout
        self.assertRegex(text, r"\n  read     IOPS not known, [\d.]+ MiB/s\n")

    def test_a_log_of_average_latencies_has_no_rate(self):
        text = fathom("report", "--brief", LOGS / "both-p_clat.1.log").stdout
        self.assertRegex(text, r"\n  read     rate not known; p50 [\d.]+ [num]s, p99 [\d.]+ [num]s\n")
        self.assertIn("import.log", text)
        found = self.job("both-p_clat.1.log")["read"]
        self.assertEqual((found["iops"], found["bytes_per_s"]), (None, None))

    # per_job_logs=0: the lines of one job follow those of another.
    def test_windows_of_two_jobs_in_one_log(self):
        one = LOGS / "averaged-p_bw.1.log"
        bytes_per_s = self.job(one.name)["read"]["bytes_per_s"]
        with tempfile.TemporaryDirectory() as folder:
            two = pathlib.Path(folder) / "two_bw.log"
            two.write_text(one.read_text() * 2)
            found = stored(two)
        self.assertAlmostEqual(found["jobs"][0]["read"]["bytes_per_s"], 2 * bytes_per_s, delta=10)
        self.assertEqual([f["evidence"][:22] for f in found["findings"] if f["id"] == "import.begins"], ["the lines of 2 jobs fo"])
        self.assertNotIn("import.begins", [f["id"] for f in stored(one)["findings"]])

    def test_lines_of_one_window_may_be_a_millisecond_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            log = pathlib.Path(folder) / "apart_iops.1.log"
            log.write_text("".join(f"{ms}, 500, 0, 0, 0\n{ms + 1}, 200, 1, 0, 0\n" for ms in range(501, 2501, 500)))
            job = stored(log)["jobs"][0]
        self.assertAlmostEqual(job["read"]["iops"], 500, delta=3)
        self.assertAlmostEqual(job["write"]["iops"], 200, delta=3)

    def test_six_columns_are_ambiguous(self):
        rows = self.rows("both-p_clat.1.log")
        found = self.job("both-p_clat.1.log")
        self.assertEqual(found["read"]["clat"]["max_ns"], max(row[1] for row in rows if row[3] == 0))
        ids = {f["id"]: f["evidence"] for f in stored(LOGS / "both-p_clat.1.log")["findings"]}
        self.assertIn("ms,value,max,ddir,bs,prio", ids["import.log_columns"])
        self.assertIn("import.log_columns", {f["id"] for f in stored(LOGS / "offset-prio-p_lat.1.log")["findings"]})
        self.assertNotIn("import.log_columns", {f["id"] for f in stored(LOGS / "offset-prio-p_lat.1.log", "--log-columns=ms,value,ddir,bs,offset,prio")["findings"]})
        maxima = self.job("both-p_clat.1.log", "--log-columns=ms,max,value,ddir,bs,prio")  # as one who wants the maxima
        self.assertEqual(maxima["read"]["clat"]["max_ns"], max(row[2] for row in rows if row[3] == 0))

    def test_histograms(self):
        rows, job = self.rows("hist-p_clat_hist.1.log"), self.job("hist-p_clat_hist.1.log")
        for number, direction in enumerate(DIRECTIONS[:2]):
            counts = sum(sum(row[3:]) for row in rows if row[1] == number)
            self.assertEqual((job[direction]["ios"], job[direction]["clat"]["n"]), (counts, counts))
        with tempfile.TemporaryDirectory() as folder:  # log_unix_epoch: dates
            path = pathlib.Path(folder, "p_clat_hist.1.log")
            path.write_text("".join(f"{row[0] + 1795375517000}, " + ", ".join(map(str, row[1:])) + "\n" for row in rows))
            dated = stored(path)["jobs"][0]["read"]
        self.assertEqual(dated["ios"], job["read"]["ios"])
        self.assertAlmostEqual(dated["runtime_ms"], job["read"]["runtime_ms"], delta=5)


class Mistakes(unittest.TestCase):
    def refused(self, name, text, expected, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.write_text(text)
            for command in (["report"], ["report", "-o", f"{folder}/p.html"]):
                shown = fathom(*command, *words, path, status=2).stderr
                self.assertIn(expected.replace("FILE", str(path)), shown)

    def test_have_their_place(self):
        terse = (DATA / "fio342-terse-v3.txt").read_text()
        whole = (DATA / "fio342-percentiles.json").read_text()
        self.refused("a.txt", terse.replace(";132000;", ";13x000;"), "`13x000` is not a number")
        self.refused("a.txt", terse.replace("90.000000%=", "45.000000%=", 1), "is not a percentile")
        self.refused("a.txt", terse[: terse.rindex("\n3;") + 300] + "\n", "the line is cut short")
        self.refused("a.txt", terse + (DATA / "fio342-terse-v5.txt").read_text(), "lines of two terse versions")
        self.refused("a.json", whole[:3000], "a truncated file")
        self.assertIn("--inflate-log", fathom("report", LOGS / "stored-p_clat.1.log.fz", status=2).stderr)
        self.refused("a.json", whole.replace('"total_ios" : ', '"total_ios" : "x'), "FILE:")
        self.refused("a_lat.1.log", "0, 5, 0, 4096, 0\n1, x, 0, 4096, 0\n", "FILE:2:4")
        self.refused("a_lat.1.log", "0, 5, 0, 4096, 0\n1, 6, 0, 4096\n", "FILE:2:1: error: a line of 4 columns")
        self.refused("a_lat.1.log", "0, 5, 7, 4096, 0\n", "no direction 7")
        self.refused("a.log", "0, 5, 0, 4096, 0\n", "unknown kind of log")
        self.refused("a_clat_hist.1.log", "0, 0, 4096, 1, 2, 3\n", "a histogram of 3 counts")
        self.refused("a_lat.1.log", "0, 5, 0, 4096, 0\n", "unknown column `x`", "--log-columns=ms,x")

    def test_nan_and_inf_are_not_known(self):
        for word in ("nan", "-nan", "inf", "-inf"):
            text = (DATA / "fio312-no-N.json").read_text().replace('"mean": 4000.0', f'"mean": {word}')
            self.assertIn(word, text)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "a.json")
                path.write_text(text)
                ours = stored(path)
            self.assertIn("import.not_numbers", {f["id"] for f in ours["findings"]}, word)

    def test_a_document_of_one_line_is_read(self):
        whole = (DATA / "fio342-percentiles.json").read_text()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "a.json")
            path.write_text("a note\n" + json.dumps(json.loads(whole)))
            self.assertEqual(stored(path)["jobs"], stored(DATA / "fio342-percentiles.json")["jobs"])


if __name__ == "__main__":
    unittest.main()
