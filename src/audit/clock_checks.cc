// Checks of a run's clock, and of the time that fathom itself added to the run's numbers.
//
// A warning about the CPU clock concerns the machine: jobs with the same clock and the same text share one finding. A
// warning about the resolution, or about measurement overhead, concerns one job: it depends on the duration of that
// job's I/Os.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "audit/checks.h"
#include "audit/run_findings.h"
#include "result/findings/rows.h"
#include "stats/percentiles.h"

namespace fathom::audit {
namespace {

using result::Effect;
using result::EffectOn;
using result::findings::found;

struct Typical {
  const char* latency = "";
  double ns = 0;
};

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

double middle_ns(const result::Latency& l) {
  return l.histogram_ns.empty() ? l.moments_ns.mean()
                                : static_cast<double>(stats::percentile_within(l.histogram_ns, l.moments_ns, 50));
}

// The median of clat, or of lat if there is no clat. With fio's timestamps, an asynchronous I/O may end before its
// timestamp is taken. Its clat then says nothing about the clock, so this uses lat.
std::optional<Typical> typical_latency(const result::Job& job, const result::Direction& dir) {
  const bool after_call = job.stamps.placement == "fio" && job.has_slat;
  if (!after_call && dir.clat.moments_ns.n > 0) return Typical{"clat", middle_ns(dir.clat)};
  if (dir.lat.moments_ns.n > 0) return Typical{"lat", middle_ns(dir.lat)};
  return std::nullopt;
}

// Returns one finding per text, for any number of jobs with that text. A sum of jobs has the clock of its first member,
// so the members are checked too. check() returns the values for a faulty clock, and nullopt for a good one.
using Values = std::vector<result::FindingValue>;
template <class Check>
Findings once_each(const result::Run& run, const char* id, const Check& check) {
  Findings out;
  std::set<std::string> told;
  for (const auto* jobs : {&run.jobs, &run.group_members}) {
    for (const auto& job : *jobs) {
      const std::optional<Values> values = check(job.clock);
      if (!values) continue;
      auto finding = found(id, {.values = *values});
      if (told.insert(finding.evidence).second) out.push_back(std::move(finding));
    }
  }
  return out;
}

// The time per I/O of the job. With a deep queue it is far below any latency. It is the base for the share of time that
// the loop spends on clock reads.
std::optional<double> turn_ns(const result::Job& job) {
  double ios = 0, runtime_ns = 0;
  for (const auto& dir : job.dirs) {
    ios += static_cast<double>(dir.ios);
    runtime_ns = std::max(runtime_ns, static_cast<double>(dir.runtime_ns));
  }
  if (ios == 0 || runtime_ns == 0) return std::nullopt;
  return runtime_ns * job.members / ios;
}

// The largest share of its time that any job with a fallback clock spends on clock reads.
double reading_share(const result::Run& run) {
  constexpr int kReadings = 2;  // per I/O
  double most = 0;
  for (const auto& job : run.jobs)
    if (job.clock.fell_back)
      if (const auto turn = turn_ns(job)) most = std::max(most, ratio(kReadings * job.clock.read_cost_ns, *turn));
  return most;
}

void add(Findings& out, Findings more) { std::move(more.begin(), more.end(), std::back_inserter(out)); }

std::optional<Values> when(bool is_so, Values values) {
  return is_so ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace

void check_clock_choice(const result::Run& run, Findings& out) {
  add(out, once_each(run, "clock.unfit", [](const result::ClockFacts& c) {
        return when(!c.fit && !c.fell_back, {{"source", c.source}, {"cause", c.reason}});
      }));
  auto fell_back = once_each(run, "clock.fell_back", [](const result::ClockFacts& c) {
    return when(c.fell_back, {{"source", c.source}, {"cause", c.reason}});
  });
  const double share = reading_share(run);
  for (auto& finding : fell_back) {
    finding.effect = Effect{EffectOn::time, share};
    if (share <= kOwnShareOfMedian) finding.severity = result::Severity::note;
  }
  add(out, std::move(fell_back));
  add(out, once_each(run, "clock.not_tested", [](const result::ClockFacts& c) {
        return when(c.source == "cpu" && c.verdict == "not tested" && !c.check_skipped, {{"cause", c.reason}});
      }));
  add(out, once_each(run, "clock.check_skipped",
                     [](const result::ClockFacts& c) { return when(c.check_skipped && c.source == "cpu", {}); }));
}

void check_clock_drift(const result::Run& run, Findings& out) {
  auto drifted = once_each(run, "clock.drift", [](const result::ClockFacts& c) {
    const double ppm = c.drift_ppm.value_or(0);
    return when(std::abs(ppm) - c.drift_bound_ppm > kMostDrift_ppm,
                {{"source", c.source}, {"drift_ppm", ppm}, {"bound_ppm", c.drift_bound_ppm}});
  });
  for (auto& finding : drifted) finding.effect = Effect{EffectOn::time, std::abs(*finding.values[1].number) * 1e-6};
  add(out, std::move(drifted));
}

// Latencies are whole nanoseconds, rounded down: a clock with a resolution of 10.4 ns shows steps of 10 ns.
void check_clock_resolution(const result::Run&, const result::Job& job, Findings& out) {
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto typical = typical_latency(job, job.dirs[d]);
    if (!typical || std::floor(job.clock.resolution_ns) <= typical->ns) continue;
    out.push_back(
        found("clock.coarse", {.variant = job.clock.source,
                               .job = job.name,
                               .values = {{"direction", kDirNames[d]},
                                          {"source", job.clock.source},
                                          {"resolution_ns", job.clock.resolution_ns},
                                          {"latency", typical->latency},
                                          {"median_ns", typical->ns}},
                               .effect = Effect{EffectOn::latency, ratio(job.clock.resolution_ns, typical->ns)}}));
  }
}

void check_own_cost(const result::Run&, const result::Job& job, Findings& out) {
  if (!job.own_cost) return;
  const double own_ns = job.own_cost->loop_ns_per_io;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto typical = typical_latency(job, job.dirs[d]);
    if (!typical || own_ns <= kOwnShareOfMedian * typical->ns) continue;
    out.push_back(found("cost.large", {.variant = job.traits.does_nothing ? "does_nothing" : "",
                                       .job = job.name,
                                       .values = {{"direction", kDirNames[d]},
                                                  {"own_ns", own_ns},
                                                  {"latency", typical->latency},
                                                  {"median_ns", typical->ns},
                                                  {"engine", job.engine}},
                                       .effect = Effect{EffectOn::latency, ratio(own_ns, typical->ns)}}));
    return;
  }
  const auto turn = turn_ns(job);
  if (!turn || own_ns <= kOwnShareOfMedian * *turn) return;
  out.push_back(found("cost.large", {.variant = job.traits.does_nothing ? "turn_does_nothing" : "turn",
                                     .job = job.name,
                                     .values = {{"own_ns", own_ns}, {"turn_ns", *turn}, {"engine", job.engine}},
                                     .effect = Effect{EffectOn::time, ratio(own_ns, *turn)}}));
}

}  // namespace fathom::audit
