// Times when a job was stopped, or its device did not respond. There are three cases: intervals in which hardly any I/O
// ended, one long I/O or wait, and many short ones. The long one, or all short ones together, took a large part of the
// run.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "audit/checks.h"
#include "audit/job_view.h"
#include "audit/run_findings.h"
#include "base/text/parse.h"
#include "base/text/unit_text.h"
#include "result/findings/rows.h"
#include "stats/histogram.h"
#include "stats/percentiles.h"

namespace fathom::audit {
namespace {

namespace text = base::text;
using result::Effect;
using result::EffectOn;
using result::findings::found;

// An I/O is slow if it takes at least kSlowIo_ns and kSlowToMedian times the usual latency. If more than kFewSlowShare
// of the I/Os are slow, they are the second mode of the histogram.
constexpr double kSlowIo_ns = 50e6, kSlowToMedian = 20, kFewSlowShare = 0.05;

const result::Latency& latency_of(const result::Direction& dir) {
  return dir.lat.moments_ns.n > 0 ? dir.lat : dir.clat;
}

// The longest time without I/Os that the job's own pauses can explain.
double own_gap_s(const result::Run& run, const result::Job& job) {
  constexpr double kPauses = 3;  // one pause, and a wait before and after it
  constexpr std::uint64_t kUnit_ns = 1000;
  const auto thinktime = option(run, job, "thinktime");
  if (!thinktime) return 0;
  const auto pause_ns = base::text::parse_duration_ns(*thinktime, kUnit_ns);
  return pause_ns ? kPauses * static_cast<double>(*pause_ns) / kNsOfASecond : std::numeric_limits<double>::infinity();
}

using IosAt = std::map<std::uint64_t, std::uint64_t>;  // by the end of the interval

std::uint64_t usual_ios(const IosAt& ios_at) {
  std::vector<std::uint64_t> some;
  some.reserve(ios_at.size());
  for (const auto& [at, n] : ios_at)
    if (n > 0) some.push_back(n);
  if (some.empty()) return 0;
  const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
  std::nth_element(some.begin(), middle, some.end());
  return *middle;
}

struct Stopped {
  double run_s = 0, stopped_s = 0, longest_s = 0, at_s = 0;
};

// Intervals in which hardly any I/O of any direction ended, for a job that usually has many in each.
Stopped stopped_time(const result::Run& run, const result::Job& job) {
  IosAt ios_at;
  for (const auto& dir : job.dirs)
    for (const auto& point : own_part(run, job, dir)) ios_at[point.time_ms] += point.ios;
  const double point_s = static_cast<double>(job.series_width_ms) / kMsOfASecond;
  Stopped stopped;
  stopped.run_s = static_cast<double>(ios_at.size()) * point_s;
  const auto usual = static_cast<double>(usual_ios(ios_at));
  if (usual < kFewestIosOfAnInterval) return stopped;
  const double own_s = own_gap_s(run, job);
  double gap_s = 0, now_s = 0;
  const auto end_gap = [&] {
    if (gap_s > own_s) stopped.stopped_s += gap_s;
    if (gap_s > std::max(own_s, stopped.longest_s))
      stopped.longest_s = gap_s, stopped.at_s = std::max(0.0, now_s - gap_s);
    gap_s = 0;
  };
  for (const auto& [at, n] : ios_at) {
    if (static_cast<double>(n) > kHardlyAnyIos * usual)
      end_gap();
    else
      gap_s += point_s;
    now_s = static_cast<double>(at) / kMsOfASecond;
  }
  end_gap();
  return stopped;
}

// A change to zero and back is a stop.
bool is_much(const Stopped& stopped) {
  return stopped.stopped_s > 0 && stopped.stopped_s >= kStoppedShareOfARun * stopped.run_s;
}

bool keeps_rate(const result::Job& job) {
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = job.dirs[d];
    const double s = static_cast<double>(dir.runtime_ns) / kNsOfASecond;
    if (static_cast<double>(dir.ios) < kRateKept * job.rate.asked_iops[d] * s) return false;
    if (static_cast<double>(dir.bytes) < kRateKept * job.rate.asked_bytes_per_s[d] * s) return false;
  }
  return true;
}

// Reports a long delay in a paced job that catches up afterwards.
void say_late_io(const result::Run& run, const result::Job& job, Findings& out) {
  if (option(run, job, "thinktime") || !keeps_rate(job)) return;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = job.dirs[d];
    const auto run_ns = static_cast<double>(dir.runtime_ns);
    const auto longest_ns = static_cast<double>(dir.start_delay.moments_ns.max);
    if (dir.start_delay.moments_ns.n == 0 || run_ns < kShortestRun_s * kNsOfASecond ||
        longest_ns < kStoppedShareOfARun * run_ns)
      continue;
    out.push_back(found("run.stopped", {.variant = "late",
                                        .job = job.name,
                                        .values = {{"direction", kDirNames[d]},
                                                   {"longest", text::unit_text(longest_ns, text::kTime)},
                                                   {"longest_ns", longest_ns},
                                                   {"run_s", run_ns / kNsOfASecond}},
                                        .effect = Effect{EffectOn::time, std::min(1.0, longest_ns / run_ns)}}));
  }
}

