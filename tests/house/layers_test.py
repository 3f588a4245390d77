"""Holds every #include under src/ against the table of rooms in cmake/layers.cmake.

The build links a room only with what the table allows, but headers are all on one include path, so a forbidden arrow would
compile. Here an arrow that is not in the table is a failure, and so is a table that is not a DAG, a room that is not in the
table, a cycle among files, and a call that a room's "never" column forbids. The same holds for the parts of a room (fathom_part):
folders with rows of their own, whose headers declare the folder's namespace. No folder holds more files than a reader sees at a look.
"""
import re
import unittest

import tree

ROW = re.compile(r'^\s*fathom_layer\(\s*(\w+)\s+"([^"]*)"', re.M)
PART = re.compile(r'^\s*fathom_part\(\s*([\w/]+)\s+"([^"]*)"', re.M)
CONSTANT = re.compile(r"^(?:inline |static )*constexpr [^;={(]*?\b(k[A-Z]\w*)\b", re.M)
NAMESPACE = re.compile(r"^namespace (fathom(?:::\w+)*) \{(.*?)^\}", re.M | re.S)
FORWARD = re.compile(r"(?:template <[^>]*>\s*)?(?:class|struct) \w+;")
MOST_FILES = 20
MORE_FILES = {"nvme": "the paths of its installed headers stay, and their .cc files beside them"}
OTHER_NAMESPACE = {"result/sums": "what a result is summed up in; result::walk() finds its overloads by their arguments' namespace",
                   "result/commands": "what a command found: result::Doctor and so on are words of result/ itself",
                   "io/options/devices": "what engines on device classes are asked, as io/options",
                   "io/options/plugins": "what engines in shared objects are asked, as io/options",
                   "io/options": "what engines are asked: io::PsyncOptions and so on are words of io/ itself"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)
# A question that is answered in one place: who includes the header that can answer it, elsewhere the answer is handed on.
ASKED_BY = {"host/mounts/locate.h": (("host/mounts", "host/placement"), "where a target lies is found out by host/placement/")}
GENERATED = {"fathom_version.h", "event_files.h", "fathom_split_object.h", "fathom_split_classic_object.h", "fathom_device_time_object.h",
             *(f"fathom_page_{name}{of}.h" for name in ("style", "script", "plot_style", "plot_script", "viewer_style", "viewer_script", "viewer_body", "live_script", "live_body")
               for of in ("", "_sha256"))}

# What the "never" column says of calls, where a pattern can see it.
CLOCK = (r"\b(clock_gettime|gettimeofday|__rdtscp?)\s*\(|::now\s*\(", "reads a clock")
PRINT = (r"\bf?printf\s*\(|\bf?puts\s*\(|\bstd::(cout|cerr)\b|\bfmt::print\b", "prints")
NEVER = {room: [CLOCK, PRINT] for room in ("stats", "pattern", "io", "workload", "engine", "result", "options", "job", "paging_job", "audit", "report")} | {
    room: [PRINT] for room in ("witness", "session", "history")}


def table(text):
    """The rows in their order: {room: [rooms it may include]}, and what is wrong with the table itself."""
    rooms, problems = {}, []
    for room, deps in ROW.findall(text):
        named = [d for d in deps.split(";") if d]
        if room in rooms:
            problems.append(f"layers.cmake: {room} stands twice")
        problems += [f"layers.cmake: {room} names {d}, which is no room above it" for d in named if d not in rooms]
        rooms[room] = named
    return rooms, problems


def part_table(text, rooms):
    """{part: [folders of its room it may include]}, and what is wrong with these rows."""
    parts, problems = {}, []
    for part, deps in PART.findall(text):
        named = [d for d in deps.split(";") if d]
        if part in parts or part.split("/")[0] not in rooms:
            problems.append(f"layers.cmake: {part} stands twice, or before its room")
        problems += [f"layers.cmake: {part} names {d}, which is no part above it" for d in named
                     if not (d in parts or part.startswith(d + "/") or d.startswith(part + "/"))]
        parts[part] = named
    return parts, problems


def judge_part(name, included, parts):
    """What is wrong with an include inside one room, by folders; None when it is allowed."""
    own, other = name.rpartition("/")[0], included.rpartition("/")[0]
    if own == other or own.split("/")[0] != other.split("/")[0] or "/" not in own:
        return None  # files that lie directly in a room may include all its parts
    return None if other in parts.get(own, []) else f'"{included}": {own}/ may not include {other}/'


