"""ioengine=nbd against nbdkit: the server's own log of requests and bytes equals what the run counted, for each kind. What the server does not offer is
refused before the start; its errors and its end are data. No verdict depends on time, except that a delayed request takes at least its delay."""
# label: test
# cost: 20
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import nbd_server
from nbd_server import Counted, nbdkit

FATHOM = os.environ["FATHOM"]
PLUGIN = pathlib.Path(os.environ["FATHOM_BUILD"], "fathom_nbd.so")
MIB = 1 << 20


def setUpModule():
    for missing, why in ((nbd_server.NBDKIT is None, "nbdkit is not installed"), (not PLUGIN.exists(), "the engine was built without libnbd-dev")):
        if missing:
            print(f"skipped: {why}")
            sys.exit(77)


def start(uri, *words):
    return subprocess.Popen(command(uri, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=nbd_server.environment())


def command(uri, *words):
    return [FATHOM, "run", "--name=t", "--ioengine=nbd", f"--uri={uri}", f"--allow-destructive={uri}", "--bs=4k", "--clock-check=skip", "--output-format=json", *words]


def run(uri, *words):
    return subprocess.run(command(uri, *words), capture_output=True, text=True, timeout=60, env=nbd_server.environment())


def document(text):
    return json.loads(text[text.index("{"):])["fathom"]


def passed(uri, *words):
    done = run(uri, *words)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stderr}"
    return document(done.stdout)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Counts(unittest.TestCase):
    def assert_counts_agree(self, server, result, more_flushes=0):
        counted, jobs = server.counted(), result["jobs"]
        for kind, name in (("Read", "read"), ("Write", "write"), ("Trim", "trim")):
            ours = (sum(job[name]["ios"] for job in jobs if name in job), sum(job[name]["bytes"] for job in jobs if name in job))
            self.assertEqual(ours, counted.get(kind, Counted(0, 0, 0))[:2], kind)
        flushes = sum(job["sync_ios"] for job in jobs)
        self.assertEqual(flushes + more_flushes, counted.get("Flush", Counted(0, 0, 0)).requests)
        self.assertEqual(sum(job["error"] for job in jobs), 0)
        return counted

    # effect: uri
    def test_requests_and_bytes_of_each_kind(self):
        for words in (("--rw=read",), ("--rw=randread", "--bsrange=512-64k"), ("--rw=write",), ("--rw=randtrim",), ("--rw=randrw", "--rwmixread=30"),
                      ("--rw=write", "--fsync=8"), ("--rw=randwrite", "--fdatasync=3"), ("--rw=trimwrite",)):
            for depth in (1, 32):
                with self.subTest(words=words, depth=depth), nbdkit("memory", "4M") as server:
                    result = passed(server.uri, *words, f"--iodepth={depth}")
                    counted = self.assert_counts_agree(server, result)
                    self.assertGreaterEqual(sum(c.bytes for kind, c in counted.items() if kind != "Flush"), 4 * MIB)
                    self.assertEqual(server.connections(), 2)  # one to look at the target, one of the job

    def test_a_server_over_tcp(self):
        port = free_port()
        with nbdkit("memory", "1M", port=port) as server:
            result = passed(f"nbd://127.0.0.1:{port}", "--rw=randread", "--iodepth=8")
            self.assert_counts_agree(server, result)

    def test_what_was_written_is_verified(self):
        with nbdkit("memory", "2M") as server:
            result = passed(server.uri, "--rw=randwrite", "--verify=crc32c", "--iodepth=16", "--bsrange=4k-16k")
            self.assertEqual(result["jobs"][0]["write"]["bytes"], 2 * MIB)
            self.assertEqual(server.counted()["Read"].bytes, 2 * MIB)

    def test_damage_is_found(self):
        with nbdkit("pattern", "1M") as server:
            done = run(server.uri, "--rw=read", "--verify=crc32c")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("verify", done.stdout + done.stderr)

    def test_each_write_has_fua_with_sync(self):
        with nbdkit("memory", "1M") as server:
            passed(server.uri, "--rw=write", "--sync=1", "--iodepth=4")
            self.assertEqual(server.counted()["Write"], Counted(256, MIB, 256))
        with nbdkit("memory", "1M") as server:
            passed(server.uri, "--rw=write", "--iodepth=4")
            self.assertEqual(server.counted()["Write"], Counted(256, MIB, 0))

    def test_the_flush_at_the_end(self):
        with nbdkit("memory", "1M") as server:
            self.assert_counts_agree(server, passed(server.uri, "--rw=write", "--end_fsync=1"), more_flushes=1)

    def test_several_jobs_have_a_connection_each(self):
        for words in ((), ("--thread",)):
            with nbdkit("memory", "4M") as server:
                result = passed(server.uri, "--rw=randread", "--numjobs=3", "--iodepth=4", *words)
                self.assert_counts_agree(server, result)
                self.assertEqual(server.connections(), 6)

    def test_offload_has_a_connection_per_thread(self):
        with nbdkit("memory", "1M") as server:
            self.assert_counts_agree(server, passed(server.uri, "--rw=randread", "--iodepth=4", "--io_submit_mode=offload"))
            self.assertEqual(server.connections(), 5)

    def test_size_and_offset(self):
        with nbdkit("memory", "4M") as server:
            passed(server.uri, "--rw=read", "--offset=1m", "--size=50%")
            self.assertEqual(server.counted()["Read"].bytes, 2 * MIB)
            self.assertIn("offset=0x100000", server.log.read_text())

    def test_a_replayed_trace(self):
        trace = pathlib.Path(os.environ["FATHOM_BUILD"], "nbd_test.iolog")
        trace.write_text("fio version 3 iolog\n1 f add\n1 f open\n1000 f write 0 4096\n2000 f read 8192 4096\n3000 f sync 0 0\n4000 f trim 4096 4096\n5000 f close\n")
        self.addCleanup(trace.unlink)
        with nbdkit("memory", "1M") as server:
            counted = self.assert_counts_agree(server, passed(server.uri, f"--read_iolog={trace}"))
            self.assertEqual({kind: c.requests for kind, c in counted.items()}, {"Read": 1, "Write": 1, "Flush": 1, "Trim": 1})


