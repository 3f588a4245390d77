// OpenMetrics 1.0, in the subset that Prometheus's node exporter reads too: no timestamps, no `info` and no `unknown`.
// Units are base units (seconds, bytes, ratios); integers of ns are written as exact decimals. Every latency with a
// histogram is a classic histogram. Its edges are edges of the result's buckets, so the cumulative counts are exact. A
// histogram with more buckets than kMostEdges has every 2nd, 4th, 8th ... edge, so edges of two runs coincide where
// their steps differ. The run ID is a label of fathom_checks alone: on each metric it would make a series of every run.
// Labels are not called `job` and `instance`, which Prometheus sets itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/printable.h"
#include "report/formats.h"
#include "report/rows/run_rows.h"

namespace fathom::report {
namespace rows {
namespace {

constexpr std::size_t kMostEdges = 200;  // of a histogram, with +Inf

// Units of the result, what OpenMetrics calls them, and the power of ten between them.
struct BaseUnit {
  std::string_view unit, base;
  int digits;
};
constexpr BaseUnit kBaseUnits[] = {{"ns", "seconds", 9},
                                   {"ms", "seconds", 3},
                                   {"bytes", "bytes", 0},
                                   {"bytes/s", "bytes_per_second", 0},
                                   {"percent", "ratio", 2}};

BaseUnit base_unit(std::string_view unit) {
  for (const auto& row : kBaseUnits)
    if (row.unit == unit) return row;
  return {unit, "", 0};
}

// value / 10^digits without a rounding: 1500 ns are 0.0000015 s.
std::string exact_decimal(std::uint64_t value, int digits) {
  std::string out = fmt::format("{:0{}}", value, digits + 1);
  if (digits == 0) return out;
  out.insert(out.size() - static_cast<std::size_t>(digits), ".");
  while (out.ends_with('0') && !out.ends_with(".0")) out.pop_back();
  return out;
}

std::string base_text(const Value& value, const BaseUnit& unit) {
  if (const auto* whole = std::get_if<std::uint64_t>(&value)) return exact_decimal(*whole, unit.digits);
  return fmt::format("{}", std::get<double>(value) / std::pow(10, unit.digits));
}

std::string label_text(std::string_view key, std::string_view name) {
  std::string out = fmt::format("{}=\"", key);
  for (const char c : base::text::printable(name)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Labels between the braces; those that are known.
std::string labels_of(const RunRows& run, const JobRows* job = nullptr, std::string_view direction = {}) {
  std::vector<std::string> labels;
  if (!run.host.empty()) labels.push_back(label_text("host", run.host));
  if (job != nullptr) {
    labels.push_back(label_text("job_name", job->name));
    labels.push_back(label_text("job_number", fmt::format("{}", job->number)));
    if (job->repetition > 0) labels.push_back(label_text("repetition", fmt::format("{}", job->repetition)));
  }
  if (!direction.empty()) labels.push_back(label_text("direction", direction));
  return fmt::format("{}", fmt::join(labels, ","));
}

std::string with_label(const std::string& labels, const std::string& more) {
  return labels.empty() || more.empty() ? labels + more : labels + "," + more;
}

struct Family {
  std::string name, type, unit, help;
  std::string samples;  // lines
};

// Families in the order of their first sample: all samples of a family follow each other.
class Exposition {
 public:
  void add(const Number& number, const std::string& labels);
  void add(const LatencyRow& row, const std::string& labels);
  void add_checks(const RunRows& run);
  std::string text() const;

 private:
  Family& family(const std::string& name, std::string_view type, std::string_view unit, std::string_view help);

  std::vector<Family> families_;
};

Family& Exposition::family(const std::string& name, std::string_view type, std::string_view unit,
                           std::string_view help) {
  const auto at =
      std::find_if(families_.begin(), families_.end(), [&](const Family& known) { return known.name == name; });
  if (at != families_.end()) return *at;
  return families_.emplace_back(Family{name, std::string(type), std::string(unit), std::string(help), {}});
}

// The unit is the end of a name, and is there once.
std::string family_name(const std::string& metric, std::string_view unit) {
  if (unit.empty() || metric == unit) return "fathom_" + metric;
  return fmt::format("fathom_{}_{}", metric, unit);
}

void Exposition::add(const Number& number, const std::string& labels) {
  const auto& label = number.label;
  const auto unit = base_unit(label.unit());
  const auto quantile = label.quantile();
  const bool counts = label.of->counts && label.statistic.empty() && !quantile;
  const auto name = family_name(label.metric() + (quantile ? "_quantile" : ""), unit.base);
  std::string help(label.of->help);
  if (!label.statistic.empty()) help += fmt::format(": {}", label.statistic);
  if (quantile) help += ": percentiles";
  const auto all = with_label(labels, quantile ? fmt::format("quantile=\"{}\"", *quantile) : "");
  family(name, counts ? "counter" : "gauge", unit.base, help).samples += fmt::format(
      "{}{}{} {}\n", name, counts ? "_total" : "", all.empty() ? "" : "{" + all + "}", base_text(number.value, unit));
}

// Buckets of the result per edge, so that no more than kMostEdges are written: one below the first sample, +Inf, and
// those between.
std::size_t buckets_per_edge(std::size_t first, std::size_t last) {
  std::size_t step = 1;
  while (last / step - first / step + 3 > kMostEdges) step *= 2;
  return step;
}

void Exposition::add(const LatencyRow& row, const std::string& labels) {
  const auto& moments = row.latency.moments_ns;
  const auto& histogram = row.latency.histogram_ns;
  if (histogram.empty() || histogram.total() != moments.n) return;
  const auto& bins = histogram.bins();
  const std::size_t step = buckets_per_edge(bins.front().bucket, bins.back().bucket);
  const auto unit = base_unit(row.of->unit);
  const auto name = family_name(std::string(row.of->name), unit.base);
  auto& lines = family(name, "histogram", unit.base, row.of->help).samples;
  const auto bucket = [&](const std::string& edge, std::uint64_t count) {
    lines += fmt::format("{}_bucket{{{}}} {}\n", name, with_label(labels, "le=\"" + edge + "\""), count);
  };
  std::uint64_t below = 0;
  std::size_t at = 0;
  const std::size_t first = bins.front().bucket / step;
  for (std::size_t i = first > 0 ? first - 1 : 0; i <= bins.back().bucket / step; ++i) {
    while (at < bins.size() && bins[at].bucket / step <= i) below += bins[at++].count;
    bucket(exact_decimal(stats::bucket_end((i + 1) * step - 1) - 1, unit.digits), below);  // samples are whole ns
  }
  bucket("+Inf", histogram.total());
  const auto braces = labels.empty() ? "" : "{" + labels + "}";
  lines += fmt::format("{}_count{} {}\n", name, braces, histogram.total());
  lines += fmt::format("{}_sum{} {}\n", name, braces, exact_decimal(moments.sum, unit.digits));
}

void Exposition::add_checks(const RunRows& run) {
  auto labels = with_label(labels_of(run), label_text("checks", run.checks));
  if (!run.run_id.empty()) labels = with_label(labels, label_text("run_id", run.run_id));
  family("fathom_checks", "gauge", "", "Result of the checks, always 1").samples +=
      fmt::format("fathom_checks{{{}}} 1\n", labels);
}

std::string Exposition::text() const {
  std::string out;
  for (const auto& each : families_) {
    out += fmt::format("# TYPE {} {}\n", each.name, each.type);
    if (!each.unit.empty()) out += fmt::format("# UNIT {} {}\n", each.name, each.unit);
    out += fmt::format("# HELP {} {}\n{}", each.name, each.help, each.samples);
  }
  return out + "# EOF\n";
}

}  // namespace
}  // namespace rows

std::string openmetrics(const result::Run& run) {
  const auto all = rows::rows_of(run);
  rows::Exposition out;
  out.add_checks(all);
  for (const auto& number : all.numbers) out.add(number, rows::labels_of(all));
  for (const auto& job : all.jobs) {
    for (const auto& number : job.numbers) out.add(number, rows::labels_of(all, &job));
    for (const auto& direction : job.directions) {
      const auto labels = rows::labels_of(all, &job, direction.name);
      for (const auto& number : direction.numbers) out.add(number, labels);
      for (const auto& latency : direction.latencies) out.add(latency, labels);
    }
  }
  return out.text();
}

}  // namespace fathom::report
