"""scripts/lint: what it takes for changed, whom a changed header concerns, that it ends in time and says what it left, and that a fault is found."""
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import tree

loader = importlib.machinery.SourceFileLoader("lint", str(tree.SOURCE / "scripts" / "lint"))
sys.dont_write_bytecode = True
lint = importlib.util.module_from_spec(importlib.util.spec_from_loader("lint", loader))
loader.exec_module(lint)

FILES = {
    "src/base/low.h": "#pragma once\nint low();\n",
    "src/base/low.cc": '#include "base/low.h"\nint low() { return 1; }\n',
    "src/cli/middle.h": '#pragma once\n#include "base/low.h"\n',
    "src/cli/far.cc": '#include "cli/middle.h"\nint far() { return low(); }\n',
    "src/cli/other.cc": "int other() { return 2; }\n",
    "tests/base/support.h": '#include "base/low.h"\n',
    "tests/base/low_test.cc": '#include "support.h"\n',
}
COMPILED = {name for name in FILES if name.endswith(".cc")}


def git(root, *words):
    subprocess.run(["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@t", *words], check=True, capture_output=True)


class Lint(unittest.TestCase):
    def test_a_changed_header_selects_all_that_include_it(self):
        with tree.Planted(FILES) as root:
            included_by = lint.includers(root)
        self.assertEqual(lint.reached("src/base/low.h", included_by), ["src/base/low.cc", "src/cli/far.cc", "tests/base/low_test.cc"])
        self.assertEqual(lint.reached("src/cli/middle.h", included_by), ["src/cli/far.cc"])
        tasks = lint.plan(["src/base/low.h", "src/cli/other.cc"], included_by, COMPILED)
        self.assertEqual(tasks[:4], [("compile", "src/cli/other.cc"), ("compile", "src/base/low.cc"), ("tidy", "src/cli/other.cc"), ("tidy", "src/base/low.cc")])
        self.assertEqual({name for check, name in tasks if check == "compile"}, COMPILED)

    def test_changed_files_are_taken_from_git(self):
        with tree.Planted(FILES) as root:
            git(root, "init", "-q")
            self.assertIsNone(lint.since(root, "")[0])
            git(root, "add", ".")
            git(root, "commit", "-qm", "first")
            self.assertIn("shallow", lint.since(root, "")[1], "a first commit has nothing to be compared with")
            (root / "src/cli/other.cc").write_text("int other() { return 3; }\n")
            (root / "src/cli/new.h").write_text("#pragma once\n")
            git(root, "commit", "-qam", "second")
            (root / "src/base/low.cc").unlink()
            self.assertEqual(lint.changed(root, lint.since(root, "")[0]), ["src/cli/new.h", "src/cli/other.cc"])
            self.assertEqual(lint.changed(root, lint.since(root, "HEAD")[0]), ["src/cli/new.h"])
            with self.assertRaises(SystemExit):
                lint.since(root, "no_such_revision")

    def visited(self, text, seconds, check):
        with tree.Planted({"src/base/a.cc": text}) as root:
            shutil.copy(tree.SOURCE / ".clang-tidy", root)
            compiled = {"src/base/a.cc": (["clang++-14", "-std=c++20", "-Wall", "-Wshadow", "-fsyntax-only", "-Werror", "src/base/a.cc"], root)}
            (root / "compile_commands.json").write_text(f'[{{"directory": "{root}", "file": "src/base/a.cc", "command": "clang++-14 -std=c++20 -c src/base/a.cc"}}]')
            return lint.run([(check, "src/base/a.cc")], compiled, pathlib.Path(root), root, seconds)

    def test_faults_are_found(self):
        if shutil.which("clang-tidy-14") is None:
            self.skipTest("clang-tidy-14 is not installed")
        self.assertEqual(self.visited("int f(int a) { return a; }\n", 60, "compile"), (0, []))
        self.assertEqual(self.visited("int f(int a) { int unused; return a; }\n", 60, "compile"), (1, []))
        self.assertEqual(self.visited("namespace x {\nint f(int a) { return a; }\n}\n", 60, "tidy"), (0, []))
        self.assertEqual(self.visited("namespace x {\nint badName(int a) { return a; }\n}\n", 60, "tidy"), (1, []))
        self.assertEqual(self.visited("namespace x {\nconst double kMost_ns = 1;\n}\n", 60, "tidy"), (0, []))
        self.assertEqual(self.visited("namespace x {\nint f(int a) {\n" + "  ++a;\n" * 75 + "  return a;\n}\n}\n", 60, "tidy"), (1, []))

    def test_the_time_limit_is_kept_and_the_rest_listed(self):
        self.assertEqual(self.visited("int f(int a) { int unused; return a; }\n", 0, "compile"), (0, ["src/base/a.cc (compile)"]))


if __name__ == "__main__":
    unittest.main()
