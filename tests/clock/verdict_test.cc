// The choice of the clock, row by row.
#include "clock/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::clock {
namespace {

#if defined(__aarch64__)
constexpr const char* kTrusted = "arch_sys_counter";
#else
constexpr const char* kTrusted = "tsc";
#endif

Fitness sound() {
  Fitness f;
  f.invariant = true;
  f.kernel.clocksource = kTrusted;
  f.kernel.lists_flags = true;
  f.test.outcome = Outcome::passed;
  f.test.kind = TestKind::brief;
  return f;
}

struct Row {
  const char* what;
  std::optional<sources::Source> asked;
  void (*change)(Fitness&);
  sources::Source source;
  bool fit, fell_back;
  const char* reason;  // a part of it
};

const Row kRows[] = {
    {"sound", {}, [](Fitness&) {}, sources::Source::cpu, true, false, "passed the cross-core test (short)"},
    {"sound, stored",
     {},
     [](Fitness& f) { f.test.cached = true, f.test.kind = TestKind::full; },
     sources::Source::cpu,
     true,
     false,
     "(long, earlier in this boot)"},
    {"not tested", {}, [](Fitness& f) { f.test = {}; }, sources::Source::cpu, true, false, "did not run"},
    {"not invariant",
     {},
     [](Fitness& f) { f.invariant = false; },
     sources::Source::clock_gettime,
     false,
     true,
     "not invariant"},
    {"flags hidden from the kernel",
     {},
     [](Fitness& f) { f.kernel.lists_flags = false; },
     sources::Source::clock_gettime,
     false,
     true,
     "does not list constant_tsc and nonstop_tsc"},
    {"no list of flags",
     {},
     [](Fitness& f) { f.kernel.lists_flags.reset(); },
     sources::Source::cpu,
     true,
     false,
     "passed"},
    {"kvm-clock",
     {},
     [](Fitness& f) { f.kernel.clocksource = "kvm-clock", f.kernel.log_read = true; },
     sources::Source::cpu,
     true,
     false,
     "passed the cross-core test (short); the kernel's clocksource is kvm-clock"},
    {"kvm-clock, its log unreadable",
     {},
     [](Fitness& f) { f.kernel.clocksource = "kvm-clock"; },
     sources::Source::cpu,
     true,
     false,
     "the kernel's log could not be read"},
    {"kvm-clock, tsc=unstable",
     {},
     [](Fitness& f) { f.kernel.clocksource = "kvm-clock", f.kernel.operators_word = "tsc=unstable"; },
     sources::Source::cpu,
     true,
     false,
     "the kernel's command line has tsc=unstable"},
    {"kvm-clock, found unstable",
     {},
     [](Fitness& f) { f.kernel.clocksource = "kvm-clock", f.kernel.unstable = "clocksource watchdog"; },
     sources::Source::clock_gettime,
     false,
     true,
     "the kernel found the CPU clock unstable in this boot: clocksource watchdog"},
    {"kvm-clock, not tested",
     {},
     [](Fitness& f) { f.kernel.clocksource = "kvm-clock", f.test = {}, f.test.text = "busy"; },
     sources::Source::clock_gettime,
     false,
     true,
     "clocksource is kvm-clock, the kernel's log could not be read; the cross-core test, which would decide, did not "
     "run: "
     "busy"},
    {"kvm-clock, test failed",
     {},
     [](Fitness& f) { f.kernel.clocksource = "kvm-clock", f.test.outcome = Outcome::failed; },
     sources::Source::clock_gettime,
     false,
     true,
     "cross-core test (short) failed"},
    {"xen",
     {},
     [](Fitness& f) { f.kernel.clocksource = "xen"; },
     sources::Source::cpu,
     true,
     false,
     "not tested with that clock"},
    {"clocksource unreadable",
     {},
     [](Fitness& f) { f.kernel.clocksource = ""; },
     sources::Source::cpu,
     true,
     false,
     "could not be read"},
    {"test failed",
     {},
     [](Fitness& f) { f.test.outcome = Outcome::failed, f.test.text = "855099 mismatches"; },
     sources::Source::clock_gettime,
     false,
     true,
     "cross-core test (short) failed: 855099 mismatches"},
    {"drift",
     {},
     [](Fitness& f) { f.drift_ppm = 101; },
     sources::Source::clock_gettime,
     false,
     true,
     "drifted by 101 ppm"},
    {"drift down",
     {},
     [](Fitness& f) { f.drift_ppm = -250; },
     sources::Source::clock_gettime,
     false,
     true,
     "by -250 ppm"},
    {"drift allowed", {}, [](Fitness& f) { f.drift_ppm = -99; }, sources::Source::cpu, true, false, "passed"},
    {"cpu asked, sound", sources::Source::cpu, [](Fitness&) {}, sources::Source::cpu, true, false, "passed"},
    {"cpu asked, unfit", sources::Source::cpu, [](Fitness& f) { f.invariant = false; }, sources::Source::cpu, false,
     false, "requested with clocksource=, although the CPU clock is not invariant"},
    {"kernel asked", sources::Source::clock_gettime, [](Fitness&) {}, sources::Source::clock_gettime, true, false,
     "requested with"},
    {"kernel asked, cpu unfit", sources::Source::gettimeofday, [](Fitness& f) { f.test.outcome = Outcome::failed; },
     sources::Source::gettimeofday, false, false, "requested with"},
};

TEST(ChooseClock, MatchesEveryRowOfTheTable) {
  for (const auto& row : kRows) {
    auto fitness = sound();
    row.change(fitness);
    const auto choice = choose(row.asked, fitness);
    EXPECT_EQ(choice.source, row.source) << row.what;
    EXPECT_EQ(choice.fit, row.fit) << row.what;
    EXPECT_EQ(choice.fell_back, row.fell_back) << row.what;
    EXPECT_THAT(choice.reason, testing::HasSubstr(row.reason)) << row.what;
  }
}

// Every combination of what can be known: which clock a run takes is what documentation says, and has a reason.
TEST(ChooseClock, TakesTheCpuClockInExactlyTheDocumentedCombinations) {
  std::size_t taken = 0, all = 0;
  for (const bool invariant : {false, true})
    for (const auto flags : {std::optional<bool>(), std::optional(false), std::optional(true)})
      for (const std::string clocksource : {kTrusted, "kvm-clock", "hpet", "hyperv_clocksource_tsc_page", "xen", ""})
        for (const bool log_read : {false, true})
          for (const std::string unstable : {"", "check_tsc_sync_source failed"})
            for (const std::string word : {"", "tsc=unstable"})
              for (const auto outcome : {Outcome::not_tested, Outcome::passed, Outcome::failed})
                for (const auto drift : {std::optional<double>(), std::optional(20.0), std::optional(150.0)}) {
                  auto f = sound();
                  f.invariant = invariant;
                  f.kernel = {clocksource, flags, log_read, unstable, word};
                  f.test.outcome = outcome;
                  f.drift_ppm = drift;
                  const bool vouched = clocksource == kTrusted || outcome == Outcome::passed;
                  const bool fit = invariant && flags != std::optional(false) && unstable.empty() &&
                                   outcome != Outcome::failed && vouched && drift.value_or(0) <= kMostDrift_ppm;
                  const auto choice = choose({}, f);
                  ASSERT_EQ(choice.source, fit ? sources::Source::cpu : sources::Source::clock_gettime)
                      << choice.reason;
                  ASSERT_EQ(choice.fit, fit);
                  ASSERT_EQ(choice.fell_back, !fit);
                  ASSERT_FALSE(choice.reason.empty());
                  taken += fit;
                  ++all;
                }
  EXPECT_EQ(all, 2u * 3 * 6 * 2 * 2 * 2 * 3 * 3);
  EXPECT_EQ(taken, 1u * 2 * (1 * 2 + 5 * 1) * 2 * 1 * 2 * 2) << "the other clocksources only after a passed test";
}

}  // namespace
}  // namespace fathom::clock
