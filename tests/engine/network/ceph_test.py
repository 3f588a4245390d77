"""ioengine=rbd and ioengine=rados against a Ceph cluster of one OSD: the OSD's own counters of operations and bytes equal what the run counted, for each kind.
What the library does not offer is refused before the start; errors of the cluster and its end are data. No verdict depends on time."""
# label: network
# timeout: 600
# cost: 90
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import ceph_server
import own_network
from ceph_server import POOL

FATHOM = os.environ["FATHOM"]
PLUGINS = {engine: pathlib.Path(os.environ["FATHOM_BUILD"], f"fathom_{engine}.so") for engine in ("rbd", "rados")}
MIB = 1 << 20
IMAGE = "image"
RBD, RADOS = ["--ioengine=rbd", f"--rbdname={IMAGE}", f"--allow-destructive={POOL}/{IMAGE}"], ["--ioengine=rados"]


def document(text):
    return json.loads(text[text.index("{"):])["fathom"]


class WithCluster(unittest.TestCase):
    MORE = ""

    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(ceph_server.cluster(cls.MORE))
        # With the layering feature alone, a request of the job is one operation of the OSD.
        cls.cluster.call("rbd", "create", f"{POOL}/{IMAGE}", "--size", "2M", "--image-feature", "layering")

    def command(self, *words):
        return [FATHOM, "run", "--name=t", f"--pool={POOL}", f"--conf={self.cluster.config}", "--bs=4k", "--clock-check=skip", "--output-format=json", *words]

    def run_job(self, *words):
        return subprocess.run(self.command(*words), capture_output=True, text=True, timeout=120)

    def passed(self, *words):
        done = self.run_job(*words)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout[-1500:]}\n{done.stderr}")
        return document(done.stdout)

    def refused(self, cause, *words):
        done = self.run_job(*words)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count(": error: "), 1, done.stderr)
        self.assertIn(cause, done.stderr)
        return done.stderr

    def moved(self, *words):
        """The result, and what the OSD counted meanwhile."""
        before = self.cluster.counted()
        result = self.passed(*words)
        return result, ceph_server.Counted(*(now - then for now, then in zip(self.cluster.counted(), before)))

    def assert_counts_agree(self, result, counted, looks):
        """looks: questions for the size of an object, each a read of 16 bytes."""
        jobs = result["jobs"]
        of = {name: [sum(job[name][what] for job in jobs if name in job) for what in ("ios", "bytes")] for name in ("read", "write")}
        self.assertEqual((counted.reads - looks, counted.read_bytes - 16 * looks), tuple(of["read"]))
        self.assertEqual(counted.written_bytes, of["write"][1])
        self.assertEqual(counted.writes, of["write"][0] + (len(jobs) if of["write"][0] else 0), "one more of each job creates its object")
        self.assertEqual(sum(job["error"] for job in jobs), 0)


