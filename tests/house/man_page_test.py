"""The man pages: each subcommand has a page, and each option of a command's help, and of a job, is in its page, from the rows of both. The
hand-written parts name no option that no command has. scdoc and man format every page without a warning, and every page has the same sections."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import tree

FATHOM = os.environ.get("FATHOM", str(tree.SOURCE / "build/fathom"))
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", tree.SOURCE / "build"))
FRONTS = {path.name.removesuffix(".scd"): path.read_text() for path in sorted(tree.SOURCE.glob("man/*.scd"))}
MAIN = "fathom.1"
WITHOUT_PAGE = {"version", "help", "completion"}
WITH_ACTIONS = ["clock", "history", "nvme", "paging", "pmu", "trace"]
SECTIONS = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"]
# Programs that have their options in a command's page, by the name that calls them.
APPLETS = {"pmbench": "fathom-paging.1", "spdk_nvme_perf": "fathom-nvme.1"}


def ask(*words, program=FATHOM):
    return subprocess.run([program, *words], executable=FATHOM, capture_output=True, text=True, timeout=20, check=True).stdout


def names_in(overview, heading):
    """Words that begin the lines below a heading (None: below the first paragraph that has such lines), with the rest of the line."""
    below = overview.partition(heading)[2] if heading else overview
    lines = re.match(r"(?:.*\n)*?((?:  [a-z][a-z-]* .*\n)+)", below)
    return dict(re.findall(r"^  ([a-z][a-z-]*) +(.*)", lines[1], re.M)) if lines else {}


def subcommands():
    return names_in(ask("--help"), "subcommands:\n")


def commands_with_options():
    """"run", "clock test": the commands that have a help with options."""
    commands = [name for name in subcommands() if name not in WITHOUT_PAGE | set(WITH_ACTIONS) - {"paging"}]
    for family in WITH_ACTIONS:
        heading = "\nactions\n" if family == "paging" else None
        commands += [f"{family} {action}" for action in names_in(ask("help", family), heading)]
    return commands


def job_options():
    rows = [row for row in ask("help", "man-options").split("\n") if row.startswith("*")]
    return [row.strip("*").split("*")[0].replace("\\", "") for row in rows]


def options_of(help_text):
    """Long options of a help text."""
    return set(re.findall(r"^ +(?:-\w, )?(--[\w-]+)", help_text, re.M))


def named(page):
    return set(re.findall(r"--[\w-]*[a-z0-9]", page))


def plain(page):
    return re.sub(r"\\f\w|\\", "", page)


def section(page, heading, level="SH"):
    """The text below a heading, to the next one of its level or above."""
    ends = "SH" if level == "SH" else "S[SH]"
    found = re.search(rf'^\.{level} "?{heading}"?$(.*?)(?=^\.{ends} |\Z)', page, re.M | re.S)
    return found[1] if found else None


def page_of(command):
    return f"fathom-{command.split()[0]}.1"


class Extraction(unittest.TestCase):
    def test_options_are_extracted_from_help_and_page(self):
        self.assertEqual(options_of("  -o, --one=N  x\n      --two-b  as --three\n"), {"--one", "--two-b"})
        self.assertEqual(named("*--one*=_n_ *--two-b*,"), {"--one", "--two-b"})

    def test_names_are_extracted_from_an_overview(self):
        self.assertEqual(names_in("usage\n\nText.\n\n  one  does it\n  two  too\n\nother\n  three  x\n", None), {"one": "does it", "two": "too"})
        self.assertEqual(names_in("  no  x\nlist:\n  one  does it\n", "list:\n"), {"one": "does it"})

    def test_sections_end_at_the_next_heading(self):
        page = '.SH A\none\n.SS "x y"\ntwo\n.SS z\nthree\n.SH B\nfour\n'
        self.assertEqual(section(page, "x y", "SS"), "\ntwo\n")
        self.assertIn("three", section(page, "A"))
        self.assertEqual(section(page, "B"), "\nfour\n")
        self.assertIsNone(section(page, "C"))


class Fronts(unittest.TestCase):
    """The hand-written parts."""

    def test_each_subcommand_has_a_page(self):
        expected = {MAIN} | {page_of(name) for name in subcommands() if name not in WITHOUT_PAGE}
        self.assertGreater(len(expected), 9)
        self.assertEqual(set(FRONTS), expected)

    def test_the_overview_names_each_subcommand_with_its_summary_and_page(self):
        for name, summary in subcommands().items():
            entry = re.search(rf"^\*{name}\*.*\n\t(.*)", FRONTS[MAIN], re.M)
            self.assertIsNotNone(entry, name)
            self.assertTrue(re.sub(r"[*_]", "", entry[1]).startswith(summary.split("`")[0].strip()), name)
            if name not in WITHOUT_PAGE:
                self.assertTrue(entry[1].endswith(f"*fathom-{name}*(1)"), name)

    def test_each_page_of_a_command_has_its_sections_in_order(self):
        for name, front in FRONTS.items():
            found = [heading for heading in re.findall(r"^# (.*)", front, re.M) if heading in SECTIONS]
            if name != MAIN:
                self.assertEqual(found, SECTIONS, name)
            commands = re.findall(r"^\t", front.partition("\n# EXAMPLES\n")[2].partition("\n# ")[0], re.M)
            self.assertIn(len(commands), range(2, 5), name)
            self.assertTrue(front.startswith(f"{name[:-2]}(1)\n"), name)

    def test_pages_name_only_pages_that_exist(self):
        for name, front in FRONTS.items():
            named_pages = set(re.findall(r"\*(fathom[a-z-]*)\*\(1\)", front))
            self.assertEqual({page for page in named_pages if f"{page}.1" not in FRONTS}, set(), name)
            for document in re.findall(r"\bdocs/[\w/.-]+\.md", front):
                self.assertTrue((tree.SOURCE / document).is_file(), f"{name}: {document}")

    def test_they_name_no_unknown_option(self):
        known = {f"--{name}" for name in job_options()} | {"--help", "--option"}
        known |= set().union(*(options_of(ask(*command.split(), "--help")) for command in commands_with_options()))
        for name, front in FRONTS.items():
            self.assertEqual(named(front) - known, set(), name)


class Pages(unittest.TestCase):
    """As they were built."""

    def setUp(self):
        if not (BUILD / MAIN).exists():
            self.skipTest("scdoc was not there when this was configured")
        self.pages = {name: plain((BUILD / name).read_text()) for name in FRONTS}

    def test_each_page_has_every_option_of_its_commands(self):
        commands = commands_with_options()
        self.assertGreater(len(commands), 19)
        for command in commands:
            wanted = options_of(ask("help", *command.split()))
            self.assertTrue(wanted or command.endswith("bind"), command)
            page = self.pages[page_of(command)]
            own = " " not in command or command == "paging run"
            text = section(page, "OPTIONS") if own else section(page, f"fathom {command}", "SS")
            self.assertIsNotNone(text, command)
            self.assertEqual(wanted - named(text), set(), command)

    def test_each_page_has_every_option_of_the_programs_that_it_describes(self):
        for applet, name in APPLETS.items():
            wanted = options_of(ask("--help", program=applet))
            self.assertGreater(len(wanted), 10)
            self.assertEqual(wanted - named(section(self.pages[name], applet, "SS")), set(), applet)

    def test_it_names_every_job_option(self):
        wanted = job_options()
        self.assertGreater(len(wanted), 50)
        text = section(self.pages["fathom-run.1"], "JOB OPTIONS")
        self.assertEqual([option for option in wanted if option not in text], [])

    def test_man_formats_each_page_without_a_warning(self):
        if not shutil.which("man"):
            self.skipTest("man is not installed")
        for name in FRONTS:
            for width in ("80", "132"):
                shown = subprocess.run(["man", "--warnings", "-l", BUILD / name], capture_output=True, text=True, timeout=60,
                                       env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": width, "MANPAGER": "cat", "PAGER": "cat"})
                self.assertEqual((shown.returncode, shown.stderr), (0, ""), f"{name} at {width} columns")
                self.assertIn("SEE ALSO", re.sub(r".\x08", "", shown.stdout))


if __name__ == "__main__":
    unittest.main()
