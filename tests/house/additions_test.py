"""What ARCHITECTURE.md says of adding something is tried: a toy is added to a copy of the files that it names, what it touches is compiled and
linked in the place of what the build has, and the program is asked for it. Nothing else may have to be changed by hand.
"""
# label: slow
# timeout: 300
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

import tree

CXX = os.environ.get("CXX") or shutil.which("g++") or "clang++-14"
BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", tree.SOURCE / "build"))

# An engine: its row, its file, and the file of its options.
ENGINE_ROW = """
FATHOM_ENGINE(toy, batch, files, (kToyOptions), .summary = "a toy", .asynchronous = true, .needs_files = false,
              .no_block_layer = "it is a toy")
"""
ENGINE_FILE = """
#include <vector>

#include "engine/parts.h"
#include "io/options/toy.h"

namespace fathom::engine {
namespace {

class Toy final : public BatchEngine {
 public:
  base::Expected<void> open(const Setup& setup) override {
    error_ = setup.options.of<io::ToyOptions>().error;
    done_.reserve(setup.depth);
    return {};
  }
  int submit(std::span<const Posted> batch, unsigned) override {
    for (const Posted& p : batch) done_.push_back({p.slot, error_ ? -error_ : static_cast<std::int32_t>(p.request->length)});
    return static_cast<int>(batch.size());
  }
  int reap(unsigned, std::span<io::Completion> out) override {
    int n = 0;
    for (; !done_.empty() && n < static_cast<int>(out.size()); done_.pop_back()) out[static_cast<std::size_t>(n++)] = done_.back();
    return n;
  }
  void close() override { done_.clear(); }

 private:
  int error_ = 0;
  std::vector<io::Completion> done_;
};

}  // namespace

std::unique_ptr<BatchEngine> make_toy() { return std::make_unique<Toy>(); }

}  // namespace fathom::engine
"""
ENGINE_OPTIONS = """
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct ToyOptions : OfEngine {
  int error = 0;
};

inline constexpr Row kToyRows[] = {
    count<&ToyOptions::error>({"toy_error", "0", "What every I/O ends with"}, 0, 133),
};
inline constexpr OptionTable kToyOptions{"toy", kToyRows};

}  // namespace fathom::io
"""
# One row, one file: a report of a run.
REPORT_ROW = """
FATHOM_FORMAT("a run", Run, "toy", toy, "a toy")
"""
REPORT_FILE = """
#include "report/formats.h"

namespace fathom::report {

std::string toy(const result::Run& run) { return "a toy of " + run.program.name + "\\n"; }

}  // namespace fathom::report
"""
# Finds it as --output-format= of a run does, and as `fathom report` does; paging has none of that name.
REPORT_USER = """
#include <cstdio>

#include "report/formats.h"
#include "report/paging_formats.h"

int main() {
  using namespace fathom;
  const result::Stored stored = result::Run();
  const std::vector<std::string> asked = {"toy"};
  if (report::find_format("toy") == nullptr || report::find_paging_format("toy") != nullptr) return 1;
  if (report::format_names(stored).back() != "toy" || report::all_formats().find(", toy; ") == std::string::npos) return 2;
  std::fputs((report::report_in(asked, result::Run()) + report::report_in(asked, stored)).c_str(), stdout);
}
"""

# A member of a job and its row: written, read back, and made harmless in texts.
FIELD_USER = """
#include <cstdio>

#include "import/result_json.h"
#include "report/fathom_json.h"
#include "report/parts/shown.h"

int main() {
  using namespace fathom;
  result::Run run;
  run.jobs.resize(1);
  run.jobs[0].toy = "a\\x1b toy";
  report::parts::JsonWriter w;
  w.begin_object();
  report::write_fathom(w, run, true);
  w.end_object();
  const auto text = w.take();
  const auto read = import::read_result_json(text, "toy.json");
  if (!read.ok()) return std::fprintf(stderr, "%s: %s\\n", read.error().what.c_str(), read.error().cause.c_str()), 1;
  if (read->jobs.at(0).toy != run.jobs[0].toy || !(*read == run)) return 2;
  if (report::parts::shown(run).jobs[0].toy.find(0x1b) != std::string::npos) return 3;
  std::puts("the toy works");
}
"""


# An option of every job: its row under a heading, and the file of its own.
OPTION_ROW = """
    count<&Toy::turns>({"toy winding", "3", "How often the toy is wound up"}, 1, 9),
"""
OPTION_FILE = """
#pragma once
#include "job/job.h"

namespace fathom::job {

struct Toy : OfJob {
  int turns = 3;
};

}  // namespace fathom::job
"""
# Whoever acts on it asks a job for it.
OPTION_USER = """
#include <cstdio>

#include "job/command.h"
#include "job/toy.h"

int main() {
  using namespace fathom::job;
  const auto jobs = parse_job_text("[plain]\\nrw=read\\n[wound]\\nwinding=5\\n", "t.fio", Environment::of_this_process());
  for (const Job& job : jobs->jobs) std::printf("%s %d\\n", job.name.c_str(), job.of<Toy>().turns);
}
"""


