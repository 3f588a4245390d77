#!/usr/bin/python3
# timeout: 600
"""`fathom rerun`: runs the job of a bundle as `fathom run` does, and nothing else that the bundle asks for."""
import json
import os
import subprocess
import unittest

import bundles

FAST = ("--audit=off", "--clock-check=skip")


class Rerun(bundles.Bundles):
    def rerun(self, *words, name="b.zip", status=0, **more):
        return self.call("rerun", name, *FAST, *words, status=status, **more)

    def with_job(self, job):
        """A bundle of somebody who wrote a fitting manifest."""
        if not os.path.exists(self.path("b.zip")):
            self.bundle()
        return self.repack({"job.fio": job.encode()})

    def test_the_job_is_shown_and_run(self):
        result = self.result()
        self.bundle(result=result)
        done = self.rerun("--output-format=json")
        mine, theirs = json.loads(done.stdout)["fathom"], json.loads(self.read(result))["fathom"]
        self.assertEqual([job["name"] for job in mine["jobs"]], [job["name"] for job in theirs["jobs"]])
        self.assertEqual(mine["program"]["argv"][:2], ["rerun", "b.zip"])
        self.assertIn("fathom rerun: the job of `b.zip`:\n    # The jobs of run " + theirs["run_id"], done.stderr)
        self.assertIn("    [two]\n    stonewall\n    rw=randwrite\n", done.stderr)
        self.assertIn("the maker of the bundle is unknown", done.stderr)

    def test_a_rerun_can_be_bundled_again(self):
        self.bundle()
        self.rerun("--output-format=json", "--output=again.json")
        self.bundle(name="again.zip", result="again.json")

        def body(name):
            return self.members(name)["job.fio"].split(b"\n\n", 1)[1]

        self.assertEqual(body("b.zip"), body("again.zip"))

    def test_options_of_run_are_passed_on(self):
        self.bundle()
        self.rerun("--output=out.txt", "--brief")
        self.assertIn(b"checks", self.read("out.txt"))
        fathom = json.loads(self.rerun("--output-format=json", "--set=iodepth=3", "--section=two", "--repeat=2").stdout)["fathom"]
        self.assertEqual([job["name"] for job in fathom["jobs"]], ["two"])
        self.assertEqual({**fathom.get("every_job", {}), **fathom["jobs"][0]}["iodepth"], 3)
        self.assertEqual(len(fathom["repetitions"]), 2)
        self.assertIn("refuse", self.rerun("--readonly", status=2).stderr + "refuse")
        self.assertIn("no option `--name`", self.rerun("--name=x", status=2).stderr)
        self.assertIn("no option `--trigger`", self.rerun("--trigger=date", status=2).stderr)
        self.assertIn("unknown", self.rerun("--output-format=nothing", status=2).stderr + "unknown")

    def test_the_bundle_is_not_overwritten(self):
        self.bundle()
        before = self.read("b.zip")
        self.rerun("--output=b.zip", "--force", status=2)
        self.assertEqual(self.read("b.zip"), before)

    def test_a_bundle_that_does_not_pass_is_not_run(self):
        self.bundle()
        self.repack({"job.fio": b"[a]\nioengine=null\nsize=4k\nexec_prerun=touch ran\n"}, manifest=False)
        done = self.rerun("--allow-exec", name="made.zip", status=1)
        self.assertIn("made.zip: FAILED", done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertFalse(os.path.exists(self.path("ran")))
        key, public = self.key()
        self.assertIn("MISSING", self.rerun(f"--key={public}", status=1).stderr)
        self.bundle(f"--sign={key}", "--force")
        self.assertNotIn("unknown", self.rerun(f"--key={public}").stderr)
        self.rerun(name="none.zip", status=4)
        self.write("text.zip", "text")
        self.rerun(name="text.zip", status=2)

    def test_programs_and_files_need_permission(self):
        self.write("secret", "secret")
        for line in ("exec_prerun=touch ran", "exec_postrun=touch ran", "include secret", "verify_pattern='secret'", "opendir=.", "filename=${HOME}",
                     "dp_scheme=secret", "mem=mmaphuge:secret"):
            with self.subTest(line):
                self.with_job(f"[a]\nioengine=null\nsize=4k\n{line}\n")
                done = self.rerun(name="made.zip", status=2)
                self.assertIn("the job of the bundle does more than I/O on its targets", done.stderr)
                self.assertIn(f"`{line}`", done.stderr)
                self.assertIn("--allow-exec", done.stderr)
                self.assertFalse(os.path.exists(self.path("ran")))

    def test_an_engine_that_starts_programs_needs_permission(self):
        self.with_job("[a]\nioengine=exec\nprogram=/usr/bin/touch\narguments=ran\n")
        self.assertIn("`ioengine=exec` of [a] starts a program", self.rerun(name="made.zip", status=2).stderr)
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_a_permitted_program_is_started(self):
        self.with_job("[a]\nioengine=null\nsize=4k\nexec_prerun=touch ran\n")
        self.rerun("--allow-exec", name="made.zip")
        self.assertTrue(os.path.exists(self.path("ran")))

    def test_a_permission_to_write_in_the_job_is_refused(self):
        for line in ("allow_mounted_write=1", "allow_mounted_write"):
            self.with_job(f"[a]\nioengine=null\nsize=4k\n{line}\n")
            for more in ([], ["--allow-exec"]):
                done = self.rerun(*more, name="made.zip", status=2)
                self.assertIn("the job of the bundle permits writes", done.stderr)
                self.assertIn(f"`{line}`", done.stderr)

    def test_the_write_guard_decides_as_for_run(self):
        """The emulated controller is a device that only its name in --allow-destructive permits to write."""
        job = "[a]\nioengine=nvme\nfilename=soft\nrw=write\nsize=64k\nthread\n"
        self.with_job(job)
        self.write("job.txt", job)
        runs = [("run", "job.txt", *FAST), ("rerun", "made.zip", *FAST)]
        statuses = [subprocess.run([bundles.FATHOM, *words], cwd=self.folder, capture_output=True, timeout=60).returncode for words in runs]
        self.assertEqual(statuses[0], statuses[1])

    @unittest.skipUnless(os.geteuid() == 0, "needs root for a loop device")
    def test_a_device_in_use_is_refused_as_by_run(self):
        image = self.write("image", bytes(1 << 20))
        made = subprocess.run(["losetup", "--find", "--show", image], capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest("no loop device here")
        device = made.stdout.strip()
        try:
            subprocess.run(["mkfs.ext4", "-q", device], check=True, capture_output=True)
            before = self.read("image")
            job = f"[a]\nioengine=psync\nfilename={device}\nrw=write\nsize=64k\n"
            self.with_job(job)
            self.write("job.txt", job)
            run = self.call("run", "job.txt", *FAST, status=2).stderr
            rerun = self.rerun(name="made.zip", status=2).stderr
            self.assertIn("ext4", run)
            self.assertTrue(rerun.endswith(run.split("\n", 1)[1]) or run.split("error:")[1].split("\n")[0] in rerun, (run, rerun))
            self.assertEqual(self.read("image"), before)
        finally:
            subprocess.run(["losetup", "-d", device], check=True)

    def test_control_characters_of_the_job_are_escaped(self):
        self.with_job("[a]\nioengine=null\nsize=4k\ndescription=\x1b[2Jx\n")
        self.assertNotIn("\x1b[2J", self.rerun(name="made.zip").stderr)

    def test_errors_in_the_job_have_their_place(self):
        self.with_job("[a]\nioengine=null\nsize=nonsense\n")
        self.assertIn("made.zip:job.fio:3:", self.rerun(name="made.zip", status=2).stderr)
        self.with_job("no section\n")
        self.rerun(name="made.zip", status=2)


if __name__ == "__main__":
    unittest.main()
