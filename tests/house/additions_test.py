"""What ARCHITECTURE.md says of adding something is tried: a toy is added to a copy of the files that it names, and what it touches is
compiled. Nothing else may have to be changed by hand.
"""
# label: slow
# timeout: 300
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

# One row, one file: an engine with a queue that says of every second I/O that it failed.
ENGINE_ROW = """
FATHOM_ENGINE(toy, batch, files, .summary = "a toy", .asynchronous = true, .no_block_layer = "it is a toy")
"""
ENGINE_FILE = """
#include <cerrno>

#include "engine/parts.h"

namespace fathom::engine {
namespace {

class Toy final : public BatchEngine {
 public:
  base::Expected<void> open(const Setup& setup) override {
    done_.reserve(setup.depth);
    return {};
  }
  int submit(std::span<const Posted> batch, unsigned) override {
    for (const Posted& p : batch) done_.push_back({p.slot, p.slot % 2 ? -EIO : static_cast<std::int32_t>(p.request->length)});
    return static_cast<int>(batch.size());
  }
  int reap(unsigned, std::span<io::Completion> out) override {
    int n = 0;
    for (; !done_.empty() && n < static_cast<int>(out.size()); done_.pop_back()) out[static_cast<std::size_t>(n++)] = done_.back();
    return n;
  }
  void close() override { done_.clear(); }

 private:
  std::vector<io::Completion> done_;
};

}  // namespace

std::unique_ptr<BatchEngine> make_toy() { return std::make_unique<Toy>(); }

}  // namespace fathom::engine
"""
# Finds it by its row and drives it as the loop does.
ENGINE_USER = """
#include <cerrno>
#include <cstdio>

#include "engine/parts.h"
#include "io/engines.h"

int main() {
  using namespace fathom;
  const auto* row = io::find_engine("toy");
  if (row == nullptr || !row->asynchronous || row->own_account) return 1;
  const auto toy = engine::make_toy();
  engine::Batch batch(*toy);
  engine::Setup setup;
  setup.depth = 4;
  if (!batch.open(setup).ok()) return 2;
  io::Request request;
  request.length = 512;
  for (std::uint32_t slot = 0; slot < 4; ++slot) batch.post(slot, request, nullptr);
  io::Completion done[8];
  if (batch.ring(4) != 4 || batch.reap(4, done) != 4) return 3;
  for (int i = 0; i < 4; ++i)
    if (done[i].result != (done[i].slot % 2 ? -EIO : 512)) return 4;
  batch.close();
  std::puts("the toy works");
}
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

    def output_of(self, objects, libraries=()):
        subprocess.run([CXX, *objects, *libraries, "-lfmt", "-o", self.root / "program"], check=True)
        return subprocess.run([self.root / "program"], capture_output=True, text=True, check=True).stdout


def symbols(path, kinds, word):
    shown = subprocess.run(["nm", "-C", path], capture_output=True, text=True, check=True).stdout
    return {m.group(2) for m in re.finditer(r"^[0-9a-f ]* ([A-Za-z]) (.*)$", shown, re.M) if m.group(1) in kinds and word in m.group(2)}


def with_row(path, row):
    return (tree.SOURCE / path).read_text() + row


class Engine(unittest.TestCase):
    ROWS = "src/io/engine_rows.inc"
    READERS = ["io/engines.cc", "engine/table.cc", "loops/table.cc"]

    def test_one_row_and_one_file(self):
        with Copy({self.ROWS: with_row(self.ROWS, ENGINE_ROW), "src/engine/toy.cc": ENGINE_FILE, "src/user.cc": ENGINE_USER}) as copy:
            objects = copy.compile_all(self.READERS + ["engine/toy.cc", "user.cc", "base/error.cc"])
            wanted = symbols(objects["loops/table.cc"], "U", "toy")
            self.assertTrue(wanted, "the table of loops does not ask for the toy")
            self.assertLessEqual(wanted, symbols(objects["engine/toy.cc"], "T", "toy"))
            self.assertEqual(copy.output_of([objects[n] for n in ("io/engines.cc", "engine/toy.cc", "user.cc", "base/error.cc")]), "the toy works\n")

    def test_a_row_without_its_file_is_missed_by_name(self):
        with Copy({self.ROWS: with_row(self.ROWS, ENGINE_ROW)}) as copy:
            self.assertRegex(" ".join(symbols(copy.compile("loops/table.cc"), "U", "toy")), r"engine::make_toy\(\)")

    def test_every_file_that_reads_the_rows_is_looked_at(self):
        readers = {p.relative_to(tree.SOURCE / "src").as_posix() for p in tree.files(tree.SOURCE, ["src"], tree.CODE) if "engine_rows.inc\"" in p.read_text()}
        self.assertEqual(readers, {*self.READERS, "engine/parts.h"})


class Report(unittest.TestCase):
    ROWS = "src/report/format_rows.inc"

    def test_one_row_and_one_file(self):
        with Copy({self.ROWS: with_row(self.ROWS, REPORT_ROW), "src/report/toy.cc": REPORT_FILE, "src/user.cc": REPORT_USER}) as copy:
            objects = copy.compile_all(["report/formats.cc", "report/toy.cc", "user.cc"])
            rooms = [BUILD / f"libfathom_{room}.a" for room in ("report", "result", "stats", "io", "base")]
            self.assertEqual(copy.output_of(objects.values(), [*rooms, "-lpugixml"]), "a toy of fathom\n" * 2)

    def test_a_row_without_its_file_is_missed_by_name(self):
        with Copy({self.ROWS: with_row(self.ROWS, REPORT_ROW)}) as copy:
            self.assertRegex(" ".join(symbols(copy.compile("report/formats.cc"), "U", "toy")), r"report::toy\b")

    def test_every_file_that_reads_the_rows_is_looked_at(self):
        readers = {p.relative_to(tree.SOURCE / "src").as_posix() for p in tree.files(tree.SOURCE, ["src"], tree.CODE) if "format_rows.inc\"" in p.read_text()}
        self.assertEqual(readers, {"report/formats.cc", "report/formats.h"})


if __name__ == "__main__":
    unittest.main()
