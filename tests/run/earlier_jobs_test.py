# label: quick
# timeout: 300
"""Jobs without size= whose files an earlier job of the run makes: what they read is what is there when they begin."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

FATHOM = os.environ["FATHOM"]
SURFACE_SCAN = """[global]
bs=64k
direct=0
ioengine=psync
verify=meta
verify_pattern=0xaa555aa5
verify_interval=512
[write-phase]
filename=datafile.tmp
rw=write
fill_device=1
do_verify=0
[verify-phase]
stonewall
create_serialize=0
filename=datafile.tmp
rw=read
do_verify=1
"""


class Folder(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(prefix="fathom-earlier-")
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)


class EarlierJobs(Folder):
    def run_jobs(self, text, status=0, options=()):
        (self.folder / "job.fio").write_text("[global]\nioengine=psync\n" + text)
        done = subprocess.run([FATHOM, "run", "job.fio", "--audit=off", "--clock-check=skip", "--output-format=json", "--output=out.json",
                               *options], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.stderr = done.stderr
        return {job["jobname"]: job for job in json.loads((self.folder / "out.json").read_text())["jobs"]}

    def read(self, jobs, name="r"):
        return jobs[name]["read"]["io_bytes"]

    def test_a_stage_reads_what_an_earlier_one_writes(self):
        for rest in ("", "fallocate=none\n", "file_append=1\n", "create_on_open=1\n"):
            jobs = self.run_jobs(f"filename=f\n[w]\nrw=write\nsize=256k\n{rest}[r]\nstonewall\nrw=read\n")
            self.assertEqual(self.read(jobs), 262144, rest)
            (self.folder / "f").unlink()

    def test_it_reads_all_of_a_file_that_was_shorter(self):
        (self.folder / "f").write_bytes(bytes(65536))
        jobs = self.run_jobs("filename=f\n[w]\nrw=write\nsize=256k\n[r]\nstonewall\nrw=read\n")
        self.assertEqual(self.read(jobs), 262144)

    def test_what_was_appended_is_read(self):
        (self.folder / "f").write_bytes(bytes(65536))
        jobs = self.run_jobs("filename=f\n[w]\nrw=write\nsize=64k\nfile_append=1\nfallocate=none\n[r]\nstonewall\nrw=read\n")
        self.assertEqual(self.read(jobs), 131072)

    def test_wait_for_is_an_order_too(self):
        jobs = self.run_jobs("filename=f\n[w]\nrw=write\nsize=256k\nfallocate=none\n[r]\nwait_for=w\nrw=read\n")
        self.assertEqual(self.read(jobs), 262144)

    def test_a_part_of_it(self):
        jobs = self.run_jobs("filename=f\n[w]\nrw=write\nsize=256k\n[r]\nstonewall\nrw=read\nsize=50%\noffset=25%\n")
        self.assertEqual(self.read(jobs), 131072)

    def test_many_files_of_one_name_each(self):
        jobs = self.run_jobs("directory=.\nfilename_format=f.$filenum\nnrfiles=3\n[w]\nrw=write\nsize=192k\n[r]\nstonewall\nrw=randread\n")
        self.assertEqual(self.read(jobs), 196608)

    def test_what_a_later_job_lays_out_is_not_read(self):
        later = "[w2]\nstonewall\nrw=write\nsize=1m\n"
        for check in ("", "verify=crc32c\n"):
            jobs = self.run_jobs(f"filename=f\n{check}[w]\nrw=write\nsize=256k\n{'do_verify=0' if check else ''}\n[r]\nstonewall\nrw=read\n{later}")
            self.assertEqual((self.read(jobs), jobs["r"]["error"]), (262144, 0), check)
            (self.folder / "f").unlink()

    def test_another_name_of_the_file(self):
        (self.folder / "link").symlink_to("f")
        for name in ("link", "./f"):
            jobs = self.run_jobs(f"[w]\nfilename=f\nrw=write\nsize=256k\n[r]\nfilename={name}\nstonewall\nrw=read\n")
            self.assertEqual(self.read(jobs), 262144, name)
            (self.folder / "f").unlink()

    def test_who_waits_for_a_job_waits_for_those_that_it_waited_for(self):
        jobs = self.run_jobs("filename=f\n[w]\nrw=write\nsize=256k\ncreate_on_open=1\n[z]\nwait_for=w\nrw=read\n[r]\nwait_for=z\nrw=read\n")
        self.assertEqual((self.read(jobs, "z"), self.read(jobs)), (262144, 262144))

    def test_jobs_that_write_what_a_stage_has_made_share_it(self):
        jobs = self.run_jobs("filename=f\nbs=4k\n[w]\nrw=write\nsize=1m\ncreate_on_open=1\n[v]\nstonewall\nrw=randwrite\nverify=crc32c\nnumjobs=2\niodepth=8\n"
                             "ioengine=libaio\n")
        self.assertEqual(jobs["v"]["error"], 0, self.stderr)

    def test_blocks_that_an_earlier_stage_wrote_are_not_called_unwritten(self):
        jobs = self.run_jobs("filename=f\n[w]\nrw=write\nsize=1m\n[r]\nstonewall\nrw=read\ninvalidate=0\n", options=["--audit=auto"])
        findings = json.loads((self.folder / "out.json").read_text())["fathom"]["findings"]
        self.assertEqual([f["id"] for f in findings if f["id"] == "audit.unwritten"], [])
        self.assertEqual(self.read(jobs), 1 << 20)

    # As in fio, which lays out one job after the other before any of them starts.
    def test_jobs_that_start_together(self):
        jobs = self.run_jobs("filename=f\n[w]\nrw=write\nsize=256k\n[r]\nrw=read\n")
        self.assertEqual(self.read(jobs), 262144)

    def test_data_are_verified(self):
        jobs = self.run_jobs("filename=f\nverify=md5\n[w]\nrw=randwrite\nsize=256k\ndo_verify=0\n[r]\nstonewall\nrw=read\n")
        self.assertEqual(self.read(jobs), 262144)

    def test_repetitions_find_it_again(self):
        self.run_jobs("filename=f\n[w]\nrw=write\nsize=256k\n[r]\nstonewall\nrw=read\n", options=["--repeat=2"])

    def test_a_file_that_nobody_made_is_an_error_of_that_job(self):
        for removed in ("unlink=1\n", ""):
            text = f"[w]\nfilename=f\nrw=write\nsize=256k\n{removed}[r]\nfilename={'f' if removed else 'g'}\nstonewall\nrw=read\n"
            jobs = self.run_jobs(text, status=4)
            self.assertNotEqual(jobs["r"]["error"], 0, removed)
            self.assertEqual(jobs["w"]["write"]["io_bytes"], 262144)
            self.assertIn("does not exist and size= is missing", self.stderr)

    # fio's example surface-scan.fio, on a file system of 4 MiB.
    def test_a_surface_scan_verifies_what_filled_the_disk(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], check=False, capture_output=True).returncode != 0:
            self.skipTest("needs root and a mount of its own")
        (self.folder / "m").mkdir()
        script = 'mount -t tmpfs -o size=4m none m && exec "$@"'
        (self.folder / "job.fio").write_text(SURFACE_SCAN.replace("datafile.tmp", "m/datafile.tmp"))
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", FATHOM, "run", "job.fio", "--audit=off",
                               "--clock-check=skip", "--output-format=json", "--output=out.json"], cwd=self.folder, capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        jobs = {job["jobname"]: job for job in json.loads((self.folder / "out.json").read_text())["jobs"]}
        self.assertEqual(jobs["write-phase"]["write"]["io_bytes"], 4 << 20)
        self.assertEqual(jobs["verify-phase"]["read"]["io_bytes"], 4 << 20)


class Foreseen(Folder):
    def free(self):
        """Root has what is reserved too."""
        space = os.statvfs(self.folder)
        return (space.f_bfree if os.geteuid() == 0 else space.f_bavail) * space.f_frsize

    def call(self, *options):
        return subprocess.run([FATHOM, "run", "--name=big", *options], cwd=self.folder, capture_output=True, text=True, timeout=60)

    def test_files_beyond_the_free_space(self):
        too_much = f"--size={2 * self.free()}"
        done = self.call("--filename=f", too_much, "--parse-only")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: the files of job `big` do not fit", done.stderr)
        explained = self.call("--filename=f", too_much, "--explain-compat")
        self.assertEqual(explained.returncode, 2)
        self.assertIn("It would not run.\n\nwould fail here:\n", explained.stdout)
        self.assertFalse((self.folder / "f").exists())

    def test_files_of_several_jobs_share_the_space_and_one_file_counts_once(self):
        part = f"--size={int(0.4 * self.free())}"
        jobs = ("--name=b", part, "--name=c", part)
        apart = subprocess.run([FATHOM, "run", "--parse-only", "--name=a", part, *jobs], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertIn("the files of job `c` do not fit", apart.stderr)
        one = subprocess.run([FATHOM, "run", "--parse-only", "--filename=f", "--name=a", part, *jobs], cwd=self.folder, capture_output=True, text=True,
                             timeout=60)
        self.assertEqual(one.stderr, "")

    def test_what_may_never_be_written_is_no_need(self):
        size = f"--size={2 * self.free()}"
        for options in ("--io_size=1m", "--number_ios=10", "--runtime=1", "--create_only=1", "--unlink=1", "--allow_file_create=0"):
            done = self.call("--filename=f", "--rw=write", size, options, "--parse-only")
            self.assertEqual((done.returncode, done.stderr), (0, ""), options)
        far = self.call("--filename=f", "--rw=write", f"--offset={2 * self.free()}", "--size=1m", "--parse-only")
        self.assertEqual(far.stderr, "")
        self.assertIn("do not fit", self.call("--filename=f", "--rw=write", size, "--parse-only").stderr)

    def test_what_is_there_or_never_made_is_no_need(self):
        (self.folder / "f").write_bytes(b"x")
        os.truncate(self.folder / "f", 1 << 20)
        for options in (("--filename=f", "--size=1m"), ("--filename=f",), ("--ioengine=null", "--size=1000t"), ("--ioengine=sim", "--size=1000t"),
                        ("--rw=write", "--fill_device=1", "--filename=g")):
            done = self.call(*options, "--parse-only")
            self.assertEqual((done.returncode, done.stderr), (0, ""), options)


if __name__ == "__main__":
    unittest.main()
