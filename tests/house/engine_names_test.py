"""Engines are told apart by their rows (src/io/engine_rows.inc): whoever has to know what an engine is like asks for a trait, so that a new
one is a row and not a line in every list. Its options are in files that its row names, and nobody but the engine includes those. What names
an engine elsewhere under src/ is the table of what only fio has.
"""
# label: quick
import pathlib
import re
import unittest

import tree

ROWS = "src/io/engine_rows.inc"
# Words that only engines are called by; the others are also options, values and kernel drivers.
OWN = {"psync", "pvsync2", "libaio", "io_uring", "io_uring_cmd"}
ONLY_FIO = "src/job/rows/options_not_built.cc"
OPTIONS = "src/io/options/"
# Where an engine may be named all the same: the default, twice, and what a table of options is called.
NAMED = ("std::string ioengine = ", 'text<&Job::ioengine>({"ioengine", ', "constexpr OptionTable k")


def violations(root):
    names = re.findall(r"^FATHOM_(?:ENGINE|PLUGIN)\((\w+)", (root / ROWS).read_text(), re.M)
    compared = re.compile(r'(?:\w*source\w*\s*)?[=!]=\s*"(?:%s)"' % "|".join(names))
    listed = re.compile(r'"(?:%s)"' % "|".join(OWN))
    found = []
    for path in tree.files(root, ["src"], tree.CODE):
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(tree.lines(path), 1):
            code = line.split("//")[0]
            if any("source" not in m.group(0) for m in compared.finditer(code)):
                found.append(f"{name}:{number}: an engine is compared by its name; ask for a trait of its row")
            elif listed.search(code) and name != ONLY_FIO and not any(n in code for n in NAMED):
                found.append(f"{name}:{number}: an engine's name; its row is the place to tell it from others")
    return found


def tables(text):
    """The tables of options that each engine's row names, and the files that are included for them."""
    rows = {m[1] or m[2]: set(re.findall(r"\w+", m[3])) for m in re.finditer(r'^FATHOM_(?:ENGINE\((\w+), \w+, \w+|PLUGIN\((\w+), "[^"]*", "[^"]*"), \(([^)]*)\)', text, re.M)}
    return rows, re.findall(rf'^#include "({OPTIONS.removeprefix("src/")}[\w/]+\.h)"', text, re.M)


def table_of(name):
    """src/io/options/io_uring.h defines kIoUringOptions."""
    return "k" + "".join(word.capitalize() for word in pathlib.PurePath(name).stem.split("_")) + "Options"


def misplaced_options(root):
    """A file of options that no row names, and who includes one without being the engine that it is of."""
    rows, included = tables((root / ROWS).read_text())
    found = [f"{ROWS}: {OPTIONS}{pathlib.PurePath(n).name} is included, and no row names {table_of(n)}" for n in included
             if table_of(n) not in set().union(*rows.values())]
    for path in tree.files(root, ["src"], tree.CODE):
        name = path.relative_to(root).as_posix()
        if name.startswith(OPTIONS) and name.removeprefix("src/") not in included:
            found.append(f"{name}: no row of {ROWS} has these options")
        asked = {table_of(n) for n in re.findall(rf'^#include "{OPTIONS.removeprefix("src/")}([\w/]+\.h)"', path.read_text(), re.M)}
        # A file of several engines' (uring_setup) begins with the name of none.
        of = sorted((e for e in rows if path.stem == e or path.stem.startswith(e + "_")), key=len)
        if asked and ("engine" not in path.parent.parts or of and not asked <= rows[of[-1]]):
            found.append(f"{name}: includes options that are another engine's")
    return found


class EngineNames(unittest.TestCase):
    def test_comparisons_and_lists_of_names_are_found(self):
        row = "FATHOM_ENGINE(mmap, calls, files)\nFATHOM_ENGINE(sim, own, files)\n"
        planted = {ROWS: row, "src/run/a.cc": 'bool m = job.ioengine == "mmap";\n', "src/audit/b.cc": 'constexpr auto k = {"libaio", "sync"};\n',
                   "src/report/c.cc": 'if (clock.source == "sim") return; // == "mmap"\n', ONLY_FIO: 'row("libaio");\n', "src/run/e.cc": 'if ("mmap" != x || engine != "sim") f();\n'}
        with tree.Planted(planted) as root:
            found = violations(root)
            self.assertEqual([f.split(":")[0] for f in found], ["src/audit/b.cc", "src/run/a.cc", "src/run/e.cc"], found)

    def test_options_of_another_engine_are_found(self):
        rows = '#include "io/options/ring.h"\n#include "io/options/lost.h"\nFATHOM_ENGINE(sim, own, files, ())\nFATHOM_ENGINE(ring, own, files, (kRingOptions))\n'
        asks = '#include "io/options/ring.h"\n'
        planted = {ROWS: rows, "src/io/options/ring.h": "", "src/io/options/stray.h": "", "src/engine/ring.cc": asks, "src/engine/ring_setup.cc": asks,
                   "src/engine/setup.cc": asks, "src/engine/sim.cc": asks, "src/run/ring.cc": asks}
        with tree.Planted(planted) as root:
            found = misplaced_options(root)
            self.assertEqual([f.split(": ")[0] for f in found], [ROWS, "src/engine/sim.cc", "src/io/options/stray.h", "src/run/ring.cc"], found)

    def test_the_source_tree_has_none(self):
        self.assertEqual(violations(tree.SOURCE), [])
        self.assertEqual(misplaced_options(tree.SOURCE), [])


if __name__ == "__main__":
    unittest.main()
