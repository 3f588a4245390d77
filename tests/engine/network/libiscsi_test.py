"""ioengine=libiscsi against tgt: the system calls of the server on the file of its disk equal what the run counted, for each kind. What the target does not
offer is refused before the start; its errors and its end are data. No verdict depends on time."""
# label: network
# timeout: 600
# cost: 60
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import own_network
from iscsi_server import Counted, tgtd

FATHOM = os.environ["FATHOM"]
PLUGIN = pathlib.Path(os.environ["FATHOM_BUILD"], "fathom_libiscsi.so")
MIB = 1 << 20
NONE = Counted(0, 0)


def command(url, *words):
    return [FATHOM, "run", "--name=t", "--ioengine=libiscsi", f"--filename={url}", f"--allow-destructive={url}", "--bs=4k", "--clock-check=skip", "--output-format=json",
            *words]


def run(url, *words):
    return subprocess.run(command(url, *words), capture_output=True, text=True, timeout=120)


def document(text):
    return json.loads(text[text.index("{"):])["fathom"]


def passed(url, *words):
    done = run(url, *words)
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout[-1500:]}\n{done.stderr}"
    return document(done.stdout)


class Counts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(tgtd(2 * MIB, params=("thin_provisioning=1",)))

    def setUp(self):
        self.server.forget()

    def assert_counts_agree(self, result, more_syncs=0):
        counted, jobs = self.server.counted(), result["jobs"]
        for call, name in (("pread64", "read"), ("pwrite64", "write"), ("fallocate", "trim")):
            ours = (sum(job[name]["ios"] for job in jobs if name in job), sum(job[name]["bytes"] for job in jobs if name in job))
            self.assertEqual(ours, counted.get(call, NONE), call)
        self.assertEqual(sum(job["sync_ios"] for job in jobs) + more_syncs, sum(counted.get(call, NONE).calls for call in ("fsync", "fdatasync")))
        self.assertEqual(sum(job["error"] for job in jobs), 0)

    def test_requests_and_bytes_of_each_kind(self):
        for words in (("--rw=read",), ("--rw=randread", "--bsrange=512-64k"), ("--rw=write",), ("--rw=randtrim",), ("--rw=randrw", "--rwmixread=30"),
                      ("--rw=write", "--fsync=8"), ("--rw=randwrite", "--fdatasync=3"), ("--rw=trimwrite",)):
            for depth in (1, 32):
                with self.subTest(words=words, depth=depth):
                    self.server.forget()
                    self.assert_counts_agree(passed(self.server.url, *words, f"--iodepth={depth}"))

    def test_each_write_has_fua_with_sync(self):
        self.assert_counts_agree(passed(self.server.url, "--rw=write", "--sync=1", "--iodepth=4"), more_syncs=512)  # tgt syncs its file for each

    def test_the_sync_at_the_end(self):
        self.assert_counts_agree(passed(self.server.url, "--rw=write", "--end_fsync=1"), more_syncs=1)

    def test_what_was_written_is_verified(self):
        result = passed(self.server.url, "--rw=randwrite", "--verify=crc32c", "--iodepth=16", "--bsrange=4k-16k")
        self.assertEqual(result["jobs"][0]["write"]["bytes"], 2 * MIB)
        self.assertEqual(self.server.counted()["pread64"].bytes, 2 * MIB)

    def test_damage_is_found(self):
        done = run(self.server.url, "--rw=read", "--verify=crc32c")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("verify", done.stdout + done.stderr)

    def test_the_disk_has_what_was_written(self):
        passed(self.server.url, "--rw=randwrite", "--iodepth=8", "--buffer_pattern=0xab")
        self.assertEqual(self.server.image.read_bytes(), b"\xab" * (2 * MIB))
        passed(self.server.url, "--rw=trim", "--size=1m")
        self.assertEqual(self.server.image.read_bytes(), bytes(MIB) + b"\xab" * MIB)

    def test_jobs_have_a_session_each(self):
        for words in ((), ("--thread",), ("--io_submit_mode=offload", "--numjobs=1")):
            with self.subTest(words=words):
                self.server.forget()
                self.assert_counts_agree(passed(self.server.url, "--rw=randread", "--numjobs=3", "--iodepth=4", *words))

    def test_two_disks_of_a_job_and_colons_with_a_backslash(self):
        second = self.server.image.parent / "second"
        second.write_bytes(bytes(MIB))
        self.server.admin("--mode", "logicalunit", "--op", "new", "--tid", "1", "--lun", "2", "-b", str(second))
        self.addCleanup(self.server.admin, "--mode", "logicalunit", "--op", "delete", "--tid", "1", "--lun", "2")
        other = self.server.url[:-1] + "2"
        for names in (f"{self.server.url}:{other}", ":".join(name.replace(":", "\\:") for name in (self.server.url, other))):
            self.assertEqual(passed(names, "--rw=read", "--iodepth=4")["jobs"][0]["read"]["bytes"], 3 * MIB)


