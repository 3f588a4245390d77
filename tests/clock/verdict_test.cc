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
  f.kernel_clocksource = kTrusted;
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
    {"not tested", {}, [](Fitness& f) { f.test = {}; }, sources::Source::cpu, true, false, "was not done"},
    {"not invariant",
     {},
     [](Fitness& f) { f.invariant = false; },
     sources::Source::clock_gettime,
     false,
     true,
     "not invariant"},
    {"kvm-clock",
     {},
     [](Fitness& f) { f.kernel_clocksource = "kvm-clock"; },
     sources::Source::clock_gettime,
     false,
     true,
     "kernel's clocksource is kvm-clock, not "},
    {"hpet",
     {},
     [](Fitness& f) { f.kernel_clocksource = "hpet"; },
     sources::Source::clock_gettime,
     false,
     true,
     "is hpet"},
    {"clocksource unreadable",
     {},
     [](Fitness& f) { f.kernel_clocksource = ""; },
     sources::Source::clock_gettime,
     false,
     true,
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
     false, "asked for with clocksource=, although the CPU clock is not invariant"},
    {"kernel asked", sources::Source::clock_gettime, [](Fitness&) {}, sources::Source::clock_gettime, true, false,
     "asked for"},
    {"kernel asked, cpu unfit", sources::Source::gettimeofday, [](Fitness& f) { f.test.outcome = Outcome::failed; },
     sources::Source::gettimeofday, false, false, "asked for"},
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

}  // namespace
}  // namespace fathom::clock
