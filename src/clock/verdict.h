// The facts about the CPU clock of this machine, and the source that a run therefore uses. Plain data between the
// cross-core test (cross_core.h), the cache of its long verdict (verdict_cache.h) and run/, which calls choose() before
// it takes any timestamp. choose() is a pure function.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/drift.h"
#include "clock/kernel_view.h"
#include "clock/sources/source.h"

namespace fathom::clock {

enum class Outcome : std::uint8_t { not_tested, passed, failed };
constexpr std::string_view name(Outcome o) {
  constexpr std::string_view names[] = {"not tested", "passed", "failed"};
  return names[static_cast<int>(o)];
}

// brief: at most 10 ms before a run; full: `fathom clock test`, or --clock-check=full.
enum class TestKind : std::uint8_t { none, brief, full };
constexpr std::string_view name(TestKind k) {
  constexpr std::string_view names[] = {"none", "short", "long"};
  return names[static_cast<int>(k)];
}

// A cross-core test in short.
struct TestSummary {
  Outcome outcome = Outcome::not_tested;
  TestKind kind = TestKind::none;
  bool cached = false;         // read from the cache of this boot, not run just now
  std::vector<unsigned> cpus;  // ascending
  std::uint32_t entries_per_cpu = 0;
  std::uint64_t mismatches = 0;  // neighbors in the sequence with time going backwards
  std::uint64_t largest_backward_ticks = 0;
  std::uint64_t detectable_ticks = 0;  // smaller offsets remain undetected; 0: one CPU, nothing to compare
  std::uint64_t took_ns = 0;
  std::string text;  // one sentence
};

// All facts for or against the CPU clock.
struct Fitness {
  bool invariant = false;  // cpu_clock_invariant()
  KernelView kernel;
  TestSummary test;
  std::optional<double> drift_ppm;  // proven by a run of this boot, its bound subtracted; empty: not in the cache
  std::optional<Drift> drift;       // the best known of this boot
};

struct Choice {
  sources::Source source = sources::Source::clock_gettime;
  bool fit = true;         // the CPU clock is trustworthy, as far as is known
  bool fell_back = false;  // the CPU clock was the default but was not used
  std::string reason;      // "the CPU clock is invariant and passed the cross-core test (short)", "failed: ..."
};

// asked: clocksource= of the job; empty: the best source that is fit. If the kernel uses the counter for its own time,
// a test need not pass, but none may fail. If the kernel uses another clock, the test must have passed.
// A requested source is used even if it is unfit (as in fio): `fit` is then false, and the run has a finding.
Choice choose(std::optional<sources::Source> asked, const Fitness& fitness);

}  // namespace fathom::clock
