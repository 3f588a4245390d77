// The rows, and the end of a comparison.
#include "cli/report_commands/compare_report.h"

#include "cli/exit_codes.h"
#include "cli/report_commands/text_formats.h"
#include "cli/signals.h"
#include "options/rows.h"
#include "report/formats.h"

namespace fathom::cli::report_commands {
namespace {

bool failed(const CompareWish& wish, const result::Compare& found) {
  bool failed = false, unknown = false;
  for (const auto& condition : found.conditions) {
    failed = failed || condition.outcome == result::Outcome::failed;
    unknown = unknown || condition.outcome == result::Outcome::unknown;
  }
  if (found.conditions.empty())
    for (const auto& metric : found.metrics)
      for (const auto& change : metric.changes)
        unknown = unknown || (metric.primary && change.told == result::Told::cannot_tell);
  return failed || (wish.fail_if_unknown && unknown);
}

}  // namespace

std::span<const options::Row> compare_rows() {
  static const options::Row rows[] = {
      options::text<&CompareWish::metric>(
          {"metric=NAME", "",
           "metric of the verdict: iops, bw, or mean or percentile of a latency (lat_mean, clat_p99, "
           "intended_lat_p99.9); fathom paging: accesses_per_s, access_mean, major_p99 (default: iops; paced jobs: "
           "p99 of latency; paging: access_mean)"}),
      options::percent<&CompareWish::margin_percent>(
          {"margin=PERCENT", "2", "no change if the whole interval lies within PERCENT, faster or slower"}),
      options::append<&CompareWish::fail_if>({"fail-if=CONDITION", "",
                                              "exit with 1 if the whole interval of the change lies beyond the "
                                              "limit: 'clat_p99>+5%', 'iops<-5%' (repeatable)"}),
      options::flag<&CompareWish::fail_if_unknown>(
          {"fail-if-unknown", "", "exit with 1 also if a condition (without conditions: the verdict) is inconclusive"}),
      options::text<&CompareWish::formats>(
          {"output-format=LIST", "text", "text, html, markdown (for a CI summary), json, or a comma list"}),
      options::text<&CompareWish::output>(kOutputRow),
      options::text<&CompareWish::report>({"report=FILE", "", "also write an HTML report to FILE"}),
      options::flag<&CompareWish::force>({"force", "", "overwrite a file that fathom did not write"}),
      options::boolean<&CompareWish::plot>({"plot=BOOL", "1", "plot histograms and the difference of distributions"}),
  };
  return rows;
}

base::Expected<compare::Asked> compare_asked(const CompareWish& wish) {
  compare::Asked asked;
  asked.margin_percent = wish.margin_percent;
  if (!wish.metric.empty()) {
    auto metric = compare::metric_named(wish.metric);
    if (!metric) return metric.error();
    asked.metric.push_back(std::move(*metric));
  }
  for (const auto& text : wish.fail_if) {
    auto condition = compare::fail_if(text);
    if (!condition) return condition.error();
    asked.fail_if.push_back(std::move(*condition));
  }
  return asked;
}

base::Expected<void> CompareReport::open(const Given& given, Outputs& outputs) {
  auto formats = formats_asked(given, result::Compare());
  if (!formats) return formats.error();
  formats_ = std::move(*formats);
  if (auto ok = file_.open(outputs, "--output", wish_.output); !ok) return ok;
  return wish_.report.empty() ? base::Expected<void>() : page_.open(outputs, "--report", wish_.report);
}

base::Expected<int> CompareReport::write(const result::Compare& found) {
  ignore_broken_pipes();
  auto written = write_reports_to(file_, formats_, result::Stored(found), wish_.plot);
  if (!wish_.report.empty())  // one that cannot be written costs no other
    if (auto ok = page_.write(report::compare_html(found)); !ok) written = ok;
  if (file_.reader_gone()) end_by_broken_pipe();
  if (!written) return written.error();
  return failed(wish_, found) ? static_cast<int>(kCheckFailed) : static_cast<int>(kOk);
}

}  // namespace fathom::cli::report_commands
