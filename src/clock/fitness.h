// Gathers what verdict.h's choose() decides on: the CPU's flag, the kernel's clocksource, the cross-core test (stored,
// or made now) and the drift of earlier runs. The tests come as functions, so that this file knows no thread. Blocks
// for as long as the test takes; any one thread.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "clock/verdict.h"
#include "clock/verdict_cache.h"

namespace fathom::clock {

// --clock-check
enum class ClockCheck : std::uint8_t {
  cached,  // the verdict of this boot; where there is none, a short test
  full,    // the long test, whose verdict is stored
  skip,    // no test: the run carries a finding
};
constexpr std::string_view name(ClockCheck c) {
  constexpr std::string_view names[] = {"cached", "full", "skip"};
  return names[static_cast<int>(c)];
}

struct ClockTests {
  std::function<TestSummary(std::span<const unsigned> cpus)> brief;
  std::function<TestSummary(std::span<const unsigned> cpus)> full;
};

// cpus: those that the run may use, rising.
Fitness gather_fitness(std::span<const unsigned> cpus, ClockCheck check, const ClockTests& tests,
                       const VerdictCache& cache = default_verdict_cache());

// current_clocksource of sysfs; empty: not readable.
std::string kernel_clocksource(
    const std::string& path = "/sys/devices/system/clocksource/clocksource0/current_clocksource");

}  // namespace fathom::clock
