# timeout: 300
# lock: paging
"""What others rely on stays: tests/frozen/*.txt name every finding, option, flag, subcommand, exit status, environment variable, record of
the journal, JSON key, CSV column and XML name that fathom has. One that vanished breaks somebody's script; one that is new is added to its list.

A line is `OWNER: NAME NAME ...` (_ stands for a space); an owner may have several. The lists only grow. The one exception is what a new
schema drops: it moves to a line `OWNER until N: NAME ...`, N being the last schema that had it.
FATHOM_FREEZE=1 python3 tests/frozen/frozen_test.py adds what is new (with FATHOM, FATHOM_SOURCE and FATHOM_BUILD set) and takes nothing away.
"""
import os
import pathlib
import re
import subprocess
import textwrap
import unittest

import collect

HERE = pathlib.Path(__file__).parent
WIDTH = 150
# What only some machines show: a name of it that was not seen is looked for in the sources.
SOME_MACHINES = re.compile(r"json_tools (?:clock|doctor|nvme list|pmu stat)|xml (?:effect|explained|finding|pressure|witness)$")


class Frozen:
    """One list: what must be there, and what a schema has dropped since."""

    def __init__(self, text, name=""):
        self.names, self.dropped = {}, {}
        for number, line in enumerate(text.split("\n"), 1):
            if not line or line.startswith("#"):
                continue
            found = re.fullmatch(r"(\S+?)(?: until (\d+))?:((?: \S+)*)", line)
            if not found:
                raise ValueError(f"{name}:{number}: not `OWNER: NAME ...`")
            owner, until, names = found[1], found[2], found[3].split()
            if until:
                self.dropped.update({(owner, name): int(until) for name in names})
            else:
                self.names.setdefault(owner, set()).update(names)

    def pairs(self):
        return {(owner, name) for owner, names in self.names.items() for name in [*names, ""]}


def plain(kind):
    """What is there now, with no space in a name."""
    return {owner.replace(" ", "_"): {name.replace(" ", "_") for name in names} for owner, names in collect.KINDS[kind]().items()}


def problems(kind, frozen, now, schema, sources):
    """Each as a line that says what to do."""
    file, found = f"tests/frozen/{kind}.txt", []
    there = {(owner, name) for owner, names in now.items() for name in [*names, ""]}
    for owner, name in sorted(frozen.pairs() - there):
        if SOME_MACHINES.match(f"{kind} {owner.replace('_', ' ')}") and (not name or f'"{name}"' in sources):
            continue
        found.append(f"{file}: `{owner}:{name and ' '}{name}` vanished: it is promised, bring it back" +
                     (f" (or, dropped by a new schema: `{owner} until {schema - 1}: {name}`)" if kind == "json_result" else ""))
    for owner, name in sorted(there - frozen.pairs()):
        if (owner, name) in frozen.dropped:
            found.append(f"{file}: `{owner} until {frozen.dropped[owner, name]}: {name}` is there again")
        elif name or not now[owner]:
            found.append(f"{file}: add `{owner}:{name and ' '}{name}`")
    found += [f"{file}: `{owner} until {until}: {name}`: the schema now is {schema}" for (owner, name), until in frozen.dropped.items() if until >= schema]
    return found


def written(frozen):
    rows = []
    for owner in sorted(frozen.names):
        lines = textwrap.wrap(" ".join(sorted(frozen.names[owner])), WIDTH - len(owner), break_on_hyphens=False, break_long_words=False) or [""]
        rows += [f"{owner}: {line}".rstrip() for line in lines]
    rows += sorted(f"{owner} until {until}: {name}" for (owner, name), until in frozen.dropped.items())
    return "\n".join(rows) + "\n"


def schema_version():
    return int(re.search(r"\bkSchemaVersion = (\d+)", "".join(collect.sources("result")))[1])


class FrozenLists(unittest.TestCase):
    maxDiff = None

    def test_lists_match_what_the_program_shows(self):
        sources = "".join(collect.sources())
        for kind in collect.KINDS:
            with self.subTest(kind):
                path, now = HERE / f"{kind}.txt", plain(kind)
                self.assertGreater(len(now), 0)
                frozen = Frozen(path.read_text() if path.exists() else "", path.name)
                if os.environ.get("FATHOM_FREEZE"):
                    for owner, names in now.items():
                        frozen.names.setdefault(owner, set()).update(name for name in names if (owner, name) not in frozen.dropped)
                    path.write_text(written(frozen))
                self.assertEqual("\n".join(problems(kind, frozen, now, schema_version(), sources)), "")

    def test_no_committed_line_is_ever_removed(self):
        """No line of an earlier commit is gone, though the program has lost the thing as well."""
        log = subprocess.run(["git", "-C", HERE, "log", "-p", "--format=", "--", "*.txt"], capture_output=True, text=True)
        if log.returncode:
            self.skipTest("no history here")
        kind, gone = "", []
        for line in log.stdout.split("\n"):
            if line.startswith("--- a/"):
                kind = pathlib.Path(line[6:]).stem
            elif line.startswith("-") and not line.startswith("---") and kind in collect.KINDS:
                frozen = Frozen((HERE / f"{kind}.txt").read_text(), kind)
                once = Frozen(line[1:], kind).pairs() - frozen.pairs()
                whole = {(owner, "") for owner, _ in frozen.dropped}  # an object of which nothing is left
                gone += [f"tests/frozen/{kind}.txt: `{owner}: {name}` was in it once" for owner, name in once - whole if (owner, name) not in frozen.dropped]
        self.assertEqual("\n".join(gone), "")


class FrozenListsCheck(unittest.TestCase):
    """What it says of lists made up here."""

    def said(self, text, now, kind="json_result", sources=""):
        return problems(kind, Frozen(text), now, 8, sources)

    def test_equal_lists_pass(self):
        self.assertEqual(self.said("a: x y\na: z\nb:\n", {"a": {"x", "y", "z"}, "b": set()}), [])

    def test_a_vanished_entry_is_reported(self):
        self.assertRegex(self.said("a: x y\n", {"a": {"x"}})[0], r"json_result.txt: `a: y` vanished.*`a until 7: y`")
        self.assertEqual(len(self.said("a: x\nb: y\n", {"a": {"x"}})), 2)

    def test_a_new_entry_is_to_be_added(self):
        self.assertEqual(self.said("a: x\n", {"a": {"x", "y"}}), ["tests/frozen/json_result.txt: add `a: y`"])
        self.assertEqual(self.said("a: x\n", {"a": {"x"}, "b": set()}, "options"), ["tests/frozen/options.txt: add `b:`"])

    def test_an_entry_dropped_by_a_schema_must_stay_away(self):
        self.assertEqual(self.said("a: x\na until 7: y\n", {"a": {"x"}}), [])
        self.assertIn("is there again", self.said("a: x\na until 7: y\n", {"a": {"x", "y"}})[0])
        self.assertIn("the schema now is 8", self.said("a: x\na until 8: y\n", {"a": {"x"}})[0])

    def test_an_entry_not_shown_here_must_be_in_the_sources(self):
        self.assertEqual(self.said("clock_test: x\n", {}, "json_tools", '.field("x")'), [])
        self.assertEqual(len(self.said("clock_test: x\n", {}, "json_tools", '.field("z")')), 1)

    def test_a_malformed_line_is_reported_with_its_place(self):
        with self.assertRaisesRegex(ValueError, "f.txt:2"):
            Frozen("a: x\nno owner here\n", "f.txt")


if __name__ == "__main__":
    unittest.main()