def judge_namespace(name, text):
    """A header declares what is in its folder's namespace, or below it; others' names only as names."""
    folder = name.rpartition("/")[0]
    if not name.endswith(".h") or folder in OTHER_NAMESPACE:
        return None
    want = "fathom::" + folder.replace("/", "::")
    wrong = [ns for ns, body in NAMESPACE.findall(text) if not (ns == want or ns.startswith(want + "::")) and FORWARD.sub("", body).strip()]
    return f"namespace {wrong[0]} instead of {want}" if wrong else None


def hiding_constants(src):
    """The files of a folder are compiled as one unit: there a constant of one file hides that of a header, whose value another file means."""
    declared = {}
    for path in tree.files(src, ["."], (".h",)):
        for name in CONSTANT.findall(path.read_text()):
            declared.setdefault(name, []).append(path)
    return [f"{path.relative_to(src)}: {name} hides that of {header.relative_to(src)}" for path in tree.files(src, ["."], (".cc",))
            for name in CONSTANT.findall(path.read_text()) for header in declared.get(name, []) if header.parent == path.parent or header.parent in path.parents]


def full_folders(src):
    held = {}
    for path in tree.files(src, ["."], tree.CODE):
        folder = path.relative_to(src).parent.as_posix()
        held[folder] = held.get(folder, 0) + 1
    return [f"{folder}/ holds {n} files: what of it is a part?" for folder, n in held.items() if n > MOST_FILES and folder not in MORE_FILES]


def room_of(name):
    return name.split("/")[0] if "/" in name else None


def judge_include(room, quote, name, rooms, src):
    """What is wrong with one #include of a file in `room`; None when it is allowed."""
    target = room_of(name)
    if quote == "<":
        return f"<{name}>: write our own headers in quotes" if (src / name).is_file() else None
    if name in GENERATED:
        return None
    if not (src / name).is_file():
        return f'"{name}": no such file under src/ (paths are written from src/)'
    if target != room and target not in rooms.get(room, []):
        return f'"{name}": {room}/ may not include {target}/'
    return None