class Refusals(unittest.TestCase):
    def refused(self, url, cause, *words):
        done = run(url, *words)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count(": error: "), 1, done.stderr)
        self.assertIn(cause, done.stderr)

    def test_what_is_no_disk(self):
        with tgtd(MIB) as server:
            self.refused(server.url[:-1] + "0", "LUN 0 is not a disk", "--rw=read")
            self.refused(server.url[:-1] + "7", "ioengine=libiscsi cannot look at", "--rw=read")
            self.refused(server.url.replace("example:t1", "example:t2"), "ioengine=libiscsi cannot look at", "--rw=read")
            self.refused(server.url.replace("13260", "9"), "ioengine=libiscsi cannot look at", "--rw=read")
            self.refused("iscsi://127.0.0.1/", "ioengine=libiscsi cannot look at", "--rw=read")

    def test_what_the_target_does_not_offer(self):
        with tgtd(MIB) as server:
            self.refused(server.url, "does not offer trim", "--rw=trim")
            self.refused(server.url, "blocks of 512 bytes", "--rw=read", "--bs=1000")
        with tgtd(MIB, params=("readonly=1",)) as server:
            self.refused(server.url, "read-only", "--rw=write")

    def test_a_target_with_a_password(self):
        with tgtd(MIB) as server:
            server.admin("--mode", "account", "--op", "new", "--user", "someone", "--password", "twelve-bytes-or-more")
            server.admin("--mode", "account", "--op", "bind", "--tid", "1", "--user", "someone")
            self.refused(server.url, "ioengine=libiscsi cannot look at", "--rw=read")
            url = server.url.replace("//", "//someone%twelve-bytes-or-more@")
            self.assertEqual(passed(url, "--rw=read")["jobs"][0]["read"]["bytes"], MIB)

    # effect: initiator
    def test_the_target_sees_the_name_of_the_initiator(self):
        with tgtd(MIB, allowed="127.0.0.1") as server:
            server.admin("--mode", "target", "--op", "unbind", "--tid", "1", "-I", "127.0.0.1")
            server.admin("--mode", "target", "--op", "bind", "--tid", "1", "-Q", "iqn.2026-11.example:tester")
            self.assertNotEqual(run(server.url, "--rw=read").returncode, 0)
            self.assertEqual(passed(server.url, "--rw=read", "--initiator=iqn.2026-11.example:tester")["jobs"][0]["read"]["bytes"], MIB)

    def test_writes_need_the_users_word(self):
        with tgtd(MIB) as server:
            for mode in ("write", "trim"):
                words = [word for word in command(server.url, f"--rw={mode}") if not word.startswith("--allow")]
                self.assertNotEqual(subprocess.run(words, capture_output=True, text=True, timeout=60).returncode, 0)
            words = [word for word in command(server.url, "--rw=write") if not word.startswith("--allow")]
            done = subprocess.run(words, capture_output=True, text=True, timeout=60)
            self.assertIn(f"--allow-destructive={server.url}", done.stderr)
            self.assertEqual(server.counted(), {})

    def test_without_the_plug_in_or_its_library(self):
        with tempfile.TemporaryDirectory(prefix="fathom-iscsi-") as folder:
            program, plugin = pathlib.Path(folder, "fathom"), pathlib.Path(folder, PLUGIN.name)
            shutil.copy(FATHOM, program)
            words = [program, *command("iscsi://127.0.0.1/iqn:t/1", "--rw=read")[1:]]
            for prepare, cause, help_ in ((lambda: None, "fathom_libiscsi.so is neither in", "package fathom-libiscsi"),
                                          (lambda: plugin.write_bytes(PLUGIN.read_bytes().replace(b"libiscsi.so.7", b"libiscsi.so.9")), "cannot open", "package libiscsi7")):
                prepare()
                done = subprocess.run(words, capture_output=True, text=True, timeout=60)
                self.assertEqual(done.stderr.count(": error: "), 1, done.stderr)
                self.assertIn(cause, done.stderr)
                self.assertIn(help_, done.stderr)
        self.assertNotIn("libiscsi", subprocess.run(["readelf", "-d", FATHOM], capture_output=True, text=True, check=True).stdout)


class Failures(unittest.TestCase):
    def test_no_space_at_the_server(self):
        with tempfile.TemporaryDirectory(prefix="fathom-iscsi-") as name:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", name], check=True)
            with contextlib.ExitStack() as mounted, tgtd(4 * MIB, image=pathlib.Path(name, "disk")) as server:
                mounted.callback(subprocess.run, ["umount", "-l", name])
                done = run(server.url, "--rw=write", "--continue_on_error=all")
                job, = document(done.stdout)["jobs"]
                self.assertEqual(job["write"]["bytes"], MIB)
                self.assertEqual(job["error_count"], 768)
                self.assertIn("the target reports", done.stdout + done.stderr)

    def test_the_server_is_killed(self):
        for words in ((), ("--thread", "--numjobs=2")):
            with self.subTest(words=words), tgtd(MIB) as server:
                process = subprocess.Popen(command(server.url, "--rw=randread", "--iodepth=8", "--time_based", "--runtime=60", *words), stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True)
                while server.counted().get("pread64", NONE).calls < 64:
                    self.assertIsNone(process.poll(), process.returncode)
                server.kill()
                out, err = process.communicate(timeout=60)
                self.assertNotEqual(process.returncode, 0)
                self.assertGreater(document(out)["jobs"][0]["read"]["ios"], 0)
                self.assertIn("the connection to the target is lost", out + err)


if __name__ == "__main__":
    if not PLUGIN.exists():
        print("skipped: the engine was built without libiscsi-dev")
        sys.exit(77)
    own_network.enter("tgtd", "tgtadm", "strace", "readelf")
    unittest.main()
