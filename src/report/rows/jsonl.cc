// JSON lines: an object per number, each with the same keys, none nested, so that a table takes them as they are. What
// a number does not have (a job, a quantile) is null. An integer from 2^63 on is a text: SQLite and most programs read
// it as a number with a fraction, and round it. The first object has the result of the checks.
#include "report/formats.h"
#include "report/parts/json_writer.h"
#include "report/rows/run_rows.h"

namespace fathom::report {
namespace rows {
namespace {

constexpr std::uint64_t kFirstAsText = std::uint64_t{1} << 63;

void field_or_null(parts::JsonWriter& w, std::string_view key, std::string_view text) {
  text.empty() ? w.null(key) : w.field(key, text);
}

// The run, or a job or direction of it.
struct Subject {
  const RunRows& run;
  const JobRows* job = nullptr;
  std::string_view direction = {};
};

void begin_object(parts::JsonWriter& w, const Subject& of, std::string_view metric) {
  w.begin_object();
  field_or_null(w, "run_id", of.run.run_id);
  field_or_null(w, "host", of.run.host);
  of.job != nullptr&& of.job->repetition > 0 ? w.field("repetition", of.job->repetition) : w.null("repetition");
  of.job != nullptr ? w.field("job", of.job->name) : w.null("job");
  of.job != nullptr ? w.field("job_number", of.job->number) : w.null("job_number");
  field_or_null(w, "direction", of.direction);
  w.field("metric", metric);
}

void write_value(parts::JsonWriter& w, const Value& value) {
  const auto* whole = std::get_if<std::uint64_t>(&value);
  if (whole == nullptr)
    w.exact("value", std::get<double>(value));
  else if (*whole >= kFirstAsText)
    w.field("value", value_text(value));
  else
    w.field("value", *whole);
}

std::string objects_of(const Subject& of, const std::vector<Number>& numbers) {
  std::string out;
  for (const auto& [label, value] : numbers) {
    parts::JsonWriter w(parts::JsonLayout::one_line);
    begin_object(w, of, label.metric());
    const auto quantile = label.quantile();
    quantile ? w.exact("quantile", *quantile) : w.null("quantile");
    write_value(w, value);
    w.field("unit", label.unit());
    w.end_object();
    out += w.take();
  }
  return out;
}

std::string checks_object(const RunRows& run) {
  parts::JsonWriter w(parts::JsonLayout::one_line);
  begin_object(w, {run}, "checks");
  w.null("quantile");
  w.field("value", run.checks);
  w.null("unit");
  w.end_object();
  return w.take();
}

}  // namespace
}  // namespace rows

std::string jsonl(const result::Run& run) {
  const auto all = rows::rows_of(run);
  std::string out = rows::checks_object(all) + rows::objects_of({all}, all.numbers);
  for (const auto& job : all.jobs) {
    out += rows::objects_of({all, &job}, job.numbers);
    for (const auto& direction : job.directions)
      out += rows::objects_of({all, &job, direction.name}, direction.numbers);
  }
  return out;
}

}  // namespace fathom::report
