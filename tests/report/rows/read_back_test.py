#!/usr/bin/python3
# label: test
# timeout: 120
# cost: 4
"""Formats for other programs, read back: JSON lines by SQLite, the table by Python's csv module, the log of HdrHistogram by a decoder that is first
held against a line of Java's HdrHistogram 2.1.11. Every number is compared with that of the result's own JSON."""
import base64
import csv
import io
import json
import math
import os
import pathlib
import re
import sqlite3
import struct
import subprocess
import tempfile
import unittest
import zlib

FATHOM = os.path.abspath(os.environ.get("FATHOM", ""))
RUN = ["run", "--name=two words", "--ioengine=sim", "--sim_latency=exp:100us", "--rw=randrw", "--size=4m", "--bs=4k", "--numjobs=2",
       "--name=b,c", "--ioengine=null", "--rw=read", "--size=1m", "--bs=4k", "--audit=off", "--clock-check=skip"]
LATENCIES = ("slat", "clat", "lat")
# 1; 1000, five times; 2047; 2048, twice; 1000000, 300 times
OF_JAVA = "HISTFAAAAC142pNpmSzMwMDAxwABzFCaEURcm7yEwf4DVITpND/XagEmlv19jDdYAKvICGY="


def bucket_of(ns):
    """Of src/stats/histogram.h."""
    shift = max(ns | 64, 64).bit_length() - 7
    return (shift << 6) + (ns >> shift)


def zigzag(data):
    """Numbers of seven bits a byte, the lowest first; a ninth byte has eight bits."""
    at = 0
    while at < len(data):
        number = 0
        for i in range(9):
            byte = data[at]
            at += 1
            number |= (byte if i == 8 else byte & 0x7F) << 7 * i
            if i == 8 or byte < 0x80:
                break
        yield (number >> 1) ^ -(number & 1)


def hdr_counts(text):
    """{lowest value of an index: count} of an encoded histogram."""
    packed = base64.b64decode(text, validate=True)
    cookie, length = struct.unpack(">II", packed[:8])
    assert cookie == 0x1c849314 and length == len(packed) - 8, (cookie, length)
    plain = zlib.decompress(packed[8:])
    cookie, length, offset, digits, lowest, highest, ratio = struct.unpack(">IIIIqqd", plain[:40])
    assert (cookie, length, offset, digits, lowest, ratio) == (0x1c849313, len(plain) - 40, 0, 3, 1, 1.0)
    counts, index = {}, 0
    for number in zigzag(plain[40:]):
        if number > 0:
            octave = max((index >> 10) - 1, 0)
            value = (index if index < 1024 else (index & 1023) + 1024) << octave
            assert value <= highest, (value, highest)
            counts[value] = number
        index += -number if number < 0 else 1
    return counts


