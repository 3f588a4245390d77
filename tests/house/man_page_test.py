"""The man page: the built page holds every option that a command's --help has and every option of a job, from the rows of both; its hand-written
part names no option that no command has."""
import os
import pathlib
import re
import subprocess
import unittest

import tree

FATHOM = os.environ.get("FATHOM", str(tree.SOURCE / "build/fathom"))
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", tree.SOURCE / "build"))
FRONT = (tree.SOURCE / "man/fathom.1.scd").read_text()


COMMANDS = ["run", "clock test", "clock sources", "nvme list", "nvme identify", "nvme log", "nvme setup", "nvme bind", "nvme unbind", "nvme perf",
            "nvme serve", "paging", "paging breakdown", "paging learn", "paging cleanup", "pmu list", "pmu stat", "report", "compare", "sweep", "doctor"]


def ask(*words):
    return subprocess.run([FATHOM, *words], capture_output=True, text=True, timeout=20, check=True).stdout


def job_options():
    rows = [row for row in ask("help", "man-options").split("\n") if row.startswith("*")]
    return [row.strip("*").split("*")[0].replace("\\", "") for row in rows]


def options_of(help_text):
    """Long options of a help text."""
    return set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", help_text, re.M))


def named(page):
    return set(re.findall(r"--[\w-]*[a-z0-9]", page))


class ManPage(unittest.TestCase):
    def setUp(self):
        page = BUILD / "fathom.1"
        if not page.exists():
            self.skipTest("scdoc was not there when this was configured")
        self.text = re.sub(r"\\f\w|\\", "", page.read_text())

    def test_options_are_extracted_from_help_and_page(self):
        self.assertEqual(options_of("  -o, --one=N  x\n      --two-b  as --three\n"), {"--one", "--two-b"})
        self.assertEqual(named("*--one*=_n_ *--two-b*,"), {"--one", "--two-b"})

    def test_it_names_every_option_of_every_command(self):
        for command in COMMANDS:
            wanted = options_of(ask(*command.split(), "--help"))
            self.assertTrue(wanted or command.endswith("bind"), command)
            section = re.search(rf'^\.SS "?fathom {command}"?$(.*?)(?=^\.S[SH] )', self.text, re.M | re.S)
            self.assertIsNotNone(section, command)
            self.assertEqual(wanted - named(section[1]), set(), command)

    def test_it_names_no_unknown_option(self):
        known = set().union(*(options_of(ask(*command.split(), "--help")) for command in COMMANDS))
        known |= {f"--{name}" for name in job_options()} | {"--help", "--option"}
        self.assertEqual(named(FRONT) - known, set())

    def test_it_names_every_job_option(self):
        wanted = job_options()
        self.assertGreater(len(wanted), 50)
        self.assertEqual([option for option in wanted if option not in self.text], [])


if __name__ == "__main__":
    unittest.main()
