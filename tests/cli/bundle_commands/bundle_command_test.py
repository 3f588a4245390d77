#!/usr/bin/python3
# timeout: 600
"""`fathom bundle`: its members, its bytes, its signature; and what it refuses, without leaving half a file."""
import json
import os
import signal
import subprocess
import time
import unittest
import zipfile

import bundles


class BundleCommand(bundles.Bundles):
    def test_the_members_are_those_of_the_result(self):
        result = self.result()
        shown = self.bundle(result=result).stdout
        members = self.members()
        self.assertEqual(list(members), ["manifest.json", "job.fio", "result.json", "environment.json", "report.html"])
        self.assertEqual(members["result.json"], self.read(result))
        environment, stored = json.loads(members["environment.json"]), json.loads(members["result.json"])["fathom"]
        self.assertEqual(environment["host"], stored["host"])
        self.assertEqual(environment["program"], stored["program"])
        page = self.call("report", result, "--output-format=html").stdout.replace(f" ({result})", "").encode()
        self.assertEqual(members["report.html"], page)
        manifest = json.loads(members["manifest.json"])
        self.assertEqual((manifest["format"], manifest["format_version"], manifest["run_id"]), ("fathom bundle", 1, stored["run_id"]))
        for name in members:
            self.assertIn(name if name != "manifest.json" else "not signed", shown)

    def test_the_job_gives_the_same_jobs(self):
        jobs = {"file": bundles.JOB,
                "two globals": "[global]\nioengine=sim\nsize=64k\n[a]\n[global]\nbs=16k\n[b]\nnew_group\nrw=write\n",
                "renamed": "[a]\nname=other\nioengine=sim\nsize=64k\n",
                "names": "[a]\nioengine=sim\nfilename=x\nfilename=y\nsize=64k\n",
                "text": "[a]\nioengine=sim\nsize=64k\ndescription=a = b  'c' \"d\" 50%\n"}
        for name, text in jobs.items():
            with self.subTest(name):
                self.same_after(self.result(job=text))

    def test_a_command_line_gives_the_same_jobs(self):
        self.write("one.txt", "[global]\nbs=8k\nioengine=sim\n[a]\nsize=64k\n")
        self.write("two.txt", "[global]\nioengine=sim\n[b]\nsize=32k\nrw=write\n[c]\nsize=32k\n")
        for words in (["--ioengine=sim", "--size=64k", "--name=a", "--bs=8k", "--name=b", "--rw=randwrite", "--set=iodepth=3"],
                      ["one.txt", "two.txt"], ["--section=c", "two.txt"], ["--bs=2k", "--name=z", "--ioengine=sim", "--size=8k", "one.txt"]):
            with self.subTest(words):
                self.same_after(self.result(*words))

    def same_after(self, result):
        """`fathom run` accepts the job, and its result has the same I/O and groups."""
        self.bundle("--force", result=result)
        self.write("again.fio", self.members()["job.fio"])
        again = self.result("again.fio", name="again.json")

        def facts(name):
            fathom = json.loads(self.read(name))["fathom"]
            common = fathom.get("every_job", {})
            jobs = [{**common, **job} for key in ("jobs", "group_members") for job in fathom[key]]
            return [(job["name"], job.get("section_name"), job["group_id"], job["members"], job["section"], job["rw"], job["engine"], job["iodepth"],
                     job["bs_min_bytes"], job["description"], [job.get(d, {}).get("bytes") for d in ("read", "write")]) for job in jobs]

        self.assertEqual(facts(result), facts(again))

    def test_the_same_input_gives_the_same_bytes(self):
        result = self.result()
        first, second = self.write("b.txt", "1"), self.write("a.txt", "2")
        self.bundle(f"--add={first}", f"--add={second}", result=result)
        os.utime(self.path(result), (1, 1))
        self.bundle(f"--add={second}", f"--add={first}", name="again.zip", result=result)
        self.assertEqual(self.read("b.zip"), self.read("again.zip"))
        with zipfile.ZipFile(self.path("b.zip")) as archive:
            self.assertEqual({info.date_time for info in archive.infolist()}, {(1980, 1, 1, 0, 0, 0)})
            self.assertEqual({info.external_attr >> 16 for info in archive.infolist()}, {0o100644})

    def test_logs_of_the_run_and_named_files_are_added(self):
        log = "[a]\nioengine=sim\nsize=16k\nwrite_lat_log=mine\n"
        result = self.result(job=log)
        self.write("note.txt", "a note")
        self.bundle("--add=note.txt", result=result)
        members = self.members()
        self.assertEqual(members["evidence/note.txt"], b"a note")
        self.assertEqual(members["evidence/mine_lat.1.log"], self.read("mine_lat.1.log"))
        self.bundle("--logs=0", "--force", result=result)
        self.assertNotIn("evidence/mine_lat.1.log", self.members())

    def test_a_log_of_another_run_is_omitted_and_named(self):
        result = self.result(job="[a]\nioengine=sim\nsize=16k\nwrite_lat_log=mine\n")
        for shift, why in ((-3600, "it is older than the run"), (3600, "it was written after the run")):
            os.utime(self.path("mine_lat.1.log"), (time.time() + shift,) * 2)
            done = self.bundle("--force", result=result)
            self.assertIn(f"`mine_lat.1.log` is omitted: {why}; --add=mine_lat.1.log adds it", done.stderr)
            self.assertNotIn("evidence/mine_lat.1.log", self.members())
        self.bundle("--force", "--add=mine_lat.1.log", result=result)
        self.assertIn("evidence/mine_lat.1.log", self.members())

    def test_openssl_accepts_the_signature(self):
        key, public = self.key()
        self.assertIn("signed with key.pem", self.bundle(f"--sign={key}").stdout)
        members = self.members()
        self.assertEqual(len(members["manifest.sig"]), 64)
        for name in ("manifest.json", "manifest.sig"):
            self.write(name, members[name])
        self.assertIn("Signature Verified Successfully",
                      self.openssl("pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-in", "manifest.json", "-sigfile", "manifest.sig"))

    def test_other_keys_are_refused(self):
        result = self.result()
        key, public = self.key()
        ec, _ = self.key("ec.pem", "EC")
        self.openssl("pkey", "-in", key, "-aes256", "-passout", "pass:x", "-out", "locked.pem")
        for name, what in ((ec, "not an Ed25519 key"), ("locked.pem", "the key is encrypted"), (public, "this is a public key"), (result, "not a private key")):
            with self.subTest(name):
                done = self.call("bundle", result, "-o", "b.zip", f"--sign={name}", status=2, stdin=subprocess.DEVNULL)
                self.assertIn(what, done.stderr)
                self.assertFalse(os.path.exists(self.path("b.zip")))
        self.assertIn("key", self.call("bundle", result, "-o", "b.zip", "--sign=none.pem", status=4).stderr)

    def test_a_permission_is_omitted_and_named(self):
        done = self.bundle(result=self.result(job="[a]\nioengine=sim\nsize=16k\nallow_mounted_write=1\n"))
        self.assertIn("permits writes: [a] allow_mounted_write=1", done.stderr)
        self.assertNotIn(b"\nallow_mounted_write", self.members()["job.fio"])

    def test_a_job_that_starts_programs_is_named(self):
        done = self.bundle(result=self.result(job="[a]\nioengine=sim\nsize=16k\nexec_prerun=true\n"))
        self.assertIn("`exec_prerun=true` starts a program: `fathom rerun` needs --allow-exec", done.stderr)
        self.assertIn("evidence/a.prerun.txt", self.members())

    def test_mistakes_are_refused(self):
        result = self.result()
        with open(self.path("large"), "wb") as file:
            file.truncate(2 << 30)
        self.write("fio.json", json.dumps({"fio version": "fio-3.42", "jobs": []}))
        for words, status, what in (
                ([], 2, "no result is given"), ([result], 2, "--output is missing"), ([result, "-o", "-"], 2, "`-` is no file name"),
                ([result, result, "-o", "b.zip"], 2, "unexpected argument"), (["fio.json", "-o", "b.zip"], 2, "not a result of fathom"),
                (["none.json", "-o", "b.zip"], 4, "none.json"), ([result, "-o", "none/b.zip"], 4, "none/b.zip"),
                ([result, "-o", "b.zip", "--add=large"], 2, "the limit is 1024 MiB"),
                ([result, "-o", "b.zip", "--add=none"], 4, "none"), ([result, "-o", "b.zip", "--add=/dev/zero"], 2, "the file is a device"),
                ([result, "-o", "b.zip", "--add=job.txt", "--add=./job.txt"], 2, "two files have this name"),
                ([result, "-o", result], 2, "already exists"), ([result, "-o", result, "--force"], 2, "result"),
                ([result, "-o", "b.zip", "--sing=x"], 2, "did you mean `--sign`")):
            with self.subTest(words):
                self.assertIn(what, self.call("bundle", *words, status=status).stderr)
                self.assertFalse(os.path.exists(self.path("b.zip")))

    def test_results_of_other_commands_are_refused(self):
        self.write("doctor.json", self.call("clock", "sources", "--json").stdout)
        self.assertIn("not a result of a run", self.call("bundle", "doctor.json", "-o", "b.zip", status=2).stderr)

    def test_names_that_a_member_cannot_have_are_refused(self):
        result = self.result()
        for name in ("a\nb", "a\\b", "a\x1b[2Jb"):
            self.write(name, "x")
            done = self.call("bundle", result, "-o", "b.zip", f"--add={name}", status=2)
            self.assertIn("cannot be a member of a bundle", done.stderr)
            self.assertNotIn("\x1b[2J", done.stderr)

    def test_a_value_that_no_job_file_can_have_is_refused(self):
        result = self.result("--name=a", "--ioengine=sim", "--size=4k", "--description=a;b")
        self.assertIn("a job file cannot have `description=a;b`", self.call("bundle", result, "-o", "b.zip", status=2).stderr)

    def test_an_existing_file_stays_without_force(self):
        result = self.result()
        for text in ("mine", "{\"format\" : \"fathom doctor\"}"):
            self.write("b.zip", text)
            self.assertIn("`b.zip` already exists", self.call("bundle", result, "-o", "b.zip", status=2).stderr)
            self.assertEqual(self.read("b.zip"), text.encode())
        self.bundle("--force", result=result)
        self.assertTrue(zipfile.is_zipfile(self.path("b.zip")))

    def test_a_read_only_directory_is_an_error(self):
        result = self.result()
        os.mkdir(self.path("closed"))
        if os.geteuid() == 0:
            done = subprocess.run(["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o ro none closed && exec "$0" "$@"', bundles.FATHOM, "bundle", result,
                                   "-o", "closed/b.zip"], cwd=self.folder, capture_output=True, timeout=60)
            if b"mount" in done.stderr:
                self.skipTest("no mount here")
            self.assertEqual(done.returncode, 4, done.stderr)
        else:
            os.chmod(self.path("closed"), 0o555)
            self.call("bundle", result, "-o", "closed/b.zip", status=3)

    def test_a_full_disk_leaves_no_half_bundle(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to mount")
        result = self.result()
        self.write("noise", os.urandom(300_000))
        os.mkdir(self.path("full"))
        script = ('mount -t tmpfs -o size=200k none full && echo old > full/old.zip && "$0" bundle "$1" -o full/b.zip --add=noise; echo $?; '
                  '"$0" bundle "$1" -o full/old.zip --force --add=noise; echo $?; ls full; cat full/old.zip')
        done = subprocess.run(["unshare", "-m", "sh", "-c", script, bundles.FATHOM, result], cwd=self.folder, capture_output=True, timeout=60)
        if b"mount:" in done.stderr:
            self.skipTest("no mount here")
        self.assertEqual(done.stdout.decode().split(), ["4", "4", "old.zip", "old"], done.stderr)
        self.assertIn(b"No space left", done.stderr)

    def test_a_killed_command_leaves_no_half_bundle(self):
        """Killed after more and more system calls that create, write, sync or link: there is no bundle, or a whole one."""
        result = self.result()
        self.write("noise", os.urandom(3_000_000))
        left, calls = set(), "openat,write,fsync,linkat,renameat2"
        for call in calls.split(","):
            for number in range(1, 40, 6 if call == "openat" else 1):
                done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}",
                                       bundles.FATHOM, "bundle", result, "-o", "b.zip", "--add=noise"], cwd=self.folder, capture_output=True, timeout=120)
                if b"strace" in done.stderr:
                    self.skipTest("no strace here")
                if done.returncode == 0:
                    break
                self.assertEqual(done.returncode, -signal.SIGKILL, (call, number, done.stderr))
                if os.path.exists(self.path("b.zip")):
                    self.call("verify-bundle", "b.zip")
                    left.add(True)
                    os.remove(self.path("b.zip"))
                left.add(False)
            if os.path.exists(self.path("b.zip")):
                os.remove(self.path("b.zip"))
        self.assertIn(False, left)

    def test_two_at_once_leave_one_whole_bundle(self):
        result = self.result()
        files = [self.write(f"noise{i}", os.urandom(1_000_000)) for i in range(2)]
        both = [subprocess.Popen([bundles.FATHOM, "bundle", result, "-o", "b.zip", "--force", f"--add={file}"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for file in files]
        statuses = [one.wait(60) for one in both]
        self.assertIn(0, statuses)
        self.call("verify-bundle", "b.zip")


if __name__ == "__main__":
    unittest.main()
