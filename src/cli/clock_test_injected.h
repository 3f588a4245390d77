// What became of a clock made wrong on purpose (--inject): a pure function of what the test found.
#pragma once
#include <string>
#include <string_view>

#include "cli/clock_test_report.h"

namespace fathom::cli {

enum class InjectionFate : std::uint8_t {
  not_tested,    // the CPUs could not be compared
  alone,         // one CPU: nothing to compare it with
  within_bound,  // no pair of this CPU disagrees that would show this injection alone
  seen,          // it disagrees with a CPU whose clock was left as it is
  seen_between,  // it disagrees, but only with CPUs made wrong too, and no other is there
  untold,        // it disagrees, but with this barrier sound counters may disagree too
};
constexpr std::string_view name(InjectionFate f) {
  constexpr std::string_view names[] = {"not tested", "alone", "within the bound", "seen", "seen between", "untold"};
  return names[static_cast<int>(f)];
}

InjectionFate fate_of(const AskedInjection& injection, const ClockTestReport& report);

// The largest offset of that CPU, in ticks, that could have stayed unseen, plus one; 0: not known.
std::uint64_t detectable_of(const AskedInjection& injection, const ClockTestReport& report);

}  // namespace fathom::cli
