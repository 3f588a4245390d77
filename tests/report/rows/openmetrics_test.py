#!/usr/bin/python3
# label: readers
# timeout: 120
# cost: 4
"""Expositions as others read them: prometheus_client's strict parser, and node_exporter's text-file reader. The cumulative counts
are compared with the histograms of the result."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

import packages

try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
except ImportError:
    print("skipped: python3-prometheus-client is not installed (scripts/setup --dev installs it)")
    sys.exit(77)

FATHOM = os.path.abspath(os.environ.get("FATHOM", ""))
EXPORTER = shutil.which("prometheus-node-exporter") or shutil.which("node_exporter")
RUN = ["run", "--name=say \"x\" \\ y", "--ioengine=sim", "--sim_latency=exp:100us", "--rw=randrw", "--size=4m", "--bs=4k", "--numjobs=2",
       "--name=b", "--ioengine=null", "--rw=read", "--size=1m", "--bs=4k", "--audit=off", "--clock-check=skip"]


def last_of_bucket(ns):
    """The largest value of the bucket of a value (src/stats/histogram.h)."""
    shift = max(ns | 64, 64).bit_length() - 7
    return ((ns >> shift) + 1 << shift) - 1


class OpenMetrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="fathom-openmetrics-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        subprocess.run([FATHOM, *RUN, "--output-format=json", "--output=result.json"], cwd=cls.folder, check=True, timeout=60, stdout=subprocess.DEVNULL)
        subprocess.run([FATHOM, "report", "result.json", "--output-format=openmetrics", "--output=fathom.prom"], cwd=cls.folder, check=True, timeout=60)
        cls.result = json.loads((cls.folder / "result.json").read_text())["fathom"]
        cls.text = (cls.folder / "fathom.prom").read_text()
        cls.families = {family.name: family for family in text_string_to_metric_families(cls.text)}

    def samples(self, name, job, direction):
        wanted = {"job_number": str(job["job_number"]), "direction": direction}
        return [sample for family in self.families.values() for sample in family.samples
                if sample.name == name and all(sample.labels.get(key) == value for key, value in wanted.items())]

    def test_types_and_units_are_known(self):
        for name, kind, unit in (("fathom_ios", "counter", ""), ("fathom_bytes", "counter", "bytes"), ("fathom_iops", "gauge", ""),
                                 ("fathom_bw_bytes_per_second", "gauge", "bytes_per_second"), ("fathom_usr_cpu_ratio", "gauge", "ratio"),
                                 ("fathom_lat_seconds", "histogram", "seconds"), ("fathom_lat_max_seconds", "gauge", "seconds")):
            self.assertEqual((self.families[name].type, self.families[name].unit), (kind, unit), name)

    def test_no_two_samples_have_one_name_and_the_same_labels(self):
        names = [(sample.name, tuple(sorted(sample.labels.items()))) for family in self.families.values() for sample in family.samples]
        self.assertGreater(len(names), 100)
        self.assertEqual(len(names), len(set(names)))

    def test_names_come_back(self):
        self.assertEqual({sample.labels["job_name"] for sample in self.families["fathom_ios"].samples}, {'say "x" \\ y', "b"})

    def test_numbers_are_those_of_the_result(self):
        checked = 0
        for job in self.result["jobs"]:
            for direction in ("read", "write"):
                if direction not in job:
                    continue
                of, one = job[direction], lambda name: self.samples(name, job, direction)[0].value
                self.assertEqual((one("fathom_ios_total"), one("fathom_bytes_total"), one("fathom_iops")), (of["ios"], of["bytes"], of["iops"]))
                self.assertAlmostEqual(one("fathom_lat_max_seconds") * 1e9, of["lat"]["max_ns"], places=3)
                self.check_histogram(job, direction, of["lat"])
                checked += 1
        self.assertEqual(checked, 5)

    def check_histogram(self, job, direction, latency):
        buckets = [(sample.labels["le"], sample.value) for sample in self.samples("fathom_lat_seconds_bucket", job, direction)]
        self.assertLessEqual(len(buckets), 200)
        self.assertEqual(buckets[-1], ("+Inf", latency["n"]))
        for edge, count in buckets[:-1]:
            edge_ns = round(float(edge) * 1e9)
            self.assertEqual(count, sum(n for value, n in latency["histogram_ns"] if last_of_bucket(value) <= edge_ns), edge)
            self.assertEqual(last_of_bucket(edge_ns), edge_ns, "an edge of a bucket")
        self.assertEqual(self.samples("fathom_lat_seconds_count", job, direction)[0].value, latency["n"])
        self.assertAlmostEqual(self.samples("fathom_lat_seconds_sum", job, direction)[0].value, latency["sum_ns"] / 1e9, places=9)

    def test_node_exporter_reads_the_file(self):
        exporter = EXPORTER or packages.unpacked(self.folder, "prometheus-node-exporter") / "usr/bin/prometheus-node-exporter"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        child = subprocess.Popen([exporter, "--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={self.folder}",
                                  "--web.listen-address=" + address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        for attempt in range(100):
            try:
                with urllib.request.urlopen(f"http://{address}/metrics", timeout=5) as page:
                    text = page.read().decode()
                break
            except OSError:
                self.assertLess(attempt, 99)
                time.sleep(0.05)
        self.assertIn("\nnode_textfile_scrape_error 0\n", text)
        for name in ("fathom_ios_total", "fathom_lat_seconds_bucket", "fathom_checks"):
            self.assertEqual(text.count(f"\n{name}{{"), self.text.count(f"\n{name}{{"), name)


if __name__ == "__main__":
    unittest.main()
