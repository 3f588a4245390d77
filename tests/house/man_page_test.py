"""The man page: its hand-written part names the options of the command that `fathom help run` and `fathom help paging` name, and the built page holds the job
options that come from the rows."""
import os
import pathlib
import re
import subprocess
import unittest

import tree

FATHOM = os.environ.get("FATHOM", str(tree.SOURCE / "build/fathom"))
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", tree.SOURCE / "build"))
FRONT = (tree.SOURCE / "man/fathom.1.scd").read_text()


def ask(topic):
    return subprocess.run([FATHOM, "help", topic], capture_output=True, text=True, timeout=20, check=True).stdout


def undocumented(help_text, page):
    """Long options of a help text that a page does not name."""
    return sorted({o for o in re.findall(r"^ +--([a-z-]+)", help_text, re.M) if not re.search(rf"--{o}\b", page)})


class ManPage(unittest.TestCase):
    def test_a_missing_option_is_seen(self):
        self.assertEqual(undocumented("  --one=N  x\n  --two-b  y\n", "*--one*=_n_"), ["two-b"])

    def test_options_of_the_command(self):
        for topic in ("run", "paging"):
            self.assertEqual(undocumented(ask(topic), FRONT), [], topic)

    def test_the_built_page_has_the_job_options(self):
        page = BUILD / "fathom.1"
        if not page.exists():
            self.skipTest("scdoc was not there when this was configured")
        text = page.read_text().replace("\\", "")
        wanted = [row.strip("*").split("*")[0] for row in ask("man-options").split("\n") if row.startswith("*")]
        self.assertGreater(len(wanted), 50)
        self.assertEqual([option for option in wanted if option.replace("\\", "") not in text], [])


if __name__ == "__main__":
    unittest.main()
