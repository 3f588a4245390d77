# label: quick
# timeout: 300
"""What options of queues, clocks and logs make of system calls (strace) and files: rings and what is registered with them, polling, waiting."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "house"))
from straced import whole_calls  # noqa: E402

FATHOM = os.environ["FATHOM"]


class RingOptions(unittest.TestCase):
    def calls(self, trace, *options, size="256k", status=0):
        with tempfile.TemporaryDirectory(prefix="fathom-rings-") as folder:
            done = subprocess.run(["strace", "-f", "-e", f"trace={trace}", "-o", "calls", FATHOM, "run", "--name=j", "--filename=f",
                                   f"--size={size}", "--audit=off", "--clock-check=skip", *options], cwd=folder, capture_output=True,
                                  text=True, timeout=50)
            if status is not None:
                self.assertEqual(done.returncode, status, done.stderr)
            return "\n".join(whole_calls((pathlib.Path(folder) / "calls").read_text()))

    # effect: fixedbufs registerfiles
    def test_fixedbufs_and_registerfiles_are_told_to_the_kernel(self):
        ring = ("io_uring_register", "--ioengine=io_uring", "--iodepth=4", "--rw=read")
        plain = self.calls(*ring)
        self.assertNotRegex(plain, "REGISTER_BUFFERS|REGISTER_FILES")
        self.assertRegex(self.calls(*ring, "--fixedbufs"), r"IORING_REGISTER_BUFFERS\w*, .*, 4\)")
        self.assertRegex(self.calls(*ring, "--registerfiles"), r"IORING_REGISTER_FILES\w*, .*, 1\)")

    # effect: sqthread_poll sqthread_poll_cpu
    def test_sqthread_poll_requests_a_poll_thread_on_its_cpu(self):
        ring = ("io_uring_setup", "--ioengine=io_uring", "--iodepth=4", "--rw=read")
        self.assertNotIn("IORING_SETUP_SQPOLL", self.calls(*ring))
        self.assertRegex(self.calls(*ring, "--sqthread_poll"), r"flags=[A-Z_|]*IORING_SETUP_SQPOLL")
        cpu = max(os.sched_getaffinity(0))
        bound = self.calls(*ring, "--sqthread_poll", f"--sqthread_poll_cpu={cpu}")
        self.assertRegex(bound, r"IORING_SETUP_SQ_AFF")
        self.assertRegex(bound, rf"sq_thread_cpu=(0x)?{cpu:x}\b")

    # effect: hipri
    def test_hipri_requests_iopoll(self):
        ring = ("io_uring_setup", "--ioengine=io_uring", "--iodepth=4", "--rw=read")
        self.assertNotIn("IORING_SETUP_IOPOLL", self.calls(*ring))
        self.assertIn("IORING_SETUP_IOPOLL", self.calls(*ring, "--hipri", status=None))  # not every file system polls

    # effect: hipri hipri_percentage
    def test_hipri_percentage_is_the_share_that_polls(self):
        reads = ("preadv2", "--ioengine=pvsync2", "--rw=read", "--hipri")
        for percentage, low, high in ((None, 256, 256), (50, 80, 176), (0, 0, 0)):
            more = () if percentage is None else (f"--hipri_percentage={percentage}",)
            calls = self.calls(*reads, *more, size="1m")
            self.assertEqual(len(re.findall(r"preadv2\(", calls)), 256)
            self.assertTrue(low <= calls.count("RWF_HIPRI") <= high, (percentage, calls.count("RWF_HIPRI")))

    # effect: userspace_reap
    def test_userspace_reap_asks_the_kernel_less(self):
        jobs = ("io_getevents", "--ioengine=libaio", "--iodepth=4", "--rw=read")
        plain, own = (len(re.findall(r"io_getevents\(", self.calls(*jobs, *more, size="1m"))) for more in ((), ("--userspace_reap",)))
        self.assertGreater(plain, 50)
        self.assertLess(own, plain / 4)

    # effect: thinktime_spin
    def test_thinktime_spin_is_the_part_that_does_not_sleep(self):
        job = ("clock_nanosleep,nanosleep", "--ioengine=null", "--rw=read", "--number_ios=50", "--thinktime=1ms")
        sleeping, spinning = (len(re.findall(r"nanosleep\(", self.calls(*job, *more)))
                              for more in ((), ("--thinktime_spin=1ms",)))
        self.assertGreater(sleeping, spinning + 30)

    # effect: disable_bw_measurement
    def test_disable_bw_measurement_leaves_the_log_empty(self):
        with tempfile.TemporaryDirectory(prefix="fathom-bw-") as folder:
            for name, more in (("on", ()), ("off", ("--disable_bw_measurement=1",))):
                subprocess.run([FATHOM, "run", "--name=j", "--ioengine=null", "--size=64k", "--rw=read", "--audit=off", "--clock-check=skip",
                                f"--write_bw_log={name}", *more], cwd=folder, capture_output=True, check=True, timeout=50)
            lines = [len((pathlib.Path(folder) / f"{name}_bw.1.log").read_text().splitlines()) for name in ("on", "off")]
            self.assertEqual(lines, [16, 0])


if __name__ == "__main__":
    unittest.main()