void say_long_io(const result::Job& job, Findings& out) {
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto& dir = job.dirs[d];
    const auto& lat = latency_of(dir);
    const auto run_ns = static_cast<double>(dir.runtime_ns);
    const auto longest_ns = static_cast<double>(lat.moments_ns.max);
    if (lat.moments_ns.n == 0 || run_ns < kShortestRun_s * kNsOfASecond || longest_ns < kStoppedShareOfARun * run_ns)
      continue;
    out.push_back(found("run.stopped", {.variant = "io",
                                        .job = job.name,
                                        .values = {{"direction", kDirNames[d]},
                                                   {"longest", text::unit_text(longest_ns, text::kTime)},
                                                   {"longest_ns", longest_ns},
                                                   {"run_s", run_ns / kNsOfASecond}},
                                        .effect = Effect{EffectOn::time, std::min(1.0, longest_ns / run_ns)}}));
  }
}

struct SlowIos {
  double s = 0, from_ns = 0;
  std::uint64_t ios = 0;
};

// I/Os of a direction that are much slower than the others, and the sum of their latencies.
SlowIos slow_ios(const result::Direction& dir) {
  const auto& latency = latency_of(dir);
  const auto& histogram = latency.histogram_ns;
  SlowIos slow;
  if (histogram.empty()) return slow;
  slow.from_ns = std::max(
      kSlowIo_ns, kSlowToMedian * static_cast<double>(stats::percentile_within(histogram, latency.moments_ns, 50)));
  for (const auto& bin : histogram.bins()) {
    const auto value_ns = static_cast<double>(stats::bucket_value(bin.bucket));
    if (value_ns < slow.from_ns) continue;
    slow.s += value_ns * static_cast<double>(bin.count) / kNsOfASecond;
    slow.ios += bin.count;
  }
  return static_cast<double>(slow.ios) <= kFewSlowShare * static_cast<double>(histogram.total()) ? slow : SlowIos{};
}

// An I/O limit, a CPU limit or a lack of CPUs explains such waits. Separate findings report these.
double explained_share(const result::Run& run, const result::Job& job) {
  double share = job.cpu_wait_percent.value_or(0) / 100;
  for (const auto& finding : run.findings) {
    if (finding.id == "io.limit" && finding.severity != result::Severity::note) return 1;
    if (finding.id == "cpu.max" && finding.effect) share += finding.effect->value;
  }
  return share;
}

// True if the job writes through the page cache without sync=. The kernel makes such a writer wait for the device.
bool waits_for_writeback(const result::Run& run, const result::Job& job) {
  return job.dirs[1].ios > 0 && !is_direct(run, job) && !is_on(run, job, "sync");
}

void say_often(const result::Run& run, const result::Job& job, Findings& out) {
  double run_s = 0;
  SlowIos slow;
  for (const auto& dir : job.dirs) {
    const auto of_dir = slow_ios(dir);
    run_s = std::max(run_s, static_cast<double>(dir.runtime_ns) / kNsOfASecond);
    slow.s += of_dir.s, slow.ios += of_dir.ios;
    if (of_dir.ios > 0) slow.from_ns = slow.from_ns > 0 ? std::min(slow.from_ns, of_dir.from_ns) : of_dir.from_ns;
  }
  // I/Os in flight at the same time waited together, so their common wait counts once.
  slow.s /= std::max(1.0, job.delivery.mean_depth.value_or(1));
  const double late_s = static_cast<double>(job.overslept_ns) / kNsOfASecond;
  const double lost_s = std::min(run_s, slow.s + late_s) - explained_share(run, job) * run_s;
  if (run_s < kShortestRun_s || lost_s < kStoppedShareOfARun * run_s) return;
  std::vector<std::string> in;
  if (slow.ios > 0)
    in.push_back(fmt::format("{} I/O{} of {} or more", slow.ios, slow.ios == 1 ? "" : "s",
                             text::unit_text(slow.from_ns, text::kTime)));
  if (late_s > 0) in.emplace_back("waits that ended late");
  out.push_back(found("run.stopped", {.variant = late_s == 0 && waits_for_writeback(run, job) ? "writeback" : "often",
                                      .job = job.name,
                                      .values = {{"lost_s", lost_s},
                                                 {"run_s", run_s},
                                                 {"lost_percent", 100 * lost_s / run_s},
                                                 {"in", fmt::format("{}", fmt::join(in, " and "))},
                                                 {"late_s", late_s}},
                                      .effect = Effect{EffectOn::time, lost_s / run_s}}));
}

}  // namespace

bool has_gaps(const result::Run& run, const result::Job& job) { return is_much(stopped_time(run, job)); }

void check_stopped(const result::Run& run, const result::Job& job, Findings& out) {
  if (searches_depth(job)) return;
  const Stopped stopped = stopped_time(run, job);
  if (!is_much(stopped)) {
    const auto before = out.size();
    say_long_io(job, out);
    if (out.size() == before) say_late_io(run, job, out);
    if (out.size() == before) say_often(run, job, out);
    return;
  }
  // If one sync took at least as long as the longest gap, the job waited for that sync.
  const double sync_s = static_cast<double>(job.sync_lat.moments_ns.max) / kNsOfASecond;
  const bool by_sync = job.sync_ios > 0 && sync_s >= stopped.longest_s;
  out.push_back(found("run.stopped", {.variant = by_sync ? "sync" : "",
                                      .job = job.name,
                                      .values = {{"stopped_s", stopped.stopped_s},
                                                 {"sync_s", sync_s},
                                                 {"run_s", stopped.run_s},
                                                 {"stopped_percent", 100 * stopped.stopped_s / stopped.run_s},
                                                 {"at_s", stopped.at_s}},
                                      .effect = Effect{EffectOn::time, stopped.stopped_s / stopped.run_s}}));
}

}  // namespace fathom::audit