class Objects(WithCluster):
    def test_operations_and_bytes_of_each_kind(self):
        for words in (("--rw=read",), ("--rw=randread", "--bsrange=512-64k"), ("--rw=write",), ("--rw=randrw", "--rwmixread=30"), ("--rw=randwrite", "--sync=1")):
            for depth in (1, 32):
                with self.subTest(words=words, depth=depth):
                    self.passed(*RADOS, "--rw=write", "--bs=1m", "--size=2m")
                    result, counted = self.moved(*RADOS, *words, "--size=2m", f"--iodepth={depth}")
                    self.assert_counts_agree(result, counted, looks=2)

    # effect: touch_objects
    def test_objects_are_created_unless_the_job_says_no(self):
        _, counted = self.moved(*RADOS, "--rw=write", "--size=64k", "--nrfiles=4", "--filename_format=touched.$filenum")
        self.assertEqual(counted.writes, 16 + 4)
        _, counted = self.moved(*RADOS, "--rw=write", "--size=64k", "--nrfiles=4", "--filename_format=touched.$filenum", "--touch_objects=0")
        self.assertEqual(counted.writes, 16)

    def test_names_are_those_of_fio_in_the_pool(self):
        result = self.passed(*RADOS, "--rw=write", "--size=64k", "--nrfiles=2")
        self.assertLessEqual({"t.0.0", "t.0.1"}, set(self.cluster.call("rados", "-p", POOL, "ls").split()))
        self.assertIn(f"{POOL}/t.0.0", json.dumps(result))

    def test_an_object_that_is_read_is_filled_before(self):
        name = "--filename=filled"
        _, counted = self.moved(*RADOS, "--rw=read", "--size=1m", name)
        self.assertEqual((counted.read_bytes, counted.written_bytes), (MIB, MIB))
        self.assertEqual(self.cluster.call("rados", "-p", POOL, "stat", "filled").split()[-1], str(MIB))

    def test_what_was_written_is_verified_and_damage_is_found(self):
        words = (*RADOS, "--filename=checked", "--size=1m", "--verify=crc32c", "--iodepth=16")
        self.passed(*words, "--rw=randwrite", "--bsrange=4k-16k")
        with tempfile.NamedTemporaryFile() as other:
            other.write(b"\0" * MIB)
            other.flush()
            self.cluster.call("rados", "-p", POOL, "put", "checked", other.name)
        done = self.run_job(*words, "--rw=read")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("verify", done.stdout + done.stderr)

    def test_a_trim_makes_zeros(self):
        words = (*RADOS, "--filename=trimmed", "--size=1m")
        self.passed(*words, "--rw=write", "--buffer_pattern=0xab")
        self.passed(*words, "--rw=trim", "--io_size=512k", "--iodepth=8")
        with tempfile.TemporaryDirectory() as folder:
            self.cluster.call("rados", "-p", POOL, "get", "trimmed", f"{folder}/data")
            self.assertEqual(pathlib.Path(folder, "data").read_bytes(), bytes(MIB // 2) + b"\xab" * (MIB // 2))

    def test_jobs_have_a_connection_each(self):
        self.passed(*RADOS, "--rw=write", "--size=256k", "--numjobs=3")  # makes the objects
        for words in ((), ("--thread",), ("--fsync=4",)):
            with self.subTest(words=words):
                result, counted = self.moved(*RADOS, "--rw=randwrite", "--size=256k", "--numjobs=3", "--iodepth=4", *words)
                self.assert_counts_agree(result, counted, looks=2 * len(result["jobs"]))

    def test_more_than_an_object_may_have(self):
        self.cluster.call("ceph", "config", "set", "osd", "osd_max_object_size", str(MIB))
        self.addCleanup(self.cluster.call, "ceph", "config", "rm", "osd", "osd_max_object_size")
        done = self.run_job(*RADOS, "--rw=write", "--size=2m", "--filename=large")
        job, = document(done.stdout)["jobs"]
        self.assertEqual(job["write"]["bytes"], MIB)
        self.assertIn("File too large", done.stdout + done.stderr)


class Images(WithCluster):
    def test_operations_and_bytes_of_each_kind(self):
        self.passed(*RBD, "--rw=write")
        for words in (("--rw=read",), ("--rw=randread", "--bsrange=512-64k"), ("--rw=write", "--end_fsync=1"), ("--rw=randrw", "--rwmixread=30", "--end_fsync=1")):
            for depth in (1, 32):
                with self.subTest(words=words, depth=depth):
                    result, counted = self.moved(*RBD, *words, f"--iodepth={depth}")
                    jobs = result["jobs"]
                    self.assertEqual(sum(job["error"] for job in jobs), 0)
                    # The image's header is read, too: less than a page.
                    self.assertLess(counted.read_bytes - sum(job.get("read", {}).get("bytes", 0) for job in jobs), 4096)
                    self.assertEqual(counted.written_bytes, sum(job.get("write", {}).get("bytes", 0) for job in jobs))

    def test_the_image_has_what_was_written(self):
        self.passed(*RBD, "--rw=randwrite", "--iodepth=8", "--buffer_pattern=0xab")
        self.passed(*RBD, "--rw=trim", "--io_size=1m", "--bs=64k")
        with tempfile.TemporaryDirectory() as folder:
            self.cluster.call("rbd", "export", f"{POOL}/{IMAGE}", f"{folder}/data")
            self.assertEqual(pathlib.Path(folder, "data").read_bytes(), bytes(MIB) + b"\xab" * MIB)

    def test_what_was_written_is_verified(self):
        job, = self.passed(*RBD, "--rw=randwrite", "--verify=crc32c", "--iodepth=16", "--bsrange=4k-16k")["jobs"]
        self.assertEqual(job["write"]["bytes"], 2 * MIB)

    def test_a_write_is_durable_without_the_cache_alone(self):
        self.refused("the target does not offer writes with FUA", *RBD, "--rw=write", "--sync=1")
        uncached = self.cluster.folder / "uncached.conf"
        uncached.write_text(self.cluster.config.read_text().replace("[client]", "[client]\nrbd_cache = false"))
        result = self.passed(*RBD, "--rw=write", "--sync=1", f"--conf={uncached}")
        self.assertIn("no cache", json.dumps(result))
        self.assertIn("writes complete in its cache (writearound)", json.dumps(self.passed(*RBD, "--rw=write")))

    # effect: busy_poll
    def test_polling_does_not_sleep(self):
        def sleeps(*words):
            words = self.command(*RADOS, "--rw=randread", "--size=1m", "--filename=polled", "--thread", "--audit=off", *words)
            with tempfile.NamedTemporaryFile("r") as calls:
                subprocess.run(["strace", "-f", "-o", calls.name, "-e", "trace=futex", *words], stdout=subprocess.DEVNULL, timeout=120, check=True)
                return calls.read().count("FUTEX_WAIT_BITSET")
        sleeps()  # makes the object
        self.assertLess(sleeps("--busy_poll=1"), sleeps() - 100, "of 256 reads")

    def test_jobs_have_a_connection_each(self):
        for words in ((), ("--thread",)):
            with self.subTest(words=words):
                result = self.passed(*RBD, "--rw=randread", "--numjobs=3", "--iodepth=4", *words)
                self.assertEqual(sum(job["read"]["bytes"] for job in result["jobs"]), 6 * MIB)


class Refusals(WithCluster):
    def test_what_is_not_there(self):
        self.refused("open the image: No such file", "--ioengine=rbd", "--rbdname=other", "--rw=read")
        self.refused("open the pool: No such file", *RBD, "--pool=other", "--rw=read")
        self.refused("read the configuration file", *RBD, "--conf=/none", "--rw=read")
        self.refused("rbdname= is missing", "--ioengine=rbd", "--rw=read")
        self.refused("pool= is missing", "--ioengine=rados", "--pool=", "--rw=read", "--size=64k")

    # effect: clientname clustername
    def test_a_user_without_rights(self):
        keyring = self.cluster.folder / "keyring"
        for name, osd in (("reader", "allow r"), ("nobody", None)):
            caps = ["--cap", "osd", osd] if osd else []
            self.cluster.call("ceph-authtool", keyring, "--gen-key", "-n", f"client.{name}", "--cap", "mon", "allow r", *caps)
            self.cluster.call("ceph", "auth", "import", "-i", str(keyring))
        self.cluster.call("rados", "-p", POOL, "create", "object")
        self.refused("Operation not permitted", *RADOS, "--clientname=nobody", "--rw=read", "--filename=object", "--size=64k")
        self.refused("create the object: Operation not permitted", *RADOS, "--clientname=client.reader", "--rw=write", "--filename=object", "--size=64k")
        self.refused("connect to the cluster", *RADOS, "--clientname=unknown", "--clustername=other", "--rw=read", "--size=64k")

    def test_writes_need_the_users_word(self):
        before = self.cluster.counted()
        for mode in ("write", "trim"):
            self.assertIn(f"--allow-destructive={POOL}/{IMAGE}", self.refused("", *RBD[:-1], f"--rw={mode}"))
        self.assertEqual(self.cluster.counted().written_bytes, before.written_bytes)

    def test_without_the_plug_in_or_its_library(self):
        for engine, library, package in (("rbd", b"librbd.so.1", "librbd1"), ("rados", b"librados.so.2", "librados2")):
            with tempfile.TemporaryDirectory(prefix="fathom-ceph-") as folder:
                program, plugin = pathlib.Path(folder, "fathom"), pathlib.Path(folder, PLUGINS[engine].name)
                shutil.copy(FATHOM, program)
                words = [program, *self.command(f"--ioengine={engine}", "--rbdname=x" if engine == "rbd" else "--size=64k", "--rw=read")[1:]]
                for prepare, cause, help_ in ((lambda: None, "is neither in", f"package fathom-{engine}"),
                                              (lambda: plugin.write_bytes(PLUGINS[engine].read_bytes().replace(library, library[:-1] + b"9")), "cannot open", package)):
                    prepare()
                    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
                    self.assertEqual(done.stderr.count(": error: "), 1, done.stderr)
                    self.assertIn(cause, done.stderr)
                    self.assertIn(help_, done.stderr)
        self.assertNotIn("rados", subprocess.run(["readelf", "-d", FATHOM], capture_output=True, text=True, check=True).stdout)


class Lost(WithCluster):
    """The OSD is stopped while requests are in flight. A client of Ceph waits for it, without end if no limit is configured."""
    def lose(self, engine, more_config, *words):
        config = self.cluster.folder / f"{engine[0]}.conf"
        config.write_text(self.cluster.config.read_text().replace("[client]", "[client]\n" + more_config))
        words = self.command(*engine, "--iodepth=8", "--time_based", "--runtime=60", "--size=1m", f"--conf={config}", *words)
        before = self.cluster.counted()
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while self.cluster.counted().writes < before.writes + 64:
            self.assertIsNone(process.poll(), process.returncode)
        self.cluster.stop(signal.SIGSTOP)
        self.addCleanup(self.cluster.stop, signal.SIGCONT)
        return process

    def end(self, process):
        out, err = process.communicate(timeout=60)
        self.cluster.stop(signal.SIGCONT)
        self.assertNotEqual(process.returncode, 0)
        self.assertGreater(document(out)["jobs"][0]["write"]["ios"], 0)
        return out + err

    def test_with_a_limit_the_requests_fail(self):
        for engine in (RADOS, RBD):
            for words in ((), ("--thread", "--numjobs=2")):
                with self.subTest(engine=engine[0], words=words):
                    said = self.end(self.lose(engine, "rados_osd_op_timeout = 1\nrbd_cache = false", "--rw=randwrite", *words))
                    self.assertIn("Connection timed out", said)

    def test_without_one_ctrl_c_twice_ends_the_job(self):
        for engine in (RADOS, RBD):
            with self.subTest(engine=engine[0]):
                process = self.lose(engine, "rbd_cache = false", "--rw=randwrite")
                for _ in range(2):
                    process.send_signal(signal.SIGINT)
                    try:
                        process.wait(timeout=3)
                        break
                    except subprocess.TimeoutExpired:
                        pass
                self.end(process)


if __name__ == "__main__":
    if not all(plugin.exists() for plugin in PLUGINS.values()):
        print("skipped: the engines were built without librbd-dev and librados-dev")
        sys.exit(77)
    own_network.enter(*ceph_server.PROGRAMS, "readelf", "strace")
    unittest.main()
