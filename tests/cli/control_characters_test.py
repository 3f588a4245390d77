"""Names of jobs, files and options may hold any bytes; a terminal obeys some. Whatever fathom is given, it writes none of them: not in
reports, not in errors, not in the status line."""
# label: quick
# timeout: 120
import json
import os
import subprocess
import sys
import tempfile
import unittest

FATHOM = os.environ["FATHOM"]
FIO = os.path.join(os.path.dirname(FATHOM), "fio")
EVIL = b"\x1b[31m\x07\x1b(0\r\xc2\x9b2J\xff"
LINE = b"\nEVIL err= 0"
SMALL = [b"--ioengine=psync", b"--size=4k", b"--bs=4k"]


def controls(data):
    """Bytes that a terminal obeys, newline and tab left out; C1 as one byte or as UTF-8; what is no UTF-8."""
    text = data.decode("utf-8", errors="surrogateescape")
    return sorted({c for c in text if (ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0 or 0xDC80 <= ord(c) < 0xDD00})


class ControlCharacters(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fathom-controls-")
        self.addCleanup(self.folder.cleanup)

    def run_it(self, *argv, program=FATHOM):
        done = subprocess.run([program, *argv], cwd=self.folder.name, capture_output=True, timeout=60)
        for name, data in (("stdout", done.stdout), ("stderr", done.stderr)):
            self.assertEqual(controls(data), [], f"{name} of {argv}: {data!r}")
            self.assertNotIn(b"\nEVIL", b"\n" + data, f"{name} of {argv}")
        return done

    def job_file(self, text):
        path = os.path.join(self.folder.name, "job.fio")
        with open(path, "wb") as file:
            file.write(text)
        return path

    def test_those_of_a_job_file_are_not_printed(self):
        path = self.job_file(b"[a" + EVIL + b"]\ndescription=d" + EVIL + b"\nfilename=f" + EVIL + b"\n" + b"\n".join(o[2:] for o in SMALL) + b"\n")
        for program, door in ((FATHOM, ["run"]), (FIO, [])):
            done = self.run_it(*door, path, "--eta=always", program=program)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(b"a\\x1b[31m", done.stdout)
            self.assertIn(b"Description  : [d\\x1b[31m", done.stdout)

    def test_newlines_in_names_are_escaped(self):
        done = self.run_it("run", b"--name=n" + LINE + EVIL, b"--filename=f" + LINE, *SMALL, "--eta=always")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"n\\nEVIL", done.stdout)

    def test_those_in_the_name_of_a_failing_file_are_escaped(self):
        name = b"full" + EVIL + LINE
        os.symlink("/dev/full", os.path.join(self.folder.name.encode(), name))
        done = self.run_it("run", "--name=t", b"--filename=" + name, "--rw=write", *SMALL)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"full\\x1b[31m", done.stdout)
        self.assertIn(b"full\\x1b[31m", done.stderr)

    def test_errors_that_quote_them_escape_them(self):
        for words in ([b"--bs=4x" + EVIL], [b"--b" + EVIL + b"=1"], [b"--filename=/dev/null/such" + EVIL + LINE, b"--rw=read"], [b"--ioengine=e" + EVIL],
                      [b"--output-format=x" + EVIL], [b"--output=no/such" + EVIL]):
            self.assertNotEqual(self.run_it("run", "--name=t", *SMALL, *words).returncode, 0, words)
        for line in (b"bs=4x" + EVIL, b"no" + EVIL + b"=1", b"\tbs=4x" + EVIL, EVIL):
            done = self.run_it("run", self.job_file(b"[j]\n" + line + b"\n"))
            self.assertNotEqual(done.returncode, 0, line)
            self.assertIn(b"\\x1b", done.stderr)
        self.run_it("run", b"no" + EVIL + b".fio")

    def test_other_commands_escape_them(self):
        for words in (["x"], ["paging", b"--x" + EVIL], ["paging", b"x" + EVIL], ["paging", b"--pattern=x" + EVIL], ["paging", b"--swap=x" + EVIL],
                      ["nvme", b"x" + EVIL], ["nvme", "identify", b"x" + EVIL], ["nvme", "perf", b"--device=x" + EVIL], ["pmu", "stat", "-e", b"x" + EVIL],
                      ["pmu", b"x" + EVIL], ["clock", "test", b"--x" + EVIL], ["clock", b"x" + EVIL], ["doctor", b"x" + EVIL], [EVIL]):
            self.assertNotEqual(self.run_it(*words).returncode, 0, words)

    def test_json_keeps_them_as_text(self):
        done = self.run_it("run", b"--name=n" + LINE + b"\x1b\xc2\x9b", *SMALL, "--output-format=json")
        self.assertEqual(json.loads(done.stdout)["jobs"][0]["jobname"], "n\nEVIL err= 0\x1b\x9b")

    def test_the_check_itself_finds_them(self):
        self.assertEqual(controls(b"\x1b\x07 \xc2\x9b \x9b \xff \n\t\xc3\xa4"), ["\x07", "\x1b", "\x9b", "\udc9b", "\udcff"])


if __name__ == "__main__":
    sys.exit(unittest.main())