class Copy:
    """A folder that stands before src/ on the include path: the files that an addition changes, and those that it adds."""

    def __init__(self, content):
        self.planted = tree.Planted(content)

    def __enter__(self):
        self.root = self.planted.__enter__()
        self.flags = [f"-I{self.root}/src", f"-I{tree.SOURCE}/src", f"-I{BUILD}/generated"]
        return self

    def __exit__(self, *wrong):
        return self.planted.__exit__(*wrong)

    def compile(self, name):
        """The object of one file of the copy, or of the tree as it is under the copy's headers."""
        source = self.root / "src" / name if (self.root / "src" / name).is_file() else tree.SOURCE / "src" / name
        target = self.root / (name.replace("/", "_") + ".o")
        done = subprocess.run([CXX, "-std=c++20", "-O0", "-Wall", "-Wextra", *self.flags, "-c", source, "-o", target], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{name} does not compile:\n{done.stderr[:3000]}")
        return target

    def compile_all(self, names):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return dict(zip(names, pool.map(self.compile, names)))

    def program(self, objects, main=None):
        """The program as the build links it, these objects in the place of the tree's own; with main, what that does instead."""
        words = link_command()
        begin = next(i for i, word in enumerate(words) if word.endswith("main.cc.o"))
        words[begin:begin + 1] = [*objects, main or words[begin]]
        words[words.index("-o") + 1] = self.root / "program"
        subprocess.run([*words, "-fno-lto"], cwd=BUILD, check=True)
        return self.root / "program"


def link_command():
    shown = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "fathom"], capture_output=True, text=True, check=True).stdout
    words = shlex.split(shown.splitlines()[-1])
    return words[words.index("&&") + 1:][:words[words.index("&&") + 1:].index("&&")]