class ReadBack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="fathom-rows-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        subprocess.run([FATHOM, *RUN, "--output-format=json", "--output=result.json"], cwd=cls.folder, check=True, timeout=60, stdout=subprocess.DEVNULL)
        cls.result = json.loads((cls.folder / "result.json").read_text())["fathom"]

    def report(self, form, *files, status=0):
        done = subprocess.run([FATHOM, "report", "--output-format=" + form, *(files or ["result.json"])], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr if status else done.stdout

    def directions(self):
        found = [(job, name, job[name]) for job in self.result["jobs"] for name in ("read", "write", "trim") if name in job]
        self.assertEqual(len(found), 5)
        return found

    def table(self, text):
        database = sqlite3.connect(":memory:")
        self.addCleanup(database.close)
        database.execute("CREATE TABLE lines (line TEXT)")
        database.executemany("INSERT INTO lines VALUES (?)", [[line] for line in text.splitlines()])
        columns = ("run_id", "host", "job", "job_number", "direction", "metric", "quantile", "value", "unit")
        chosen = ", ".join(f"json_extract(line, '$.{name}') AS {name}" for name in columns)
        database.execute(f"CREATE VIEW numbers AS SELECT {chosen} FROM lines")
        return database

    def test_sqlite_has_the_numbers_of_the_result(self):
        database = self.table(self.report("jsonl"))

        numbers = {}
        for job_number, direction, metric, quantile, value in database.execute("SELECT job_number, direction, metric, quantile, value FROM numbers"):
            key = job_number, direction, metric, quantile if quantile is None else round(quantile, 9)
            self.assertNotIn(key, numbers)
            numbers[key] = value

        def check(job, direction, metric, expected, quantile=None):
            value = numbers[job["job_number"], direction, metric, quantile]
            if isinstance(expected, int):
                self.assertEqual(value, expected, (job["name"], direction, metric, quantile))
            else:  # SQLite's own reader of fractions may differ in the last bit
                self.assertTrue(math.isclose(value, expected, rel_tol=1e-15), (job["name"], direction, metric, value, expected))

        for job, name, direction in self.directions():
            for metric, key in (("ios", "ios"), ("bytes", "bytes"), ("runtime", "runtime_ns"), ("iops", "iops"), ("bw", "bytes_per_s"), ("error_ios", "error_ios")):
                check(job, name, metric, direction[key])
            for latency in LATENCIES:
                if latency not in direction:
                    continue
                for metric, key in (("n", "n"), ("min", "min_ns"), ("max", "max_ns"), ("mean", "mean_ns"), ("stddev", "stddev_ns")):
                    check(job, name, f"{latency}_{metric}", direction[latency][key])
                for percentile, value in direction[latency].get("percentiles_ns", {}).items():
                    check(job, name, latency, value, round(float(percentile) / 100, 9))
        self.assertEqual(database.execute("SELECT DISTINCT run_id FROM numbers").fetchall(), [(self.result["run_id"],)])
        self.assertEqual(database.execute("SELECT value FROM numbers WHERE metric = 'checks'").fetchall(), [(self.result["checks"],)])
        self.assertEqual(database.execute("SELECT DISTINCT job FROM numbers WHERE job IS NOT NULL ORDER BY job").fetchall(), [("b,c",), ("two words",)])

    def test_sqlite_keeps_integers_of_64_bits_apart(self):
        document = json.loads((self.folder / "result.json").read_text())
        for bytes_, kind in ((2**63 - 1, "integer"), (2**64 - 2, "text"), (2**64 - 1, "text")):
            document["fathom"]["jobs"][0]["read"]["bytes"] = bytes_
            (self.folder / "large.json").write_text(json.dumps(document, indent=2))
            database = self.table(self.report("jsonl", "large.json"))
            rows = database.execute("SELECT value, typeof(value) FROM numbers WHERE job_number = 0 AND direction = 'read' AND metric = 'bytes'").fetchall()
            self.assertEqual(rows, [(bytes_ if kind == "integer" else str(bytes_), kind)])

    def test_the_table_has_a_row_per_job_and_direction(self):
        rows = list(csv.DictReader(io.StringIO(self.report("rows-csv"))))
        self.assertEqual([(row["job"], row["job_number"], row["direction"]) for row in rows],
                         [(job["name"], str(job["job_number"]), name) for job, name, _ in self.directions()])
        for row, (_, _, direction) in zip(rows, self.directions()):
            self.assertEqual((row["run_id"], row["checks"]), (self.result["run_id"], self.result["checks"]))
            self.assertEqual((int(row["ios"]), int(row["bytes"]), float(row["iops"])), (direction["ios"], direction["bytes"], direction["iops"]))
            for latency in (*LATENCIES, "intended_lat", "start_delay"):
                self.assertEqual(row[f"{latency}_ns_max"], str(direction[latency]["max_ns"]) if latency in direction else "")
            self.assertNotIn(None, row, "a row has more cells than the line of names")

    def test_several_results_have_one_line_of_names_and_one_exposition(self):
        one, two = self.report("rows-csv"), self.report("rows-csv", "result.json", "result.json")
        self.assertEqual(two, one + one.split("\n", 1)[1])
        self.assertEqual(self.report("jsonl", "result.json", "result.json"), 2 * self.report("jsonl"))
        self.assertIn("openmetrics takes one FILE", self.report("openmetrics", "result.json", "result.json", status=2))

    def test_the_decoder_reads_what_java_wrote(self):
        self.assertEqual(hdr_counts(OF_JAVA), {1: 1, 1000: 5, 2047: 1, 2048: 2, 999936: 300})

    def test_a_log_of_hdrhistogram_has_the_counts_of_the_result(self):
        text = self.report("hdr")
        lines = re.findall(r"^#\[(\S+): (\d+) samples, maximum (\d+) ns\]\nTag=(\S+?),([\d.]+),([\d.]+),([\d.]+),(\S+)$", text, re.M)
        found = {}
        for comment, samples, maximum, tag, _, _, interval_max, histogram in lines:
            self.assertEqual(comment, tag)
            found[tag] = int(samples), int(maximum), interval_max, histogram
        self.assertEqual(len(found), text.count("Tag="))
        expected = 0
        for job, name, direction in self.directions():
            for latency in LATENCIES:
                if latency not in direction:
                    continue
                expected += 1
                samples, maximum, interval_max, histogram = found[f"{re.sub('[ ,]', '_', job['name'])}/{job['job_number']}/{name}/{latency}"]
                self.assertEqual((samples, maximum), (direction[latency]["n"], direction[latency]["max_ns"]))
                self.assertEqual(interval_max, f"{maximum / 1e6:.3f}")
                buckets = {}
                for value, count in hdr_counts(histogram).items():
                    buckets[bucket_of(value)] = buckets.get(bucket_of(value), 0) + count
                self.assertEqual(buckets, {bucket_of(value): count for value, count in direction[latency]["histogram_ns"]})
        self.assertEqual(len(found), expected)
        self.assertEqual(len(re.findall(r"^#\[BaseTime: \d+\.\d{3} \(seconds since epoch\)\]$", text, re.M)), 1)

    def test_a_run_writes_each_format_and_replaces_its_own_file(self):
        for form, begin in (("rows-csv", "run_id,host,"), ("markdown", "### fathom run, checks: "), ("jsonl", '{"run_id":'), ("openmetrics", "# TYPE fathom_checks gauge\n"),
                            ("hdr", "#[fathom "), ("influx", "fathom_run")):
            for _ in range(2):
                done = subprocess.run([FATHOM, "run", "--name=t", "--ioengine=null", "--size=64k", "--audit=off", "--clock-check=skip", "--output-format=" + form,
                                       "--output=" + form], cwd=self.folder, capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
                self.assertTrue((self.folder / form).read_text().startswith(begin), form)


if __name__ == "__main__":
    unittest.main()
