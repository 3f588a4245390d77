"""fio mode says that it is 3.42 and prints that one's text: units of the latency target, syncfs beside the syncs, sectors of disks, and the
date at which the jobs were over. What `total_ios` counts: what was issued, failed I/Os with it, in every report and as Debian's fio does."""
# label: quick
# timeout: 120
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
import recorded  # noqa: E402

FATHOM = os.environ["FATHOM"]
FIO = os.path.join(os.path.dirname(FATHOM), "fio")
THEIRS = recorded.FIO
FULL = ["--name=t", "--filename=/dev/full", "--rw=write", "--bs=4k", "--size=64k"]


def text_of(program, *options):
    return subprocess.run([program, *options], capture_output=True, text=True, timeout=60).stdout


class FioText(unittest.TestCase):
    def test_it_has_the_lines_of_fio_3_42(self):
        with tempfile.TemporaryDirectory(prefix="fathom-text-") as folder:
            text = text_of(FIO, "--name=a", f"--directory={folder}", "--size=256k", "--bs=4k", "--rw=write", "--fsync=8", "--ioengine=psync")
        self.assertRegex(text, r"(?m)^fio-3\.42$")
        self.assertIn("     latency   : target=0.00ns, window=0.00ns, percentile=100.00%, depth=1\n", text)
        self.assertIn("  fsync/fdatasync/sync_file_range/syncfs:\n    sync (", text)
        for line in text[text.find("Disk stats"):].split("\n")[1:2]:
            self.assertRegex(line, r"^ +\w[\w-]*: ios=\d+/\d+, sectors=\d+/\d+, merge=\d+/\d+, ticks=\d+/\d+, in_queue=\d+, util=[\d.]+%")

    def dated(self, program):
        """(seconds from the call to the date of the report, the same to its JSON's)"""
        job = ["--name=a", "--ioengine=null", "--size=1g", "--rate_iops=10", "--time_based", "--runtime=1"]
        began = int(time.time())
        text = text_of(program, *job, "--output-format=normal,json")
        date = re.search(r"pid=\d+: (\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})$", text, re.M)[1]
        document = json.loads(text[text.index("\n{\n"):text.index("\n}\n") + 3])
        return time.mktime(time.strptime(date)) - began, document["timestamp_ms"] / 1000 - began

    def test_the_date_is_that_of_the_end(self):
        for program in (FIO, *([THEIRS] if recorded.LIVE else [])):
            text, document = self.dated(program)
            self.assertGreaterEqual(text, 1, program)
            self.assertGreaterEqual(document, 1, program)

    def test_total_ios_counts_issued_ios(self):
        for engine in (["--ioengine=psync"], ["--ioengine=io_uring", "--iodepth=8"]):
            text = text_of(FIO, *FULL, *engine, "--output-format=normal,json")
            document = json.loads(text[text.index("\n{\n"):text.index("\n}\n") + 3])
            total, ours = document["jobs"][0]["write"]["total_ios"], document["fathom"]["jobs"][0]["write"]
            self.assertGreaterEqual(total, 1)
            self.assertEqual(total, ours["issued_ios"])
            self.assertGreaterEqual(ours["error_ios"], 1)
            self.assertEqual(ours["ios"], 0)
            self.assertIn(f"issued rwts: total=0,{total},0,0 ", text)

    def test_total_ios_matches_fio_on_a_full_device(self):
        def count(program):
            text = text_of(program, *FULL, "--ioengine=psync", "--output-format=json")
            return json.loads(text[text.index("{"):])["jobs"][0]["write"]["total_ios"]

        self.assertEqual(count(FIO), recorded.answer("total_ios on a full device", lambda: count(THEIRS)))


if __name__ == "__main__":
    unittest.main()
