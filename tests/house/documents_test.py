"""README, CONTRIBUTING and the scripts' own usage say the same of how long a script takes and of what it can be asked for; a file that a document
or a comment names is there."""
import json
import re
import unittest

import tree

DURATION = r"((?:about|under|up to) [\w ]+? (?:minutes|hours?)\b)"
TOLD = {name: (tree.SOURCE / name).read_text() for name in ("README.md", "CONTRIBUTING.md", "scripts/test", "scripts/check", "scripts/pgo")}


def durations(text, command):
    """The times that a text gives a command: in its line, or in the comment lines that go on under it."""
    found = []
    rows = text.split("\n")
    for i, row in enumerate(rows):
        if not re.search(rf"{command}(?= +(#|[a-z(]))", row):
            continue
        while i + 1 < len(rows) and re.match(r"# {12,}\S", rows[i + 1]):
            row, i = row + " " + rows[i + 1].lstrip("# "), i + 1
        found += re.findall(DURATION, row)
    return found

PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:cc|h|py|inc|csv|cmake|sh))`")


def missing_files(root):
    """Files named in a document, from the root or from src/, that are not there. NAME stands for any."""
    documents = [*root.glob("*.md"), *root.glob("docs/*.md")]
    return [f"{document.name}: {name}" for document in documents for name in PATH.findall(document.read_text())
            if "NAME" not in name and not (root / name).is_file() and not (root / "src" / name).is_file()]

IN_A_COMMENT = re.compile(r'(?<![\w/.<"-])((?:[a-z_]+/)+[a-z0-9_]+\.(?:cc|h|py))')


def missing_in_comments(root):
    """The same of comments in C++, for names that begin with a room, with src/ or with tests/."""
    rooms = {path.name for path in (root / "src").iterdir()} | {"src", "tests"}
    found = []
    for path in tree.files(root, ["src", "tests", "bench"], tree.CODE):
        comments = " ".join(re.findall(r"//(.*)", path.read_text()))
        found += [f"{path.relative_to(root)}: {name}" for name in IN_A_COMMENT.findall(comments)
                  if name.split("/")[0] in rooms and not any((root / before / name).is_file() for before in ("", "src", "tests"))]
    return found


class Documents(unittest.TestCase):
    def said_alike(self, command, *files):
        said = {name: durations(TOLD[name], command) for name in files}
        for name in files:
            self.assertTrue(said[name], f"{name} gives no time for {command}")
        self.assertEqual(len({time for times in said.values() for time in times}), 1, said)

    def test_durations_are_extracted(self):
        self.assertEqual(durations("x/y   # all; about 40 minutes on two cores", "x/y"), ["about 40 minutes"])
        self.assertEqual(durations("#   x/y    all,\n#              then more (about an hour)\n", "x/y"), ["about an hour"])
        self.assertEqual(durations("x/y --quick  # under three minutes", "x/y"), [])

    def test_a_file_that_is_not_there_is_seen(self):
        text = "`tests/a/b_test.py`, `run/loop.h` and `src/engine/NAME.cc`, but `run/gone.h`"
        with tree.Planted({"README.md": text, "tests/a/b_test.py": "", "src/run/loop.h": ""}) as root:
            self.assertEqual(missing_files(root), ["README.md: run/gone.h"])

    def test_files_that_documents_name_exist(self):
        self.assertEqual(missing_files(tree.SOURCE), [])

    def test_files_that_comments_name_exist(self):
        with tree.Planted({"src/run/a.h": "// As run/b.h; not run/gone.h.\n", "src/run/b.h": '#include "run/c.h"  // linux/fs.h\n'}) as root:
            self.assertEqual(missing_in_comments(root), ["src/run/a.h: run/gone.h"])
        self.assertEqual(missing_in_comments(tree.SOURCE), [])

    def test_scripts_test_is_described_alike(self):
        self.said_alike("scripts/test", "README.md", "CONTRIBUTING.md", "scripts/test")

    def test_scripts_test_quick_is_described_alike(self):
        self.said_alike("scripts/test --quick", "README.md", "CONTRIBUTING.md", "scripts/test")

    def test_scripts_check_is_described_alike(self):
        self.said_alike("scripts/check", "CONTRIBUTING.md", "scripts/check")

    def test_every_preset_is_described(self):
        presets = {p["name"] for p in json.loads((tree.SOURCE / "CMakePresets.json").read_text())["configurePresets"] if not p.get("hidden")}
        row = TOLD["CONTRIBUTING.md"].split("\nPresets:")[1].split("\n\n")[0]
        self.assertEqual(presets - set(re.findall(r"`([\w-]+)`", row)), set())

    def test_the_usage_of_scripts_check_names_every_check(self):
        checks = re.search(r"^all=\((.*)\)$", TOLD["scripts/check"], re.M)[1].split()
        self.assertEqual(re.search(r"only these: (.*)", TOLD["scripts/check"])[1].split(), checks)


if __name__ == "__main__":
    unittest.main()
