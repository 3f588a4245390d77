"""The rules of CONTRIBUTING.md that a program can check: length and shape of files, who may print, documents that point somewhere."""
import os
import re
import unittest

import tree

CODE_FOLDERS = ["src", "tests", "bench", "scripts", "cmake", ".ci"]
PROSE = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
DATA_FOLDERS = {"corpus", "golden", "goldens", "data"}
LINES_MAX = 600
COLUMNS_MAX = 200
REVIEWED_FOLDERS = {"golden", "goldens", "observed"}
REVIEWED_LINES_MAX = 400
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" "DO", "FIX" "ME", "X" "XX")) + r")\b")
PRINTING_ROOMS = {"cli", "live"}
PRINTS = re.compile(r"\b(v?f?printf|f?puts|putchar|perror)\s*\(|\bstd::(cout|cerr|clog)\b|\bfmt::print\b|(?<![\w.>])exit\s*\(")
DOOR = "src/cli/terminal.cc"
WRITES = re.compile(r"\b(v?f?printf|f?puts|putchar|fwrite|perror)\s*\(|\bstd::(cout|cerr|clog)\b|\bfmt::print\b")
BARE_PERCENTILE = re.compile(r"(?:\.|->)percentiles?\s*\(")
# What the machine is asked in one place of src/: the calls, where they stand, what everybody else includes. A file that
# stands here beside the place is an exception, with its reason.
ONE_PLACE = (
    (r"\b(sched_[gs]etaffinity|pthread_[gs]etaffinity_np|CPU_(SET|ZERO|ISSET|ALLOC)\w*)\b", "base/system/affinity.h", {"src/base/system/affinity.cc": ""}),
    (r"\b(clock_gettime|gettimeofday)\s*\(|(?<![\w.>])time\((0|NULL|nullptr|&\w+)\)|\bsystem_clock\b", "base/time.h",
     {"src/base/time.h": "", "src/clock/sources/source.h": "the clocks that stamp: each is a contract of its own",
      "src/base/system/cpu_time.cc": "somebody else's clock, which may be gone"}),
    (r"\b(exec[lv]p?e?|posix_spawnp?|popen)\s*\(|(?<![\w.>])(std::)?system\s*\(", "base/system/subprocess.h", {"src/base/system/subprocess.cc": ""}),
    (r"\bv?fork\s*\(", "base/system/subprocess.h",
     {"src/base/system/subprocess.cc": "",
      "src/worker/group.cc": "a worker is this program, with the memory it shares",
      "src/live/serve/page_server.cc": "the page's process is this program, and is begun before anything is open"}),
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE_BLOCK = re.compile(r"^```\w*\n(.*?)^```", re.M | re.S)
COMMAND_PATH = re.compile(r"(?<![\w./])((?:scripts|examples|docs|tests)/[\w./-]+)")


def kind(path):
    """How a file is judged: "code" in C++, "script" opened by #, "text" for the rest; None for data that must stay as it is."""
    if DATA_FOLDERS & set(path.parts):
        return None
    if path.suffix in tree.CODE:
        return "code"
    if path.suffix in (".py", ".cmake", ".sh", ".bt") or path.name == "CMakeLists.txt" or (path.suffix == "" and path.parent.name in ("scripts", ".ci")):
        return "script"
    return "text" if path.suffix in (".md", ".fio", ".scd") else None


def opens_with_comment(text, what):
    head = [line for line in text.split("\n")[:4] if line.strip() and not line.startswith("#!")]
    marks = ("//", "/*") if what == "code" else ("#", '"""')
    return bool(head) and head[0].startswith(marks)


def judge_file(name, text, what):
    found = []
    rows = text.split("\n")
    if what != "text" and len(rows) > LINES_MAX:
        found.append(f"{name}: {len(rows)} lines, over {LINES_MAX}")
    if what != "text" and not opens_with_comment(text, what):
        found.append(f"{name}: does not open with a comment that says what it is for")
    for number, row in enumerate(rows, 1):
        if row != row.rstrip():
            found.append(f"{name}:{number}: space at the end of the line")
        if "\t" in row and not name.endswith(".scd"):
            found.append(f"{name}:{number}: a tab")
        if what != "text" and len(row) > COLUMNS_MAX:
            found.append(f"{name}:{number}: {len(row)} columns, over {COLUMNS_MAX}")
        if UNFINISHED.search(row):
            found.append(f"{name}:{number}: an unfinished mark")
    return found


def judge_golden(name, text):
    """What a test is held against was read by a person once, and is each time that it changes."""
    rows = text.count("\n")
    return [f"{name}: {rows} lines, over {REVIEWED_LINES_MAX}: a golden is reviewed; fold it (tests/report/fold.h), or check its structure"] \
        if rows > REVIEWED_LINES_MAX else []


def judge_printing(name, text):
    """Library rooms return values; only cli/ and live/ write to the terminal or end the program."""
    parts = name.split("/")
    if parts[0] != "src" or parts[1] in PRINTING_ROOMS:
        return []
    rows = tree.code_only(text).split("\n")
    return [f"{name}:{n}: prints or exits in a library room" for n, row in enumerate(rows, 1) if PRINTS.search(row)]


def judge_writing(name, text):
    """One door to the terminal, so that no name from outside acts on it; one place that answers percentiles, so that none lies outside
    of what was seen."""
    rows = list(enumerate(tree.code_only(text).split("\n"), 1))
    found = []
    if name.startswith(("src/cli/", "src/live/")) and name != DOOR:
        found += [f"{name}:{n}: writes beside {DOOR}" for n, row in rows if WRITES.search(row)]
    if name.startswith("src/") and not name.startswith("src/stats/"):
        found += [f"{name}:{n}: a percentile that is not held within the samples (stats/percentiles.h)" for n, row in rows if BARE_PERCENTILE.search(row)]
    return found


def judge_places(name, text):
    """A mechanism exists once: masks of CPUs that are as large as the machine, clocks, commands."""
    if not name.startswith("src/"):
        return []
    rows = list(enumerate(tree.code_only(text).split("\n"), 1))
    return [f"{name}:{n}: include {header} instead" for calls, header, places in ONE_PLACE if name not in places
            for n, row in rows if re.search(calls, row)]


def judge_document(root, path):
    """Relative links and the paths in command blocks must exist."""
    name, text = path.relative_to(root).as_posix(), path.read_text()
    targets = [link.split("#")[0] for link in LINK.findall(text) if not re.match(r"[a-z]+:|#", link)]
    found = [f"{name}: link to {t}, which does not exist" for t in targets if not (path.parent / t).exists()]
    named = [p for block in CODE_BLOCK.findall(text) for p in COMMAND_PATH.findall(block)]
    return found + [f"{name}: command names {p}, which does not exist" for p in named if not (root / p).exists()]


def violations(root):
    found = []
    for path in (root / "tests").rglob("*"):
        if REVIEWED_FOLDERS & set(path.parts) and path.is_file():
            found += judge_golden(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8", errors="replace"))
    for path in [*tree.files(root, [*CODE_FOLDERS, "docs", "examples", "man"]), *(root / p for p in PROSE)]:
        what, name = kind(path.relative_to(root)), path.relative_to(root).as_posix()
        if what is None or not path.exists():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found += judge_file(name, text, what)
        if what == "code":
            found += judge_printing(name, text) + judge_writing(name, text) + judge_places(name, text)
        if path.suffix == ".md":
            found += judge_document(root, path)
        if path.parent.name in ("scripts", ".ci") and text.startswith("#!") and not os.access(path, os.X_OK):
            found.append(f"{name}: not executable")
    return found


class StyleRules(unittest.TestCase):
    def found(self, name, text):
        with tree.Planted({name: text}) as root:
            return violations(root)

    def assert_one(self, words, name, text):
        found = self.found(name, text)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_a_good_file_passes(self):
        self.assertEqual(self.found("src/run/a.cc", "// Says why.\nint f() { return snprintf(b, n, \"exit(1)\"); }  // printf(\n"), [])

    def test_too_many_lines_are_found(self):
        self.assert_one("lines, over", "src/run/a.cc", "// Why.\n" + "int x;\n" * LINES_MAX)

    def test_too_many_columns_are_found(self):
        self.assert_one("201 columns, over 200", "tests/house/a.py", "# Why.\n" + "x" * 201 + "\n")
        self.assertEqual(self.found("tests/house/a.py", "# Why.\n" + "x" * 200 + "\n"), [])

    def test_a_golden_text_that_is_too_long_is_found(self):
        self.assert_one("401 lines, over 400", "tests/report/golden/a.json", "1\n" * 401)
        self.assertEqual(self.found("tests/report/golden/a.json", "1\n" * 400), [])

    def test_a_missing_opening_comment_is_found(self):
        self.assert_one("does not open", "src/run/a.cc", "int x;\n")
        self.assert_one("does not open", "cmake/a.cmake", "set(X 1)\n")
        self.assertEqual(self.found("cmake/a.cmake", "# Why.\nset(X 1)\n"), [])

    def test_tabs_and_trailing_space_are_found(self):
        self.assert_one("space at the end", "src/run/a.cc", "// Why.\nint x; \n")
        self.assert_one("a tab", "src/run/a.cc", "// Why.\n\tint x;\n")
        self.assertEqual(self.found("tests/report/golden/a.md", "as it \t is \n"), [])

    def test_an_unfinished_mark_is_found(self):
        self.assert_one("unfinished", "src/run/a.cc", "// Why.\n// " + "TO" + "DO later\n")

    def test_printing_outside_of_cli_is_found(self):
        for call in ("printf(x);", "std::cout << 1;", "exit(1);", "std::exit(1);", "fmt::print(x);", "perror(x);"):
            self.assert_one("prints or exits", "src/run/a.cc", f"// Why.\nvoid f() {{ {call} }}\n")
            self.assertEqual(self.found(DOOR, f"// Why.\nvoid f() {{ {call} }}\n"), [])
        self.assertEqual(self.found("src/run/a.cc", "// Why.\nvoid f() { _exit(1); on_exit(2); pool.exit(3); }\n"), [])

    def test_output_beside_the_terminal_is_found(self):
        for call in ("printf(x);", "std::fputs(x, stdout);", "std::fwrite(x, 1, 1, f);", "fmt::print(x);"):
            self.assert_one("writes beside", "src/cli/a.cc", f"// Why.\nvoid f() {{ {call} }}\n")
        self.assertEqual(self.found("src/cli/a.cc", "// Why.\nvoid f() { snprintf(b, n, x); write_text(stdout, x); std::fputc('x', f); exit(1); }\n"), [])

    def test_percentiles_beside_their_place_are_found(self):
        self.assert_one("not held within", "src/report/a.cc", "// Why.\nauto v = histogram.percentile(50);\n")
        self.assertEqual(self.found("src/stats/a.cc", "// Why.\nauto v = histogram.percentiles(list);\n"), [])
        self.assertEqual(self.found("src/report/a.cc", "// Why.\nauto v = stats::percentiles_within(h, m, list);\n"), [])

    def test_calls_outside_of_their_one_place_are_found(self):
        for call, header in (("::sched_setaffinity(0, n, &set);", "system/affinity"), ("CPU_SET(1, &set);", "system/affinity"),
                             ("::clock_gettime(CLOCK_MONOTONIC, &t);", "time"), ("auto t = std::chrono::system_clock::now();", "time"),
                             ("::time(nullptr);", "time"), ("popen(words);", "system/subprocess"), ("::execvp(a, b);", "system/subprocess"),
                             ("std::system(a);", "system/subprocess"), ("::fork();", "system/subprocess")):
            self.assert_one(f"include base/{header}.h", "src/run/a.cc", f"// Why.\nvoid f() {{ {call} }}\n")
        self.assertEqual(self.found("src/worker/group.cc", "// Why.\nvoid f() { ::fork(); s->time(); e.system_error(1); }\n"), [])

    def test_every_allowed_place_exists(self):
        for calls, _, places in ONE_PLACE:
            for name in places:
                self.assertTrue(re.search(calls, tree.code_only((tree.SOURCE / name).read_text())), f"{name}: no such call any more")

    def test_dead_links_and_commands_of_documents_are_found(self):
        self.assert_one("link to gone.md", "docs/a.md", "See [this](gone.md#part) and [that](https://example.org) and [here](#x).\n")
        self.assert_one("command names scripts/gone", "README.md", "```sh\nscripts/gone --now\n```\n")

    def test_a_script_that_is_not_executable_is_found(self):
        self.assert_one("not executable", "scripts/a", "#!/bin/sh\n# Why.\n")

    def test_the_source_tree_follows_the_rules(self):
        self.assertEqual("\n".join(violations(tree.SOURCE)), "")


if __name__ == "__main__":
    unittest.main()
