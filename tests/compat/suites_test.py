# timeout: 300
# cost: 8
"""What fio 3.42's own suites ask of a program that is called fio, each by its smallest command. Debian's fio 3.33 gives the same counts, except where a comment
says so.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

FIO = str(pathlib.Path(os.environ.get("FATHOM", "fathom")).with_name("fio"))
BASE = os.environ.get("FATHOM_TEST_DIR", "/var/tmp")
ENGINES = ("psync", "libaio", "io_uring")


class Suites(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fathom-suites-", dir=BASE)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fio(self, *words, status=0):
        done = subprocess.run([FIO, "--name=v", *words], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def job(self, *words, status=0):
        return json.loads(self.fio("--output-format=json", *words, status=status))["jobs"][0]

    def counts(self, *words):
        job = self.job(*words)
        self.assertEqual(job["error"], 0)
        return job["read"]["total_ios"], job["write"]["total_ios"]

    def offsets(self, *words):
        self.fio("--ioengine=null", "--write_lat_log=w", "--log_offset=1", "--output=/dev/null", *words)
        rows = [row.split(", ") for row in (self.folder / "w_lat.1.log").read_text().splitlines()]
        return [row[4] for row in rows]

    # effect: openfiles
    def test_verify_reads_files_that_are_not_open(self):
        words = ["--rw=write", "--size=1m", "--verify=crc32c", "--nrfiles=3", "--openfiles=2"]
        self.assertEqual(self.counts(*words), (255, 255))
        for engine in ENGINES:
            for more in (["--rw=randwrite"], ["--iodepth=8"], ["--rw=randrw", "--verify_backlog=16", "--iodepth=8"], ["--verify_backlog=8", "--openfiles=1"]):
                with self.subTest(engine=engine, more=more):
                    job = self.job(*words, *more, f"--ioengine={engine}")
                    self.assertEqual(job["error"], 0)
                    self.assertGreaterEqual(job["read"]["total_ios"] + job["write"]["total_ios"], 255)

    def test_verify_sees_damage_in_a_file_that_was_closed(self):
        words = ["--rw=write", "--size=768k", "--verify=crc32c", "--nrfiles=3", "--openfiles=2"]
        self.fio(*words, "--do_verify=0")
        with open(self.folder / "v.0.2", "r+b") as file:
            file.seek(9000)
            file.write(b"damage")
        self.assertEqual(self.job(*words, "--verify_only", status=1)["error"], 84)

    def test_verify_only_counts_its_dry_run(self):
        words = ["--filename=x", "--rw=write", "--size=64k", "--verify=crc32c"]
        self.fio(*words, "--do_verify=0")
        before = (self.folder / "x").read_bytes()
        self.assertEqual(self.counts(*words, "--verify_only"), (16, 16))
        self.assertEqual((self.folder / "x").read_bytes(), before)
        mixed = ["--filename=y", "--rw=randrw", "--size=64k", "--verify=crc32c"]
        reads, writes = self.counts(*mixed, "--do_verify=0")
        self.assertEqual(self.counts(*mixed, "--verify_only"), (reads + writes, writes))

    # fio ends the writes where those and the reads of verify= are io_size together.
    def test_verify_only_reads_a_place_once(self):
        for more, reads, writes in ((["--io_size=128k"], 16, 32), (["--loops=3"], 16, 48), (["--rw=randwrite", "--loops=3"], 16, 48), (["--rw=write:4k"], 8, 16)):
            with self.subTest(more=more):
                words = ["--filename=x", "--rw=write", "--size=64k", "--verify=crc32c", *more]
                self.fio(*words, "--do_verify=0")
                self.assertEqual(self.counts(*words, "--verify_only"), (reads, writes))

    def test_a_seed_has_one_order(self):
        for more in ([], ["--random_generator=lfsr"], ["--bs=4k", "--norandommap"]):
            words = ["--filename=x", "--size=1m", "--bs=4k", *more]
            self.assertEqual(self.offsets("--rw=randread", *words), self.offsets("--rw=randwrite", *words))
            self.assertNotEqual(self.offsets("--rw=randread", *words), self.offsets("--rw=randread", "--randseed=7", *words))

    # effect: debug
    def test_debug_lines_go_to_the_output(self):
        said = self.fio("--rw=randread", "--size=64k", "--ioengine=null", "--debug=random", "--output=F")
        text = (self.folder / "F").read_text()
        self.assertEqual(said, "fio: set debug option random\n")
        self.assertEqual(re.findall(r"^random   \d+ +FIO_RAND_NR_OFFS=(\d+)$", text, re.M), ["24"])
        self.assertEqual([int(n) for n in re.findall(r"^random   \d+ +rand_seeds\[(\d+)\]=\d+$", text, re.M)], list(range(24)))
        self.assertIn("read: IOPS=", text)
        self.fio("--rw=randread", "--size=64k", "--ioengine=null", "--debug=parse", "--output=F", "--output-format=json")
        self.assertRegex((self.folder / "F").read_text(), r"^parse    \d+ +handle_option=rw, ptr=randread\b")

    def test_the_threshold_of_a_steady_state_is_shown(self):
        for rule, words in (("iops:10", "IOPS threshold to 10.000000"), ("bw_slope:0.1%", "threshold to 0.100000%"), ("bw:1m", "BW threshold to 1048576")):
            text = self.fio("--ioengine=null", "--size=64k", "--parse-only", "--debug=parse", f"--ss={rule}")
            self.assertEqual(re.findall(r"^parse    \d+ +set steady state (.*)$", text, re.M), [words])

    def test_a_steady_state_has_a_value_for_each_interval(self):
        job = self.job("--ioengine=null", "--size=1g", "--time_based", "--runtime=200ms", "--ss=bw_slope:0.1%", "--ss_dur=5", "--ss_ramp=10")
        data = job["steadystate"]["data"]
        self.assertEqual((data["bw"], data["iops"], data["bw_mean"]), ([0] * 5, [0] * 5, 0))

    # effect: sprandom
    def test_sprandom_sets_what_it_needs(self):
        job = self.job("--ioengine=null", "--rw=randwrite", "--size=4m", "--bs=4k", "--blockalign=4k", "--sprandom=1", "--spr_op=0.25", "--spr_num_regions=4")
        self.assertEqual((job["error"], job["write"]["total_ios"]), (0, 1280))

    # effect: verify_state_load
    def test_a_state_of_several_passes_is_loaded(self):
        for write, read in (("write", "read"), ("randwrite", "randread"), ("randwrite", "read"), ("write", "randread")):
            for files in ([], ["--nrfiles=4", "--ioengine=libaio", "--iodepth=32"]) if write == "write" else ([],):
                with self.subTest(write=write, read=read, files=files):
                    words = ["--size=512k", "--verify=md5", *files]
                    self.fio(*words, f"--rw={write}", "--loops=4", "--verify_state_save=1", "--do_verify=0")
                    for loops in (1,) if files else (4, 1):
                        self.assertEqual(self.counts(*words, f"--rw={read}", f"--loops={loops}", "--verify_state_load=1"), (128 * loops, 0))
                    name = "v.0.0"
                    with open(self.folder / name, "r+b") as file:
                        file.seek(5000)
                        file.write(b"damage")
                    self.assertEqual(self.job(*words, f"--rw={read}", "--loops=4", "--verify_state_load=1", status=1)["error"], 84)

    def test_a_lost_last_pass_is_found_by_the_state(self):
        words = ["--size=64k", "--verify=md5", "--filename=x"]
        self.fio(*words, "--rw=randwrite", "--loops=3", "--verify_state_save=1", "--do_verify=0", "--randseed=3")
        old = (self.folder / "x").read_bytes()
        self.fio(*words, "--rw=randwrite", "--loops=3", "--verify_state_save=1", "--do_verify=0", "--randseed=3")
        new = bytearray((self.folder / "x").read_bytes())
        new[8192:12288] = old[8192:12288]
        (self.folder / "x").write_bytes(new)
        self.assertEqual(self.job(*words, "--rw=randread", "--randseed=3", "--verify_state_load=1", status=1)["error"], 84)

    def test_a_timed_read_touches_only_what_was_written(self):
        words = ["--filename=x", "--bs=512", "--size=256k", "--verify=crc32c", "--time_based", "--norandommap"]
        self.fio(*words, "--rw=randwrite", "--runtime=200ms", "--do_verify=0", "--rate_iops=4000", "--verify_state_save=0")
        self.assertGreater(self.counts(*words, "--rw=randread", "--runtime=400ms", "--rate_iops=4000")[0], 600)

    def test_zero_is_accepted(self):
        for option in ("numjobs", "loops", "nrfiles", "bwavgtime", "iopsavgtime", "thinktime_blocks", "num_range"):
            self.assertEqual(self.counts("--ioengine=null", "--size=16k", f"--{option}=0"), (4, 0))
        # effect: filetype=none
        self.assertEqual(self.counts("--filename=x", "--size=16k", "--filetype=none"), (4, 0))

    def test_what_debian_lacks_is_named(self):
        for engine, missing in (("libhdfs", "libhdfs, which Debian does not have"), ("ime_aio", "DDN IME, which Debian does not have"), ("libpmem", "libpmem-dev"),
                                ("dev-dax", "/dev/dax*")):
            done = subprocess.run([FIO, "--name=a", f"--ioengine={engine}", "--size=1m"], cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 1)
            self.assertIn(missing, done.stderr)


if __name__ == "__main__":
    unittest.main()
