# label: quick
"""Every option that is built has a test of its effect, named by a mark directly above it:

    // effect: NAME NAME=VALUE ...     above a TEST in C++
    # effect: NAME NAME=VALUE ...      above a function, a method or a row of a table in Python

A name alone stands for all values of the option, NAME=VALUE for this one; where only values are marked, every value that is not the default has to be.
The test names the option, in its body or by what the file's tests share, so a mark cannot be put above just anything. Rows that only take the value that changes nothing have no effect.
tests/house/effects_missing.txt has what has no such test yet; it only shrinks. FATHOM_WRITE_EFFECTS=1 takes off it what has a mark now.
"""
import os
import pathlib
import re
import subprocess
import unittest

import tree

FATHOM = os.environ.get("FATHOM", str(tree.SOURCE / "build/fathom"))
MISSING = pathlib.Path(__file__).with_name("effects_missing.txt")
MARK = re.compile(r"^\s*(?://|#) effect: (\S.*)$")
# Notes of rows whose only values change nothing (src/job/options_accepted.cc), and of those that are told to be ignored.
NO_EFFECT = re.compile(r"the value that changes nothing only$|^0 only$|^1 only$")


def ask(*words):
    return subprocess.run([FATHOM, "run", *words], capture_output=True, text=True, check=True, timeout=60).stdout


def first_words(text):
    return [found[1] for found in re.finditer(r"^([a-z][\w-]*) *:", text, re.M)]


def described(text):
    """What --cmdhelp=NAME says: the note, the default, the values."""
    field = {m[1]: m[2] for m in re.finditer(r"^ *(note|default|valid values): ?(.*)$", text, re.M)}
    values = re.findall(r"^ *(?:valid values)?: (\S+)", text[text.find("valid values:"):], re.M) if "valid values" in field else []
    return field.get("note", ""), field.get("default", ""), values


class Option:
    def __init__(self, name, text):
        self.name, (self.note, self.default, self.values) = name, described(text)

    def has_effect(self, ignored):
        return self.name not in ignored and not NO_EFFECT.search(self.note)

    def lacks(self, marks):
        """What no mark covers: the option, or values of it."""
        if self.name in marks:
            return []
        marked = {m.partition("=")[2] for m in marks if m.startswith(self.name + "=")}
        if not marked:
            return [self.name]
        return [f"{self.name}={value}" for value in self.values if value not in marked and value != self.default]


def ignored_options(compat):
    """docs/reference/fio-options.md's rows of status ignored; another test holds that file against the rows."""
    return set(re.findall(r"^\| `(\w+)` \|[^|]*\| ignored \|", compat, re.M))


def body_below(rows, at):
    """The test or the row that begins at line `at`: in C++ until a brace ends a line at its start, in Python all that is further in."""
    if rows[at - 1].lstrip().startswith("//"):
        end = next((n for n in range(at, len(rows)) if rows[n].startswith("}")), len(rows))
        return rows[at:end]
    indent = len(rows[at]) - len(rows[at].lstrip())
    end = next((n for n in range(at + 1, len(rows)) if rows[n].strip() and len(rows[n]) - len(rows[n].lstrip()) <= indent), len(rows))
    return rows[at:end]


# Words of options' names that say nothing by themselves.
GENERAL = {"write", "read", "file", "files", "create", "allow", "percentage", "latency", "clock", "mode", "time", "size"}


def names(body, option):
    """As it is written, as a part of a longer name (LfsrGenerator), or by a word of its own (options.compress_percent); a short name only by itself."""
    if len(option) < 5:
        return re.search(rf"(?<![a-z]){re.escape(option)}(?![a-z])", body) is not None
    text = body.lower()
    words = [word[:6] for word in option.split("_") if word not in GENERAL and len(word) > 3]
    return option.replace("_", "") in text.replace("_", "") or any(word in text for word in words)


def shared_by_tests(rows):
    """What a file's tests call and share: all that is no test and no mark."""
    kept, at = [], 0
    while at < len(rows):
        if re.match(r"(TEST|RC_GTEST)\w*\(", rows[at]):
            at = next((n for n in range(at, len(rows)) if rows[n].startswith("}") or rows[n].endswith(" }")), len(rows)) + 1
        else:
            kept += [] if MARK.match(rows[at]) else [rows[at]]
            at += 1
    return kept


def marks_of(name, text):
    """(marks, mistakes) of one file."""
    rows, marks, mistakes = text.split("\n"), set(), []
    shared = "\n".join(shared_by_tests(rows)) if name.endswith(".cc") else "\n".join(row for row in rows if re.match(r"[A-Z_]+ = |    [\[(\"'*]", row))
    for number, row in enumerate(rows):
        found = MARK.match(row)
        if not found:
            continue
        at = number + 1
        while at < len(rows) and MARK.match(rows[at]):
            at += 1
        first = rows[at] if at < len(rows) else ""
        if row.lstrip().startswith("//") and not re.match(r"(TEST|RC_GTEST)\w*\(", first):
            mistakes.append(f"{name}:{number + 1}: a mark stands directly above a TEST")
            continue
        body = "\n".join(body_below(rows, at)).replace("\\n", " ")  # of a job file in a literal
        for mark in found[1].split():
            option = mark.partition("=")[0]
            if names(body, option) or len(option) > 4 and names(shared, option):
                marks.add(mark)
            else:
                mistakes.append(f"{name}:{number + 1}: marked as a test of `{option}`, which it does not name")
    return marks, mistakes