def file_cycle(graph):
    """A list of files that include each other in a ring, or None."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node):] + [node]
        if node in done:
            return None
        path.append(node)
        ring = next(filter(None, (visit(n) for n in graph.get(node, []))), None)
        path.pop()
        done.add(node)
        return ring

    return next(filter(None, (visit(n) for n in sorted(graph))), None)


def violations(root):
    src = root / "src"
    rooms, found = table((root / "cmake/layers.cmake").read_text())
    parts, more = part_table((root / "cmake/layers.cmake").read_text(), rooms)
    found += more + full_folders(src) + hiding_constants(src)
    graph = {}
    for path in tree.files(root, ["src"], tree.CODE):
        name = path.relative_to(src).as_posix()
        room = room_of(name)
        if room not in rooms:
            found.append(f"{name}: {room or 'src'} is no room of layers.cmake")
            continue
        folder = name.rpartition("/")[0]
        if "/" in folder and folder not in parts:
            found.append(f"{name}: {folder} is no part of layers.cmake")
            continue
        text = path.read_text()
        includes = INCLUDE.findall(text)
        graph[name] = [n for q, n in includes if q == '"']
        found += [f"{name}: {p}" for q, n in includes if (p := judge_include(room, q, n, rooms, src))]
        found += [f"{name}: {p}" for q, n in includes if q == '"' and (p := judge_part(name, n, parts))]
        found += [f'{name}: "{n}": {ASKED_BY[n][1]}' for _, n in includes if n in ASKED_BY and folder not in ASKED_BY[n][0]]
        code = tree.code_only(text)
        if wrong := judge_namespace(name, code):
            found.append(f"{name}: {wrong}")
        found += [f"{name}: {room}/ never {what}" for pattern, what in NEVER.get(room, []) if re.search(pattern, code)]
    ring = file_cycle(graph)
    if ring:
        found.append("files include each other: " + " -> ".join(ring))
    return found


LAYERS = ('fathom_layer(base "")\n fathom_part(base/sub "base")\nfathom_layer(stats "base" PACKAGES x)\nfathom_layer(run "base;stats")\n'
          ' fathom_part(run/low "")\n fathom_part(run/sub "run;run/low")\n')


class LayerRules(unittest.TestCase):
    def found(self, content, layers=LAYERS):
        with tree.Planted({"cmake/layers.cmake": layers, "src/base/a.h": "", **content}) as root:
            return violations(root)

    def assert_one(self, words, *args):
        found = self.found(*args)
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])

    def test_allowed_includes_pass(self):
        self.assertEqual(self.found({"src/run/sub/b.cc": '#include <vector>\n#include "base/a.h"\n#include "fathom_version.h"\n'}), [])

    def test_an_include_not_in_the_table_is_found(self):
        self.assert_one("stats/ may not include run/", {"src/run/r.h": "", "src/stats/s.h": '#include "run/r.h"\n'})

    def test_an_include_from_a_subfolder_is_found(self):
        self.assert_one("base/ may not include stats/", {"src/stats/s.h": "", "src/base/sub/b.cc": '  # include "stats/s.h"\n'})

    def test_parts_include_what_their_row_names(self):
        self.assertEqual(self.found({"src/run/low/l.h": "", "src/run/r.h": "", "src/run/sub/s.h": '#include "run/low/l.h"\n#include "run/r.h"\n',
                                     "src/run/r.cc": '#include "run/sub/s.h"\n'}), [])
        self.assert_one("run/low/ may not include run/sub/", {"src/run/sub/s.h": "", "src/run/low/l.h": '#include "run/sub/s.h"\n'})
        self.assert_one("run/low/ may not include run/", {"src/run/r.h": "", "src/run/low/l.h": '#include "run/r.h"\n'})

    def test_a_part_without_a_row_is_found(self):
        self.assert_one("run/other is no part", {"src/run/other/x.h": ""})

    def test_a_part_that_names_a_later_one_is_found(self):
        self.assert_one("no part above it", {}, LAYERS.replace('run/low ""', 'run/low "run/sub"'))

    def test_namespace_of_a_header_is_its_folder(self):
        def body(ns, what):
            return f"namespace {ns} {{\n{what}\n}}  // namespace {ns}\n"
        self.assertEqual(self.found({"src/run/sub/s.h": body("fathom::stats", "class X;") + body("fathom::run::sub", "int f();")}), [])
        self.assert_one("instead of fathom::run::sub", {"src/run/sub/s.h": body("fathom::run", "int f();")})

    def test_a_folder_of_too_many_files_is_found(self):
        self.assert_one("run/ holds 21 files", {f"src/run/f{n}.h": "" for n in range(21)})

    def test_a_constant_that_hides_a_headers_is_found(self):
        header, source = "inline constexpr int kMost = 9;\n", "namespace {\nconstexpr std::uint64_t kMost = 1;\n}\n"
        self.assert_one("run/x.cc: kMost hides", {"src/run/x.h": header, "src/run/x.cc": source})
        self.assertEqual(self.found({"src/stats/x.h": header, "src/run/x.cc": source}), [])

    def test_an_unknown_room_is_found(self):
        self.assert_one("no room of layers.cmake", {"src/attic/x.h": ""})

    def test_missing_and_relative_paths_are_found(self):
        self.assert_one("no such file", {"src/base/b.cc": '#include "a.h"\n'})
        self.assert_one("no such file", {"src/base/b.cc": '#include "../base/b.h"\n'})

    def test_an_own_header_in_angle_brackets_is_found(self):
        self.assert_one("in quotes", {"src/run/r.cc": "#include <base/a.h>\n"})

    def test_a_row_that_names_a_room_below_is_found(self):
        self.assert_one("no room above", {}, 'fathom_layer(base "run")\nfathom_layer(run "")\n')

    def test_a_cycle_of_includes_is_found(self):
        self.assert_one("include each other", {"src/run/x.h": '#include "run/y.h"\n', "src/run/y.h": '#include "run/x.h"\n'})

    def test_a_question_asked_outside_its_place_is_found(self):
        layers = 'fathom_layer(base "")\nfathom_layer(host "base")\n fathom_part(host/mounts "")\n fathom_part(host/placement "host/mounts")\nfathom_layer(run "host")\n'
        files = {"src/host/mounts/locate.h": "", "src/host/placement/p.h": '#include "host/mounts/locate.h"\n'}
        self.assertEqual(self.found(files, layers), [])
        self.assert_one("found out by host/placement/", {**files, "src/run/r.h": '#include "host/mounts/locate.h"\n'}, layers)

    def test_a_clock_read_in_a_forbidden_room_is_found(self):
        self.assert_one("never reads a clock", {"src/stats/s.cc": "auto t = std::chrono::steady_clock::now();\n"})
        self.assertEqual(self.found({"src/stats/s.cc": "// ::now() is for run/\n"}), [])

    def test_the_source_tree_follows_the_table(self):
        self.assertEqual(violations(tree.SOURCE), [])


if __name__ == "__main__":
    unittest.main()
