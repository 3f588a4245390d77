// Each file is read, reduced to the compared numbers and released before the next: a comparison may have a thousand
// files. A file that cannot be read is reported and omitted; the others are still compared.
#include "cli/report_commands/compare_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/manuals.h"
#include "cli/report_commands/compare_report.h"
#include "cli/report_commands/compare_runs.h"
#include "cli/report_commands/job_files.h"
#include "cli/report_commands/own_runs.h"
#include "cli/report_commands/read_file.h"
#include "cli/report_commands/text_formats.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"
#include "compare/comparison.h"
#include "import/any_run.h"
#include "options/rows.h"

namespace fathom::cli::report_commands {
namespace {

namespace fs = std::filesystem;

struct CompareAsked {
  std::string log_columns;
  bool run = false;
  std::uint64_t repeat = 5;
  std::string results = "compare-results";
  std::vector<std::string> run_options;
};

std::span<const options::Group> compare_groups() {
  static const options::Row rows[] = {
      options::text<&CompareAsked::log_columns>(kLogColumnsRow),
      options::flag<&CompareAsked::run>(
          {"run", "", "A, B ... are job files: run each of them once per round, in random order"}),
      options::count<&CompareAsked::repeat>({"repeat=N", "5", "rounds of --run"}, 1, 1000),
      options::text<&CompareAsked::results>(
          {"results=FOLDER", "compare-results",
           "directory for the results of --run, a subdirectory per side; new or empty (the default gets a number if "
           "it is in use)"}),
      options::append<&CompareAsked::run_options>(
          {"run-option=OPTION", "",
           "pass an option to each `fathom run` of --run: --run-option=--audit=off (repeatable)"}),
  };
  static const options::Group all[] = {{"", compare_rows()}, {"", rows}};
  return all;
}

// A directory means the results in it, and a list with commas its files. An existing file with a comma in its name is
// one file.
base::Expected<std::vector<std::string>> files_of(const std::string& side) {
  std::error_code ignored;
  if (fs::is_directory(side, ignored)) return results_in(side);
  std::vector<std::string> files;
  if (side.find(',') == side.npos || fs::exists(side, ignored)) return std::vector{side};
  for (std::size_t at = 0; at <= side.size();) {
    const auto end = std::min(side.find(',', at), side.size());
    if (end > at) {
      auto some = files_of(side.substr(at, end - at));
      if (!some) return some.error();
      for (auto& file : *some) files.push_back(std::move(file));
    }
    at = end + 1;
  }
  return files;
}

base::Expected<result::Run> read_run(const std::string& file, const std::string& log_columns) {
  const auto text = read_result_file(file);
  if (!text) return text.error();
  return import::read_any_run(*text, file, {log_columns});
}

void read_sides(const std::vector<std::string>& sides, const std::string& log_columns, compare::Comparison& comparison,
                std::string_view program) {
  for (std::size_t side = 0; side < sides.size(); ++side) {
    const auto files = files_of(sides[side]);
    if (!files) {
      show_error(files.error(), program);
      comparison.leave_out(sides[side], "a directory without results", files.error().cause);
      continue;
    }
    for (const auto& file : *files) {
      if (const auto run = read_run(file, log_columns)) {
        comparison.add(side, file, *run);
      } else {
        show_error(run.error(), program);
        comparison.leave_out(file, run.error().what, run.error().cause);
      }
    }
  }
}

// Stored results, or results that are measured now.
base::Expected<RunsMade> sides_of(const Given& given, const CompareAsked& asked, std::string_view program) {
  if (given.arguments.size() < 2)
    return usage_error(
        "two sides are needed", fmt::format("{} given", given.arguments.size()),
        "write `fathom compare A.json B.json`; several files per side: `a1.json,a2.json`, or a directory");
  if (asked.run) return make_runs({given.arguments, asked.repeat, asked.results, asked.run_options}, program);
  for (const char* name : {"repeat", "results", "run-option"})
    if (given.has(name))
      return usage_error(fmt::format("--{} needs --run", name), "stored results are not run again",
                         "add --run, with job files as sides");
  return RunsMade{given.arguments, false};
}

// The default directory is for one comparison; a named one is as the user wants it.
void choose_results(const Given& given, CompareAsked& asked, std::string_view program) {
  if (!asked.run || given.has("results")) return;
  const auto usual = std::exchange(asked.results, unused_directory(asked.results));
  if (asked.results != usual)
    show_line(fmt::format("`{}` has the results of another comparison; these are in `{}`", usual, asked.results),
              program);
}

base::Expected<int> compare_files(const Given& given, CompareAsked asked, const CompareWish& wish,
                                  std::string_view program) {
  auto wanted = compare_asked(wish);
  if (!wanted) return wanted.error();
  if (auto formats = formats_asked(given, result::Compare()); !formats) return formats.error();
  choose_results(given, asked, program);
  Outputs outputs{.named = {}, .overwrite = wish.force};
  if (asked.run) outputs.results = asked.results;
  for (const auto& side : given.arguments)
    if (const auto files = files_of(side))
      for (const auto& name : *files) outputs.named.add("an input", name);
  if (asked.run) {
    std::vector<std::vector<std::string>> jobs;
    for (const auto& side : given.arguments) jobs.push_back({side});
    if (auto ok = name_files_of_jobs(jobs, outputs.named); !ok) return ok.error();
  }
  CompareReport report(wish);
  if (auto ok = report.open(given, outputs); !ok) return ok.error();
  const auto sides = sides_of(given, asked, program);
  if (!sides) return sides.error();
  compare::Comparison comparison(std::move(*wanted), sides.value().sides);
  read_sides(sides.value().sides, asked.log_columns, comparison, program);
  const auto found = comparison.finish(version_line());
  for (const auto& error : comparison.unfit_files()) show_error(error, program);
  if (!found && sides.value().interrupted) {
    show_error(found.error(), program);
    return stopped_status();
  }
  if (!found) return found.error();
  auto status = report.write(*found);
  if (status && sides.value().interrupted) return stopped_status();
  return status;
}

}  // namespace

const Manual& compare_manual() {
  static const Manual manual{
      "fathom compare", "[OPTIONS] A B [C...]",
      "Shows whether B (and C ...) is faster or slower than A, from stored results: JSON of fathom, JSON of fio\n"
      "(json+ has histograms), XML of pmbench. A side is a file, a comma list of files, or a directory of results. A\n"
      "result of --repeat=N counts as N runs; a run gives one number per metric. The test is Welch's t on logarithms;\n"
      "it needs three runs per side. docs/compare.md explains it. With --run the sides are job files, and fathom\n"
      "makes the runs.\n",
      compare_groups(), "\nExit status: 0; 1 a condition failed; 2 nothing could be compared.\n"};
  return manual;
}

int compare_command(std::span<const std::string> args) {
  CompareAsked asked;
  CompareWish wish;
  const Manual& manual = compare_manual();
  const auto given = options::read_command_line(manual, args, options::Targets(asked, wish));
  if (given && given->help) return print_out(options::help_text(manual), manual.command);
  const auto done = given ? compare_files(*given, asked, wish, manual.command) : base::Expected<int>(given.error());
  if (done) return *done;
  const auto error = given ? given->placed(done.error()) : done.error();
  show_error(error, manual.command);
  return exit_code(error, false);
}

}  // namespace fathom::cli::report_commands
