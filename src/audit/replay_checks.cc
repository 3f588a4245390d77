// Judges how faithful the replay of a trace was.
#include <fmt/format.h>

#include <string_view>

#include "audit/checks.h"
#include "audit/text.h"
#include "result/findings/rows.h"
#include "result/sums/percentiles.h"

namespace fathom::audit {
namespace {

using result::findings::found;

// A share of late I/Os that an idle machine exceeds only by its own fault.
constexpr double kLateReplayShare = 0.01;
// A replay that ends this much later than recorded has not kept its rate.
constexpr std::uint64_t kLastLate_ns = 10'000'000;

std::string time_of(std::uint64_t ns) { return base::text::unit_text(static_cast<double>(ns), base::text::kTime); }

void check_lateness(const result::Job& job, const result::Replay& replay, Findings& out) {
  const auto ios = static_cast<double>(replay.replayed_ios), late = static_cast<double>(replay.late_ios);
  if (replay.late_ios == 0 || (late <= kLateReplayShare * ios && replay.last_late_ns < kLastLate_ns)) return;
  const auto p99 = result::percentile_of(replay.lateness, 99).value_or(replay.lateness.moments_ns.max);
  out.push_back(found("replay.late", {.variant = replay.is_closed() ? "closed" : "",
                                      .job = job.name,
                                      .values = {{"late_ios", replay.late_ios},
                                                 {"ios", replay.replayed_ios},
                                                 {"late_percent", 100 * late / ios},
                                                 {"p99", time_of(p99)},
                                                 {"last", time_of(replay.last_late_ns)}},
                                      .effect = result::Effect{result::EffectOn::time, late / ios}}));
}

void check_skips(const result::Job& job, const result::Replay& replay, Findings& out) {
  for (const auto& skip : replay.skipped) {
    if (std::string_view(skip.reason).ends_with("by replay_skip")) continue;
    out.push_back(found("replay.skipped",
                        {.job = job.name,
                         .values = {{"records", skip.records},
                                    {"reason", skip.reason},
                                    {"first", skip.first.empty() ? "" : fmt::format("; first: {}", skip.first)}}}));
  }
}

}  // namespace

void check_replay(const result::Run&, const result::Job& job, Findings& out) {
  if (!job.replay) return;
  const auto& replay = *job.replay;
  check_lateness(job, replay, out);
  check_skips(job, replay, out);
  const auto add = [&](const char* id, std::vector<result::FindingValue> values) {
    out.push_back(found(id, {.job = job.name, .values = std::move(values)}));
  };
  if (replay.started_out_of_order > 0) add("replay.order", {{"ios", replay.started_out_of_order}});
  if (!replay.to_the_end && job.error == 0 && !job.interrupted)
    add("replay.unfinished",
        {{"ios", replay.replayed_ios}, {"of", replay.trace_ios ? fmt::format(" of {}", *replay.trace_ios) : ""}});
  if (replay.reader_waits > 0) add("replay.reader_waits", {{"times", replay.reader_waits}, {"trace", replay.trace}});
  if (replay.times_back > 0) add("replay.times_back", {{"records", replay.times_back}});
  if (replay.recorded_depth && *replay.recorded_depth > replay.depth)
    add("replay.depth", {{"depth", replay.depth}, {"recorded_depth", *replay.recorded_depth}});
  if (replay.pace == "no times") add("replay.no_times", {{"trace", replay.trace}, {"format", replay.format}});
}

}  // namespace fathom::audit
