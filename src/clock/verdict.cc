// The choice of the clock: the first thing that speaks against the CPU clock decides.
#include "clock/verdict.h"

#include <fmt/format.h>

#include <cmath>

namespace fathom::clock {
namespace {

#if defined(__aarch64__)
constexpr std::string_view kTrustedClocksource = "arch_sys_counter";
#else
constexpr std::string_view kTrustedClocksource = "tsc";
#endif

// Each gives the reason against the CPU clock, or nothing.
std::string not_invariant(const Fitness& f) {
  return f.invariant ? "" : "the CPU clock is not invariant: its rate follows the CPU's power states";
}

std::string kernel_does_not_trust_it(const Fitness& f) {
  if (f.kernel_clocksource == kTrustedClocksource) return "";
  if (f.kernel_clocksource.empty()) return "which clock the kernel uses could not be read";
  return fmt::format("the kernel's clocksource is {}, not {}", f.kernel_clocksource, kTrustedClocksource);
}

std::string test_failed(const Fitness& f) {
  if (f.test.outcome != Outcome::failed) return "";
  return fmt::format("the cross-core test ({}) failed: {}", name(f.test.kind), f.test.text);
}

std::string drifted(const Fitness& f) {
  if (!f.drift_ppm || std::abs(*f.drift_ppm) <= kMostDrift_ppm) return "";
  return fmt::format("the CPU clock drifted by {:.0f} ppm in an earlier run of this boot", *f.drift_ppm);
}

constexpr std::string (*kObjections[])(const Fitness&) = {not_invariant, kernel_does_not_trust_it, test_failed,
                                                          drifted};

std::string objection(const Fitness& f) {
  for (const auto object : kObjections)
    if (auto reason = object(f); !reason.empty()) return reason;
  return "";
}

std::string praise(const Fitness& f) {
  if (f.test.outcome == Outcome::not_tested) return "the CPU clock is invariant; the cross-core test was not done";
  return fmt::format("the CPU clock is invariant and passed the cross-core test ({}{})", name(f.test.kind),
                     f.test.cached ? ", earlier in this boot" : "");
}

}  // namespace

Choice choose(std::optional<sources::Source> asked, const Fitness& fitness) {
  const auto against = objection(fitness);
  const bool fit = against.empty();
  if (!asked && fit) return {sources::Source::cpu, true, false, praise(fitness)};
  if (!asked) return {sources::Source::clock_gettime, false, true, against};
  if (*asked != sources::Source::cpu) return {*asked, fit, false, "asked for with clocksource="};
  return {sources::Source::cpu, fit, false, fit ? praise(fitness) : "asked for with clocksource=, although " + against};
}

}  // namespace fathom::clock
