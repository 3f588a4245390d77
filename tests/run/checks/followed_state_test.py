# label: quick
# timeout: 60
"""A random job reads back, by the verify state, what another random job has written: as in fio both go one way through the file."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

FATHOM = os.environ["FATHOM"]
JOB = ["--name=t", "--filename=v", "--size=4m", "--verify=md5", "--ioengine=psync", "--audit=off", "--clock-check=skip", "--output-format=json",
       "--output=out.json"]


class FollowedState(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="fathom-followed-")
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def run_job(self, *options):
        done = subprocess.run([FATHOM, "run", *JOB, *options, "--force"], cwd=self.folder, capture_output=True, text=True, timeout=50)
        self.stderr = done.stderr
        return done.returncode, json.loads((self.folder / "out.json").read_text())["jobs"][0]

    # effect: verify_state_load=1
    def test_a_reader_follows_a_writer_that_ended_early(self):
        for sizes in (["--bs=4k"], ["--bs=8k"], ["--bs=4k", "--random_generator=lfsr"]):
            code, wrote = self.run_job("--rw=randwrite", "--do_verify=0", "--verify_state_save=1", "--number_ios=200", *sizes)
            self.assertEqual(code, 0, self.stderr)
            code, read = self.run_job("--rw=randread", "--verify_state_load=1", *sizes)
            self.assertEqual((code, read["error"]), (0, 0), self.stderr)
            self.assertEqual(read["read"]["total_ios"], 200, sizes)
            self.assertEqual(read["read"]["io_bytes"], wrote["write"]["io_bytes"], sizes)

    def test_a_loss_is_told(self):
        self.run_job("--rw=randwrite", "--do_verify=0", "--verify_state_save=1", "--number_ios=200", "--bs=4k")
        (self.folder / "v").write_bytes(bytes(4 << 20))
        code, read = self.run_job("--rw=randread", "--verify_state_load=1", "--bs=4k")
        self.assertNotEqual(code, 0)
        self.assertNotEqual(read["error"], 0)


if __name__ == "__main__":
    unittest.main()
