"""ioengine=nfs against nfs-ganesha: the server's own log of requests and bytes equals what the run counted, for each kind. What the library or the server does
not offer is refused; errors of the server and its end are data. No verdict depends on time."""
# label: network
# timeout: 600
# cost: 60
import contextlib
import errno
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import nfs_server
import own_network
from nfs_server import Counted, ganesha

FATHOM = os.environ["FATHOM"]
PLUGIN = pathlib.Path(os.environ["FATHOM_BUILD"], "fathom_nfs.so")
MIB = 1 << 20


def command(url, *words):
    return [FATHOM, "run", "--name=t", "--ioengine=nfs", f"--nfs_url={url}", "--bs=4k", "--clock-check=skip", "--output-format=json", *words]


def run(url, *words):
    return subprocess.run(command(url, *words), capture_output=True, text=True, timeout=120)


def document(text):
    return json.loads(text[text.index("{"):])["fathom"]


def passed(url, *words):
    done = run(url, *words)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout[-1500:]}\n{done.stderr}"
    return document(done.stdout)


class WithServer(unittest.TestCase):
    """A server for each test: ganesha keeps a file open that is deleted behind its back, and serves it on."""
    def setUp(self):
        self.server = self.enterContext(ganesha())

    def file(self, size_bytes, name="f"):
        path = self.server.export / name
        path.write_bytes(os.urandom(size_bytes))
        return path

    def assert_counts_agree(self, result, more_commits=0):
        counted, jobs = self.server.counted(), result["jobs"]
        for kind, name in (("READ", "read"), ("WRITE", "write")):
            ours = (sum(job[name]["ios"] for job in jobs if name in job), sum(job[name]["bytes"] for job in jobs if name in job))
            self.assertEqual(ours, counted.get(kind, Counted(0, 0, 0))[:2], kind)
        self.assertEqual(sum(job["sync_ios"] for job in jobs) + more_commits, counted.get("COMMIT", Counted(0, 0, 0)).requests)
        self.assertEqual(sum(job["error"] for job in jobs), 0)


class Counts(WithServer):
    # effect: nfs_url
    def test_requests_and_bytes_of_each_kind(self):
        for words, commits in ((("--rw=read",), 0), (("--rw=randread", "--bsrange=512-64k"), 0), (("--rw=write",), 1), (("--rw=randrw", "--rwmixread=30"), 1),
                               (("--rw=write", "--fsync=8"), 1), (("--rw=randwrite", "--fdatasync=3"), 1)):
            for depth in (1, 32):
                with self.subTest(words=words, depth=depth):
                    self.file(2 * MIB)
                    self.server.forget()
                    result = passed(self.server.url, *words, "--filename=f", f"--iodepth={depth}")
                    self.assertEqual(result["jobs"][0]["options"]["nfs_url"], self.server.url)
                    self.assert_counts_agree(result, more_commits=commits)  # libnfs commits when it closes a file that was written
                    moved = self.server.counted()
                    self.assertEqual(moved.get("READ", Counted(0, 0, 0)).bytes + moved.get("WRITE", Counted(0, 0, 0)).bytes, 2 * MIB)

    def test_offsets_are_those_of_the_job(self):
        self.file(MIB)
        passed(self.server.url, "--rw=read", "--filename=f", "--offset=256k", "--size=128k", "--bs=32k")
        self.assertEqual(self.server.places("READ"), [((256 + 32 * i) << 10, 32 << 10) for i in range(4)])

    def test_a_write_that_must_be_durable_is_stable(self):
        for words, stable in (("--sync=1",), 256), ((), 0):
            self.server.forget()
            passed(self.server.url, "--rw=write", "--filename=f", "--size=1m", "--iodepth=4", *words)
            self.assertEqual(self.server.counted()["WRITE"], Counted(256, MIB, stable))

    def test_the_commit_at_the_end(self):
        self.assert_counts_agree(passed(self.server.url, "--rw=write", "--filename=f", "--size=64k", "--end_fsync=1"), more_commits=2)

    def test_jobs_have_a_connection_and_a_file_each(self):
        for words in ((), ("--thread",)):
            with self.subTest(words=words):
                self.server.forget()
                result = passed(self.server.url, "--rw=write", "--size=256k", "--numjobs=3", "--iodepth=4", *words)
                self.assert_counts_agree(result, more_commits=3)
                self.assertEqual(sorted(f.name for f in self.server.export.iterdir()), ["t.0.0", "t.1.0", "t.2.0"])

    def test_a_job_has_several_files(self):
        passed(self.server.url, "--rw=write", "--filename=a:b", "--size=128k")
        self.assertEqual({f.name: f.stat().st_size for f in self.server.export.iterdir()}, {"a": 64 << 10, "b": 64 << 10})


