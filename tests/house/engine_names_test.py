"""Engines are told apart by their rows (src/io/engine_rows.inc): whoever has to know what an engine is like asks for a trait, so that a new
one is a row and not a line in every list. What names an engine elsewhere under src/ are the rows of options, which say whose they are.
"""
# label: quick
import re
import unittest

import tree

ROWS = "src/io/engine_rows.inc"
# Words that only engines are called by; the others are also options, values and kernel drivers.
OWN = {"psync", "pvsync2", "libaio", "io_uring", "io_uring_cmd"}
OF_OPTIONS = re.compile(r"src/job/(options_\w+|not_built)\.cc$")
DEFAULT = "std::string ioengine = "


def violations(root):
    names = re.findall(r"^FATHOM_ENGINE\((\w+)", (root / ROWS).read_text(), re.M)
    compared = re.compile(r'(?:\w*source\w*\s*)?[=!]=\s*"(?:%s)"' % "|".join(names))
    listed = re.compile(r'"(?:%s)"' % "|".join(OWN))
    found = []
    for path in tree.files(root, ["src"], tree.CODE):
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(tree.lines(path), 1):
            code = line.split("//")[0]
            if any("source" not in m.group(0) for m in compared.finditer(code)):
                found.append(f"{name}:{number}: an engine is compared by its name; ask for a trait of its row")
            elif listed.search(code) and DEFAULT not in code and not OF_OPTIONS.search(name):
                found.append(f"{name}:{number}: an engine's name; its row is the place to tell it from others")
    return found


class EngineNames(unittest.TestCase):
    def test_compared_and_listed_ones_are_seen(self):
        row = "FATHOM_ENGINE(mmap, calls, files)\nFATHOM_ENGINE(sim, own, files)\n"
        planted = {ROWS: row, "src/run/a.cc": 'bool m = job.ioengine == "mmap";\n', "src/audit/b.cc": 'constexpr auto k = {"libaio", "sync"};\n',
                   "src/report/c.cc": 'if (clock.source == "sim") return; // == "mmap"\n', "src/job/options_d.cc": 'row("libaio");\n', "src/run/e.cc": 'if ("mmap" != x || engine != "sim") f();\n'}
        with tree.Planted(planted) as root:
            found = violations(root)
            self.assertEqual([f.split(":")[0] for f in found], ["src/audit/b.cc", "src/run/a.cc", "src/run/e.cc"], found)

    def test_the_house(self):
        self.assertEqual(violations(tree.SOURCE), [])


if __name__ == "__main__":
    unittest.main()
