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
#include "cli/report_commands/compare_runs.h"
#include "cli/report_commands/job_files.h"
#include "cli/report_commands/own_runs.h"
#include "cli/report_commands/read_file.h"
#include "cli/report_commands/report_file.h"
#include "cli/report_commands/text_formats.h"
#include "cli/show_error.h"
#include "cli/signals.h"
#include "cli/subcommand.h"
#include "compare/comparison.h"
#include "import/any_run.h"
#include "options/rows.h"
#include "report/formats.h"

namespace fathom::cli::report_commands {
namespace {

namespace fs = std::filesystem;

struct CompareAsked {
  double margin_percent = 2;
  std::string metric, output, report, log_columns, formats = "text";
  std::vector<std::string> fail_if;
  bool fail_if_unknown = false, plot = true, run = false, force = false;
  std::uint64_t repeat = 5;
  std::string results = "compare-results";
  std::vector<std::string> run_options;
};

std::span<const options::Group> compare_groups() {
  using options::Row;
  static const Row rows[] = {
      options::text<&CompareAsked::metric>(
          {"metric=NAME", "",
           "metric of the verdict: iops, bw, or mean or percentile of a latency (lat_mean, clat_p99, "
           "intended_lat_p99.9); fathom paging: accesses_per_s, access_mean, major_p99 (default: iops; paced jobs: "
           "p99 of latency; paging: access_mean)"}),
      options::percent<&CompareAsked::margin_percent>(
          {"margin=PERCENT", "2", "no change if the whole interval lies within PERCENT, faster or slower"}),
      options::append<&CompareAsked::fail_if>({"fail-if=CONDITION", "",
                                               "exit with 1 if the whole interval of the change lies beyond the "
                                               "limit: 'clat_p99>+5%', 'iops<-5%' (repeatable)"}),
      options::flag<&CompareAsked::fail_if_unknown>(
          {"fail-if-unknown", "", "exit with 1 also if a condition (without conditions: the verdict) is inconclusive"}),
      options::text<&CompareAsked::formats>(
          {"output-format=LIST", "text", "text, html, markdown (for a CI summary), json, or a comma list"}),
      options::text<&CompareAsked::output>({"output o=FILE", "", "write to FILE instead of standard output"}),
      options::text<&CompareAsked::report>({"report=FILE", "", "also write an HTML report to FILE"}),
      options::flag<&CompareAsked::force>({"force", "", "overwrite a file that fathom did not write"}),
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
      options::boolean<&CompareAsked::plot>({"plot=BOOL", "1", "plot histograms and the difference of distributions"}),
  };
  static const options::Group all[] = {{"", rows}};
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

base::Expected<compare::Asked> asked_of(const CompareAsked& given) {
  compare::Asked asked;
  asked.margin_percent = given.margin_percent;
  if (!given.metric.empty()) {
    auto metric = compare::metric_named(given.metric);
    if (!metric) return metric.error();
    asked.metric.push_back(std::move(*metric));
  }
  for (const auto& text : given.fail_if) {
    auto condition = compare::fail_if(text);
    if (!condition) return condition.error();
    asked.fail_if.push_back(std::move(*condition));
  }
  return asked;
}

bool failed(const CompareAsked& asked, const result::Compare& found) {
  bool failed = false, unknown = false;
  for (const auto& condition : found.conditions) {
    failed = failed || condition.outcome == result::Outcome::failed;
    unknown = unknown || condition.outcome == result::Outcome::unknown;
  }
  if (found.conditions.empty())
    for (const auto& metric : found.metrics)
      for (const auto& change : metric.changes)
        unknown = unknown || (metric.primary && change.told == result::Told::cannot_tell);
  return failed || (asked.fail_if_unknown && unknown);
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

base::Expected<int> compare_files(const Given& given, CompareAsked given_asked, std::string_view program) {
  auto asked = asked_of(given_asked);
  if (!asked) return asked.error();
  const auto formats = formats_named(given_asked.formats, result::Compare());
  if (!formats) return formats.error();
  choose_results(given, given_asked, program);
  Outputs outputs{.named = {}, .overwrite = given_asked.force};
  if (given_asked.run) outputs.results = given_asked.results;
  for (const auto& side : given.arguments)
    if (const auto files = files_of(side))
      for (const auto& name : *files) outputs.named.add("an input", name);
  if (given_asked.run) {
    std::vector<std::vector<std::string>> jobs;
    for (const auto& side : given.arguments) jobs.push_back({side});
    if (auto ok = name_files_of_jobs(jobs, outputs.named); !ok) return ok.error();
  }
  ReportFile file, page;
  if (auto ok = file.open(outputs, "--output", given_asked.output); !ok) return ok.error();
  if (!given_asked.report.empty())
    if (auto ok = page.open(outputs, "--report", given_asked.report); !ok) return ok.error();
  const auto sides = sides_of(given, given_asked, program);
  if (!sides) return sides.error();
  compare::Comparison comparison(std::move(*asked), sides.value().sides);
  read_sides(sides.value().sides, given_asked.log_columns, comparison, program);
  const auto found = comparison.finish(version_line());
  for (const auto& error : comparison.unfit_files()) show_error(error, program);
  if (!found && sides.value().interrupted) {
    show_error(found.error(), program);
    return stopped_status();
  }
  if (!found) return found.error();
  ignore_broken_pipes();
  auto written = write_reports_to(file, *formats, result::Stored(*found), given_asked.plot);
  if (!given_asked.report.empty())  // one that cannot be written costs no other
    if (auto ok = page.write(report::compare_html(*found)); !ok) written = ok;
  if (file.reader_gone()) end_by_broken_pipe();
  if (!written) return written.error();
  if (sides.value().interrupted) return stopped_status();
  return failed(given_asked, *found) ? kCheckFailed : kOk;
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
  const Manual& manual = compare_manual();
  const auto given = options::read_command_line(manual, args, options::Targets(asked));
  if (given && given->help) return print_out(options::help_text(manual), manual.command);
  const auto done = given ? compare_files(*given, asked, manual.command) : base::Expected<int>(given.error());
  if (done) return *done;
  const auto error = given ? given->placed(done.error()) : done.error();
  show_error(error, manual.command);
  return exit_code(error, false);
}

}  // namespace fathom::cli::report_commands
