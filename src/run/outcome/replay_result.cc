// Collects the fidelity of a replay from plan and record, and merges those of a group.
#include "run/outcome/replay_result.h"

#include <algorithm>
#include <vector>

#include "job/fields/replay.h"
#include "result/sums/merge_directions.h"

namespace fathom::run::outcome {
namespace {

// Both lists with the wider interval of the two.
void collect_intervals(const records::ReplayRecord& record, result::Replay& out) {
  const auto doublings = std::max(record.recorded.doublings, record.achieved.doublings);
  const auto list = [&](const records::RateBins& bins) {
    records::RateBins wide = bins;
    while (wide.doublings < doublings) wide.halve();
    return std::vector<std::uint64_t>(wide.ios, wide.ios + wide.used);
  };
  out.interval_ms = std::uint64_t{1000} << doublings;
  out.recorded_ios = list(record.recorded);
  out.achieved_ios = list(record.achieved);
  const auto length = std::max(out.recorded_ios.size(), out.achieved_ios.size());
  out.achieved_ios.resize(length);
  if (!out.recorded_ios.empty()) out.recorded_ios.resize(length);
}

void add_lists(std::vector<std::uint64_t>& into, const std::vector<std::uint64_t>& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) into[i] += from[i];
}

void widen(std::vector<std::uint64_t>& list) {
  for (std::size_t i = 0; i < list.size(); i += 2) list[i / 2] = list[i] + (i + 1 < list.size() ? list[i + 1] : 0);
  list.resize((list.size() + 1) / 2);
}

void double_interval(result::Replay& replay) {
  replay.interval_ms *= 2;
  widen(replay.recorded_ios);
  widen(replay.achieved_ios);
}

void merge_skips(std::vector<result::ReplaySkip>& into, const std::vector<result::ReplaySkip>& from) {
  for (const auto& skip : from) {
    const auto same = std::find_if(into.begin(), into.end(), [&](const auto& s) { return s.reason == skip.reason; });
    if (same == into.end())
      into.push_back(skip);
    else
      same->records += skip.records;
  }
}

}  // namespace

result::Replay replay_of(const files::Plan& plan, const records::WorkerRecord& record, const result::Job& job) {
  const auto& options = plan.job.of<job::fields::Replay>();
  const auto& trace = *plan.trace;
  const auto& from = record.replay;
  result::Replay out;
  out.trace = trace.path;
  out.format = trace.traits.format;
  out.pace = options.closed() && options.no_stall               ? "closed loop, no pauses"
             : options.closed()                                 ? "closed loop"
             : options.no_stall                                 ? "no stall"
             : !trace.traits.has_times && from.recorded_ns == 0 ? "no times"
                                                                : "recorded times";
  if (!trace.traits.has_times)
    out.wait = options.wait == job::fields::IologWait::since_start_ms ? "start_ms" : "previous_us";
  out.time_scale_percent = options.time_scale;
  out.time_unit_ns = trace.traits.time_unit_ns;
  out.records = from.records;
  out.wanted_ios = from.wanted_ios;
  if (trace.facts.whole) out.trace_ios = trace.facts.ios;
  out.to_the_end = record.work_done;
  out.replayed_ios = record.measured.sync_ios.get();
  for (const auto& dir : job.dirs) {
    out.replayed_ios += dir.ios + dir.error_ios;
    result::sums::merge_latency(out.lateness, dir.start_delay);
  }
  for (const auto& skip : from.skips)
    if (skip.records > 0) out.skipped.push_back({skip.reason, skip.records, skip.first});
  out.times_back = from.times_back;
  out.recorded_ns = from.recorded_ns;
  out.replayed_ns = from.replayed_ns;
  out.depth = io::traits_of(plan.job.ioengine).asynchronous ? plan.job.iodepth : 1;
  out.recorded_depth = trace.facts.depth;
  out.last_late_ns = from.last_late_ns;
  out.late_ios = record.measured.late_ios;
  out.started_out_of_order = from.started_out_of_order;
  out.ended_out_of_order = from.ended_out_of_order;
  out.reader_waits = from.reader_waits;
  collect_intervals(from, out);
  return out;
}

void merge_replays(std::optional<result::Replay>& into, const std::optional<result::Replay>& from) {
  if (!from) return;
  if (!into) {
    into = from;
    return;
  }
  auto other = *from;
  while (into->interval_ms < other.interval_ms) double_interval(*into);
  while (other.interval_ms < into->interval_ms) double_interval(other);
  add_lists(into->recorded_ios, other.recorded_ios);
  add_lists(into->achieved_ios, other.achieved_ios);
  into->records += other.records;
  into->wanted_ios += other.wanted_ios;
  if (into->trace_ios && other.trace_ios)
    *into->trace_ios += *other.trace_ios;
  else
    into->trace_ios.reset();
  into->to_the_end = into->to_the_end && other.to_the_end;
  into->replayed_ios += other.replayed_ios;
  merge_skips(into->skipped, other.skipped);
  into->times_back += other.times_back;
  into->recorded_ns = std::max(into->recorded_ns, other.recorded_ns);
  into->replayed_ns = std::max(into->replayed_ns, other.replayed_ns);
  into->depth += other.depth;
  if (into->recorded_depth && other.recorded_depth) *into->recorded_depth += *other.recorded_depth;
  result::sums::merge_latency(into->lateness, other.lateness);
  into->last_late_ns = std::max(into->last_late_ns, other.last_late_ns);
  into->late_ios += other.late_ios;
  into->started_out_of_order += other.started_out_of_order;
  into->ended_out_of_order += other.ended_out_of_order;
  into->reader_waits += other.reader_waits;
}

}  // namespace fathom::run::outcome
