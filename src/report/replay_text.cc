// How faithful each replay was: the texts, and the lines of the text report.
#include "report/replay_text.h"

#include <fmt/format.h>

#include "base/text/unit_text.h"
#include "report/normal_parts.h"
#include "result/sums/percentiles.h"

namespace fathom::report {
namespace {

std::string time_of(std::uint64_t ns) { return base::text::unit_text(static_cast<double>(ns), base::text::kTimeLive); }

}  // namespace

std::string replay_format_text(const result::Replay& replay) {
  if (replay.wait == "start_ms") return replay.format + ", `wait` in ms since the start";
  if (replay.wait == "previous_us") return replay.format + ", `wait` in us since the previous one";
  return replay.format;
}

std::string replay_pace_text(const result::Replay& replay) {
  if (replay.pace == "no stall") return "none (replay_no_stall)";
  if (replay.pace == "no times") return "none (the trace has no times)";
  if (replay.pace == "closed loop, no pauses") return "closed loop, no pauses (replay_no_stall)";
  if (replay.time_scale_percent == 100) return replay.pace;
  return fmt::format("{} at {} % of the rate", replay.pace, replay.time_scale_percent);
}

std::string lateness_text(const result::Replay& replay) {
  const auto& late = replay.lateness;
  const auto percentile = [&](double p) {
    const auto value = result::percentile_of(late, p);
    return value ? time_of(*value) : std::string("-");
  };
  return fmt::format("p50 {}, p99 {}, max {}; last I/O {}; {} more than 1 ms late", percentile(50), percentile(99),
                     time_of(late.moments_ns.max), time_of(replay.last_late_ns), replay.late_ios);
}

std::optional<WorstInterval> worst_interval(const result::Replay& replay) {
  if (replay.recorded_ios.size() != replay.achieved_ios.size()) return std::nullopt;
  std::optional<WorstInterval> worst;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < replay.recorded_ios.size(); ++i) {
    const std::uint64_t recorded = replay.recorded_ios[i], achieved = replay.achieved_ios[i];
    const std::uint64_t apart = recorded > achieved ? recorded - achieved : achieved - recorded;
    if (apart <= most) continue;
    most = apart;
    worst = WorstInterval{i, recorded, achieved};
  }
  return worst;
}

std::string replay_rate_text(const result::Replay& replay) {
  const std::string seconds = replay.interval_ms == 1000 ? "1 s" : fmt::format("{} s", replay.interval_ms / 1000);
  std::string out = fmt::format("last I/O after {}", time_of(replay.replayed_ns));
  if (replay.recorded_ios.empty()) return out;
  out += fmt::format(", recorded {}", time_of(replay.recorded_ns));
  if (replay.is_closed()) return out;
  const auto worst = worst_interval(replay);
  if (!worst) return out + fmt::format("; each interval of {} has the recorded I/Os", seconds);
  return out + fmt::format("; largest difference in {} from {} s on: {} I/Os, recorded {}", seconds,
                           worst->number * replay.interval_ms / 1000, worst->achieved_ios, worst->recorded_ios);
}

namespace {

std::string whole_text(const result::Replay& r) {
  std::string out = fmt::format("{}{} I/Os of `{}` ({})", r.replayed_ios,
                                r.trace_ios ? fmt::format(" of {}", *r.trace_ios) : "", r.trace, replay_format_text(r));
  if (!r.to_the_end) out += ", not to its end";
  return out + fmt::format("; pace: {}", replay_pace_text(r));
}

std::string order_text(const result::Replay& r) {
  std::string out = r.started_out_of_order == 0
                        ? std::string("started in the recorded order")
                        : fmt::format("{} started out of the recorded order", r.started_out_of_order);
  out += fmt::format(", {} ended out of it; depth {}", r.ended_out_of_order, r.depth);
  if (r.recorded_depth) out += fmt::format(", recorded {}", *r.recorded_depth);
  return out;
}

}  // namespace

std::string replay_lines(const result::Run& run) {
  std::string out;
  for (const auto& job : run.jobs) {
    if (!job.replay) continue;
    const auto& r = *job.replay;
    out += fmt::format("  replay {}: {}\n", job.name, whole_text(r));
    if (r.lateness.moments_ns.n > 0) out += fmt::format("    lateness: {}\n", lateness_text(r));
    if (!r.achieved_ios.empty()) out += fmt::format("    rate: {}\n", replay_rate_text(r));
    out += fmt::format("    order: {}\n", order_text(r));
    for (const auto& skip : r.skipped)
      out += fmt::format("    skipped: {} {}{}\n", skip.records, skip.reason,
                         skip.first.empty() ? "" : " (first: " + skip.first + ")");
    if (r.times_back > 0) out += fmt::format("    times that go back: {}\n", r.times_back);
    if (r.reader_waits > 0) out += fmt::format("    waits for the reader of the trace: {}\n", r.reader_waits);
  }
  return out;
}

}  // namespace fathom::report