class Files(WithServer):
    def test_a_file_that_is_read_is_laid_out(self):
        result = passed(self.server.url, "--rw=randread", "--size=1m", "--iodepth=8")
        data = (self.server.export / "t.0.0").read_bytes()
        self.assertEqual(len(data), MIB)
        self.assertEqual(len({data[at:at + 4096] for at in range(0, MIB, 4096)}), 256)  # no two blocks are equal
        self.assertEqual(result["layouts"][0]["bytes"], MIB)
        self.assertEqual(self.server.counted()["READ"].bytes, MIB)

    def test_a_shorter_file_is_extended_and_its_data_stay(self):
        before = self.file(100_000).read_bytes()
        passed(self.server.url, "--rw=read", "--size=256k", "--filename=f")
        after = (self.server.export / "f").read_bytes()
        self.assertEqual((len(after), after[:len(before)]), (256 << 10, before))

    def test_the_file_has_what_was_written(self):
        passed(self.server.url, "--rw=randwrite", "--size=512k", "--filename=f", "--iodepth=8", "--buffer_pattern=0xab")
        self.assertEqual((self.server.export / "f").read_bytes(), b"\xab" * (512 << 10))

    def test_what_was_written_is_verified(self):
        result = passed(self.server.url, "--rw=randwrite", "--size=1m", "--verify=crc32c", "--iodepth=16", "--bsrange=4k-16k")
        self.assertEqual(result["jobs"][0]["write"]["bytes"], MIB)
        self.assertEqual(self.server.counted()["READ"].bytes, MIB)

    def test_damage_is_found(self):
        self.file(MIB)
        done = run(self.server.url, "--rw=read", "--verify=crc32c", "--filename=f")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("verify", done.stdout + done.stderr)

    def test_a_file_that_may_not_be_made(self):
        for words in (("--allow_file_create=0",), ("--readonly",)):
            done = run(self.server.url, "--rw=read", "--size=64k", *words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("the file is missing", done.stdout + done.stderr)
            self.assertEqual(list(self.server.export.iterdir()), [])

    def test_options_of_local_files_are_named_as_ignored(self):
        result = passed(self.server.url, "--rw=write", "--size=64k", "--unlink=1")
        self.assertIn("unlink with ioengine=nfs", json.dumps(result["findings"]))
        self.assertEqual([f.name for f in self.server.export.iterdir()], ["t.0.0"])

    def test_nfs_4(self):
        self.file(MIB)
        self.assertEqual(passed(self.server.url_4, "--rw=randread", "--filename=f", "--iodepth=8", "--numjobs=2", "--thread")["jobs"][1]["error"], 0)
        self.assertEqual(self.server.counted_4(), {"READ": 512})
        self.server.forget()
        passed(self.server.url_4, "--rw=write", "--size=64k", "--bs=2k", "--iodepth=4", "--fsync=8")
        self.assertEqual((self.server.counted_4()["WRITE"], (self.server.export / "t.0.0").stat().st_size), (32, 64 << 10))

    def test_a_file_is_laid_out_over_nfs_4(self):
        passed(self.server.url_4, "--rw=read", "--size=64k")
        self.assertEqual((self.server.export / "t.0.0").stat().st_size, 64 << 10)

    def test_the_limit_of_the_library_for_writes_of_nfs_4_is_a_failed_write(self):
        done = run(self.server.url_4, "--rw=write", "--size=64k", "--bs=64k")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Failed to encode", done.stdout + done.stderr)


class Refusals(WithServer):
    def refused(self, url, cause, *words):
        done = run(url, "--rw=read", "--size=64k", *words)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count(": error: "), 1, done.stderr)
        self.assertIn(cause, done.stderr)

    def test_wrong_urls(self):
        self.refused("http://127.0.0.1/export", "ioengine=nfs cannot look at")
        self.refused("nfs://127.0.0.1/export?nfsport=9&mountport=9", "the server refused the connection")
        self.refused(self.server.url.replace("/export", "/nothing"), "ioengine=nfs cannot look at")
        self.refused(self.server.url_4.replace("/export", "/nothing"), "ioengine=nfs cannot look at")

    def test_without_a_url(self):
        words = [word for word in command("x", "--rw=read", "--size=64k") if not word.startswith("--nfs_url")]
        self.assertIn("nfs_url is a required parameter", subprocess.run(words, capture_output=True, text=True, timeout=60).stderr)

    def test_a_directory_and_trims(self):
        (self.server.export / "d").mkdir()
        self.addCleanup((self.server.export / "d").rmdir)
        self.refused(self.server.url, "not a regular file", "--filename=d")
        done = run(self.server.url, "--rw=trim", "--size=64k")
        self.assertEqual(done.stderr.count(": error: "), 1, done.stderr)

    def test_without_size(self):
        done = run(self.server.url, "--rw=read")
        self.assertIn("does not exist and size= is missing", done.stderr)

    def test_without_the_plug_in_or_its_library(self):
        with tempfile.TemporaryDirectory(prefix="fathom-nfs-") as folder:
            program, plugin = pathlib.Path(folder, "fathom"), pathlib.Path(folder, PLUGIN.name)
            shutil.copy(FATHOM, program)
            words = [program, *command(self.server.url, "--rw=write", "--size=64k")[1:]]
            for prepare, cause, help_ in ((lambda: None, "fathom_nfs.so is neither in", "package fathom-nfs"),
                                          (lambda: plugin.write_bytes(PLUGIN.read_bytes().replace(b"libnfs.so.13", b"libnfs.so.99")), "cannot open", "package libnfs13")):
                prepare()
                done = subprocess.run(words, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.stderr.count(": error: "), 1, done.stderr)
                self.assertIn(cause, done.stderr)
                self.assertIn(help_, done.stderr)
        self.assertNotIn("libnfs", subprocess.run(["readelf", "-d", FATHOM], capture_output=True, text=True, check=True).stdout)


