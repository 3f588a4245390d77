"""--repeat: each repetition draws its own, and what the result holds of it makes it again. The headline of a paced job is from the intended start."""
# label: test
# cost: 5
# timeout: 120
import json
import os
import subprocess
import tempfile
import unittest

FATHOM = os.environ["FATHOM"]
SIM = ["--name=j", "--ioengine=sim", "--rw=randread", "--bs=4k", "--size=1m", "--sim_latency=exp:100us"]


class Repetitions(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def fathom(self, *words, status=0):
        run = subprocess.run([FATHOM, "run", "--audit=off", *words], capture_output=True, text=True, timeout=60, cwd=self.folder)
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run.stdout

    def result(self, *words):
        return json.loads(self.fathom("--output-format=json", *words))["fathom"]

    # Each with its jobs: those of the one that is shown stand in the whole.
    def repetitions(self, *words):
        whole = self.result(*words)
        return [whole["jobs"] if one["shown"] else one["jobs"] for one in whole["repetitions"]]

    @staticmethod
    def seeds(job):
        return [f"--{option}={value}" for option, value in job.get("seeds", {}).items()]

    def test_each_draws_its_own_and_can_be_run_again(self):
        found = self.repetitions(*SIM, "--repeat=3")
        self.assertEqual(self.seeds(found[0][0]), [], "the run that there is without --repeat")
        self.assertEqual(found[0][0]["read"]["lat"], self.result(*SIM)["jobs"][0]["read"]["lat"])
        self.assertEqual(len({json.dumps(jobs[0]["read"]["lat"]["mean_ns"]) for jobs in found}), 3)
        third = found[2][0]
        self.assertEqual(third["read"]["lat"], self.result(*SIM, *self.seeds(third))["jobs"][0]["read"]["lat"])

    def test_repeat_same_draws_the_same(self):
        found = self.repetitions(*SIM, "--repeat=2", "--repeat-same")
        self.assertEqual(found[0][0]["read"]["lat"], found[1][0]["read"]["lat"])
        self.assertEqual(self.seeds(found[1][0]), [])

    def test_a_files_offsets_differ_and_what_is_written_is_verified(self):
        job = ["--name=w", "--filename=f", "--rw=randwrite", "--bs=4k", "--size=256k", "--io_size=64k", "--verify=crc32c", "--ioengine=psync", "--repeat=3"]
        found = self.repetitions(*job)
        self.assertEqual([jobs[0]["error"] for jobs in found], [0, 0, 0])
        self.assertEqual([jobs[0]["read"]["ios"] for jobs in found], [16, 16, 16], "each read back what it wrote")
        self.assertEqual(len({str(self.seeds(jobs[0])) for jobs in found}), 3)

    def test_what_an_earlier_run_wrote_is_found_by_every_repetition(self):
        job = ["--name=w", "--filename=f", "--rw=randwrite", "--bs=4k", "--size=256k", "--io_size=64k", "--verify=crc32c", "--ioengine=psync"]
        self.fathom(*job, "--do_verify=0", "--repeat=2")
        self.fathom(*job, "--verify_only", "--repeat=2")

    def test_a_paced_jobs_headline_is_from_the_intended_start(self):
        paced = [*SIM[:-2], "--size=16m", "--number_ios=2000", "--sim_latency=two:100us:1s:0.1%", "--rate_iops=1000"]
        text = self.fathom("--brief", *paced)
        self.assertRegex(text, r"\n +p50 \d+ ms, p99 [\d.]+ s from the intended start\n")
        self.assertNotIn("intended", self.fathom("--brief", *SIM))


if __name__ == "__main__":
    unittest.main()
