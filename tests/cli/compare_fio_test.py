#!/usr/bin/python3
# timeout: 600
# cost: 20
"""`fathom compare` on JSON that fio itself wrote: json and json+, clones, several jobs, status intervals, and what such a result does not say."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from compare_files import FATHOM, compare, fathom

JOB = ["--name=t", "--ioengine=null", "--size=4m", "--bs=4k", "--rw=randread"]


class FioResults(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(FATHOM):
            self.skipTest("the program is not built")
        holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def fio(self, name, *options, form="json+"):
        path = os.path.join(self.folder, name)
        run = subprocess.run(["fio", *(options or JOB), "--output-format=" + form, "--output=" + path], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        return path

    def side(self, name, *options, form="json+", runs=3):
        return ",".join(self.fio(f"{name}{i}.json", *options, form=form) for i in range(runs))

    def found(self, *words):
        run = compare("--output-format=json", *words)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def test_numbers_are_those_of_the_file(self):
        a, b = self.side("a"), self.side("b")
        found = self.found(a, b)
        self.assertEqual((found["metric"], found["histogram_of"]), ("iops", "clat"))
        values = {m["name"]: m["sides"][0]["values"] for m in found["metrics"]}
        for i, path in enumerate(a.split(",")):
            with open(path) as file:
                read = json.load(file)["jobs"][0]["read"]
            self.assertAlmostEqual(values["iops"][i] / read["iops"], 1, places=6)
            if "clat_p99" in values:
                self.assertAlmostEqual(values["clat_p99"][i], read["clat_ns"]["percentile"]["99.000000"], delta=1)
            self.assertAlmostEqual(values["lat_mean"][i], read["lat_ns"]["mean"], delta=0.01)
        self.assertEqual(found["differences"], [])
        self.assertTrue(any("has nothing about the host" in w for w in found["warnings"]), found["warnings"])

    def test_plain_json_has_percentiles_and_no_plot(self):
        found = self.found(self.side("a", form="json"), self.side("b", form="json"))
        self.assertEqual(found["histogram_of"], "")
        self.assertIn("clat_p50", [m["name"] for m in found["metrics"]])
        self.assertTrue(any("no histograms" in w for w in found["warnings"]), found["warnings"])

    def test_clones_are_one_and_jobs_are_parts(self):
        clones = self.found(self.side("a", *JOB, "--numjobs=3"), self.side("b", *JOB, "--numjobs=3"))
        self.assertEqual({m["of"] for m in clones["metrics"]}, {""})
        two = [*JOB, "--name=u", "--ioengine=null", "--size=4m", "--rw=randwrite"]
        side = self.side("c", *two)
        jobs = self.found(side, self.side("d", *two))
        self.assertEqual({m["of"] for m in jobs["metrics"]}, {"", "t read", "u write"})
        for i, path in enumerate(side.split(",")):
            rates = {m["of"]: m["sides"][0]["values"][i] for m in jobs["metrics"] if m["name"] == "iops"}
            with open(path) as file:
                moved = [job[way] for job, way in zip(json.load(file)["jobs"], ("read", "write"))]
            whole = sum(way["total_ios"] for way in moved) / max(way["runtime"] for way in moved) * 1000
            self.assertAlmostEqual(rates[""], whole, delta=1e-6 * whole, msg="all I/Os over the time of all, and no sum of rates")

    def test_mixed_reporting_is_read(self):
        options = [*JOB[:-1], "--rw=randrw", "--unified_rw_reporting=1"]
        self.assertEqual(self.found(self.side("a", *options), self.side("b", *options))["metric"], "iops")

    def test_other_options_are_unlike(self):
        found = self.found(self.side("a"), self.side("b", *JOB[:-2], "--bs=8k", "--rw=randwrite"))
        unlike = {d["name"]: d["values"] for d in found["differences"] if d["unlike"]}
        self.assertEqual(unlike, {"bs": ["4 KiB", "8 KiB"], "rw": ["randread", "randwrite"]})

    def test_paced_jobs_are_compared_by_latency(self):
        options = [*JOB, "--rate_iops=20000"]
        self.assertEqual(self.found(self.side("a", *options), self.side("b", *options))["metric"], "clat_p99")

    def test_client_stats_are_read_without_their_sum(self):
        path = self.fio("a.json")
        with open(path) as file:
            document = json.load(file)
        job = document.pop("jobs")[0]
        document["client_stats"] = [dict(job, hostname=host) for host in ("x", "y")] + [dict(job, jobname="All clients")]
        with open(path, "w") as file:
            json.dump(document, file)
        found = self.found(path, self.fio("b.json"))
        self.assertAlmostEqual(found["metrics"][0]["sides"][0]["values"][0], 2 * job["read"]["iops"], delta=1)

    def test_the_last_of_several_documents_counts(self):
        paths = [self.fio(f"{i}.json") for i in range(2)]
        with open(os.path.join(self.folder, "both.json"), "w") as both:
            both.write("fio: a line of an error\n")
            for path in paths:
                with open(path) as file:
                    both.write(file.read() + "\n")
        found = self.found(both.name, paths[1])
        self.assertEqual(found["metrics"][0]["changes"][0]["percent"], 0)

    def test_damaged_files_are_refused_with_their_name(self):
        good, path = self.side("a"), self.fio("b.json")
        with open(path) as file:
            text = file.read()
        for name, broken, what in (("cut.json", text[:len(text) // 2], "truncated file"), ("jobs.json", text.replace('"jobs"', '"sboj"'), "neither"),
                                   ("type.json", text.replace('"total_ios" : 1024', '"total_ios" : "x"'), "total_ios"),
                                   ("bins.json", text.replace('"bins" : {', '"bins" : { "x" : 1,', 1), "bucket")):
            with self.subTest(name=name):
                with open(os.path.join(self.folder, name), "w") as file:
                    file.write(broken)
                run = compare(good, file.name)
                self.assertEqual(run.returncode, 2, run.stdout)
                self.assertIn(what, run.stderr)
                self.assertIn(name, run.stderr)

    def test_failed_jobs_are_left_out(self):
        path = os.path.join(self.folder, "failed.json")
        subprocess.run(["fio", "--name=t", "--filename=/dev/null/file", "--rw=read", "--size=4k", "--output-format=json", "--output=" + path], capture_output=True,
                       timeout=60, cwd=self.folder)
        run = compare(self.side("a"), path)
        self.assertEqual(run.returncode, 2)
        self.assertIn("only side A", run.stderr)

    def test_fio_and_fathom_are_held_against_each_other(self):
        ours = os.path.join(self.folder, "ours.json")
        self.assertEqual(fathom("run", *JOB, "--repeat=3", "--audit=off", "--clock-check=skip", "--output-format=json", "--output=" + ours).returncode, 0)
        found = self.found(self.side("a"), ours)
        self.assertIn(("program", "version"), [(d["part"], d["name"]) for d in found["differences"]])
        self.assertEqual([d["name"] for d in found["differences"] if d["unlike"]], [])


if __name__ == "__main__":
    if shutil.which("fio") is None:
        print("fio is not installed")
        sys.exit(77)
    unittest.main()
