"""scripts/same sees a difference that is planted, keeps quiet where there is none or a wanted one, and has the breadth that it promises."""
import contextlib
import io
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import compare
import masks
import rows
import wanted

FATHOM = os.environ["FATHOM"]
SUBCOMMANDS = ("run", "clock", "nvme", "paging", "pmu", "doctor")


def told(old, new, words, entries=""):
    """(exit status, what scripts/same prints)"""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), mock.patch.object(wanted.Wanted, "read", lambda: wanted.Wanted(entries)):
        status = compare.main([old, new, f"--only={words}"])
    return status, out.getvalue()


class CompareTwoPrograms(unittest.TestCase):
    """NEW is a script that changes one thing of what the program does."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fathom-same-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def changed(self, tail):
        """The program, its answer led through what is given; the name by which it was called is kept."""
        path = self.folder / "changed"
        path.write_text(f'#!/bin/bash\nfathom() {{ (exec -a "$name" {FATHOM} "$@"); }}\nname=$0\n{tail}\n')
        path.chmod(0o755)
        return str(path)

    def test_a_program_equals_itself(self):
        for words in ("--output-format=json sim.fio", "fio bad_value.fio", "--import=touch.xml --output-format=csv", "--name=n --ioengine=null"):
            self.assertEqual(told(FATHOM, FATHOM, words), (0, ""))

    def test_a_changed_key_on_standard_output_is_found(self):
        new = self.changed('fathom "$@" | sed "s/slat_ns/slat/"; exit ${PIPESTATUS[0]}')
        status, text = told(FATHOM, new, "fathom run --clock-check=skip --audit=off --output-format=json sim.fio")
        self.assertEqual(status, 1)
        self.assertRegex(text, r'(?m)^-\s+"slat_ns" : \{\n(.*\n)*\+\s+"slat" : \{$')

    def test_a_changed_number_on_the_scripted_clock_is_found(self):
        new = self.changed('fathom "$@" | sed "s/min=100000/min=100001/"; exit ${PIPESTATUS[0]}')
        self.assertEqual(told(FATHOM, new, "fathom run --clock-check=skip --audit=off sim.fio")[0], 1)

    def test_a_changed_key_of_a_measured_report_is_found(self):
        new = self.changed('fathom "$@" | sed "s/\\"iops_mean\\"/\\"iops_average\\"/"; exit ${PIPESTATUS[0]}')
        status, text = told(FATHOM, new, "fathom run --output-format=json --name=n --ioengine=null")
        self.assertEqual((status, "iops_average" in text), (1, True))

    def test_a_change_on_standard_error_is_found(self):
        new = self.changed('fathom "$@" 2> >(sed s/help:/hint:/ >&2)')
        status, text = told(FATHOM, new, "fio bad_value.fio")
        self.assertIn("\n-  help: ", text)
        self.assertEqual(status, 1)

    def test_a_changed_exit_status_is_found(self):
        status, text = told(FATHOM, self.changed('fathom "$@"; exit 7'), "fio bad_value.fio")
        self.assertEqual((status, text), (1, "== fio bad_value.fio\n-exit status 1\n+exit status 7\n"))

    def test_a_changed_output_file_is_found(self):
        new = self.changed('fathom "$@"; status=$?; [ ! -f out.json ] || echo more >> out.json; exit $status')
        status, text = told(FATHOM, new, "--output=out.json")
        self.assertEqual((status, "+more" in text), (1, True))

    def test_a_wanted_difference_is_not_reported(self):
        new = self.changed('fathom "$@"; exit 7')
        self.assertEqual(told(FATHOM, new, "fio bad_value.fio", "fio bad_value | [-+]exit status [17] | a status of its own")[0], 0)
        self.assertEqual(told(FATHOM, new, "fio bad_value.fio", "fio bad_choice | [-+]exit status [17] | a status of its own")[0], 1)
        self.assertEqual(told(FATHOM, new, "fio bad_value.fio", "* | [+]exit status 7 | half of it")[0], 1)


class ComparedInvocations(unittest.TestCase):
    def test_cover_every_command_and_format_once(self):
        every = [row.text for row in rows.all_rows(lambda _: "")]
        self.assertGreaterEqual(len(every), 60)
        self.assertEqual(len(every), len(set(every)), "each row once")
        for name in compare.NAMES:
            self.assertTrue([row for row in every if row.split()[0] == name], name)
        for word in SUBCOMMANDS:
            self.assertTrue([row for row in every if row.startswith(f"fathom {word} ") and "--help" not in row] or word == "doctor", word)
            self.assertIn(f"fathom {word} --help", every)

    def test_a_wanted_difference_not_found_is_reported(self):
        entries = wanted.Wanted("# why\nfathom run | -old | one\n* | [+]new | two\n")
        self.assertEqual(entries.left("fathom run x", ["-old", "+other"]), ["+other"])
        self.assertEqual(entries.unseen(), ["wanted.txt:3: nothing of this was found"])

    def test_a_wanted_pattern_that_matches_any_line_is_refused(self):
        with self.assertRaisesRegex(ValueError, "wanted.txt:1: matches any line"):
            wanted.Wanted("fathom clock | .* | rows\n")
        with self.assertRaisesRegex(ValueError, "matches any line"):
            wanted.Wanted("=fathom clock sources --json | .* | rows\n")
        entries = wanted.Wanted("=fathom clock --help | .* | rows\nfathom clock | MESSAGES | rows\n")
        self.assertEqual(entries.left("fathom clock --help", ["-anything"]), [])
        self.assertEqual(entries.left("fathom clock test --jsn", ["-fathom: error: --jsn", "+  help: x", "+    --jsn", "+    ^^^^^", '+  "key" : 1']), ['+  "key" : 1'])

    def test_the_list_of_wanted_differences_is_well_formed(self):
        wanted.Wanted.read()
        with self.assertRaisesRegex(ValueError, "wanted.txt:2"):
            wanted.Wanted("# a comment\nfathom | no reason\n")


class OutputMasks(unittest.TestCase):
    def test_exact_output_keeps_its_numbers(self):
        self.assertEqual(masks.masked("iops=12, pid=99: Mon Nov  3 01:02:03 2025", masks.EXACT), "iops=12, pid=#: DATE")

    def test_measured_json_keeps_the_options(self):
        asked, counted = '  "iodepth" : 8,', '  "iops" : 8.000000,'
        self.assertEqual(masks.masked(asked + "\n" + counted, masks.MEASURED), '  "iodepth" : 8\n  "iops" : #.#')
        self.assertNotEqual(masks.masked(counted, masks.MEASURED), masks.masked('  "iops" : 8,', masks.MEASURED), "a number of another kind")

    def test_measured_text_keeps_its_words(self):
        self.assertEqual(masks.masked("  read: IOPS=32.7k, BW=128MiB/s (134MB/s)", masks.MEASURED), masks.masked("  read: IOPS=9, BW=8KiB/s (9kB/s)", masks.MEASURED))
        self.assertNotEqual(masks.masked("read: IOPS=32.7k", masks.MEASURED), masks.masked("write: IOPS=32.7k", masks.MEASURED))


if __name__ == "__main__":
    unittest.main()
