#!/usr/bin/python3
# timeout: 600
# cost: 25
"""`fathom sweep`, the program: what it finds on a queue whose law is known, that nothing measured is lost however it ends, and what it says of mistakes."""
import csv
import io
import json
import math
import os
import pathlib
import shlex
import signal
import subprocess
import tempfile
import time
import unittest

FATHOM = os.environ.get("FATHOM", "")
QUEUE = """[q]
ioengine=sim
sim_latency=exp:100us
sim_servers=1
rw=randread
bs=4k
size=1g
iodepth=1024
ramp_time=1
runtime={runtime}
time_based=1
"""
NULL = "[n]\nioengine=null\nrw={rw}\nbs=4k\nsize=4m\n"
SLOW = "[s]\nioengine=null\nrw=randread\nbs=4k\nsize=1g\nthinktime=1000\nruntime=1\ntime_based=1\n"
QUIET = ("--run-option=--audit=off", "--run-option=--clock-check=skip")
SERVED = 10_000


class Sweeps(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(FATHOM):
            self.skipTest("the program is not built")
        holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.results = self.folder / "sweep-results"

    def job(self, text, name="job.fio"):
        (self.folder / name).write_text(text)

    def sweep(self, *words, check=True):
        done = subprocess.run([FATHOM, "sweep", "job.fio", *QUIET, *words], capture_output=True, text=True, timeout=200, cwd=self.folder)
        if check:
            self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def found(self, *words):
        return json.loads(self.sweep("--output-format=json", *words).stdout)

    def runs(self):
        """Of the state file: a run a row."""
        lines = (self.results / "state").read_text().splitlines()
        return [line.split("\t") for line in lines if line.startswith("run\t")]

    def test_of_a_known_queue_the_limits_load_is_bracketed(self):
        self.job(QUEUE.format(runtime=60) + "randseed=1\nsim_seed=1\n")  # else the bounds of the knee miss now and then, as bounds do
        found = self.found("--over=rate_iops=10%..100%+10%", "--slo=lat_p99<1ms", "--repeat=1", "--refine=1")
        truth = SERVED - math.log(100) / 0.001
        curve = found["curves"][0]
        bracket = curve["bracket"]
        self.assertTrue(bracket["meets"]["shown"] and bracket["misses"]["shown"])
        self.assertLess(bracket["meets"]["load"], truth * 1.02)
        self.assertGreater(bracket["misses"]["load"], truth * 0.98)
        self.assertLess(bracket["width_percent"], 6)
        self.assertGreaterEqual(min(bracket["meets"]["runs"], bracket["misses"]["runs"]), 3)
        self.assertEqual(curve["knee"]["seen"], "yes")
        # Its ends are loads as they were delivered: a point's neighbour may have had a little less than was asked.
        self.assertTrue(curve["knee"]["low"] * 0.98 <= SERVED / 2 <= curve["knee"]["high"] * 1.02, curve["knee"])
        for point in curve["points"]:
            if point["load"] and point["load"] < 9000:
                mean = next(n["typical"] for n in point["numbers"] if n["name"] == "intended_lat_mean")
                self.assertAlmostEqual(mean, 1e9 / (SERVED - point["load"]), delta=mean * 0.2)
                self.assertGreater(point["delivered_percent"], 97)
        self.assertEqual(found["latency"], "intended_lat_p99")
        # Written again in every format, nothing is run.
        before = self.runs()
        text = self.sweep("--over=rate_iops=10%..100%+10%", "--slo=lat_p99<1ms", "--repeat=1", "--refine=1").stdout
        self.assertEqual(self.runs(), before)
        self.assertIn("meets it", text.splitlines()[1])
        self.assertLessEqual(max(map(len, text.splitlines())), 80)
        self.assertIn("●", text)
        rows = list(csv.DictReader(io.StringIO(self.sweep("--over=rate_iops=10%..100%+10%", "--slo=lat_p99<1ms", "--repeat=1", "--refine=1", "--output-format=csv").stdout)))
        self.assertEqual(len(rows), sum(len(point["numbers"]) for point in curve["points"]))
        stored = self.folder / "found.json"
        stored.write_text(json.dumps(found))
        again = subprocess.run([FATHOM, "report", str(stored), "--output-format=text"], capture_output=True, text=True)
        self.assertIn("meets it", again.stdout)

    def test_without_an_answer_it_gives_the_command_that_may_find_one(self):
        self.job(QUEUE.format(runtime=2))
        words = ("--over=rate_iops=1000..2000+1000", "--over=bs=4k,8k", "--slo=lat_p99<1s", "--repeat=1", "--refine=0")
        lines = self.sweep(*words).stdout.splitlines()
        command = next(line for line in lines if line.startswith("next: "))
        self.assertIn("no higher load", " ".join(lines[1:4]))
        given = shlex.split(command[len("next: "):])
        self.assertEqual(given[:4], ["fathom", "sweep", "job.fio", "--over=rate_iops=2000..4000+250"])
        self.assertTrue({"--over=bs=4k,8k", "--slo=lat_p99<1s", "--repeat=1", "--refine=0", "--results=sweep-results-2", *QUIET} <= set(given), given)
        again = subprocess.run([FATHOM, *given[1:], "--dry-run"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_if_the_checks_of_all_runs_fail_it_gives_the_run_that_shows_why(self):
        with open(self.folder / "empty", "wb") as file:
            file.truncate(4 << 20)  # holes: nothing is read from a disk
        self.job(f"[h]\nfilename={self.folder}/empty\nrw=randread\nbs=4k\nsize=4m\nioengine=psync\ndirect=1\n")
        run = subprocess.run([FATHOM, "sweep", "job.fio", "--over=iodepth=1..2", "--repeat=1", "--refine=0", "--results=empty-results"],
                             capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("The checks of 3 of 3 runs FAILED", run.stdout)
        self.assertIn("\nnext: fathom run job.fio\n", run.stdout)

    def test_every_point_is_run_once_a_round_and_kept(self):
        self.job(NULL.format(rw="randread"))
        found = self.found("--over=iodepth=1..4", "--over=bs=4k,8k", "--repeat=3", "--refine=0")
        self.assertEqual([curve["of"] for curve in found["curves"]], ["bs=4k", "bs=8k"])
        self.assertEqual([[point["runs"] for point in curve["points"]] for curve in found["curves"]], [[3] * 3] * 2)
        runs = self.runs()
        self.assertEqual(len(runs), 6 * 3 + 1)
        rounds = [[run[3] for run in runs[i:i + 6]] for i in (0, 6, 12)]
        self.assertTrue(all(sorted(one) == sorted(rounds[0]) for one in rounds))
        self.assertEqual(runs[-1][3], runs[0][3], "the first, last")
        self.assertEqual(found["again"]["setting"], runs[0][3])
        seeds = set()
        for run in runs:
            result = json.loads((self.results / run[4]).read_text())
            echo = {**result.get("global options", {}), **result["jobs"][0]["job options"]}
            self.assertEqual(f"bs={echo['bs']} iodepth={echo['iodepth']}", run[3])
            seeds.add(echo["randseed"])
        self.assertEqual(len(seeds), len(runs), "each has a seed of its own")
        held = subprocess.run([FATHOM, "compare", "sweep-results/bs=4k,iodepth=1", "sweep-results/bs=4k,iodepth=4", "--output-format=json"], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual([side["runs"] for side in json.loads(held.stdout)["sides"]], [len([r for r in runs if r[3] == f"bs=4k iodepth={depth}"]) for depth in (1, 4)])

    def test_an_open_loop_is_counted_from_when_an_io_was_due(self):
        self.job(QUEUE.format(runtime=2))
        found = self.found("--over=rate_iops=2000,8000", "--repeat=1", "--refine=0", "--metric=clat_p99")
        self.assertIn("sweep.latency", [finding["id"] for finding in found["findings"]])
        result = json.loads((self.results / self.runs()[0][4]).read_text())
        self.assertEqual({**result.get("global options", {}), **result["jobs"][0]["job options"]}["rate_process"], "poisson")

    def is_here(self, path):
        try:
            return path.readlink() == self.folder
        except OSError:
            return False

    def begin(self, *words):
        process = subprocess.Popen([FATHOM, "sweep", "job.fio", *QUIET, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3):
            while "run " not in process.stderr.readline():
                pass
        return process

    def test_an_interrupt_reports_what_there_is_and_the_same_command_goes_on(self):
        self.job(SLOW)
        words = ("--over=iodepth=1..2", "--repeat=3", "--refine=0", "--output-format=json")
        process = self.begin(*words)
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, errors)
        found = json.loads(text)
        self.assertTrue(found["interrupted"])
        before = self.runs()
        self.assertIn(len(before), (1, 2, 3, 4))
        self.assertEqual(found["runs"], len(before))
        found = self.found(*words[:3])
        self.assertFalse(found["interrupted"])
        self.assertEqual(self.runs()[:len(before)], before)
        self.assertEqual(len(self.runs()), 2 * 3 + 1)

    def test_killed_it_loses_the_run_under_way_alone(self):
        self.job(SLOW)
        words = ("--over=iodepth=1..2", "--repeat=2", "--refine=0")
        process = self.begin(*words)
        process.kill()
        process.wait()
        running, patience = True, 300
        while running and patience > 0:  # what it had begun is killed by the kernel, which takes its time
            time.sleep(0.1)
            running, patience = [path for path in pathlib.Path("/proc").glob("[0-9]*/cwd") if self.is_here(path)], patience - 1
        self.assertEqual(running, [], "its run went with it")
        process.communicate()
        before = self.runs()
        self.assertGreaterEqual(len(before), 1)
        with open(self.results / "state", "a") as state:
            state.write("run\t99\tgri")  # a line that did not get to its end
        self.found(*words)
        self.assertEqual(self.runs()[:len(before)], before)
        self.assertEqual(len(self.runs()), 2 * 2 + 1)

    def test_another_sweeps_state_is_refused(self):
        self.job(NULL.format(rw="randread"))
        words = ("--over=iodepth=1,2", "--repeat=1", "--refine=0")
        self.sweep(*words)
        whole = (self.results / "state").read_text()

        def refused(*words, says):
            done = self.sweep(*words, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(says, done.stderr)
            self.assertEqual((self.results / "state").read_text(), whole)

        refused("--over=iodepth=1,4", "--repeat=1", "--refine=0", says="the state file has `over iodepth=1,2`, this sweep has `over iodepth=1,4`")
        refused(*words, "--set=bs=8k", says="belongs to a different sweep")
        refused(*words, "--slo=lat_p99<1ms", says="belongs to a different sweep")
        self.job(NULL.format(rw="read"))
        refused(*words, says="rw=randread")
        self.job(NULL.format(rw="randread"))
        (self.results / self.runs()[0][4]).unlink()
        done = self.sweep(*words, check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn("0001.json", done.stderr)
        for other in ("{}", "fathom sweep state 2\n"):
            (self.results / "state").write_text(other)
            self.assertIn("not a state file of a sweep", self.sweep(*words, check=False).stderr)

    def test_mistakes_are_told_before_anything_is_run(self):
        self.job(NULL.format(rw="randread"))
        self.job("[r]\nioengine=null\nrate_iops=100\nsize=1m\n", "rate.fio")
        for words, says in (((), "--over is missing"), (("--over=iodepth=1,x",), "iodepth"), (("--over=iodpeth=1,2",), "did you mean `iodepth`"),
                            (("--over=bs=4k,8k", "--slo=lat_p99<1ms"), "no varied option is a load"), (("--over=iodepth=1,2", "--slo=iops<5"), "not a latency limit"),
                            (("--over=iodepth=1,2", "--metric=iops"), "not a latency"), (("--over=iodepth=1,2", "--output-format=xml"), "unknown format `xml`"),
                            (("--over=iodepth=1,2", "--metric=lat_p50", "--slo=lat_p99<1ms"), "two latencies"), (("--over=iodepth=1..200+1", "--over=bs=1k..100k+1k"), "more than"),
                            (("--over=iodepth=1,2", "--over=iodepth=4"), "twice")):
            done = self.sweep(*words, check=False)
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assertIn(says, done.stderr, words)
            self.assertFalse(self.results.exists(), words)
        for words in (("--over=bs=4q,8k",), ("--over=iodepth=1,2", "--steady=lat")):
            done = self.sweep(*words, check=False)
            self.assertEqual(done.returncode, 2, (words, done.stderr))
            self.assertNotIn("--set=", done.stderr, "an error quotes what was typed")
            self.assertNotIn("^", done.stderr)
        for arguments, says in ((["rate.fio", "--over=rate_iops"], "the job sets a rate"), (["nowhere.fio", "--over=iodepth"], "nowhere.fio"), ([], "a job file is needed")):
            done = subprocess.run([FATHOM, "sweep", *arguments], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(says, done.stderr)
        self.results.mkdir()
        (self.results / "other.json").write_text("{}")
        done = self.sweep("--over=iodepth=1,2", check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("is not empty and contains no sweep", done.stderr)
        self.assertEqual(os.listdir(self.results), ["other.json"])

    def test_time_and_bytes_are_told_before_it_starts(self):
        self.job("[w]\nrw=randwrite\nbs=4k\nsize=1m\nruntime=10\ntime_based=1\nramp_time=2\n")
        told = self.sweep("--over=rate_iops=100,200", "--repeat=2", "--refine=0", "--dry-run").stderr
        self.assertIn("5 runs of at most 12 s: 60 s", told)
        self.assertIn("write at most 46.9 MiB, 9.4 MiB each", told)
        told = self.sweep("--over=iodepth=1,2", "--dry-run").stderr
        self.assertIn("as much as the device accepts", told)
        self.job("[w]\nrw=randread\nsize=1m\n")
        told = self.sweep("--over=iodepth=1,2", "--dry-run").stderr
        self.assertIn("only read", told)
        self.assertIn("known after the first", told)
        self.assertIn("files that do not exist are created first, 1 MiB at most", told)
        self.job("[w]\nrw=randread\nfilename=/dev/zero\nsize=1m\n")
        self.assertNotIn("made before", self.sweep("--over=iodepth=1,2", "--dry-run").stderr)
        self.assertFalse(self.results.exists())

    def test_the_longest_point_is_told_where_several_options_make_it_so(self):
        self.job("[w]\nrw=randwrite\nbs=4k\nsize=1m\nruntime=10\ntime_based=1\n")
        told = self.sweep("--over=rate_iops=100,10000", "--over=runtime=1,100", "--over=ramp_time=0,50", "--repeat=1", "--refine=0", "--dry-run").stderr
        self.assertIn("9 runs of at most 3 min: 23 min", told)
        self.assertIn("write at most 51.5 GiB, 5.7 GiB each", told)
        # How many a search takes is not known: neither is how long, nor how much is written.
        told = self.sweep("--over=rate_iops=100,10000", "--slo=lat_p99<5ms", "--dry-run").stderr
        self.assertRegex(told, r"about \d+ runs \(up to twice as many if results scatter\) of at most 10 s: ")
        self.assertRegex(told, r"write about [0-9.]+ GiB, at most 390.6 MiB each")

    def test_runs_that_fail_end_it_and_say_why(self):
        self.job("[w]\nrw=randread\nsize=1m\nfilename=/no/such/file\nallow_file_create=0\n")
        done = self.sweep("--over=iodepth=1..64", "--repeat=1", check=False)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("5 runs in a row have no numbers", done.stderr)
        self.assertEqual(len(self.runs()), 5)
        self.assertIn("no numbers", done.stdout)
        # Runs that failed last are made again: the disk has room now, the file is there.
        (self.folder / "job.fio").write_text("[w]\nrw=randread\nsize=64k\nfilename=file\nallow_file_create=0\n")
        done = self.sweep("--over=iodepth=1..16", "--repeat=1", "--refine=0", "--results=r", check=False)
        self.assertEqual(done.returncode, 4)
        (self.folder / "file").write_bytes(bytes(65536))
        found = self.found("--over=iodepth=1..16", "--repeat=1", "--refine=0", "--results=r")
        self.assertEqual(sum(point["failed"] for point in found["curves"][0]["points"]), 0)

    def test_a_sweep_without_a_number_is_no_success(self):
        self.job("[w]\nrw=randread\nsize=1m\nfilename=missing\nallow_file_create=0\n")
        for words in (("--over=iodepth=1..4", "--repeat=1"), ("--over=rate_iops", "--results=r2")):
            done = self.sweep(*words, check=False)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("no run has numbers", done.stderr)

    def test_what_the_job_says_of_its_moments_stays(self):
        self.job(QUEUE.format(runtime=1) + "rate_process=linear\n")
        self.found("--over=rate_iops=1000,2000", "--repeat=1", "--refine=0")
        for run in self.runs():
            result = json.loads((self.results / run[4]).read_text())
            self.assertEqual({**result.get("global options", {}), **result["jobs"][0]["job options"]}["rate_process"], "linear")

    def test_points_that_differ_in_a_slash_have_a_folder_each(self):
        for name in ("a_b", "a/b"):
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_bytes(bytes(1 << 16))
        self.job("[w]\nrw=randread\nsize=64k\n")
        found = self.found("--over=filename=a_b,a/b", "--repeat=2")
        self.assertEqual(len({point["results"] for curve in found["curves"] for point in curve["points"]}), 2)

    def test_a_steady_state_is_asked_for_by_point(self):
        self.job(SLOW.replace("runtime=1", "runtime=4"))
        words = ("--over=iodepth=1,2", "--repeat=1", "--refine=0", "--set=steadystate_duration=2s")
        found = self.found(*words, "--steady=iops:50%")
        self.assertEqual([point["steady"] for point in found["curves"][0]["points"]], [1, 1])
        self.assertNotIn("sweep.not_steady", [finding["id"] for finding in found["findings"]])
        self.results.rename(self.folder / "other")
        found = self.found(*words, "--steady=iops:0.000001%")
        self.assertEqual([point["not_steady"] for point in found["curves"][0]["points"]], [1, 1])
        self.assertIn("sweep.not_steady", [finding["id"] for finding in found["findings"]])


if __name__ == "__main__":
    unittest.main()
