// InfluxDB's line protocol: a point per job and direction, one for the job as a whole (without the tag `direction`),
// and one for the run (measurement `fathom_run`). Tags name the row, so that points of one time do not replace each
// other. The run ID is a field: as a tag it would make a series of every run. Times are in ns, the end of the jobs; a
// server dates a point without a time itself. Reference:
// https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol
#include <fmt/format.h>

#include <limits>

#include "base/text/printable.h"
#include "report/formats.h"
#include "report/rows/run_rows.h"

namespace fathom::report {
namespace rows {
namespace {

// No parser reads a backslash at the end of a tag, and they differ in how they read two. A slash stands for each.
std::string tag_text(const std::string& name) {
  std::string out;
  for (const char c : base::text::printable(name)) {
    if (c == ',' || c == ' ' || c == '=') out += '\\';
    out += c == '\\' ? '/' : c;
  }
  return out;
}

std::string string_field(std::string_view key, const std::string& text) {
  std::string out = fmt::format("{}=\"", key);
  for (const char c : base::text::printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// An empty tag is not valid.
std::string tag_pair(std::string_view key, const std::string& name) {
  return name.empty() ? "" : fmt::format(",{}={}", key, tag_text(name));
}

// `i` has 63 bits; `u` has 64, and not every server reads it.
std::string field_value(const Value& value) {
  const auto* whole = std::get_if<std::uint64_t>(&value);
  if (whole == nullptr) return value_text(value);
  const bool fits = *whole <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return value_text(value) + (fits ? "i" : "u");
}

std::string fields_of(const std::vector<Number>& numbers) {
  std::string out;
  for (const auto& [label, value] : numbers)
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", label.column(), field_value(value));
  return out;
}

// A time that ns cannot hold is unknown.
std::string line_end(std::uint64_t epoch_ms) {
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / kNsPerMs;
  return epoch_ms == 0 || epoch_ms > kMost ? "\n" : fmt::format(" {}\n", epoch_ms * kNsPerMs);
}

std::string point(const RunRows& run, const JobRows& job, std::string_view direction,
                  const std::vector<Number>& numbers) {
  if (numbers.empty()) return "";
  const std::string repetition = job.repetition > 0 ? fmt::format("{}", job.repetition) : "";
  std::string out = "fathom" + tag_pair("direction", std::string(direction)) + tag_pair("host", run.host) +
                    tag_pair("job", job.name) + fmt::format(",job_number={}", job.number) +
                    tag_pair("repetition", repetition) + " " + fields_of(numbers);
  if (!run.run_id.empty()) out += "," + string_field("run_id", run.run_id);
  return out + line_end(job.reported_epoch_ms);
}

std::string run_point(const RunRows& run, std::uint64_t epoch_ms) {
  std::string out = "fathom_run" + tag_pair("host", run.host) + " " + string_field("checks", std::string(run.checks));
  if (const auto fields = fields_of(run.numbers); !fields.empty()) out += "," + fields;
  if (!run.run_id.empty()) out += "," + string_field("run_id", run.run_id);
  return out + line_end(epoch_ms);
}

}  // namespace
}  // namespace rows

std::string influx(const result::Run& run) {
  const auto all = rows::rows_of(run);
  const auto* reported = rows::find(all.numbers, {&rows::kReportedEpoch});
  std::string out = rows::run_point(all, reported != nullptr ? std::get<std::uint64_t>(reported->value) : 0);
  for (const auto& job : all.jobs) {
    out += rows::point(all, job, "", job.numbers);
    for (const auto& direction : job.directions) out += rows::point(all, job, direction.name, direction.numbers);
  }
  return out;
}

}  // namespace fathom::report