class Failures(unittest.TestCase):
    def test_an_export_that_is_read_only(self):
        with ganesha(access="RO") as server:
            (server.export / "f").write_bytes(bytes(65536))
            done = run(server.url, "--rw=write", "--filename=f", "--size=64k")
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count(": error: "), 1, done.stderr)
            self.assertIn("Required access rw-. Allowed access r--", done.stderr)
            self.assertEqual(passed(server.url, "--rw=read", "--filename=f")["jobs"][0]["read"]["bytes"], 65536)

    def test_permission_denied(self):
        with ganesha(squash="All_Squash") as server:
            server.export.chmod(0o755)  # of root, and the server serves as nobody
            done = run(server.url, "--rw=write", "--size=64k")
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count(": error: "), 1, done.stderr)
            self.assertIn("ACCES", done.stderr.replace("Permission denied", "ACCES"))

    def test_no_space_at_the_server(self):
        with tempfile.TemporaryDirectory(prefix="fathom-nfs-") as name:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", name], check=True)
            with contextlib.ExitStack() as mounted, ganesha(export=pathlib.Path(name)) as server:
                mounted.callback(subprocess.run, ["umount", "-l", name])
                done = run(server.url, "--rw=write", "--size=4m")
                job, = document(done.stdout)["jobs"]
                self.assertEqual((job["error"], job["write"]["ios"] + job["error_count"]), (errno.ENOSPC, server.counted()["WRITE"].requests))
                self.assertIn("NFS3ERR_NOSPC", done.stderr)
                done = run(server.url, "--filename=g", "--rw=read", "--size=4m")
                self.assertIn("lay out", done.stderr)
                self.assertIn("free space on the server", done.stderr)

    def test_the_server_is_killed(self):
        for words in ((), ("--thread", "--numjobs=2")):
            with self.subTest(words=words), ganesha() as server:
                (server.export / "f").write_bytes(bytes(MIB))
                process = subprocess.Popen(command(server.url, "--rw=randread", "--filename=f", "--iodepth=8", "--time_based", "--runtime=60", *words),
                                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                while server.counted().get("READ", Counted(0, 0, 0)).requests < 64:
                    self.assertIsNone(process.poll(), process.returncode)
                server.stop(signal.SIGSTOP)  # so that requests are in flight
                server.stop(signal.SIGKILL)
                out, err = process.communicate(timeout=60)
                self.assertNotEqual(process.returncode, 0)
                self.assertGreater(document(out)["jobs"][0]["read"]["ios"], 0)
                self.assertIn("the connection to the server is lost", out + err)


if __name__ == "__main__":
    if nfs_server.GANESHA is None or not PLUGIN.exists():
        print("skipped: nfs-ganesha is not installed, or the engine was built without libnfs-dev")
        sys.exit(77)
    own_network.enter("rpcbind", "readelf")
    unittest.main()
