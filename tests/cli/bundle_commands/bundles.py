"""Shared by the tests of bundles: runs the program in a directory, makes keys with openssl, and packs archives that no honest program writes."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest
import zipfile

FATHOM = os.environ.get("FATHOM", "")
JOB = "[global]\nioengine=sim\nsize=64k\nbs=4k\n[one]\nrw=randread\nnumjobs=2\ngroup_reporting\n[two]\nstonewall\nrw=randwrite\n"


class Bundles(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(FATHOM):
            self.skipTest("the program is not built")
        holder = tempfile.TemporaryDirectory(prefix="fathom-bundle-", dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def call(self, *words, status=0, **more):
        done = subprocess.run([FATHOM, *words], cwd=self.folder, capture_output=True, timeout=120, **more)
        self.assertEqual(done.returncode, status, (words, done.stdout, done.stderr))
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        return done

    def result(self, *words, name="result.json", job=JOB):
        if not words:
            self.write("job.txt", job)
            words = ["job.txt"]
        self.call("run", *words, "--audit=off", "--clock-check=skip", "--output-format=json", f"--output={name}", "--force")
        return name

    def bundle(self, *words, name="b.zip", result=None):
        return self.call("bundle", result or self.result(), "-o", name, *words)

    def members(self, name="b.zip"):
        with zipfile.ZipFile(self.path(name)) as archive:
            self.assertIsNone(archive.testzip())
            return {info.filename: archive.read(info) for info in archive.infolist()}

    def pack(self, members, name="made.zip", compression=zipfile.ZIP_STORED):
        """members: pairs of a name (or a ZipInfo) and bytes."""
        with zipfile.ZipFile(self.path(name), "w", compression) as archive:
            for member, text in members:
                info = member if isinstance(member, zipfile.ZipInfo) else zipfile.ZipInfo(member)
                info.compress_type = compression
                archive.writestr(info, text)
        return name

    def repack(self, changes, name="made.zip", manifest=True):
        """The bundle b.zip with other members; with manifest, the manifest fits them, as somebody else would write it."""
        import hashlib
        members = {**self.members(), **changes}
        members = {key: value for key, value in members.items() if value is not None}
        if manifest:
            document = json.loads(members["manifest.json"])
            document["members"] = [{"name": key, "size_bytes": len(value), "sha256": hashlib.sha256(value).hexdigest()}
                                   for key, value in members.items() if not key.startswith("manifest.")]
            members["manifest.json"] = json.dumps(document).encode()
        return self.pack(members.items(), name)

    def key(self, name="key.pem", algorithm="ed25519"):
        """Files NAME and pub-NAME."""
        if not shutil.which("openssl"):
            self.skipTest("no openssl here")
        more = ["-pkeyopt", "ec_paramgen_curve:P-256"] if algorithm == "EC" else []
        self.openssl("genpkey", "-algorithm", algorithm, *more, "-out", name)
        self.openssl("pkey", "-in", name, "-pubout", "-out", f"pub-{name}")
        return name, f"pub-{name}"

    def openssl(self, *words):
        done = subprocess.run(["openssl", *words], cwd=self.folder, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return done.stdout.decode()
