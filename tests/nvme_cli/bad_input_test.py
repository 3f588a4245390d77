"""What a user or a device can get wrong, on the finished program: cause and remedy on standard error, the exit status by kind, and no wait
without end."""
# timeout: 600
import signal
import subprocess
import time
import unittest

from nvme import ENVIRONMENT, FATHOM, is_bench_build, nvme

SHORT = ["--runtime=300ms", "--clock-check=skip", "--iodepth=8"]
# What follows `fathom nvme perf`, the exit status, and words of the message.
REFUSED = [
    (["--device=0000:zz:00.0"], 2, "not a device's name"),
    (["--device=fffe:1f:1f.7"], 2, "fffe:1f:1f.7"),
    (["--device=soft/ns=7"], 2, "7"),
    (["--device=soft:size=16m", "--offset=32m"], 2, "beyond the end"),
    (["--device=soft:bs=4096", "--bs=512"], 2, "4096"),
    (["--device=soft:bs=512", "--bs=1000"], 2, "512"),
    (["--device=soft:fault=never_ready"], 4, "did not become ready"),
    (["--device=vfio-user:/nowhere/at/all"], 2, "/nowhere/at/all"),
    (["--device=soft", "--rw=randsideways"], 2, "randsideways"),
    (["--device=soft:ideal", "--verify=crc32c", "--rw=write"], 2, "keeps no data"),
    (["--device=soft:ideal", "--rate_iops=0.3"], 2, "less than 1"),
    (["--device=soft", "--iodepth=99999999"], 2, "out of range"),
    (["--device=soft/ns=7"], 2, "`fathom nvme identify --device=soft` lists the namespaces"),
]
# The same of a bench build; in any other the option itself is refused. tests/loops/nvme_ablations_test.cc has all of them in any build.
REFUSED_ABLATIONS = [
    (["--device=soft:ideal", "--nvme_sq_doorbell=command", "--nvme_divide=1"], 2, "one optimization at a time"),
    (["--device=soft:ideal", "--nvme_divide=1", "--iodepth=4"], 2, "one optimization at a time"),
    (["--device=soft:ideal", "--nvme_divide=1", "--rate_iops=1000"], 2, "without a rate"),
    (["--device=soft:ideal", "--nvme_divide=1", "--verify=crc32c", "--rw=write"], 2, "verify="),
]
NOT_BUILT = "is only in a bench build"


class NvmePerfBadInput(unittest.TestCase):
    def test_invalid_arguments_are_refused_before_anything_runs(self):
        bench = is_bench_build()
        for arguments, status, words in REFUSED + [(a, s, words if bench else NOT_BUILT) for a, s, words in REFUSED_ABLATIONS]:
            began = time.monotonic()
            done = nvme("perf", *SHORT, *arguments)
            self.assertLess(time.monotonic() - began, 30, arguments)
            self.assertEqual(done.returncode, status, (arguments, done.stderr))
            self.assertIn(words, done.stderr, arguments)
            self.assertIn("error: ", done.stderr, arguments)
            self.assertIn("  help: ", done.stderr, arguments)
            self.assertNotIn("IOPS=", done.stdout)
            self.assertNotIn("    --iodepth_batch=", done.stderr, "an error quotes what was typed")

    def test_an_instruction_the_cpu_lacks_is_refused_before_anything_runs(self):
        with open("/proc/cpuinfo") as cpuinfo:
            if " movdir64b" in cpuinfo.read():
                self.skipTest("this CPU has movdir64b")
        done = nvme("perf", *SHORT, "--device=soft:ideal", "--nvme_sq_copy=movdir64b")
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn("nvme_sq_copy=auto", done.stderr)

    def test_a_corrupted_block_is_reported(self):
        done = nvme("perf", "--device=soft:size=1m", "--rw=read", "--verify=crc32c", "--clock-check=skip", "--iodepth=8")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("verification failed", done.stderr + done.stdout)
        self.assertNotIn("multibyte", done.stderr + done.stdout)

    def test_identify_of_a_controller_that_is_never_ready_fails_soon(self):
        began = time.monotonic()
        done = nvme("identify", "--device=soft:fault=never_ready")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertLess(time.monotonic() - began, 30, "bounded by CAP.TO")

    def test_a_device_that_fails_in_use_ends_the_run(self):
        for fault in ("status:after=1000", "removal:after=1000", "fatal:after=1000"):
            done = nvme("perf", "--clock-check=skip", "--runtime=30", "--iodepth=8", f"--device=soft:fault={fault}")
            self.assertEqual(done.returncode, 4, (fault, done.stderr))
            self.assertRegex(done.stdout, r"(?m)^perf: .*err=", "what was done until then is reported")
            self.assertIn("read", done.stderr)

    def test_an_interrupted_run_is_reported(self):
        run = subprocess.Popen([FATHOM, "nvme", "perf", "--runtime=60", "--clock-check=skip"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=ENVIRONMENT)
        self.addCleanup(run.kill)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=30)
        self.assertEqual(run.returncode, 130, err)
        self.assertIn("devices perf:", out)


if __name__ == "__main__":
    unittest.main()
