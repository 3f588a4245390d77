// Collects the input of choose() (verdict.h): the CPU's flag, the kernel's view, the cross-core test (stored, or run
// now) and the drift of earlier runs. The tests are passed as functions, so that this file starts no threads. Blocks
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
  cached,  // the verdict of this boot; if missing, a short test
  full,    // the long test, which stores its verdict
  skip,    // no test: the run carries a finding
};
constexpr std::string_view name(ClockCheck c) {
  constexpr std::string_view names[] = {"cached", "full", "skip"};
  return names[static_cast<int>(c)];
}

// Time limits of the short test. It gets the longer one if it alone decides on the CPU clock, in case CPUs are busy.
inline constexpr std::uint64_t kBriefTest_ns = 10'000'000, kPatientTest_ns = 200'000'000;

struct ClockTests {
  std::function<TestSummary(std::span<const unsigned> cpus, std::uint64_t max_ns)> brief;
  std::function<TestSummary(std::span<const unsigned> cpus)> full;
};

// cpus: those that the run may use, ascending.
Fitness gather_fitness(std::span<const unsigned> cpus, ClockCheck check, const ClockTests& tests,
                       const VerdictCache& cache = default_verdict_cache(), const KernelSources& kernel = {});

}  // namespace fathom::clock