def output(program, *words, status=0):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode != status:
        raise AssertionError(f"{words}: exit status {done.returncode}, not {status}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def symbols(path, kinds, word):
    shown = subprocess.run(["nm", "-C", path], capture_output=True, text=True, check=True).stdout
    return {m.group(2) for m in re.finditer(r"^[0-9a-f ]* ([A-Za-z]) (.*)$", shown, re.M) if m.group(1) in kinds and word in m.group(2)}


def with_row(path, row):
    return (tree.SOURCE / path).read_text() + row


def with_line(path, line, after=None, before=None):
    """A file of the tree with a line more: in front of or behind the first one that is so."""
    text = (tree.SOURCE / path).read_text()
    at = text.index(before) if before else text.index(after) + len(after)
    return {path: text[:at] + line + text[at:]}


class AddedEngine(unittest.TestCase):
    ROWS = "src/io/engine_rows.inc"
    READERS = ["io/engines.cc", "io/engine_targets.cc", "job/rows/options_engine.cc", "engine/table.cc", "loops/table.cc"]
    RUN = ("run", "--name=t", "--ioengine=toy", "--rw=read", "--size=64k", "--iodepth=4")

    def rows(self, rows, include=""):
        text = with_line(self.ROWS, include, before='#include "io/options/')[self.ROWS]
        return {self.ROWS: text.removesuffix("#endif\n") + rows + "#endif\n"}

    def test_needs_one_row_its_file_and_that_of_its_options(self):
        files = {"src/engine/toy.cc": ENGINE_FILE, "src/io/options/toy.h": ENGINE_OPTIONS}
        with Copy({**self.rows(ENGINE_ROW, '#include "io/options/toy.h"\n'), **files}) as copy:
            toy = copy.program(copy.compile_all(self.READERS + ["engine/toy.cc"]).values())
            self.assertRegex(output(toy, "--enghelp"), r"\ttoy\b.*a toy")
            self.assertIn("toy_error", output(toy, "--enghelp=toy"))
            self.assertRegex(output(toy, "--cmdhelp=toy_error"), r"range: min=0, max=133\n *engines: toy\n")
            self.assertIn("--toy_error", output(toy, "completion", "bash"))
            job = json.loads(output(toy, *self.RUN, "--toy_error=0", "--output-format=json"))["jobs"][0]
            self.assertEqual((job["job options"]["toy_error"], job["read"]["total_ios"], job["error"]), ("0", 16, 0))
            self.assertIn("No space left on device", output(toy, *self.RUN, "--toy_error=28", status=4))
            self.assertIn("it belongs to toy; this job uses null", output(toy, *self.RUN, "--ioengine=null", "--toy_error=28", status=2))

    def test_a_row_without_its_file_is_a_link_error_with_its_name(self):
        lone = 'FATHOM_ENGINE(lone, own, files, (), .summary = "without loops")\n'
        with Copy(self.rows(ENGINE_ROW + lone)) as copy:
            wanted = " ".join(sorted(symbols(copy.compile("loops/table.cc"), "U", "toy") | symbols(copy.compile("loops/table.cc"), "U", "lone")))
            self.assertRegex(wanted, r"engine::make_toy\(\).*loops::lone_engine")

    def test_every_file_that_reads_the_rows_is_covered(self):
        readers = {p.relative_to(tree.SOURCE / "src").as_posix() for p in tree.files(tree.SOURCE, ["src"], tree.CODE) if "engine_rows.inc\"" in p.read_text()}
        self.assertEqual(readers, {*self.READERS, "engine/parts.h", "loops/table.h"})


class AddedOption(unittest.TestCase):
    ROWS = "src/job/rows/options_measure.cc"

    def test_needs_one_row_and_one_file(self):
        row = with_line(self.ROWS, OPTION_ROW, after="constexpr Row kRows[] = {")
        row[self.ROWS] = '#include "job/toy.h"\n' + row[self.ROWS]
        with Copy({**row, "src/job/toy.h": OPTION_FILE, "src/user.cc": OPTION_USER}) as copy:
            objects = copy.compile_all(["job/rows/options_measure.cc", "user.cc"])
            rows = [objects["job/rows/options_measure.cc"]]
            self.assertEqual(output(copy.program(rows, objects["user.cc"])), "plain 3\nwound 5\n")
            toy = copy.program(rows)
            self.assertRegex(output(toy, "--cmdhelp=winding"), r"toy: How often the toy is wound up\n *alias: winding\n(.*\n)* *default: 3\n *range: min=1, max=9\n")
            self.assertIn("| `toy` | winding | full | 3 | How often the toy is wound up |", output(toy, "help", "compat"))
            self.assertIn("*toy*=integer value (also winding)", output(toy, "help", "man-options"))
            self.assertIn("--toy", output(toy, "completion", "bash"))
            run = ("run", "--name=t", "--ioengine=null", "--size=64k")
            job = json.loads(output(toy, *run, "--winding=4", "--output-format=json"))["jobs"][0]
            self.assertEqual(job["job options"]["toy"], "4")
            self.assertIn("<command line>:1:7: error", output(toy, *run, "--toy=40", status=2))


class AddedReportFormat(unittest.TestCase):
    ROWS = "src/report/format_rows.inc"

    def test_needs_one_row_and_one_file(self):
        with Copy({self.ROWS: with_row(self.ROWS, REPORT_ROW), "src/report/toy.cc": REPORT_FILE, "src/user.cc": REPORT_USER}) as copy:
            objects = copy.compile_all(["report/formats.cc", "report/toy.cc", "user.cc"])
            user = objects.pop("user.cc")
            self.assertEqual(output(copy.program(objects.values(), user)), "a toy of fathom\n" * 2)

    def test_a_row_without_its_file_is_a_link_error_with_its_name(self):
        with Copy({self.ROWS: with_row(self.ROWS, REPORT_ROW)}) as copy:
            self.assertRegex(" ".join(symbols(copy.compile("report/formats.cc"), "U", "toy")), r"report::toy\b")

    def test_every_file_that_reads_the_rows_is_covered(self):
        readers = {p.relative_to(tree.SOURCE / "src").as_posix() for p in tree.files(tree.SOURCE, ["src"], tree.CODE) if "format_rows.inc\"" in p.read_text()}
        self.assertEqual(readers, {"report/formats.cc", "report/formats.h"})


class AddedResultField(unittest.TestCase):
    WALKERS = ["report/fathom_json.cc", "report/parts/shown.cc"] + [  # and whoever reads a stored result, of whatever schema; any_run.cc only asks the readers
        f"import/{p.name}" for p in sorted((tree.SOURCE / "src/import").glob("*.cc")) if not p.name.startswith(("pmbench_", "fathom_", "any_run"))]
    NEEDED = ["report/parts/json_writer.cc", "report/parts/fio_json_latency.cc", "report/parts/utf8.cc", "result/sums/queue_rates.cc", "result/sums/paging_sums.cc"]
    ROOMS = [BUILD / f"libfathom_{room}.a" for room in ("stats", "io", "base")]  # that know no result

    def test_needs_one_member_and_one_row(self):
        with Copy({**with_line("src/result/result.h", "  std::string toy;\n", before="  bool operator==(const Job&) const = default;"),
                   **with_line("src/result/job_fields.h", '  w.field(Key("toy", "a toy", 8), job.toy);\n', before='  w.field(Key("usr_cpu_percent"'),
                   "src/user.cc": FIELD_USER}) as copy:
            objects = copy.compile_all(self.WALKERS + self.NEEDED + ["user.cc"]).values()
            subprocess.run([CXX, *objects, *self.ROOMS, "-lfmt", "-lpugixml", "-o", copy.root / "program"], check=True)
            self.assertEqual(output(copy.root / "program"), "the toy works\n")

    def test_every_file_that_walks_the_fields_is_covered(self):
        users = {p.relative_to(tree.SOURCE / "src").as_posix() for p in tree.files(tree.SOURCE, ["src"], tree.CODE)
                 if "result/run_fields.h\"" in p.read_text()}
        self.assertEqual(users, {"report/parts/json_fields.h", "report/parts/every_value.h", "import/json_fields.h"})


if __name__ == "__main__":
    unittest.main()
