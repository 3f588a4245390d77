"""A file that a document or a comment names exists."""
import re
import unittest

import tree

PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:cc|h|py|inc|csv|cmake|sh))`")


def missing_files(root):
    """Files named in a document, from the root or from src/, that are not there. NAME stands for any."""
    documents = [*root.glob("*.md"), *root.glob("docs/**/*.md")]
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


if __name__ == "__main__":
    unittest.main()
