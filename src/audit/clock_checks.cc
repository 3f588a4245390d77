// Checks of the clock that stamped a run, and of what fathom itself added to its numbers.
//
// A doubt about the CPU clock is one of the machine: jobs that share clock and words share one finding. A doubt about a
// resolution, or about our own cost, is of one job: it depends on how long its I/Os take.
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "audit/checks.h"
#include "audit/run_findings.h"
#include "stats/percentiles.h"

namespace fathom::audit {
namespace {

using result::Severity;

struct Typical {
  const char* latency = "";
  double ns = 0;
};

double middle_ns(const result::Latency& l) {
  return l.histogram_ns.empty() ? l.moments_ns.mean()
                                : static_cast<double>(stats::percentile_within(l.histogram_ns, l.moments_ns, 50));
}

// The median of clat, of lat where there is no clat. With fio's stamps an asynchronous I/O may be over before it is
// stamped: its clat says nothing of the clock, so lat stands in.
std::optional<Typical> typical_latency(const result::Job& job, const result::Direction& dir) {
  const bool after_call = job.stamps.placement == "fio" && job.has_slat;
  if (!after_call && dir.clat.moments_ns.n > 0) return Typical{"clat", middle_ns(dir.clat)};
  if (dir.lat.moments_ns.n > 0) return Typical{"lat", middle_ns(dir.lat)};
  return std::nullopt;
}

// One finding for each text, whatever the number of jobs that it fits; a sum of jobs has the clock of its first member,
// so the members are asked too.
template <class Doubt>
void once_each(const result::Run& run, const char* id, Severity severity, const char* remedy, Findings& out,
               const Doubt& doubt) {
  std::set<std::string> said;
  for (const auto* jobs : {&run.jobs, &run.group_members}) {
    for (const auto& job : *jobs) {
      const std::string evidence = doubt(job.clock);
      if (!evidence.empty() && said.insert(evidence).second) out.push_back({id, severity, "", evidence, remedy});
    }
  }
}

}  // namespace

void check_clock_choice(const result::Run& run, Findings& out) {
  once_each(run, "clock.unfit", Severity::warning,
            "leave clocksource= out, or use clocksource=clock_gettime: the kernel keeps that clock straight", out,
            [](const result::ClockFacts& c) {
              return c.fit || c.fell_back ? std::string()
                                          : fmt::format("clock source {} was used as asked: {}", c.source, c.reason);
            });
  once_each(run, "clock.fell_back", Severity::warning,
            "`fathom clock test` shows the CPU clock's state; each reading costs more now, which small latencies show",
            out, [](const result::ClockFacts& c) {
              return c.fell_back ? fmt::format("{} stamps in the CPU clock's place: {}", c.source, c.reason)
                                 : std::string();
            });
  once_each(run, "clock.not_tested", Severity::note,
            "end what keeps those CPUs busy, or `fathom clock test`: it waits for them and is kept for this boot", out,
            [](const result::ClockFacts& c) {
              const bool untested = c.source == "cpu" && c.verdict == "not tested" && !c.check_skipped;
              return untested ? "the CPU clock could not be tested across CPUs: " + c.reason : std::string();
            });
  once_each(run, "clock.check_skipped", Severity::note, "leave --clock-check=skip out", out,
            [](const result::ClockFacts& c) {
              return c.check_skipped && c.source == "cpu"
                         ? std::string("whether the CPU clock agrees across CPUs was not tested: --clock-check=skip")
                         : std::string();
            });
}

void check_clock_drift(const result::Run& run, Findings& out) {
  once_each(
      run, "clock.drift", Severity::warning,
      "every time of this run is off by that much; use clocksource=clock_gettime, and look for suspend, migration "
      "or a changed host clock",
      out, [](const result::ClockFacts& c) {
        if (!c.drift_ppm || std::abs(*c.drift_ppm) - c.drift_bound_ppm <= kMostDrift_ppm) return std::string();
        return fmt::format("the {} clock drifted by {:+.1f} ppm (± {:.1f}) against CLOCK_MONOTONIC_RAW over the run",
                           c.source, *c.drift_ppm, c.drift_bound_ppm);
      });
}

// Latencies are whole nanoseconds, rounded down: a clock of 10.4 ns shows a step as 10.
void check_clock_resolution(const result::Run&, const result::Job& job, Findings& out) {
  const bool coarsest = job.clock.source == "gettimeofday";
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto typical = typical_latency(job, job.dirs[d]);
    if (!typical || std::floor(job.clock.resolution_ns) <= typical->ns) continue;
    out.push_back({"clock.coarse", Severity::warning, job.name,
                   fmt::format("{}: the clock {} moves in steps of {:.4g} ns, the median {} is {:.0f} ns", kDirNames[d],
                               job.clock.source, job.clock.resolution_ns, typical->latency, typical->ns),
                   coarsest ? "no latency of this job is finer than a step: use clocksource=cpu or "
                              "clocksource=clock_gettime"
                            : "no latency of this job is finer than a step: believe its rates and means, not its "
                              "percentiles"});
  }
}

// The time in which the job does one I/O. With a deep queue it is far below any latency, and it is what the loop spends
// its share of.
std::optional<double> turn_ns(const result::Job& job) {
  double ios = 0, runtime_ns = 0;
  for (const auto& dir : job.dirs) {
    ios += static_cast<double>(dir.ios);
    runtime_ns = std::max(runtime_ns, static_cast<double>(dir.runtime_ns));
  }
  if (ios == 0 || runtime_ns == 0) return std::nullopt;
  return runtime_ns * job.members / ios;
}

std::string own_cost_remedy(const result::Job& job) {
  return job.traits.does_nothing
             ? "the engine " + job.engine + " does nothing: its numbers are fathom's own cost and no device's"
             : "read rates and latencies with that error; disable_slat=1, disable_lat=1 or "
               "gtod_reduce=1 make the loop cheaper";
}

void check_own_cost(const result::Run&, const result::Job& job, Findings& out) {
  if (!job.own_cost) return;
  const double own_ns = job.own_cost->loop_ns_per_io;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    const auto typical = typical_latency(job, job.dirs[d]);
    if (!typical || own_ns <= kOwnShareOfMedian * typical->ns) continue;
    out.push_back({"cost.large", Severity::note, job.name,
                   fmt::format("{}: fathom itself spends {:.0f} ns an I/O on this machine, the median {} is {:.0f} ns",
                               kDirNames[d], own_ns, typical->latency, typical->ns),
                   own_cost_remedy(job)});
    return;
  }
  const auto turn = turn_ns(job);
  if (!turn || own_ns <= kOwnShareOfMedian * *turn) return;
  out.push_back({"cost.large", Severity::note, job.name,
                 fmt::format("fathom itself spends {:.0f} ns an I/O on this machine, and a job did one every {:.0f} ns",
                             own_ns, *turn),
                 own_cost_remedy(job)});
}

}  // namespace fathom::audit
