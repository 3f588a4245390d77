// A line of names, then one row per job and direction (RFC 4180, but lines end with a newline alone). The columns are
// the same for every run. Unknown values are empty. Numbers of the whole job are in all of its rows. A job without a
// direction has one row.
#include <fmt/format.h>

#include "base/text/printable.h"
#include "report/formats.h"
#include "report/parts/utf8.h"
#include "report/rows/run_rows.h"

namespace fathom::report {
namespace rows {
namespace {

constexpr std::string_view kNames = "run_id,host,reported_epoch_ms,checks,job,job_number,members,repetition,direction";

std::vector<Label> columns_of_job() { return {{&kError}, {&kUsrCpu}, {&kSysCpu}}; }

std::vector<Label> columns_of_direction() {
  std::vector<Label> columns = {{&kIos}, {&kBytes}, {&kRuntime}, {&kIops}, {&kBw}, {&kErrorIos}, {&kShortIos}};
  for (const auto& of : kLatencies) {
    for (const std::string_view statistic : {"n", "min", "mean", "stddev"}) columns.push_back({&of, statistic});
    for (const double percentile : kPercentiles) columns.push_back({&of, {}, percentile});
    columns.push_back({&of, "max"});
  }
  return columns;
}

std::string csv_name(const std::string& name) { return parts::csv_text(base::text::printable(name)); }
std::string csv_known(std::uint64_t number) { return number > 0 ? fmt::format("{}", number) : ""; }

std::string csv_cells(const std::vector<Label>& columns, const std::vector<Number>& numbers) {
  std::string out;
  for (const auto& column : columns) {
    const auto* number = find(numbers, column);
    out += ",";
    if (number != nullptr) out += value_text(number->value);
  }
  return out;
}

std::string csv_row(const RunRows& run, const JobRows& job, const DirectionRow& direction) {
  return fmt::format("{},{},{},{},{},{},{},{},{}", csv_name(run.run_id), csv_name(run.host),
                     csv_known(job.reported_epoch_ms), run.checks, csv_name(job.name), job.number, job.members,
                     csv_known(job.repetition), direction.name) +
         csv_cells(columns_of_job(), job.numbers) + csv_cells(columns_of_direction(), direction.numbers) + "\n";
}

}  // namespace
}  // namespace rows

std::string rows_csv(const result::Run& run) {
  std::string out(rows::kNames);
  for (const auto& columns : {rows::columns_of_job(), rows::columns_of_direction()})
    for (const auto& column : columns) out += "," + column.column();
  out += "\n";
  const auto all = rows::rows_of(run);
  for (const auto& job : all.jobs) {
    if (job.directions.empty()) out += rows::csv_row(all, job, {});
    for (const auto& direction : job.directions) out += rows::csv_row(all, job, direction);
  }
  return out;
}

}  // namespace fathom::report
