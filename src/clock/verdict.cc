// Chooses the clock. The first objection to the CPU clock decides.
#include "clock/verdict.h"

#include <fmt/format.h>

#include <cmath>

namespace fathom::clock {
namespace {

// Each function returns an objection to the CPU clock, or an empty text.
std::string not_invariant(const Fitness& f) {
  return f.invariant ? "" : "the CPU clock is not invariant: its rate follows the CPU's power states";
}

// A hypervisor may hide the flags from the kernel, but not from the CPUID instruction.
std::string kernel_lists_no_flags(const Fitness& f) {
  return f.kernel.lists_flags.value_or(true) ? "" : "the kernel does not list constant_tsc and nonstop_tsc";
}

std::string kernel_found_it_unstable(const Fitness& f) {
  if (f.kernel.unstable.empty()) return "";
  return fmt::format("the kernel found the CPU clock unstable in this boot: {}", f.kernel.unstable);
}

std::string test_failed(const Fitness& f) {
  if (f.test.outcome != Outcome::failed) return "";
  return fmt::format("the cross-core test ({}) failed: {}", name(f.test.kind), f.test.text);
}

// The kernel's clocksource, and the reason for it.
std::string kernel_text(const KernelView& kernel) {
  if (kernel.uses_counter()) return "";
  std::string out = kernel.clocksource.empty() ? std::string("the kernel's clocksource could not be read")
                                               : "the kernel's clocksource is " + kernel.clocksource;
  if (!kernel.operators_word.empty())
    out += fmt::format(", and the kernel's command line has {}", kernel.operators_word);
  if (!kernel.log_read) out += ", the kernel's log could not be read";
  const bool tried = kernel.clocksource == "kvm-clock" || kernel.clocksource.empty();
  return tried ? out : out + ", and fathom is not tested with that clock";
}

std::string nobody_vouches(const Fitness& f) {
  if (f.kernel.uses_counter() || f.test.outcome == Outcome::passed) return "";
  return kernel_text(f.kernel) + "; the cross-core test, which would decide, did not run" +
         (f.test.text.empty() ? "" : ": " + f.test.text);
}

std::string drifted(const Fitness& f) {
  if (!f.drift_ppm || std::abs(*f.drift_ppm) <= kMostDrift_ppm) return "";
  return fmt::format("the CPU clock drifted by {:.0f} ppm in an earlier run of this boot", *f.drift_ppm);
}

constexpr std::string (*kObjections[])(const Fitness&) = {
    not_invariant, kernel_lists_no_flags, kernel_found_it_unstable, test_failed, nobody_vouches, drifted};

std::string objection(const Fitness& f) {
  for (const auto object : kObjections)
    if (auto reason = object(f); !reason.empty()) return reason;
  return "";
}

std::string praise(const Fitness& f) {
  if (f.test.outcome == Outcome::not_tested) return "the CPU clock is invariant; the cross-core test did not run";
  const auto kernel = kernel_text(f.kernel);
  return fmt::format("the CPU clock is invariant and passed the cross-core test ({}{}){}{}", name(f.test.kind),
                     f.test.cached ? ", earlier in this boot" : "", kernel.empty() ? "" : "; ", kernel);
}

}  // namespace

Choice choose(std::optional<sources::Source> asked, const Fitness& fitness) {
  const auto against = objection(fitness);
  const bool fit = against.empty();
  if (!asked && fit) return {sources::Source::cpu, true, false, praise(fitness)};
  if (!asked) return {sources::Source::clock_gettime, false, true, against};
  if (*asked != sources::Source::cpu) return {*asked, fit, false, "requested with clocksource="};
  return {sources::Source::cpu, fit, false, fit ? praise(fitness) : "requested with clocksource=, although " + against};
}

}  // namespace fathom::clock