def all_marks(root):
    marks, mistakes = set(), []
    for path in tree.files(root, ["tests"], (".cc", ".py")):
        if path.name != "effects_test.py":
            some, wrong = marks_of(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8", errors="replace"))
            marks |= some
            mistakes += wrong
    return marks, mistakes


def listed(text):
    return [row for row in text.split("\n") if row and not row.startswith("#")]


class EffectMarks(unittest.TestCase):
    maxDiff = None

    def test_a_mark_counts_for_what_its_test_names(self):
        good = '// effect: bs rw=read\nTEST(A, B) {\n  run("bs=4k rw=read");\n}\n'
        self.assertEqual(marks_of("a.cc", good), ({"bs", "rw=read"}, []))
        self.assertEqual(marks_of("a.cc", good.replace("bs=4k", "size=4k"))[1], ["a.cc:1: marked as a test of `bs`, which it does not name"])
        self.assertEqual(marks_of("a.cc", "// effect: bs\nint bs;\n")[1], ["a.cc:1: a mark stands directly above a TEST"])
        self.assertEqual(marks_of("a.py", "# effect: bs\ndef test():\n    run('bs')\n\n\ndef other():\n    run('rw')\n"), ({"bs"}, []))
        self.assertEqual(marks_of("a.py", "# effect: rw\ndef test():\n    run('bs')\n\n\ndef other():\n    run('rw')\n")[0], set())
        self.assertEqual(marks_of("a.py", "T = [\n    # effect: loops\n    Job('x',\n        'loops=2'),\n    Job('y'),\n]\n"), ({"loops"}, []))

    def test_an_option_without_a_mark_is_seen(self):
        text = "                  rw: Mode\n             default: read\n        valid values: read           a\n                    : write          b\n"
        option = Option("rw", text)
        self.assertEqual(option.lacks(set()), ["rw"])
        self.assertEqual(option.lacks({"rw"}), [])
        self.assertEqual(option.lacks({"rw=read"}), ["rw=write"])
        self.assertEqual(option.lacks({"rw=write"}), [])
        self.assertFalse(Option("x", "  note: the value that changes nothing only\n").has_effect(set()))

    def test_every_option_has_a_mark_or_is_listed(self):
        names = first_words(ask("--cmdhelp"))
        self.assertGreater(len(names), 100)
        ignored = ignored_options((tree.SOURCE / "docs/reference/fio-options.md").read_text())
        marks, mistakes = all_marks(tree.SOURCE)
        self.assertEqual(mistakes, [])
        options = [Option(name, ask(f"--cmdhelp={name}")) for name in names]
        lacking = {word for option in options if option.has_effect(ignored) for word in option.lacks(marks)}
        text = MISSING.read_text()
        if os.environ.get("FATHOM_WRITE_EFFECTS"):
            MISSING.write_text("".join(row + "\n" for row in text.rstrip("\n").split("\n") if row.startswith("#") or row in lacking))
            text = MISSING.read_text()
        allowed = set(listed(text))
        self.assertEqual(sorted(lacking - allowed), [], "without a test of its effect: write one, with the mark `effect: NAME` above it")
        self.assertEqual(sorted(allowed - lacking), [], "has a test now: FATHOM_WRITE_EFFECTS=1 takes it off tests/house/effects_missing.txt")
        self.assertEqual(sorted({m.partition("=")[0] for m in marks} - set(names) - self.unbuilt(marks, names)), [], "a mark names no option")

    @staticmethod
    def unbuilt(marks, names):
        """Marks may name switches, and come before their option does; a name that neither program has is a slip."""
        text = (tree.SOURCE / "docs/reference/fio-options.md").read_text()
        known = set(re.findall(r"`([\w-]+)`|(?<=[|, ])(\w+)(?=[ ,|])", text))
        return {name.lstrip("-") for pair in known for name in pair}

    def test_the_list_of_missing_marks_only_shrinks(self):
        log = subprocess.run(["git", "-C", str(MISSING.parent), "log", "--reverse", "--format=%H", "--", MISSING.name], capture_output=True, text=True)
        if log.returncode or not log.stdout:
            self.skipTest("no history here")
        first = subprocess.run(["git", "-C", str(MISSING.parent), "show", f"{log.stdout.split()[0]}:./{MISSING.name}"], capture_output=True, text=True).stdout
        self.assertEqual(sorted(set(listed(MISSING.read_text())) - set(listed(first))), [])


if __name__ == "__main__":
    unittest.main()
