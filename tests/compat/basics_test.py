# timeout: 600
# cost: 12
"""What the everyday options do, each seen where it acts: in the counts of the result, in the system calls of the job (strace) or on the disk. Marks name the
options; tests/house/effects_test.py reads them.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "house"))
from straced import whole_calls  # noqa: E402

FATHOM = os.environ.get("FATHOM", "fathom")
BASE = os.environ.get("FATHOM_TEST_DIR", "/var/tmp")


class JobOptionEffects(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fathom-basics-", dir=BASE)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def fathom(self, *words, prefix=()):
        done = subprocess.run([*prefix, FATHOM, "run", "--clock-check=skip", "--audit=off", *words], cwd=self.folder, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def report(self, *words):
        return json.loads(self.fathom("--output-format=json", *words))

    def job(self, *words):
        """The first job's part of the result."""
        return self.report("--name=j", *words)["jobs"][0]

    def calls(self, of, *words):
        """The lines of these system calls that a run made on its file `f`, whatever process made them."""
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        trace = self.folder / "trace.txt"
        self.fathom("--name=j", "--filename=f", "--output=/dev/null", *words, prefix=["strace", "-f", "-y", "-e", f"trace={of}", "-o", str(trace)])
        return [row for row in whole_calls(trace.read_text()) if f"{self.folder}/f" in row or '"f"' in row]

    def offsets(self, call, *words):
        """(offset, bytes) of each call on the file, in order."""
        found = [re.search(r"(\d+), (\d+)\) += (\d+)", row) for row in self.calls(call, *words)]
        return [(int(m[2]), int(m[1])) for m in found if m]

    # effect: bs
    def test_bs_is_the_size_of_each_io(self):
        self.assertEqual({size for _, size in self.offsets("pread64", "--size=64k", "--bs=16k")}, {16384})

    # effect: bsrange
    def test_bsrange_draws_every_multiple(self):
        sizes = {size for _, size in self.offsets("pread64", "--size=1m", "--bsrange=4k-16k")}
        self.assertEqual(sizes, {4096, 8192, 12288, 16384})

    # effect: bs_unaligned
    def test_bs_unaligned_draws_any_size(self):
        sizes = {size % 1024 for _, size in self.offsets("pread64", "--size=256k", "--bsrange=1k-4k", "--bs_unaligned=1")}
        self.assertGreater(len(sizes), 3)

    # effect: ba
    def test_ba_aligns_random_offsets(self):
        offsets = [at for at, _ in self.offsets("pread64", "--rw=randread", "--size=1m", "--bs=4k", "--ba=64k", "--norandommap", "--number_ios=30")]
        self.assertEqual({at % 65536 for at in offsets}, {0})

    # effect: rw
    def test_rw_selects_directions_and_order(self):
        for mode, reads, writes in (("read", True, False), ("randread", True, False), ("write", False, True), ("randwrite", False, True), ("rw", True, True),
                                    ("randrw", True, True)):
            job = self.job(f"--rw={mode}", "--filename=f", "--size=256k")
            self.assertEqual((job["read"]["total_ios"] > 0, job["write"]["total_ios"] > 0), (reads, writes), mode)
        order = [at for at, _ in self.offsets("pread64", "--rw=read", "--size=64k")]
        self.assertEqual(order, list(range(0, 65536, 4096)))
        drawn = [at for at, _ in self.offsets("pread64", "--rw=randread", "--size=64k")]
        self.assertEqual((sorted(drawn), drawn == order), (order, False))

    # effect: rw_sequencer
    def test_rw_sequencer_repeats_or_follows_offsets(self):
        at = [at for at, _ in self.offsets("pread64", "--rw=randread:4", "--rw_sequencer=identical", "--size=1m", "--number_ios=32")]
        self.assertEqual(at, [at[n - n % 4] for n in range(32)])
        at = [at for at, _ in self.offsets("pread64", "--rw=randread:4", "--rw_sequencer=sequential", "--size=1m", "--number_ios=32")]
        self.assertTrue(all(at[n] == at[n - 1] + 4096 for n in range(32) if n % 4))

    # effect: rwmixread rwmixwrite
    def test_rwmixread_and_rwmixwrite_set_the_share(self):
        for words, low, high in ((["--rwmixread=90"], 0.84, 0.96), (["--rwmixwrite=90"], 0.04, 0.16)):
            job = self.job("--ioengine=null", "--rw=randrw", "--size=8m", *words)
            share = job["read"]["total_ios"] / (job["read"]["total_ios"] + job["write"]["total_ios"])
            self.assertTrue(low < share < high, share)

    # effect: direct buffered
    def test_direct_and_buffered_set_o_direct(self):
        for words, wanted in ((["--direct=1"], True), (["--direct=0"], False), (["--buffered=0"], True), (["--buffered=1"], False)):
            opens = [row for row in self.calls("openat", "--rw=write", "--size=64k", "--fallocate=none", *words) if "O_WRONLY" in row or "O_RDWR" in row]
            self.assertTrue(opens)
            self.assertEqual(any("O_DIRECT" in row for row in opens), wanted, opens)

    # effect: sync
    def test_sync_sets_o_sync_or_o_dsync(self):
        for value, flag in (("sync", "O_SYNC"), ("dsync", "O_DSYNC"), ("1", "O_SYNC"), ("none", ""), ("0", "")):
            opens = self.calls("openat", "--rw=write", "--size=16k", f"--sync={value}")
            flags = set(re.findall(r"\bO_D?SYNC\b", " ".join(opens)))
            self.assertEqual(flags, {flag} if flag else set(), value)

    # effect: fdatasync
    def test_fdatasync_is_called_every_nth_write(self):
        self.assertEqual(len(self.calls("fdatasync", "--rw=write", "--size=64k", "--fdatasync=4")), 3)  # none behind the last write, as fio

    # effect: end_fsync
    def test_end_fsync_follows_the_last_write(self):
        calls = self.calls("pwrite64,fsync", "--rw=write", "--size=16k", "--end_fsync=1", "--create_fsync=0")
        self.assertIn("fsync(", calls[-1])
        self.assertIn("pwrite64(", calls[-2])

    # effect: fallocate
    def test_fallocate_selects_the_call(self):
        for value, wanted in (("none", None), ("native", "0, 0"), ("posix", "0, 0"), ("1", "0, 0"), ("keep", "FALLOC_FL_KEEP_SIZE"), ("truncate", "ftruncate"), ("0", None)):
            (self.folder / "f").unlink(missing_ok=True)
            calls = self.calls("fallocate,ftruncate", "--rw=write", "--size=64k", f"--fallocate={value}")
            self.assertEqual(any(wanted in row for row in calls) if wanted else bool([row for row in calls if "fallocate" in row]), bool(wanted), (value, calls))

    # effect: filesize
    def test_filesize_is_the_size_of_each_file(self):
        self.fathom("--name=j", "--rw=read", "--nrfiles=3", "--filesize=64k", "--output=/dev/null")
        self.assertEqual([os.path.getsize(path) for path in sorted(self.folder.glob("j.0.*"))], [65536] * 3)

    # effect: invalidate
    def test_invalidate_drops_the_page_cache(self):
        (self.folder / "f").write_bytes(bytes(65536))
        dropped = [len([row for row in self.calls("fadvise64", "--rw=read", "--size=64k", f"--invalidate={value}") if "DONTNEED" in row]) for value in (1, 0)]
        self.assertTrue(dropped[0] > 0 and dropped[1] == 0, dropped)

    # effect: norandommap
    def test_norandommap_may_revisit_blocks(self):
        with_map = {at for at, _ in self.offsets("pread64", "--rw=randread", "--size=256k", "--bs=4k")}
        without = {at for at, _ in self.offsets("pread64", "--rw=randread", "--size=256k", "--bs=4k", "--norandommap")}
        self.assertEqual(len(with_map), 64)
        self.assertLess(len(without), 64)

    # effect: randseed randrepeat allrandrepeat
    def test_randseed_and_randrepeat_decide_the_order(self):
        def order(*words):
            return self.offsets("pread64", "--rw=randread", "--size=256k", *words)
        self.assertEqual(order("--randseed=5"), order("--randseed=5"))
        self.assertNotEqual(order("--randseed=5"), order("--randseed=6"))
        self.assertEqual(order("--randrepeat=1"), order("--randrepeat=1"))
        self.assertNotEqual(order("--randrepeat=0"), order("--randrepeat=0"))
        self.assertEqual(order("--allrandrepeat=1"), order("--allrandrepeat=1"))

    # effect: ioengine
    def test_ioengine_selects_the_system_call(self):
        for engine, call in (("psync", "pread64"), ("sync", "read"), ("pvsync2", "preadv2"), ("libaio", "io_submit")):
            done = self.calls(call, f"--ioengine={engine}", "--size=64k") if engine != "libaio" else None
            if done is not None:
                self.assertGreaterEqual(len(done), 16, engine)
        self.assertEqual(self.job("--ioengine=null", "--size=64k")["read"]["total_ios"], 16)

    # effect: iodepth
    def test_iodepth_is_reached(self):
        job = self.job("--ioengine=sim", "--sim_latency=const:100us", "--size=1m", "--iodepth=8")
        self.assertGreater(float(job["iodepth_level"]["8"]), 90)
        self.assertEqual(float(self.job("--ioengine=sim", "--size=1m")["iodepth_level"]["1"]), 100)

    # effect: iodepth_batch
    def test_iodepth_batch_is_submitted_at_once(self):
        submits = self.job("--ioengine=sim", "--size=1m", "--iodepth=16", "--iodepth_batch=8", "--iodepth_batch_complete_min=8")["iodepth_submit"]
        self.assertGreater(float(submits["8"]), 90)

    # effect: sim_latency
    def test_sim_latency_is_the_measured_latency(self):
        self.assertAlmostEqual(self.job("--ioengine=sim", "--sim_latency=const:300us", "--size=64k")["read"]["lat_ns"]["mean"], 300_000, delta=1000)

    # effect: sim_seed
    def test_sim_seed_decides_the_latencies(self):
        def mean(seed):
            return self.job("--ioengine=sim", "--sim_latency=exp:100us", f"--sim_seed={seed}", "--size=1m")["read"]["lat_ns"]["mean"]
        self.assertEqual(mean(3), mean(3))
        self.assertNotEqual(mean(3), mean(4))

    # effect: sim_fail_every
    def test_sim_fail_every_fails_the_job(self):
        done = subprocess.run([FATHOM, "run", "--name=j", "--ioengine=sim", "--sim_fail_every=5", "--size=64k", "--output-format=json"], cwd=self.folder,
                              capture_output=True, text=True, timeout=60)
        self.assertNotEqual(json.loads(done.stdout)["jobs"][0]["error"], 0)

    # effect: sim_servers
    def test_sim_servers_lets_the_others_wait(self):
        def mean(*options):
            return self.job("--ioengine=sim", "--sim_latency=const:100us", "--size=4m", "--iodepth=8", *options)["read"]["lat_ns"]["mean"]
        self.assertAlmostEqual(mean(), 100_000, delta=1000)
        self.assertAlmostEqual(mean("--sim_servers=1"), 800_000, delta=10_000)
        self.assertAlmostEqual(mean("--sim_servers=4"), 200_000, delta=3000)

    # effect: rate
    def test_rate_bounds_the_runtime(self):
        job = self.job("--ioengine=sim", "--sim_latency=const:10us", "--size=1m", "--rate=1m")
        self.assertAlmostEqual(job["read"]["runtime"], 1000, delta=20)

    # effect: thinktime thinktime_blocks
    def test_thinktime_pauses_after_thinktime_blocks(self):
        each = self.job("--ioengine=sim", "--sim_latency=const:10us", "--size=256k", "--thinktime=1ms")["read"]["runtime"]
        fourth = self.job("--ioengine=sim", "--sim_latency=const:10us", "--size=256k", "--thinktime=1ms", "--thinktime_blocks=4")["read"]["runtime"]
        self.assertTrue(60 <= each <= 70 and 14 <= fourth <= 20, (each, fourth))

    # effect: startdelay
    def test_startdelay_delays_the_job(self):
        starts = [job["job_start"] for job in self.report("--ioengine=null", "--size=4k", "--name=a", "--name=b", "--startdelay=300ms")["jobs"]]
        self.assertTrue(250 <= starts[1] - starts[0] <= 5000, starts)

    # effect: stonewall new_group
    def test_stonewall_and_new_group_begin_a_group(self):
        for option in ("stonewall", "new_group"):
            jobs = self.report("--ioengine=null", "--size=4k", "--name=a", "--name=b", f"--{option}")["jobs"]
            self.assertEqual([job["groupid"] for job in jobs], [0, 1], option)

    # effect: group_reporting
    def test_group_reporting_merges_the_clones(self):
        self.assertEqual(len(self.report("--name=j", "--ioengine=null", "--size=4k", "--numjobs=3")["jobs"]), 3)
        jobs = self.report("--name=j", "--ioengine=null", "--size=4k", "--numjobs=3", "--group_reporting")["jobs"]
        self.assertEqual([job["read"]["total_ios"] for job in jobs], [3])

    # effect: thread
    def test_thread_clones_a_thread(self):
        for words, wanted in (([], False), (["--thread"], True)):
            cloned = "\n".join(self.clone_flags(*words))
            self.assertEqual("CLONE_THREAD" in cloned, wanted, cloned)

    def clone_flags(self, *words):
        trace = self.folder / "trace.txt"
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        self.fathom("--name=j", "--ioengine=null", "--size=4k", "--output=/dev/null", "--eta=never", *words,
                    prefix=["strace", "-f", "-e", "trace=clone,clone3,fork,vfork", "-o", str(trace)])
        return [row for row in whole_calls(trace.read_text()) if "clone" in row]

    # effect: name description
    def test_name_and_description_are_shown(self):
        text = self.fathom("--name=some_job", "--description=some words", "--ioengine=null", "--size=4k")
        self.assertTrue("some_job" in text and "some words" in text, text)

    # effect: kb_base
    def test_kb_base_sets_the_size_of_a_kilobyte(self):
        self.assertEqual(self.job("--ioengine=null", "--kb_base=1000", "--bs=4k", "--size=40k")["read"]["io_bytes"], 40000)
        self.assertEqual(self.job("--ioengine=null", "--kb_base=1024", "--bs=4k", "--size=40k")["read"]["io_bytes"], 40960)

    # effect: disable_lat disable_clat disable_slat gtod_reduce
    def test_disable_options_and_gtod_reduce_drop_latencies(self):
        def counted(*words):
            part = self.job("--ioengine=sim", "--size=64k", "--iodepth=2", *words)["read"]
            return [part[key]["N"] > 0 for key in ("slat_ns", "clat_ns", "lat_ns")]
        self.assertEqual(counted(), [True] * 3)
        self.assertEqual(counted("--disable_lat=1"), [True, True, False])
        self.assertEqual(counted("--disable_clat=1"), [True, False, True])
        self.assertEqual(counted("--disable_slat=1"), [False, True, True])
        self.assertEqual(counted("--gtod_reduce=1"), [False] * 3)

    # effect: percentile_list clat_percentiles lat_percentiles slat_percentiles
    def test_percentile_options_select_what_is_shown(self):
        part = self.job("--ioengine=sim", "--size=64k", "--iodepth=2", "--percentile_list=50:90")["read"]
        self.assertEqual(list(part["clat_ns"]["percentile"]), ["50.000000", "90.000000"])
        for option, key in (("lat_percentiles", "lat_ns"), ("slat_percentiles", "slat_ns")):
            part = self.job("--ioengine=sim", "--size=64k", "--iodepth=2", f"--{option}=1", "--clat_percentiles=0")["read"]
            self.assertIn("percentile", part[key], option)
            self.assertNotIn("percentile", part["clat_ns"])

    # effect: cpus_allowed
    def test_cpus_allowed_sets_the_affinity(self):
        trace = self.folder / "trace.txt"
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        self.fathom("--name=j", "--ioengine=null", "--size=4k", "--cpus_allowed=0", "--output=/dev/null",
                    prefix=["strace", "-f", "-e", "trace=sched_setaffinity", "-o", str(trace)])
        self.assertRegex(trace.read_text(), r"sched_setaffinity\(\d+, \d+, \[0\]\)")

    # effect: verify=crc32c verify=crc32c-intel do_verify
    def test_verify_reads_back_unless_do_verify_is_0(self):
        for verify in ("crc32c", "crc32c-intel"):
            job = self.job("--filename=f", "--rw=write", "--size=64k", f"--verify={verify}")
            self.assertEqual((job["write"]["total_ios"], job["read"]["total_ios"]), (16, 16))
        job = self.job("--filename=f", "--rw=write", "--size=64k", "--verify=crc32c", "--do_verify=0")
        self.assertEqual(job["read"]["total_ios"], 0)

    # effect: verify_only
    def test_verify_only_writes_nothing(self):
        self.job("--filename=f", "--rw=write", "--size=64k", "--verify=crc32c", "--do_verify=0")
        self.assertEqual(self.calls("pwrite64", "--rw=write", "--size=64k", "--verify=crc32c", "--verify_only"), [])

    # effect: ramp_time
    def test_ramp_time_is_not_counted(self):
        whole = self.job("--ioengine=sim", "--sim_latency=const:1ms", "--size=1m")["read"]["total_ios"]
        rest = self.job("--ioengine=sim", "--sim_latency=const:1ms", "--size=1m", "--ramp_time=100ms")["read"]["total_ios"]
        self.assertTrue(whole == 256 and 140 <= rest <= 170, (whole, rest))

    # effect: random_distribution
    def test_random_distribution_skews_the_offsets(self):
        """zipf:1.2 hits few blocks often; zoned puts nine tenths into the first tenth."""
        def hits(distribution):
            at = [at for at, _ in self.offsets("pread64", "--rw=randread", "--size=1m", "--bs=4k", "--number_ios=400", "--norandommap", f"--random_distribution={distribution}")]
            return at
        zipf = hits("zipf:1.2")
        self.assertGreater(max(zipf.count(at) for at in set(zipf)), 40)
        zoned = hits("zoned:90/10:10/90")
        self.assertGreater(sum(at < (1 << 20) // 10 for at in zoned) / len(zoned), 0.8)


if __name__ == "__main__":
    unittest.main()
