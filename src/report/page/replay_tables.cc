// The tables of a replay: facts, lateness, what was skipped, and the I/Os of each interval.
#include "report/page/replay_tables.h"

#include <fmt/format.h>

#include "report/page/html.h"
#include "report/page/tables/blocks.h"
#include "report/page/units.h"
#include "report/replay_text.h"
#include "result/sums/percentiles.h"

namespace fathom::report::page {
namespace {

std::string facts_html(const result::Job& job, const result::Replay& r) {
  Table table(fmt::format("Replay of {}", job.name), {"fact", "value"});
  table.row({"trace", fmt::format("{} ({})", r.trace, replay_format_text(r))});
  table.row({"I/Os", fmt::format("{}{}{}", r.replayed_ios, r.trace_ios ? fmt::format(" of {}", *r.trace_ios) : "",
                                 r.to_the_end ? "" : ", not to its end")});
  table.row({"pace", replay_pace_text(r)});
  table.row({"times", replay_rate_text(r)});
  table.row({"started out of order", fmt::format("{}", r.started_out_of_order)});
  table.row({"ended out of order", fmt::format("{}", r.ended_out_of_order)});
  table.row({"depth", r.recorded_depth ? fmt::format("{}, recorded {}", r.depth, *r.recorded_depth)
                                       : fmt::format("{}", r.depth)});
  table.row({"times that go back", fmt::format("{}", r.times_back)});
  table.row({"waits for the reader", fmt::format("{}", r.reader_waits)});
  return table.html();
}

std::string lateness_html(const result::Job& job, const result::Replay& r) {
  if (r.lateness.moments_ns.n == 0) return "";
  Table table(fmt::format("Lateness of {}", job.name), {"percentile", "#late by"});
  for (const double p : {50.0, 90.0, 99.0, 99.9, 99.99})
    if (const auto value = result::percentile_of(r.lateness, p))
      table.row({fmt::format("{:g} %", p), quantity(static_cast<double>(*value), "ns")});
  table.row({"maximum", quantity(static_cast<double>(r.lateness.moments_ns.max), "ns")});
  table.row({"last I/O", quantity(static_cast<double>(r.last_late_ns), "ns")});
  return table.html();
}

std::string skips_html(const result::Job& job, const result::Replay& r) {
  if (r.skipped.empty()) return "";
  Table table(fmt::format("Not replayed by {}", job.name), {"reason", "#records", "first"});
  for (const auto& skip : r.skipped) table.row({skip.reason, fmt::format("{}", skip.records), skip.first});
  return table.html();
}

std::string rates_html(const result::Job& job, const result::Replay& r) {
  if (r.recorded_ios.empty() || r.recorded_ios.size() != r.achieved_ios.size()) return "";
  Table table(fmt::format("I/Os of {} by time", job.name), {"#from (s)", "#recorded", "#achieved"});
  for (std::size_t i = 0; i < r.recorded_ios.size(); ++i)
    table.row({fmt::format("{}", i * r.interval_ms / 1000), fmt::format("{}", r.recorded_ios[i]),
               fmt::format("{}", r.achieved_ios[i])});
  return tables::folded("percentiles", "Recorded and achieved I/Os by time", table.html());
}

}  // namespace

std::string replay_html(const result::Run& run) {
  std::string out;
  for (const auto& job : run.jobs)
    if (job.replay)
      out += facts_html(job, *job.replay) + lateness_html(job, *job.replay) + skips_html(job, *job.replay) +
             rates_html(job, *job.replay);
  return out;
}

}  // namespace fathom::report::page