class Audit(unittest.TestCase):
    def test_the_bytes_have_no_cross_check_and_the_reason_is_named(self):
        with nbdkit("memory", "4M") as server:
            result = passed(server.uri, "--rw=randread", "--iodepth=4", "--runtime=1", "--time_based")
        self.assertEqual(result["audit"]["verdict"], "no witness")
        self.assertIn(f"counter for {server.uri}: ioengine=nbd: it sends over the network", result["audit"]["missing"])
        self.assertIn("libnbd ", next(f["evidence"] for f in result["findings"] if f["id"] == "engine.library"))


class Limits(unittest.TestCase):
    def refused(self, what, cause, server, *words):
        done = run(server.uri, *words)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(what, done.stderr)
        self.assertIn(cause, done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertEqual({kind: c for kind, c in server.counted().items() if kind != "Read"}, {})

    def test_what_the_server_does_not_offer(self):
        with nbdkit("pattern", "1M") as server:  # read-only
            self.refused("rw=write", "read-only", server, "--rw=write")
            self.assertEqual(passed(server.uri, "--rw=read")["jobs"][0]["read"]["bytes"], MIB)
        with nbdkit("eval", "get_size=echo 1M", "pread=head -c $3 /dev/zero", "can_write=exit 0", "pwrite=cat >/dev/null") as server:
            self.refused("fsync=", "flush", server, "--rw=write", "--fsync=1")
            self.refused("sync=", "FUA", server, "--rw=write", "--sync=1")
            self.refused("rw=trim", "does not offer trim", server, "--rw=trim")

    def test_block_sizes(self):
        sizes = ("blocksize-minimum=4096", "blocksize-preferred=65536", "blocksize-maximum=131072", "blocksize-error-policy=error")
        with nbdkit("memory", "4M", *sizes, filters=("blocksize-policy",)) as server:
            self.refused("bs=512", "blocks of 4096 bytes", server, "--rw=read", "--bs=512")
            self.refused("bs=262144", "at most 131072 bytes", server, "--rw=read", "--bs=256k")
            done = run(server.uri, "--rw=read", "--bs=4k")
            self.assertIn("65536, the preferred block size", done.stdout)
            self.assertNotIn("preferred block size", run(server.uri, "--rw=read", "--bs=128k").stdout)

    def test_one_connection(self):
        with nbdkit("memory", "1M", "multi-conn-mode=disable", filters=("multi-conn",)) as server:
            done = run(server.uri, "--rw=read", "--numjobs=2")
            self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
            self.assertIn("one connection too many", done.stderr)
            self.assertEqual(server.counted()["Read"].bytes, MIB)
            self.assertEqual(passed(server.uri, "--rw=read", "--numjobs=1")["jobs"][0]["error"], 0)

    def test_writes_need_the_users_word(self):
        with nbdkit("memory", "1M") as server:
            words = [word for word in command(server.uri, "--rw=write") if not word.startswith("--allow")]
            done = subprocess.run(words, capture_output=True, text=True, timeout=60)
            self.assertIn("would destroy its data", done.stderr)
            self.assertIn(f"--allow-destructive={server.uri}", done.stderr)
            self.assertEqual(server.counted(), {})

    def test_no_server(self):
        for uri in ("nbd+unix:///?socket=/nonexistent/socket", f"nbd://127.0.0.1:{free_port()}", "http://localhost/", "nbd+unix:///"):
            done = run(uri, "--rw=read")
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
            self.assertIn("ioengine=nbd cannot look at", done.stderr)

    def test_without_a_uri(self):
        words = [word for word in command("x", "--rw=read") if not word.startswith(("--uri", "--allow"))]
        self.assertIn("uri= is missing", subprocess.run(words, capture_output=True, text=True, timeout=60).stderr)

    def test_without_the_plug_in_or_its_library(self):
        with tempfile.TemporaryDirectory(prefix="fathom-nbd-") as folder, nbdkit("memory", "1M") as server:
            program, plugin = pathlib.Path(folder, "fathom"), pathlib.Path(folder, PLUGIN.name)
            shutil.copy(FATHOM, program)
            words = [program, *command(server.uri, "--rw=read")[1:]]
            for prepare, cause, help_ in ((lambda: None, "fathom_nbd.so is neither in", "package fathom-nbd"),
                                          (lambda: plugin.write_bytes(PLUGIN.read_bytes().replace(b"libnbd.so.0", b"libnbd.so.9")), "libnbd.so.9: cannot open", "package libnbd0")):
                prepare()
                done = subprocess.run(words, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
                self.assertIn(cause, done.stderr)
                self.assertIn(help_, done.stderr)
            plugin.write_bytes(PLUGIN.read_bytes())
            self.assertEqual(subprocess.run(words, capture_output=True, text=True, timeout=60).returncode, 0)

    def test_the_program_needs_no_libnbd(self):
        self.assertNotIn("libnbd", subprocess.run(["readelf", "-d", FATHOM], capture_output=True, text=True, check=True).stdout)
        self.assertIn("libnbd.so.0", subprocess.run(["readelf", "-d", PLUGIN], capture_output=True, text=True, check=True).stdout)


class Failures(unittest.TestCase):
    # effect: uri
    def test_errors_of_the_server_are_counted(self):
        with nbdkit("memory", "1M", "error-pread=EIO", "error-pread-rate=20%", filters=("error",)) as server:
            done = run(server.uri, "--rw=randread", "--iodepth=8", "--continue_on_error=all", "--io_size=4m", "--norandommap")
            job, = document(done.stdout)["jobs"]
            self.assertGreater(server.failed(), 0)
            self.assertEqual(job["error_count"], server.failed())
            self.assertEqual(job["read"]["ios"] + server.failed(), server.counted()["Read"].requests)

    def test_a_request_takes_at_least_the_servers_delay(self):
        with nbdkit("memory", "1M", "rdelay=20ms", filters=("delay",)) as server:
            job, = passed(server.uri, "--rw=randread", "--iodepth=4", "--number_ios=16")["jobs"]
            self.assertGreaterEqual(job["read"]["clat"]["min_ns"], 20_000_000)

    def test_the_server_is_killed(self):
        with nbdkit("memory", "1M", "rdelay=10ms", filters=("delay",)) as server:
            process = start(server.uri, "--rw=randread", "--iodepth=8", "--time_based", "--runtime=30")
            while server.counted().get("Read", Counted(0, 0, 0)).requests < 64:
                self.assertIsNone(process.poll(), process.returncode)
            server.kill()
            out, err = process.communicate(timeout=30)
            self.assertNotEqual(process.returncode, 0)
            job, = document(out)["jobs"]
            self.assertGreater(job["read"]["ios"], 0)
            self.assertIn("connection", out + err)


@contextlib.contextmanager
def qemu_nbd(*words):
    """(uri, image of 1 MiB) of qemu-nbd."""
    with tempfile.TemporaryDirectory(prefix="fathom-nbd-") as name:
        image, place = pathlib.Path(name, "image"), pathlib.Path(name, "socket")
        image.write_bytes(bytes(MIB))
        process = subprocess.Popen(["qemu-nbd", "--persistent", "--socket", place, "--format=raw", *words, image], stderr=subprocess.DEVNULL)
        try:
            while not place.exists():
                assert process.poll() is None, f"qemu-nbd ended with {process.returncode}"
                time.sleep(0.005)
            yield f"nbd+unix:///?socket={place}", image
        finally:
            process.kill()
            process.wait()


@unittest.skipIf(shutil.which("qemu-nbd") is None, "qemu-nbd is not installed")
class QemuNbd(unittest.TestCase):
    def test_the_image_has_what_was_written(self):
        with qemu_nbd() as (uri, image):
            passed(uri, "--rw=randwrite", "--iodepth=8", "--buffer_pattern=0xab", "--end_fsync=1")
            self.assertEqual(image.read_bytes(), b"\xab" * MIB)

    def test_it_has_one_connection_unless_it_is_shared(self):
        with qemu_nbd() as (uri, _):
            self.assertIn("one connection too many", run(uri, "--rw=read", "--numjobs=2").stderr)
            self.assertEqual(len(passed(uri, "--rw=read", "--name=b", "--stonewall", "--rw=read", "--ioengine=nbd", f"--uri={uri}", "--bs=4k")["jobs"]), 2)
        with qemu_nbd("--shared=2") as (uri, _):
            self.assertEqual([job["read"]["bytes"] for job in passed(uri, "--rw=read", "--numjobs=2")["jobs"]], [MIB, MIB])


if __name__ == "__main__":
    unittest.main()
