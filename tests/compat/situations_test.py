# timeout: 300
# cost: 5
"""What goes wrong around a job is said clearly and takes nothing else with it: the disk of a log fills up, more files than descriptors, a folder that the
user may not write to. SITUATIONS_FILES=10000 is the long form (scripts/check situations).
"""
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

FATHOM = os.environ.get("FATHOM", "fathom")
FILES = int(os.environ.get("SITUATIONS_FILES", "300"))
NOBODY = 65534


class ResourceLimits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fathom-situations-", dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fio(self, *words, **kwargs):
        link = pathlib.Path(FATHOM).parent / "fio"
        return subprocess.run([str(link if link.exists() else FATHOM), "--output-format=json", *words], cwd=self.folder, capture_output=True, text=True,
                              timeout=250, **kwargs)

    def test_a_log_on_a_full_disk_fails_its_job_but_keeps_the_result(self):
        (self.folder / "p_lat.1.log").symlink_to("/dev/full")
        done = self.fio("--name=a", "--filename=f", "--size=1m", "--write_lat_log=p", "--name=b", "--filename=g", "--size=1m")
        self.assertEqual(done.returncode, 1)
        self.assertIn("p_lat.1.log: No space left on device", done.stderr)
        jobs = json.loads(done.stdout)["jobs"]
        self.assertEqual([job["read"]["total_ios"] for job in jobs], [256, 256])
        self.assertEqual([job["error"] for job in jobs], [28, 0])
        self.assertEqual(len((self.folder / "p_clat.1.log").read_text().splitlines()), 256)

    def few_descriptors(self):
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

    def test_with_openfiles_more_files_than_descriptors_are_written(self):
        done = self.fio("--name=j", "--rw=write", f"--nrfiles={FILES}", "--filesize=4k", "--openfiles=100", "--bs=4k", "--buffer_pattern=0x5a",
                        "--create_fsync=0", preexec_fn=self.few_descriptors)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(json.loads(done.stdout)["jobs"][0]["write"]["total_ios"], FILES)
        written = [path.read_bytes() for path in self.folder.glob("j.0.*")]
        self.assertEqual((len(written), set(written)), (FILES, {b"\x5a" * 4096}))

    def test_without_openfiles_the_limit_is_named(self):
        done = self.fio("--name=j", "--rw=write", f"--nrfiles={FILES}", "--filesize=4k", "--bs=4k", "--create_fsync=0", preexec_fn=self.few_descriptors)
        self.assertEqual(done.returncode, 1)
        for word in ("Too many open files", "ulimit -n", "openfiles="):
            self.assertIn(word, done.stderr)

    def test_an_unwritable_folder_is_named(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to become somebody else")
        os.chmod(self.folder, 0o755)
        reached = subprocess.run([FATHOM, "--version"], user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True)
        if reached.returncode != 0:
            self.skipTest("the program lies where nobody may not look")
        as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        done = self.fio("--name=j", "--ioengine=null", "--size=1m", "--write_lat_log=p", **as_nobody)
        self.assertEqual(done.returncode, 1)
        self.assertIn("Permission denied", done.stderr)
        self.assertIn("write_*_log=", done.stderr)
        os.chmod(self.folder, 0o777)
        done = self.fio("--name=j", "--filename=f", "--rw=write", "--size=1m", "--write_lat_log=p", **as_nobody)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
