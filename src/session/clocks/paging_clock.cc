// Uses run/'s choice of a clock, with a plan for one job that never runs.
#include "session/clocks/paging_clock.h"

#include <vector>

#include "clock/cores/cross_core.h"
#include "clock/sources/frequency_leaf.h"
#include "result/findings/rows.h"
#include "run/process/clock_choice.h"
#include "run/process/clock_watches.h"
#include "session/clock_tools.h"

namespace fathom::session::clocks {
namespace {

using paging::Stamps;

constexpr const char* kNoRdtscp = "the CPU does not report the instruction rdtscp, which these timestamps need";

bool can_stamp(Stamps stamps) {
#if defined(__x86_64__)
  const bool ends_with_rdtscp = stamps == Stamps::fenced || stamps == Stamps::rdtscp;
  return !ends_with_rdtscp || clock::sources::has_rdtscp(clock::sources::this_cpu);
#else
  return true;
#endif
}

job::ClockSource wanted(Stamps stamps, bool asked) {
  if (stamps == Stamps::clock_gettime || (!asked && !can_stamp(stamps))) return job::ClockSource::clock_gettime;
  return asked ? job::ClockSource::cpu : job::ClockSource::automatic;
}

}  // namespace

PagingClock choose_paging_clock(paging::Plan& plan, bool asked) {
  std::vector<run::files::Plan> plans(1);
  plans[0].job.clocksource = wanted(plan.touch.stamps, asked);
  const run::process::RunClocks clocks(plans, clock_tools(job::ClockCheck::cached), clock::cores::usable_cpus());
  const auto& facts = clocks.facts(plans[0].job);
  PagingClock chosen{clocks.calibration(plans[0].job), run::process::unseen_offset_ns(clocks, plans), {}};
  if (chosen.calibration.source != clock::sources::Source::cpu && plan.touch.stamps != Stamps::clock_gettime) {
    const std::string cause = can_stamp(plan.touch.stamps) ? facts.reason : kNoRdtscp;
    plan.touch.stamps = Stamps::clock_gettime;
    chosen.findings.push_back(
        result::findings::found("clock.fell_back", {.variant = "paging", .values = {{"cause", cause}}}));
  } else if (!facts.fit || !can_stamp(plan.touch.stamps)) {
    const std::string cause = facts.fit ? kNoRdtscp : facts.reason;
    chosen.findings.push_back(
        result::findings::found("clock.unfit", {.variant = "paging", .values = {{"cause", cause}}}));
  }
  plan.conversion = chosen.calibration.conversion;
  plan.ticks_per_second = chosen.calibration.ticks_per_second;
  return chosen;
}

void describe_clock(const PagingClock& clock, Stamps stamps, result::PagingClock& out) {
  constexpr const char* kNames[] = {"fenced", "rdtscp", "rdtsc", "clock_gettime"};
  out.stamps = kNames[static_cast<int>(stamps)];
  out.ticks_per_second = clock.calibration.ticks_per_second;
  out.calibration = clock.calibration.method;
  out.calibration_error_ppm = clock.calibration.error_ppm;
}

}  // namespace fathom::session::clocks
