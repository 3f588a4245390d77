#!/usr/bin/python3
# timeout: 120
"""The text of a run on a terminal: what matters first, and no line wider than the terminal, 120 columns at most; the same into a pipe is not broken, and fio's
report is fio's everywhere."""
import os
import re
import subprocess
import tempfile
import unittest

from terminals import FATHOM, on_terminal

JOB = ["--name=t", "--ioengine=null", "--rw=randrw", "--size=1g", "--iodepth=8", "--number_ios=20000", "--clock-check=skip"]


def below_the_verdict(text):
    """Without the first lines, and without what a terminal has of them once more at the end."""
    return text[text.index("t: (g=0)"):].split("\n\n  measured ")[0]


def joined(text):
    """A sentence of the verdict may go on, further in, on the next line."""
    return re.sub("\n {6}(?=\\S)", " ", text[:text.index("t: (g=0)")]).splitlines()


def same_but_for_a_cut(one, other):
    """A line of the verdict that has no room ends in "...": what it has to say stands below in full."""
    cut = min((line.removesuffix("...") for line in (one, other) if line.endswith("...")), key=len, default=None)
    return one == other if cut is None else one.startswith(cut) and other.startswith(cut)


class TerminalText(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.stored = os.path.join(cls.folder.name, "r.json")
        subprocess.run([FATHOM, "run", *JOB, "--output-format=json+", f"--output={cls.stored}"], check=True, timeout=60)
        cls.plain = subprocess.run([FATHOM, "report", cls.stored], capture_output=True, text=True, check=True, timeout=60).stdout

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_verdict_stands_first(self):
        self.assertTrue(self.plain.startswith("  measured randrw, 4 KiB, null, iodepth 8"), self.plain[:200])
        head = self.plain[:self.plain.index("t: (g=0)")].splitlines()
        self.assertLessEqual(len(joined(self.plain)), 7)
        self.assertEqual([line.split()[0] for line in head if line.split()[0] in ("checks", "next")], ["checks", "next"])

    def test_into_a_pipe_no_line_is_broken(self):
        self.assertGreater(max(map(len, self.plain.splitlines())), 120)

    def test_on_a_terminal_no_line_is_wider_than_it_and_nothing_is_lost(self):
        for asked, most in ((60, 60), (80, 80), (120, 120), (200, 120), (0, 80)):
            with self.subTest(columns=asked):
                text = on_terminal(asked, ["report", self.stored])
                self.assertEqual([line for line in text.splitlines() if len(line) > most and " " in line.strip()], [])
                self.assertEqual(below_the_verdict(text).split(), below_the_verdict(self.plain).split())
                for line, other in zip(joined(text), joined(self.plain), strict=True):
                    self.assertTrue(same_but_for_a_cut(line, other), (line, other))

    def test_of_a_run_as_of_a_report(self):
        text = on_terminal(80, ["run", *JOB])
        self.assertTrue(text.startswith("  measured randrw"), text[:200])
        self.assertLessEqual(max(map(len, text.splitlines())), 80)

    def test_colour_is_for_terminals_that_have_it(self):
        plain = on_terminal(80, ["report", self.stored])
        self.assertNotIn("\x1b", plain)
        self.assertNotIn("\x1b", on_terminal(80, ["report", self.stored], TERM="xterm", NO_COLOR="1"))
        vivid = on_terminal(80, ["report", self.stored], TERM="xterm")
        self.assertIn("\x1b[1;3", vivid)
        self.assertEqual(re.sub("\x1b\\[[0-9;]*m", "", vivid), plain)
        forced = subprocess.run([FATHOM, "report", self.stored], capture_output=True, text=True, check=True, timeout=60, env={**os.environ, "CLICOLOR_FORCE": "1"}).stdout
        self.assertEqual(re.sub("\x1b\\[[0-9;]*m", "", forced), self.plain)
        self.assertIn("\x1b[1;3", forced)

    def test_brief_is_the_verdict_alone(self):
        told = subprocess.run([FATHOM, "run", *JOB, "--brief"], capture_output=True, text=True, check=True, timeout=60).stdout
        self.assertTrue(told.startswith("  measured randrw"), told)
        self.assertLessEqual(len(re.sub("\n {6}(?=\\S)", " ", told).splitlines()), 6)  # a finding may go on, further in, on the next lines
        stored = subprocess.run([FATHOM, "report", self.stored, "--output-format=brief"], capture_output=True, text=True, check=True, timeout=60).stdout
        lines = re.sub("\n {6}(?=\\S)", " ", stored).splitlines()  # a sentence may go on, further in, on the next line
        whole = joined(self.plain)[:len(lines)]
        for line, brief in zip(whole, lines, strict=True):
            self.assertTrue(same_but_for_a_cut(line, brief), (line, brief))

    def test_paging_is_shown_as_a_run_is(self):
        words = ["paging", "--map=8M", "--duration=0.3"]
        stored = os.path.join(self.folder.name, "paging.json")
        subprocess.run([FATHOM, *words, "--output-format=json", f"--output={stored}"], check=True, timeout=60)
        for columns, how in ((60, ["report", stored]), (80, ["report", stored]), (80, ["report", stored, "--brief"]), (60, words)):
            with self.subTest(columns=columns, how=how[0]):
                text = on_terminal(columns, how, TERM="xterm")
                self.assertTrue(text.startswith("  measured uniform"), text[:200])
                self.assertRegex(text, "\n  checks   \x1b\\[1;3")
                plain = re.sub("\x1b\\[[0-9;]*m", "", text)
                self.assertEqual([line for line in plain.splitlines() if len(line) > columns and " " in line.strip()], [])
        whole = subprocess.run([FATHOM, "report", stored], capture_output=True, text=True, check=True, timeout=60).stdout
        self.assertNotIn("\x1b", whole)
        self.assertLess(whole.index("  checks"), whole.index("fathom paging "))

    # A report on a terminal has the error in its list; standard error is the same terminal.
    def test_one_bad_block_is_said_once(self):
        job = ["run", "--name=v", "--filename=data", "--bs=4k", "--size=64k", "--verify=crc32c", "--clock-check=skip"]
        subprocess.run([FATHOM, *job, "--rw=write"], check=True, timeout=60, cwd=self.folder.name, capture_output=True)
        with open(os.path.join(self.folder.name, "data"), "r+b") as data:
            data.seek(5 * 4096 + 2000)
            data.write(b"wrong")
        words = [*job, "--rw=read"]
        text = on_terminal(80, words, self.folder.name, to="stdout,stderr")
        self.assertEqual(len(re.findall("(?m)^fathom: io_u error on file data", text)), 1, text)
        brief = on_terminal(80, [*words, "--brief"], self.folder.name, to="stdout,stderr")
        self.assertEqual(" ".join(brief.split()).count("io_u error on file data"), 1, brief)
        piped = subprocess.run([FATHOM, *words], capture_output=True, text=True, timeout=60, cwd=self.folder.name)
        self.assertEqual((piped.returncode, piped.stderr.count("io_u error on file data")), (4, 1), piped.stderr)

    def test_what_has_no_width_is_as_its_command_prints_it(self):
        stored = os.path.join(self.folder.name, "clock.json")
        with open(stored, "w") as out:
            subprocess.run([FATHOM, "clock", "sources", "--json"], stdout=out, timeout=60)
        plain = subprocess.run([FATHOM, "report", stored], capture_output=True, text=True, check=True, timeout=60).stdout
        self.assertGreater(max(map(len, plain.splitlines())), 60)
        self.assertEqual(on_terminal(60, ["report", stored], TERM="xterm"), plain)

    def test_doctor_fits_the_terminal(self):
        stored = os.path.join(self.folder.name, "doctor.json")
        with open(stored, "w") as out:
            subprocess.run([FATHOM, "doctor", "--json"], stdout=out, timeout=60)
        plain = subprocess.run([FATHOM, "report", stored], capture_output=True, text=True, check=True, timeout=60).stdout
        self.assertGreater(max(map(len, plain.splitlines())), 120)
        for columns in (60, 80):
            text = on_terminal(columns, ["report", stored])
            self.assertEqual(text.split(), plain.split())
            for shown in (text, on_terminal(columns, ["doctor"])):
                self.assertEqual([line for line in shown.splitlines() if len(line) > columns and " " in line.strip()], [])

    def test_a_locale_without_utf8_has_ascii_alone(self):
        for words in (["report", "--plot", self.stored], ["compare", self.stored, self.stored], ["paging", "--map=8M", "--duration=0.3"]):
            with self.subTest(words=words[0]):
                self.assertFalse(on_terminal(80, words, LC_ALL="C.UTF-8").isascii())
                self.assertTrue(on_terminal(80, words, LC_ALL="C").isascii())
                piped = subprocess.run([FATHOM, *words], capture_output=True, text=True, check=True, timeout=60, env={**os.environ, "LC_ALL": "C"}).stdout
                self.assertTrue(piped.isascii(), piped)

    def test_json_is_not_broken(self):
        words = ["report", self.stored, "--output-format=json+"]
        plain = subprocess.run([FATHOM, *words], capture_output=True, text=True, check=True, timeout=60).stdout
        self.assertGreater(max(map(len, plain.splitlines())), 60)
        self.assertEqual(on_terminal(60, words), plain)

    def test_fio_mode_has_fios_text_as_it_is(self):
        text = on_terminal(60, JOB)
        self.assertTrue(text.startswith("t: (g=0): rw=randrw"), text[:200])
        self.assertNotIn("  checks ", text)
        self.assertGreater(max(map(len, text.splitlines())), 80)


if __name__ == "__main__":
    unittest.main()
