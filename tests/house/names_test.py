"""Names are the field's own. A phrase of ours that a new reader stops at was replaced once, and does not come back in code, messages, tests
or documents. Ids, keys and options that users' scripts know keep theirs (tests/frozen)."""
import re
import unittest

import tree

FOLDERS = ["src", "tests", "bench", "docs", "man", "examples", "scripts", "cmake"]
TEXTS = (".h", ".cc", ".inc", ".py", ".md", ".scd", ".cmake", ".fio", "")
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
# Results and lists that programs wrote or that users' scripts hold on to, and this table.
NOT_OURS = ("tests/frozen/", "tests/import/corpus", "tests/report/golden/", "docs/schema/", "tests/house/names_test.py")

# What is retired; what to write instead; pieces of lines in which it stays, as an id, a key or somebody else's word.
RETIRED = (
    (r"\bfinish_oddly|\boddly\b", "short or failed transfer", ()),
    (r"\b[Ss]trange\w*", "unexpected (a completion), foreign (a process, I/O of others)",
     ("nvme.strange_completions", '"strange"', "'strange'", "`strange`", "strange {queue", "strange -1")),
    (r"\b(read|record|read_whole)_well\b", "verified, whole", ()),
    (r"\bbool odd\(", "short_or_failed", ()),
    (r"\bkPaced\b", "kInstrumented: it is compiled in for verify, think time and stamps of each I/O too", ()),
    (r"\b[Ff]ront[ _-]door|FrontDoor|\bDoor\b|choose_door|_door\b", "dispatch, applet", ()),
    (r"\b[Cc]rew\b", "workers", ()),
    (r"\b[Pp]ut(s|ting)?[ _-]back\b", "restore", ()),
    (r"\b[Ll]eftovers?\b", "stale state", ("paging.leftovers",)),
    (r"\btake_places\b", "claim_places", ()),
    (r"\b(size|mib|gib|asked|holder|neutral|pci_class|split|in)_words\b|\b(Kill|Engine|Spdk|Perf)Words\b|\bAllowWord\b",
     "text, arguments, fields, items: a word is the machine's", ()),
    (r"\bstruct Others\b|\bOthersOptions\b|\bothers_(on|bytes|faults)\b", "foreign (processes, bytes, faults)", ()),
    (r"\b\w*Probe\b", "witness", ("FreeProbe", "Probe open_probe", "Probe probe")),  # libblkid's
)


def judge(name, text):
    found = []
    for number, row in enumerate(text.split("\n"), 1):
        for phrase, instead, stays in RETIRED:
            if re.search(phrase, row) and not any(piece in row for piece in stays):
                found.append(f"{name}:{number}: {re.search(phrase, row)[0]!r}: write {instead}")
    return found


def violations(root):
    found = []
    for path in [*tree.files(root, FOLDERS), *(root / name for name in DOCUMENTS)]:
        name = path.relative_to(root).as_posix()
        if path.suffix in TEXTS and not name.startswith(NOT_OURS) and path.exists():
            found += judge(name, path.read_text(encoding="utf-8", errors="replace"))
    return found


class RetiredNames(unittest.TestCase):
    def test_a_retired_phrase_is_found_with_its_replacement(self):
        with tree.Planted({"src/run/a.h": "// A.\nvoid finish_oddly();\n", "docs/a.md": "It is put back.\n"}) as root:
            found = violations(root)
        self.assertEqual(len(found), 2, found)
        self.assertIn("src/run/a.h:2: 'finish_oddly': write short or failed transfer", found)
        self.assertIn("write restore", found[1])

    def test_a_frozen_id_is_accepted(self):
        with tree.Planted({"src/audit/a.cc": '// A.\nconst char* id = "nvme.strange_completions";\n'}) as root:
            self.assertEqual(violations(root), [])

    def test_the_source_tree_has_none(self):
        self.assertEqual("\n".join(violations(tree.SOURCE)), "")


if __name__ == "__main__":
    unittest.main()
