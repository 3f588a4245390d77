"""Options that change what is reported of a job, each as written on a command line: fio's text, JSON and terse hold what it asks for."""
# label: test
# cost: 8
# timeout: 400
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

FATHOM = os.environ["FATHOM"]
FIO = os.path.join(os.path.dirname(FATHOM), "fio")
JOB = ["--name=a", "--ioengine=null", "--rw=rw", "--size=1m"]


def run(*words, form="normal"):
    done = subprocess.run([FIO, "--output-format=" + form, *words], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), (words, done)
    return done.stdout


def document(*words):
    return json.loads(run(*words, form="json"))


def text_of_fio(text):
    return text[:text.rfind("\nfathom 0.")]


class ReportingOptions(unittest.TestCase):
    # effect: unified_rw_reporting
    def test_unified_rw_reporting_mixes_the_directions(self):
        apart = document(*JOB)["jobs"][0]
        for value in ("mixed", "1", "both", "2", "none", "0"):
            with self.subTest(value):
                words = [*JOB, "--unified_rw_reporting=" + value]
                mixed, both = value in ("mixed", "1", "both", "2"), value in ("both", "2")
                job, text = document(*words)["jobs"][0], text_of_fio(run(*words))
                self.assertEqual(("mixed" in job, "read" in job, "sync" in job), (mixed, both or not mixed, both or not mixed))
                self.assertEqual((" MIXED: bw=" in text, " READ: bw=" in text), (mixed, both or not mixed))
                fields = len(run(*words, form="terse").split(";"))
                self.assertEqual(fields, 162 if both else 80 if mixed else 121)
                if mixed:
                    self.assertEqual(job["mixed"]["io_bytes"], 1 << 20)
                    self.assertEqual(job["mixed"]["total_ios"], apart["read"]["total_ios"] + apart["write"]["total_ios"])
                    self.assertEqual(job["mixed"]["clat_ns"]["N"], 256)

    # effect: significant_figures
    def test_significant_figures_sets_the_digits(self):
        words = [*JOB, "--rw=read", "--size=10m", "--number_ios=100", "--bs=12345"]
        self.assertIn("io=1206KiB (1235kB)", run(*words))
        for figures, text in ((2, "io=1MiB (1MB)"), (6, "io=1205.6KiB (1234.5kB)"), (10, "io=1234500B (1234500B)")):
            self.assertIn(text, run(*words, f"--significant_figures={figures}"))

    # effect: kb_base unit_base
    def test_kb_base_and_unit_base_set_the_units(self):
        words = [*JOB, "--rw=read", "--size=1048576"]
        self.assertRegex(run(*words), r"BW=[\d.]+[KMG]iB/s \([\d.]+[kMG]B/s\)\(1024KiB/")
        self.assertRegex(run(*words, "--kb_base=1000"), r"BW=[\d.]+[kMG]B/s \([\d.]+[KMG]iB/s\)\(1049kB/")
        self.assertEqual(document("--name=a", "--ioengine=null", "--kb_base=1000", "--size=4k", "--bs=1k")["jobs"][0]["read"]["io_bytes"], 4000)
        self.assertRegex(run(*words, "--unit_base=1"), r"BW=[\d.]+[KMGT]ibit/s \([\d.]+[kMGT]bit/s\)\(1024KiB/")
        self.assertRegex(run(*words, "--unit_base=8"), r"BW=[\d.]+[KMG]iB/s ")

    # effect: disk_util
    def test_disk_util_shows_or_hides_the_disks(self):
        with tempfile.TemporaryDirectory(dir=os.environ["FATHOM_BUILD"]) as folder:
            words = ["--name=a", "--rw=write", "--size=1m", "--directory=" + folder]
            if "disk_util" not in document(*words):
                self.skipTest("no disk under the build")
            self.assertNotIn("disk_util", document(*words, "--disk_util=0"))
            self.assertNotIn("Disk stats", run(*words, "--disk_util=0"))
            self.assertIn("Disk stats", run(*words, "--disk_util=1"))

    # effect: stats
    def test_stats_0_hides_the_job(self):
        words = [*JOB, "--stats=0", "--name=b", "--ioengine=null", "--size=8k"]
        whole = document(*words)
        self.assertEqual([job["jobname"] for job in whole["jobs"]], ["b"])
        self.assertEqual([job["name"] for job in whole["fathom"]["jobs"]], ["a", "b"])  # nothing measured is lost
        self.assertEqual(run(*words, form="terse").count("\n"), 1)
        text = text_of_fio(run(*words))
        self.assertIn("\nb: (groupid=0", text)
        self.assertNotIn("\na: (groupid=0", text)
        self.assertRegex(text, r" READ: .* io=8192B")
        self.assertEqual(len(document(*JOB, "--stats=1")["jobs"]), 1)

    # effect: job_start_clock_id
    def test_job_start_clock_id_selects_the_clock(self):
        self.assertAlmostEqual(document(*JOB)["jobs"][0]["job_start"], time.time() * 1000, delta=20_000)
        for number, clock in ((1, time.CLOCK_MONOTONIC), (7, time.CLOCK_BOOTTIME)):
            start = document(*JOB, f"--job_start_clock_id={number}")["jobs"][0]["job_start"]
            self.assertAlmostEqual(start, time.clock_gettime(clock) * 1000, delta=20_000)

    # effect: bwavgtime iopsavgtime
    def test_bwavgtime_and_iopsavgtime_set_the_number_of_samples(self):
        words = ["--name=a", "--ioengine=null", "--size=1g", "--time_based", "--runtime=1", "--rate_iops=2000"]
        for more in ([], ["--numjobs=2", "--group_reporting", "--thread=1"]):
            read = document(*words, "--bwavgtime=100", "--iopsavgtime=250", *more)["jobs"][0]["read"]
            self.assertTrue(4 <= read["bw_samples"] <= 10, read["bw_samples"])
            self.assertTrue(2 <= read["iops_samples"] <= 4, read["iops_samples"])
            self.assertAlmostEqual(read["iops_mean"], 4000 if more else 2000, delta=1200)
            self.assertAlmostEqual(read["bw_mean"], 4 * read["iops_mean"], delta=4800)
        self.assertLessEqual(document(*words)["jobs"][0]["read"]["bw_samples"], 2)

    # effect: slat_percentiles clat_percentiles lat_percentiles percentile_list
    def test_percentile_options_select_what_is_shown(self):
        words = [*JOB, "--rw=read", "--percentile_list=1:50:99.95"]
        read = document(*words)["jobs"][0]["read"]
        self.assertEqual(list(read["clat_ns"]["percentile"]), ["1.000000", "50.000000", "99.950000"])
        self.assertNotIn("percentile", read["lat_ns"])
        read = document(*words, "--lat_percentiles=1", "--clat_percentiles=0")["jobs"][0]["read"]
        self.assertEqual(("percentile" in read["lat_ns"], "percentile" in read["clat_ns"]), (True, False))
        slat = document(*words, "--slat_percentiles=1", "--iodepth=4", "--ioengine=io_uring", "--filename=/dev/zero", "--size=64k")
        self.assertIn("percentile", slat["jobs"][0]["read"]["slat_ns"])
        self.assertRegex(run(*words), r"clat percentiles \(\wsec\):\n +\| +1\.00th=\[ *\d+\], 50\.00th=\[ *\d+\], 99\.95th=\[ *\d+\]\n")

    def test_terse_version_sets_the_fields(self):
        for version, fields in ((2, 161), (3, 121), (4, 162), (5, 180)):
            for words in (["--minimal"], ["--output-format=terse"], ["--output-format=csv"], ["--output-format=minimal"]):
                done = subprocess.run([FIO, *words, f"--terse-version={version}", *JOB], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr, len(done.stdout.split(";"))), (0, "", fields), words)
        both = subprocess.run([FIO, "--append-terse", *JOB], capture_output=True, text=True, timeout=60).stdout
        self.assertTrue(re.search(r"Starting 1 process\n3;fio-3.42;a;.*\n\na: \(groupid=0", both), both)
        bad = subprocess.run([FIO, "--terse-version=6", "--minimal", *JOB], capture_output=True, text=True, timeout=60)
        self.assertEqual(bad.returncode, 1)
        self.assertIn("bad terse version format", bad.stderr)

    # effect: idle-prof
    def test_idle_prof_reports_the_cpus(self):
        words = ["--name=a", "--ioengine=null", "--size=1g", "--time_based", "--runtime=300ms", "--thread=1"]
        idle = document("--idle-prof=percpu", *words)["cpu_idleness"]
        each = [value for key, value in idle.items() if key.startswith("cpu-")]
        self.assertGreater(len(each), 0)
        self.assertAlmostEqual(idle["system"], sum(each) / len(each), places=4)
        self.assertLess(idle["system"], 100 - 90 / len(each))  # the job keeps one busy
        self.assertGreater(idle["unit_mean"], 0)
        self.assertEqual(list(document("--idle-prof=system", *words)["cpu_idleness"]), ["system", "unit_mean", "unit_stddev"])
        self.assertRegex(run("--idle-prof=percpu", *words), r"\n\nCPU idleness:\n  system: [\d.]+%\n  percpu: [\d.]+%.*\n  unit work: mean=[\d.]+us, stddev=[\d.]+\n")
        alone = subprocess.run([FIO, "--idle-prof=calibrate"], capture_output=True, text=True, timeout=60)
        self.assertEqual((alone.returncode, alone.stderr), (0, ""))
        self.assertRegex(alone.stdout, r"^CPU idleness:\n  unit work: mean=[\d.]+us, stddev=[\d.]+\n$")

    # effect: warnings-fatal
    def test_warnings_fatal_refuses_a_warning(self):
        words = ["--name=a", "--ioengine=null", "--size=1m", "--bs=4KiB"]
        self.assertEqual(subprocess.run([FIO, *words], capture_output=True, timeout=60).returncode, 0)
        done = subprocess.run([FIO, "--warnings-fatal", *words], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("--warnings-fatal", done.stderr)
        self.assertEqual(subprocess.run([FIO, "--warnings-fatal", *JOB], capture_output=True, timeout=60).returncode, 0)

    # effect: debug
    def test_debug_random_prints_the_seeds(self):
        def seeds(*words):
            text = run("--debug=random", "--rw=randread", *JOB, "--name=b", "--ioengine=null", "--size=4k", *words)
            self.assertIn("fio: set debug option random\n", text)
            self.assertEqual(re.findall(r"^random   \d+ +FIO_RAND_NR_OFFS=(\d+)$", text, re.M), ["24"])
            return [int(seed) for seed in re.findall(r"^random .*rand_seeds\[\d+\]=(\d+)$", text, re.M)]
        self.assertEqual(len(seeds()), 48)
        self.assertEqual(seeds(), seeds())
        self.assertNotEqual(seeds("--randseed=5"), seeds())
        self.assertNotEqual(seeds("--randrepeat=0")[24], seeds("--randrepeat=0")[24])
        self.assertEqual(len(seeds("--debug=job:1")), 24)
        text = run("--debug=io", *JOB, "--rw=read", "--size=64k", "--thread=1", "--name=b", "--rw=write", "--ioengine=null", "--size=8k")
        offsets = re.findall(r"^io       \d+ +complete: io_u 0x[0-9a-f]+: off=(0x[0-9a-f]+),len=0x1000,ddir=(\d)", text, re.M)
        self.assertEqual(sorted(offsets), sorted([(hex(4096 * i), "0") for i in range(16)] + [(hex(4096 * i), "1") for i in range(2)]))
        self.assertIn("size=1m -> size", run("--debug=parse", *JOB))
        for rule, limit in (("iops:100", "IOPS threshold to 100.000000"), ("iops_slope:0.5%", "threshold to 0.500000%"), ("bw:4k", "BW threshold to 4096"),
                            ("lat:10us", "latency threshold to 10000 nsec")):
            for category in ("parse", "steadystate", "all"):
                text = run("--debug=" + category, *JOB, "--steadystate=" + rule, "--ss_dur=2s", "--parse-only")
                shown = "steadystate" if category == "steadystate" else "parse"
                self.assertEqual(re.findall(r"^(\w+) +\d+ +set steady state (.*)$", text, re.M), [(shown, limit)])
        for quiet in ("mem", "net", "zbd", "all"):
            self.assertIn(f"fio: set debug option {quiet}\n", run("--debug=" + quiet, *JOB))


class Checks(unittest.TestCase):
    def run_soft(self, *words):
        job = ["--name=a", "--ioengine=nvme", "--filename=soft:ideal", "--rw=randread", "--size=1m", "--number_ios=2000", "--clock-check=skip"]
        return subprocess.run([FATHOM, "run", "--brief", *job, *words], capture_output=True, text=True, timeout=60)

    def test_strict_ends_with_1_where_the_checks_failed(self):
        self.assertEqual(self.run_soft().returncode, 0)
        failed = self.run_soft("--strict")
        self.assertEqual(failed.returncode, 1, failed.stderr)
        self.assertIn("checks   FAILED", failed.stdout)

    def test_help_explains_a_finding(self):
        shown = subprocess.run([FATHOM, "help", "finding", "run.no_medium"], capture_output=True, text=True, timeout=60)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("run.no_medium", shown.stdout)
        self.assertIn("docs/", shown.stdout)
        wrong = subprocess.run([FATHOM, "help", "finding", "run.no_medum"], capture_output=True, text=True, timeout=60)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("run.no_medium", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
