# label: headers
# timeout: 300
"""`cmake --build build --target api` makes a page of each header of the installed library, with what its comments say; and no warning."""
import html
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import tree

BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", tree.SOURCE / "build"))
HEADERS = sorted((tree.SOURCE / "src/nvme").glob("*.h"))


def page_of(header):
    """As Doxygen names it: soft_options.h is soft__options_8h.html."""
    return BUILD / "api/html" / (header.name.replace("_", "__").replace(".h", "_8h.html"))


def words_of(page):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page.read_text(errors="replace"))).split())


@unittest.skipUnless(shutil.which("doxygen"), "Debian's doxygen is not installed")
class ApiPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.done = subprocess.run(["cmake", "--build", BUILD, "--target", "api"], capture_output=True, text=True)

    def test_the_pages_are_made(self):
        self.assertEqual(self.done.returncode, 0, self.done.stdout + self.done.stderr)
        self.assertNotIn("warning:", self.done.stdout + self.done.stderr)

    def test_each_header_has_a_page_with_its_first_comment(self):
        self.assertGreater(len(HEADERS), 10)
        for header in HEADERS:
            with self.subTest(header=header.name):
                first = re.match(r"// (.*)", header.read_text())[1]
                plain = " ".join(re.sub(r"[`<>*_\"\\]", " ", first).split())
                shown = " ".join(re.sub(r"[`<>*_\"\\]", " ", words_of(page_of(header))).split())
                self.assertIn(plain[:40], shown)


if __name__ == "__main__":
    unittest.main()
