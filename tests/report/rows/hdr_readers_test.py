#!/usr/bin/python3
# label: readers
# timeout: 300
# cost: 10
"""Logs of HdrHistogram as its own readers read them: the one for Java 2.1.11 (Debian's libhdrhistogram-java) and the one for JavaScript 3.0.0 (npm). Of
each line both have the counts of the result in each bucket, and the exact maximum stands beside in Interval_Max and in the comment."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import packages

FATHOM = os.path.abspath(os.environ.get("FATHOM", ""))
RUN = ["run", "--name=a b", "--ioengine=sim", "--sim_latency=exp:100us", "--rw=randrw", "--size=4m", "--bs=4k", "--numjobs=2",
       "--name=b", "--ioengine=null", "--rw=read", "--size=1m", "--bs=4k", "--audit=off", "--clock-check=skip"]
JAVA = """
import org.HdrHistogram.*;
public class Read {
  public static void main(String[] words) throws Exception {
    HistogramLogReader reader = new HistogramLogReader(new java.io.File(words[0]));
    for (EncodableHistogram each; (each = reader.nextIntervalHistogram()) != null; ) {
      Histogram histogram = (Histogram) each;
      System.out.println("tag " + histogram.getTag());
      for (HistogramIterationValue value : histogram.recordedValues())
        System.out.println(histogram.lowestEquivalentValue(value.getValueIteratedTo()) + " " + value.getCountAddedInThisIterationStep());
    }
  }
}
"""
NODE = """
const hdr = require(process.argv[2]);
const reader = new hdr.HistogramLogReader(require("fs").readFileSync(process.argv[3], "utf8"));
for (let each; (each = reader.nextIntervalHistogram()) != null; ) {
  console.log("tag " + each.tag);
  for (let i = 0; i < each.countsArrayLength; ++i)
    if (each.getCountAtIndex(i) > 0) console.log(each.lowestEquivalentValue(each.valueFromIndex(i)) + " " + each.getCountAtIndex(i));
}
"""


def bucket(ns):
    """The lowest value of the result's bucket of a value (src/stats/histogram.h)."""
    shift = max(ns | 64, 64).bit_length() - 7
    return ns >> shift << shift


class HdrReaders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="fathom-hdr-")
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        subprocess.run([FATHOM, *RUN, "--output-format=json", "--output=result.json"], cwd=cls.folder, check=True, timeout=60, stdout=subprocess.DEVNULL)
        subprocess.run([FATHOM, "report", "result.json", "--output-format=hdr", "--output=fathom.hlog"], cwd=cls.folder, check=True, timeout=60)
        cls.result = json.loads((cls.folder / "result.json").read_text())["fathom"]
        cls.log = (cls.folder / "fathom.hlog").read_text()

    def expected(self):
        """{tag: {lowest value of a bucket: count}} of the result."""
        out = {}
        for job in self.result["jobs"]:
            for direction in ("read", "write"):
                for latency in ("slat", "clat", "lat"):
                    of = job.get(direction, {}).get(latency)
                    if of and of.get("histogram_ns"):
                        tag = f"{job['name'].replace(' ', '_')}/{job['job_number']}/{direction}/{latency}"
                        out[tag] = {bucket(value): count for value, count in of["histogram_ns"]}
        return out

    def assert_counts(self, printed):
        seen = {}
        for row in printed.splitlines():
            first, second = row.split()
            if first == "tag":
                counts = seen.setdefault(second, {})
            else:
                counts[bucket(int(first))] = counts.get(bucket(int(first)), 0) + int(second)
        self.assertGreater(len(seen), 5)
        self.assertEqual(seen, self.expected())

    def test_the_reader_in_java_has_the_counts_of_each_bucket(self):
        if shutil.which("javac") is None:
            self.skipTest("no javac (Debian: default-jdk-headless)")
        jar = packages.unpacked(self.folder, "libhdrhistogram-java=2.1.11-1") / "usr/share/java/hdrhistogram.jar"
        (self.folder / "Read.java").write_text(JAVA)
        subprocess.run(["javac", "-cp", jar, "Read.java"], cwd=self.folder, check=True)
        done = subprocess.run(["java", "-cp", f"{jar}:.", "Read", "fathom.hlog"], cwd=self.folder, check=True, capture_output=True, text=True, timeout=100)
        self.assert_counts(done.stdout)

    def test_the_reader_in_javascript_has_the_counts_of_each_bucket(self):
        if not (shutil.which("node") and shutil.which("npm")):
            self.skipTest("no node or npm")
        fetched = subprocess.run(["npm", "install", "--no-fund", "--no-audit", "--prefix", str(self.folder), "hdr-histogram-js@3.0.0"], capture_output=True, text=True, check=False)
        if fetched.returncode != 0:
            self.skipTest("hdr-histogram-js 3.0.0 cannot be fetched: " + fetched.stderr[-200:])
        (self.folder / "read.js").write_text(NODE)
        done = subprocess.run(["node", "read.js", str(self.folder / "node_modules/hdr-histogram-js"), "fathom.hlog"], cwd=self.folder, capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        self.assert_counts(done.stdout)

    def test_the_exact_maximum_stands_beside(self):
        checked = 0
        for job in self.result["jobs"]:
            for direction in ("read", "write"):
                of = job.get(direction, {}).get("lat")
                if not of:
                    continue
                tag = f"{job['name'].replace(' ', '_')}/{job['job_number']}/{direction}/lat"
                self.assertIn(f"#[{tag}: {of['n']} samples, maximum {of['max_ns']} ns]\n", self.log)
                row = re.search(rf"^Tag={tag},[\d.]+,[\d.]+,([\d.]+),HISTFAAA", self.log, re.M)
                self.assertAlmostEqual(float(row[1]), of["max_ns"] / 1e6, delta=0.0006)
                checked += 1
        self.assertEqual(checked, 5)


if __name__ == "__main__":
    unittest.main()
