# label: quick
# timeout: 300
"""What an option of an engine makes of its system calls (strace): libaio_vectored, nowait, uncached, thp, cmdprio."""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

FATHOM = os.environ["FATHOM"]


class RequestFlags(unittest.TestCase):
    def calls(self, trace, *options, size="64k"):
        with tempfile.TemporaryDirectory(prefix="fathom-flags-") as folder:
            self.done = subprocess.run(["strace", "-f", "-v", "-e", f"trace={trace}", "-o", "calls", FATHOM, "run", "--name=j", "--filename=f",
                                        f"--size={size}", "--audit=off", "--clock-check=skip", *options], cwd=folder, capture_output=True,
                                       text=True, timeout=50)
            return (pathlib.Path(folder) / "calls").read_text()

    # effect: libaio_vectored
    def test_libaio_vectored_submits_vectored_iocbs(self):
        plain, vectored = (self.calls("io_submit", "--ioengine=libaio", "--rw=write", *more) for more in ((), ("--libaio_vectored=1",)))
        self.assertIn("IOCB_CMD_PWRITE,", plain)
        self.assertIn("IOCB_CMD_PWRITEV,", vectored)
        self.assertNotIn("IOCB_CMD_PWRITEV", plain)
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertIn("IOCB_CMD_PREADV,", self.calls("io_submit", "--ioengine=libaio", "--rw=read", "--libaio_vectored=1"))

    # effect: nowait
    def test_nowait_sets_rwf_nowait(self):
        self.assertRegex(self.calls("pwritev2", "--ioengine=pvsync2", "--rw=write", "--nowait"), r"pwritev2\(.*, RWF_NOWAIT\)")
        self.assertRegex(self.calls("preadv2", "--ioengine=pvsync2", "--rw=read"), r"preadv2\(.*, 0\)")
        self.assertRegex(self.calls("io_submit", "--ioengine=libaio", "--rw=write", "--nowait"), r"aio_rw_flags=(RWF_NOWAIT|0x8)|RWF_NOWAIT")

    # effect: uncached
    def test_uncached_sets_rwf_dontcache(self):
        self.assertRegex(self.calls("pwritev2", "--ioengine=pvsync2", "--rw=write", "--uncached=1"),
                         r"pwritev2\(.*, (RWF_DONTCACHE|0x80( /\* RWF_\?\?\? \*/)?)\)")

    # What is done of it depends on the file system; that it is asked for, of writes only, does not.
    # effect: atomic
    def test_atomic_sets_rwf_atomic_on_writes(self):
        flag = r"(RWF_ATOMIC|0x40( /\* RWF_\?\?\? \*/)?)"
        self.assertRegex(self.calls("pwritev2", "--ioengine=pvsync2", "--rw=write", "--atomic=1"), rf"pwritev2\(.*, {flag}\)")
        self.assertRegex(self.calls("io_submit", "--ioengine=libaio", "--rw=write", "--atomic=1"), rf"aio_rw_flags={flag}|{flag}")
        self.assertRegex(self.calls("preadv2", "--ioengine=pvsync2", "--rw=read", "--atomic=1"), r"preadv2\(.*, 0\)")

    # effect: thp
    def test_thp_maps_privately_with_hugepage_advice(self):
        calls = self.calls("mmap,madvise", "--ioengine=mmap", "--rw=read", "--thp=1", size="4m")
        self.assertRegex(calls, r"mmap\(NULL, 4194304, PROT_READ, MAP_PRIVATE, \d+, 0\)")
        self.assertRegex(calls, r"madvise\(0x[0-9a-f]+, 4194304, MADV_HUGEPAGE\)")
        self.assertNotIn("MADV_HUGEPAGE", self.calls("mmap,madvise", "--ioengine=mmap", "--rw=read"))

    # effect: cmdprio_percentage cmdprio_class cmdprio
    def test_cmdprio_sets_the_ioprio_of_libaio_iocbs(self):
        calls = self.calls("io_submit", "--ioengine=libaio", "--rw=write", "--cmdprio_percentage=50", "--cmdprio_class=2", "--cmdprio=3",
                           size="1m")
        entries = re.findall(r"IOCB_CMD_PWRITE.*", calls)
        own = [entry for entry in entries if re.search(r"aio_reqprio=(16387|\{?.*CLASS_BE.*3|0x4003)", entry)]
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertGreater(len(own), 80, entries[:3])
        self.assertLess(len(own), 180)

    def result(self, *options):
        with tempfile.TemporaryDirectory(prefix="fathom-prio-") as folder:
            done = subprocess.run([FATHOM, "run", "--name=j", "--filename=f", "--size=4m", "--rw=randrw", "--ioengine=libaio", "--iodepth=4",
                                   "--audit=off", "--clock-check=skip", "--output-format=normal,json", "--output=out", *options], cwd=folder,
                                  capture_output=True, text=True, timeout=50)
            self.assertEqual(done.returncode, 0, done.stderr)
            text = (pathlib.Path(folder) / "out").read_text()
            return text, json.JSONDecoder().raw_decode(text, text.index("\n{") + 1)[0]["jobs"][0]

    # effect: cmdprio_percentage
    def test_cmdprio_percentage_shows_the_latencies_of_each_priority(self):
        text, job = self.result("--cmdprio_percentage=50,100", "--cmdprio_class=2", "--cmdprio=3")
        self.assertRegex(text, r"\n    clat prio 0/0 \((n|u|m)sec\): min=")
        self.assertRegex(text, r"\n    clat prio 2/3 \(\d\d\.\d\d% of IOs\) percentiles \(")
        reads = job["read"]["prios"]
        self.assertEqual([(p["prioclass"], p["prio"]) for p in reads], [(0, 0), (2, 3)])
        self.assertEqual(sum(p["clat_ns"]["N"] for p in reads), job["read"]["clat_ns"]["N"])
        self.assertNotIn("prios", job["write"], "all writes have one priority")
        self.assertNotIn("prio ", self.result()[0])

    # effect: cmdprio_bssplit cmdprio_hint
    def test_cmdprio_bssplit_sets_priorities_by_size(self):
        _, job = self.result("--bssplit=4k/50:8k/50", "--cmdprio_bssplit=4k/100/2/1/5:8k/100/3/2")
        self.assertEqual([(p["prioclass"], p["prio"], p.get("priohint", 0)) for p in sorted(job["read"]["prios"], key=lambda p: p["prioclass"])],
                         [(2, 1, 5), (3, 2, 0)])


if __name__ == "__main__":
    unittest.main()
