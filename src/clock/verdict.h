// What is known of the CPU clock on this machine, and which source a run takes because of it. Plain data between the
// cross-core test (cross_core.h), the cache of its long verdict (verdict_cache.h) and run/, which asks before it stamps
// anything. choose() is a pure function.
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
  bool cached = false;         // read from the cache of this boot, not done just now
  std::vector<unsigned> cpus;  // rising
  std::uint32_t entries_per_cpu = 0;
  std::uint64_t mismatches = 0;  // neighbours in the sequence whose time runs backwards
  std::uint64_t largest_backward_ticks = 0;
  std::uint64_t detectable_ticks = 0;  // an offset smaller than this could not be seen; 0: one CPU, none to compare
  std::uint64_t took_ns = 0;
  std::string text;  // one sentence
};

// All that speaks for or against the CPU clock.
struct Fitness {
  bool invariant = false;  // cpu_clock_invariant()
  KernelView kernel;
  TestSummary test;
  std::optional<double> drift_ppm;  // that a run of this boot showed, its bound taken off, where the cache has one
  std::optional<Drift> drift;       // the best known of this boot
};

struct Choice {
  sources::Source source = sources::Source::clock_gettime;
  bool fit = true;         // the CPU clock may be trusted as far as it is known
  bool fell_back = false;  // the CPU clock would have been taken, and was not
  std::string reason;      // "the CPU clock is invariant and passed the cross-core test (short)", "failed: ..."
};

// asked: clocksource= of the job; none: the best that is fit. Where the kernel keeps its own time with the counter, no
// test has to pass, only none may fail; where it uses another clock, a passed test stands for its word. A source that was
// asked for is taken even when it is unfit (as fio does): `fit` then says so, and the run carries a finding.
Choice choose(std::optional<sources::Source> asked, const Fitness& fitness);

}  // namespace fathom::clock
