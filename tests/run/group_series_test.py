#!/usr/bin/python3
"""The series of a group whose jobs are reported one by one: what they did together in each interval, and percentiles of their latencies in one histogram."""
import json
import os
import subprocess
import unittest

FATHOM = os.environ["FATHOM"]
JOB = ["--ioengine=null", "--size=1t", "--rw=read", "--runtime=2", "--time_based", "--thread"]


def run(*words):
    done = subprocess.run([FATHOM, "run", *words, "--audit=off", "--clock-check=skip", "--output-format=json"], capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout[done.stdout.index("{"):])["fathom"]


def sums(points):
    return {name: sum(point.get(name, 0) for point in points) for name in ("ios", "bytes", "lat_n")}


class GroupSeries(unittest.TestCase):
    def test_it_is_of_all_jobs_of_the_group_and_of_no_other(self):
        result = run("--name=a", *JOB, "--rate_iops=20k", "--numjobs=2", "--name=b", *JOB, "--rate_iops=1k", "--name=alone", "--stonewall", *JOB)
        together, alone = result["groups"]
        members, last = result["jobs"][:3], result["jobs"][3]
        series = together["read"]["series"]
        self.assertEqual(together["read"]["series_latency"], "intended_lat")
        self.assertEqual(sums(series), {name: sum(sums(job["read"]["series"])[name] for job in members) for name in ("ios", "bytes", "lat_n")})
        self.assertGreater(len(series), 2)
        for point in series:
            self.assertGreaterEqual(point["lat_ns_p99"], point["lat_ns_p50"])
        self.assertNotIn("series", alone["read"], "its one job has it")
        self.assertGreater(len(last["read"]["series"]), 2)

    def test_of_jobs_with_other_latencies_it_says_so(self):
        result = run("--name=paced", *JOB, "--rate_iops=1k", "--name=free", *JOB, "--iodepth=4")
        self.assertEqual([job["read"]["series_latency"] for job in result["jobs"]], ["intended_lat", "lat"])
        self.assertEqual(result["groups"][0]["read"]["series_latency"], "mixed")

    def test_of_a_sum_the_job_has_it(self):
        result = run("--name=a", *JOB, "--numjobs=2", "--group_reporting")
        self.assertNotIn("series", result["groups"][0]["read"])
        self.assertGreater(len(result["jobs"][0]["read"]["series"]), 2)


if __name__ == "__main__":
    unittest.main()
