#!/usr/bin/python3
# timeout: 600
"""`fathom verify-bundle`: a whole bundle passes; a changed, hostile or truncated one does not, and says why."""
import json
import os
import stat
import struct
import subprocess
import unittest
import zipfile

import bundles


class VerifyBundle(bundles.Bundles):
    def check(self, *words, name="b.zip", status=0):
        return self.call("verify-bundle", name, *words, status=status)

    def document(self, *words, name="b.zip", status=0):
        return json.loads(self.check("--output-format=json", *words, name=name, status=status).stdout)

    def test_a_whole_bundle_passes(self):
        self.bundle()
        text = self.check().stdout
        self.assertTrue(text.startswith("b.zip: passed\n  members    5, "))
        self.assertIn("every checksum matches the manifest\n  signature  none\n  maker      unknown", text)
        document = self.document()
        self.assertEqual({key: document[key] for key in ("file", "passed", "whole", "signature", "key", "members", "problems")},
                         {"file": "b.zip", "passed": True, "whole": True, "signature": "none", "key": "", "members": 5, "problems": []})
        self.assertEqual(document["size_bytes"], sum(map(len, self.members().values())))

    def test_the_document_is_a_result(self):
        self.bundle()
        for made in ("text", "json"):
            self.write("check.json", self.check("--output-format=json").stdout)
            self.assertEqual(self.call("report", "check.json", f"--output-format={made}").stdout, self.check(f"--output-format={made}").stdout)

    def test_standard_input_is_read(self):
        self.bundle()
        with open(self.path("b.zip"), "rb") as file:
            self.assertIn("<standard input>: passed", self.call("verify-bundle", "-", stdin=file).stdout)

    def test_a_signature_is_checked_with_a_key_only(self):
        key, public = self.key()
        _, other = self.key("other.pem")
        self.bundle(f"--sign={key}")
        self.assertIn("signature  present, not checked: --key=PUB.pem checks it\n  maker      unknown", self.check().stdout)
        self.assertIn("signature  valid: made with the private key of pub-key.pem\n  run", self.check(f"--key={public}").stdout)
        self.assertIn("signature  WRONG", self.check(f"--key={other}", status=1).stdout)
        self.assertEqual(self.document(f"--key={other}", status=1)["signature"], "wrong")
        self.bundle("--force")
        self.assertIn("signature  MISSING", self.check(f"--key={public}", status=1).stdout)
        self.assertTrue(self.document(f"--key={public}", status=1)["whole"])

    def test_a_signature_of_openssl_is_accepted(self):
        key, public = self.key()
        self.bundle()
        self.write("manifest.json", self.members()["manifest.json"])
        self.openssl("pkeyutl", "-sign", "-inkey", key, "-rawin", "-in", "manifest.json", "-out", "manifest.sig")
        self.repack({"manifest.sig": self.read("manifest.sig")}, manifest=False)
        self.check(f"--key={public}", name="made.zip")

    def test_a_rewritten_bundle_passes_without_a_key_only(self):
        """Somebody changes the job and writes a manifest for it. The checksums match."""
        key, public = self.key()
        self.bundle(f"--sign={key}")
        self.repack({"job.fio": b"[a]\nexec_prerun=evil\n"})
        self.assertIn("passed", self.check(name="made.zip").stdout)
        self.assertIn("WRONG", self.check(f"--key={public}", name="made.zip", status=1).stdout)

    def test_other_keys_are_refused(self):
        key, public = self.key()
        _, ec = self.key("ec.pem", "EC")
        self.bundle(f"--sign={key}")
        for name, what, status in ((ec, "not an Ed25519 key", 2), (key, "this is a private key", 2), ("b.zip", "not a public key", 2), ("none", "none", 4)):
            self.assertIn(what, self.check(f"--key={name}", status=status).stderr)

    def test_changed_missing_and_extra_members_are_found(self):
        self.bundle()
        for changes, what in (({"job.fio": b"[a]\n"}, "job.fio: it has 4 bytes; the manifest states"), ({"report.html": None}, "report.html: the member is missing"),
                              ({"evidence/x": b""}, "evidence/x: the manifest does not list it"), ({"result.json": None}, "result.json: the member is missing")):
            self.repack(changes, manifest=False)
            done = self.check(name="made.zip", status=1)
            self.assertIn("made.zip: FAILED\n", done.stdout)
            self.assertIn(what, done.stdout)
            self.assertEqual(len(self.document(name="made.zip", status=1)["problems"]), 1)
        same_size = self.members()["job.fio"].replace(b"bs=4k", b"bs=8k")
        self.repack({"job.fio": same_size}, manifest=False)
        self.assertIn("job.fio: its SHA-256 differs from the manifest", self.check(name="made.zip", status=1).stdout)

    def test_a_damaged_byte_is_found(self):
        self.bundle()
        whole = self.read("b.zip")
        for at in range(0, len(whole), max(1, len(whole) // 30)):
            self.write("made.zip", whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1:])
            done = subprocess.run([bundles.FATHOM, "verify-bundle", "made.zip"], cwd=self.folder, capture_output=True, timeout=60)
            times = 30 <= at < 34  # a checksum does not cover the times of members; nobody reads them
            self.assertIn(done.returncode, (0, 1, 2) if times else (1, 2), (at, done.stdout))

    def test_a_truncated_file_is_no_bundle(self):
        self.bundle()
        whole = self.read("b.zip")
        for size in (1, 3, 100, len(whole) // 2, len(whole) - 1):
            self.write("made.zip", whole[:size])
            self.assertIn("`made.zip` is not a bundle", self.check(name="made.zip", status=2).stderr)

    def test_other_files_are_no_bundles(self):
        self.write("empty", "")
        self.write("text", "no zip")
        self.pack([("a", b"x")], name="other.zip")
        os.mkdir(self.path("directory"))
        for name, status, what in (("empty", 2, "the file is empty"), ("text", 2, "it is no zip archive"), ("other.zip", 2, "manifest.json: the member is missing"),
                                   ("none", 4, "none"), ("directory", 4, "directory"), ("/dev/zero", 2, "the file is a device")):
            with self.subTest(name):
                self.assertIn(what, self.check(name=name, status=status).stderr)
        self.assertIn("no bundle is given", self.call("verify-bundle", status=2).stderr)
        self.assertIn("unexpected argument", self.call("verify-bundle", "text", "empty", status=2).stderr)
        self.assertIn("unknown format", self.check("--output-format=xml", name="text", status=2).stderr)

    def hostile(self, name, mode=stat.S_IFREG | 0o644, text=b"x", before=()):
        info = zipfile.ZipInfo("x")
        info.filename, info.external_attr, info.create_system = name, mode << 16, 3
        self.pack([*self.members().items(), *before, (info, text)])
        done = self.check(name="made.zip", status=2)
        self.assertIn("`made.zip` is not a bundle", done.stderr)
        return done.stderr

    def test_hostile_members_are_refused(self):
        self.bundle()
        for name in ("/etc/cron.d/x", "../x", "a/../../x", "evidence/..", "a\\b", "a\nb", "\x1b[2J", "evidence/"):
            with self.subTest(name):
                self.assertNotIn("\x1b[2J", self.hostile(name))
        self.assertIn("it is a link", self.hostile("evidence/x", stat.S_IFLNK | 0o777, b"/etc/passwd"))
        self.assertIn("no regular file", self.hostile("evidence/x", stat.S_IFIFO | 0o644, b""))
        with self.assertWarns(UserWarning):
            self.assertIn("two members are called", self.hostile("evidence/x", before=[("evidence/x", b"y")]))

    def test_more_than_a_gibibyte_is_refused_before_it_is_unpacked(self):
        self.bundle()
        self.pack([*self.members().items(), ("evidence/zeroes", bytes(1 << 20))], compression=zipfile.ZIP_DEFLATED)
        whole = bytearray(self.read("made.zip"))
        header, in_list = whole.find(b"evidence/zeroes") - 30 + 22, whole.rfind(b"evidence/zeroes") - 46 + 24
        for at in (header, in_list):
            self.assertEqual(struct.unpack_from("<I", whole, at), (1 << 20,))
            struct.pack_into("<I", whole, at, 1 << 30)
        self.write("made.zip", bytes(whole))
        done = self.check(name="made.zip", status=2)
        self.assertIn("it has more than 1024 MiB unpacked", done.stderr)

    def test_too_many_members_are_refused(self):
        self.bundle()
        self.pack([*self.members().items(), *((f"evidence/{i}", b"") for i in range(1000))])
        self.assertIn("it has 1005 members; the limit is 1000", self.check(name="made.zip", status=2).stderr)

    def test_a_full_output_is_an_error(self):
        self.bundle()
        with open("/dev/full", "wb") as full:
            done = subprocess.run([bundles.FATHOM, "verify-bundle", "b.zip"], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 4, done.stderr)


if __name__ == "__main__":
    unittest.main()
