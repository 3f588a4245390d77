// For a pull request or a wiki: a heading with the result of the checks, a table that GitHub renders, and the findings.
// Numbers have three digits; rows-csv has the same rows with all digits. The latency of a row is the one that a reader
// needs first (result/sums/main_latency.h). Names are escaped where Markdown would read them.
#include <fmt/format.h>

#include <algorithm>

#include "report/formats.h"
#include "report/headline/verdict_parts.h"
#include "report/parts/numbers.h"
#include "report/parts/utf8.h"
#include "report/rows/run_rows.h"
#include "result/sums/checks.h"
#include "result/sums/same_findings.h"

namespace fathom::report {
namespace rows {
namespace {

using parts::markdown_text;

constexpr std::string_view kNotKnown = "-";
constexpr std::string_view kTableHead =
    "| job | direction | IOPS | bandwidth | latency | p50 | p99 | p99.9 | max | failed I/Os |\n"
    "|---|---|--:|--:|---|--:|--:|--:|--:|--:|\n";

const Quantity* latency_named(std::string_view name) {
  const auto* const at =
      std::find_if(kLatencies.begin(), kLatencies.end(), [&](const auto& of) { return of.name == name; });
  return at == kLatencies.end() ? nullptr : at;
}

std::string quantity_cell(const std::vector<Number>& numbers, const Label& label) {
  const auto* number = label.of == nullptr ? nullptr : find(numbers, label);
  if (number == nullptr) return std::string(kNotKnown);
  const double value = std::visit([](auto digits) { return static_cast<double>(digits); }, number->value);
  return markdown_text(label.unit() == "1" ? value_text(number->value) : parts::quantity_text(value, label.unit()));
}

// Its name, and what tells it from others of that name.
std::string job_cell(const RunRows& run, const JobRows& job) {
  std::string out = markdown_text(job.name);
  const auto same = [&](const JobRows& other) {
    return other.name == job.name && other.repetition == job.repetition && other.number != job.number;
  };
  if (std::any_of(run.jobs.begin(), run.jobs.end(), same)) out += fmt::format(", job {}", job.number);
  if (job.members > 1) out += fmt::format(", {} jobs", job.members);
  if (job.repetition > 0) out += fmt::format(", repetition {}", job.repetition);
  const auto* error = find(job.numbers, {&kError});
  return error != nullptr && error->value != Value(std::uint64_t{0}) ? out + ", error " + value_text(error->value)
                                                                     : out;
}

std::string table_row(const RunRows& run, const JobRows& job, const DirectionRow& direction) {
  const auto* latency = latency_named(direction.main_latency);
  const bool known = latency != nullptr && find(direction.numbers, {latency, "max"}) != nullptr;
  const auto cell = [&](const Label& label) { return quantity_cell(direction.numbers, label); };
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", job_cell(run, job),
                     direction.name.empty() ? kNotKnown : direction.name, cell({&kIops}), cell({&kBw}),
                     known ? markdown_text(latency->name) : std::string(kNotKnown), cell({latency, {}, 50}),
                     cell({latency, {}, 99}), cell({latency, {}, 99.9}), cell({latency, "max"}), cell({&kErrorIos}));
}

// Machine, time and run ID; those that are known.
std::string origin(const result::Run& run, const RunRows& rows) {
  std::vector<std::string> known;
  if (!rows.host.empty()) known.push_back(markdown_text(rows.host));
  if (const auto* at = find(rows.numbers, {&kReportedEpoch}); at != nullptr)
    known.push_back(parts::calendar(std::get<std::uint64_t>(at->value), run.utc_offset_s));
  if (!rows.run_id.empty()) known.push_back("run " + markdown_text(rows.run_id));
  return known.empty() ? "" : fmt::format("{}\n\n", fmt::join(known, ", "));
}

std::string findings_list(const result::Run& run) {
  std::string out;
  for (const auto& [first, jobs] : result::sums::same_findings(run.findings)) {
    const auto where = result::sums::jobs_text(jobs);
    out += fmt::format("- **{}** {}: {}{}", result::name(first->severity), markdown_text(first->id),
                       where.empty() ? "" : markdown_text(where) + ": ", markdown_text(first->evidence));
    if (!first->remedy.empty()) out += fmt::format(" (help: {})", markdown_text(first->remedy));
    out += "\n";
  }
  for (const auto& error : run.errors)
    if (!error.message.empty()) out += fmt::format("- **failed** {}\n", markdown_text(error.message));
  return out.empty() ? "" : out + "\n";
}

}  // namespace
}  // namespace rows

std::string run_markdown(const result::Run& run) {
  const auto all = rows::rows_of(run);
  const auto checks = result::sums::checks_of(run, run.repetitions);
  std::string out = fmt::format("### fathom run, checks: {}\n\n", headline::outcome_text(checks));
  out += rows::origin(run, all);
  out += rows::kTableHead;
  for (const auto& job : all.jobs) {
    if (job.directions.empty()) out += rows::table_row(all, job, {});
    for (const auto& direction : job.directions) out += rows::table_row(all, job, direction);
  }
  return out + "\n" + rows::findings_list(run);
}

}  // namespace fathom::report
