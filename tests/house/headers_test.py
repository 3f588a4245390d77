# label: headers
# timeout: 900
# alone: it keeps all CPUs busy itself
"""Every header under src/ can be compiled alone: a header that leans on what was included before it breaks the next file that uses it.

One whose own .cc file includes it before anything else has been compiled so by the build, and is only looked at for its guard. The others are
compiled here.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import tree

CXX = os.environ.get("CXX") or shutil.which("g++") or "clang++-14"
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", tree.SOURCE / "build"))
PACKAGES = ["fmt", "nlohmann_json", "blkid", "liburing"]


def package_flags():
    return subprocess.run(["pkg-config", "--cflags", *PACKAGES], check=True, capture_output=True, text=True).stdout.split()


def compile_alone(root, header, flags):
    """The compiler's complaint about a file that includes only `header`, twice; empty when there is none."""
    name = header.relative_to(root / "src").as_posix()
    command = [CXX, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{root}/src", f"-I{root}/include", f"-I{BUILD}/generated", *flags]
    text = f'#include "{name}"\n#include "{name}"\n'
    done = subprocess.run([*command, "-x", "c++", "-"], input=text, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{name}: {done.stderr.strip()[:600]}"


def built_alone(root, header):
    """Whether the header's own .cc file begins with it."""
    own = header.with_suffix(".cc")
    first = re.search(r"^#\s*include\s*[<\"](.*?)[>\"]", own.read_text(), re.M) if own.exists() else None
    return first is not None and first.group(1) == header.relative_to(root / "src").as_posix()


def violation(root, header, flags):
    if not built_alone(root, header):
        return compile_alone(root, header, flags)
    return "" if re.search(r"^#pragma once$", header.read_text(), re.M) else f"{header.relative_to(root / 'src')}: no #pragma once: redefinition where it is included twice"


def violations(root, flags):
    headers = [h for h in tree.files(root, ["src"], (".h",)) if not h.name.endswith(".bpf.h")]  # those are for the kernel's compiler
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return [p for p in pool.map(lambda h: violation(root, h, flags), headers) if p]


class Headers(unittest.TestCase):
    def test_a_header_that_is_not_self_contained_is_found(self):
        with tree.Planted({"src/base/bad.h": "#pragma once\nstd::string name();\n", "src/base/good.h": "#pragma once\nint f();\n"}) as root:
            found = violations(root, [])
        self.assertEqual(len(found), 1, found)
        self.assertIn("base/bad.h", found[0])

    def test_a_header_without_a_guard_is_found(self):
        for own in {}, {"src/base/twice.cc": '// Twice.\n#include "base/twice.h"\n#include <string>\n'}:
            with tree.Planted({"src/base/twice.h": "struct Twice {};\n", **own}) as root:
                self.assertIn("redefinition", "".join(violations(root, [])))

    def test_a_header_is_compiled_unless_its_own_file_begins_with_it(self):
        header = {"src/base/bad.h": "#pragma once\nstd::string name();\n"}
        for first, found in (("#include <string>\n", 1), ("#include \"base/worse.h\"\n", 1), ("", 0)):
            with tree.Planted({**header, "src/base/bad.cc": f'// Names.\n{first}#include "base/bad.h"\n'}) as root:
                self.assertEqual(len(violations(root, [])), found, first)

    def test_the_source_tree_has_neither(self):
        self.assertEqual("\n".join(violations(tree.SOURCE, package_flags())), "")


if __name__ == "__main__":
    unittest.main()
