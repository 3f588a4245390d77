// A clock that jumps, changes its rate, or does neither, under looks every half second.
#include "clock/watch.h"

#include <gtest/gtest.h>

#include "clock/sim_counter.h"

namespace fathom::clock {
namespace {

constexpr double kHz = 2.5e9;
constexpr std::uint64_t kBeat_ns = 500'000'000;
constexpr ClockWatch::Allowance kAllowed{10'000, 100};

// What `change` does to the clock before the n-th look.
template <class Change>
Moved watched(int looks, const Change& change, ClockWatch::Allowance allowed = kAllowed) {
  SimCounter sim{.hz = kHz};
  ClockWatch watch(sources::Conversion::of_frequency(kHz), allowed);
  for (int n = 0; n < looks; ++n) {
    change(n, sim);
    watch.look(sim.read());
    sim.pause(kBeat_ns);
  }
  return watch.moved();
}
std::uint64_t ticks(double ns) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(ns * kHz / 1e9)); }
// From here on at another rate, without a jump.
void change_rate(SimCounter& sim, double factor) {
  const auto before = sim.now_ns * sim.hz / 1e9;
  sim.hz *= factor;
  sim.ticks_offset += static_cast<std::uint64_t>(static_cast<std::int64_t>(before - sim.now_ns * sim.hz / 1e9));
}

TEST(ClockWatch, ASteadyClockHasNotMoved) {
  for (const double drift_ppm : {0.0, 60.0, -60.0}) {
    const auto moved = watched(200, [&](int n, SimCounter& sim) {
      if (n == 0) sim.hz *= 1 + drift_ppm * 1e-6;
    });
    EXPECT_EQ(moved.jumps, 0u);
    EXPECT_EQ(moved.off_rate_s, 0);
    EXPECT_EQ(moved.net_ns, 0);
    EXPECT_TRUE(moved.steady());
    EXPECT_NEAR(moved.watched_s, 99.5, 0.1);
  }
}

TEST(ClockWatch, AJumpIsFoundWithItsSizeSignAndMoment) {
  for (const double jump_ns : {3600e9, 1e6, 200e3, -200e3, -1e6, -3600e9}) {
    const auto moved = watched(20, [&](int n, SimCounter& sim) {
      if (n == 8) sim.ticks_offset = ticks(jump_ns);
    });
    EXPECT_EQ(moved.jumps, 1u) << jump_ns;
    EXPECT_NEAR(moved.largest_jump_ns, jump_ns, 1000) << jump_ns;
    EXPECT_NEAR(moved.net_ns, jump_ns, 1000);
    EXPECT_NEAR(moved.first_jump_s, 3.5, 0.01) << "it was still right at the look before";
    EXPECT_EQ(moved.off_rate_s, 0);
    EXPECT_FALSE(moved.steady());
  }
}

TEST(ClockWatch, WhatTheAllowanceHoldsIsNoJump) {
  const auto by = [](double jump_ns) {
    return watched(20,
                   [&](int n, SimCounter& sim) {
                     if (n == 8) sim.ticks_offset = ticks(jump_ns);
                   })
        .jumps;
  };
  EXPECT_EQ(by(59'000), 0u) << "10 us, and 100 ppm of half a second";
  EXPECT_EQ(by(61'000), 1u);
  EXPECT_EQ(by(-59'000), 0u);
  EXPECT_EQ(by(-61'000), 1u);
}

TEST(ClockWatch, SeveralJumpsAreCountedAndTheLargestIsKept) {
  const auto moved = watched(40, [&](int n, SimCounter& sim) {
    if (n == 10) sim.ticks_offset += ticks(5e6);
    if (n == 20) sim.ticks_offset += ticks(-80e6);
    if (n == 39) sim.ticks_offset += ticks(2e6);  // the last look
  });
  EXPECT_EQ(moved.jumps, 3u);
  EXPECT_NEAR(moved.largest_jump_ns, -80e6, 1000);
  EXPECT_NEAR(moved.net_ns, -73e6, 3000);
}

TEST(ClockWatch, AnotherRateIsNotManyJumps) {
  for (const double ppm : {400.0, -400.0, 200'000.0}) {
    const auto moved = watched(40, [&](int n, SimCounter& sim) {
      if (n == 20) change_rate(sim, 1 + ppm * 1e-6);
    });
    EXPECT_EQ(moved.jumps, 0u) << ppm;
    EXPECT_NEAR(moved.off_rate_s, 9.5, 0.1) << ppm;
    EXPECT_NEAR(moved.off_rate_ppm, ppm, std::abs(ppm) * 0.01);
    EXPECT_FALSE(moved.steady());
  }
}

// A virtual machine moves to a faster host and back: its counter jumps with each move.
TEST(ClockWatch, AMigrationIsAJumpAndAnotherRate) {
  const auto moved = watched(60, [&](int n, SimCounter& sim) {
    if (n == 20) sim.ticks_offset += ticks(30e6), change_rate(sim, 1.001);
    if (n == 40) sim.ticks_offset += ticks(-30e6), change_rate(sim, 1 / 1.001);
  });
  EXPECT_EQ(moved.jumps, 2u);
  EXPECT_NEAR(moved.off_rate_s, 9.5, 0.6);
  EXPECT_NEAR(moved.off_rate_ppm, 1000, 10);
}

TEST(ClockWatch, ARateThatWasWrongFromTheStartIsSteady) {
  const auto moved = watched(40, [&](int n, SimCounter& sim) {
    if (n == 0) sim.hz *= 1.001;
  });
  EXPECT_TRUE(moved.steady());
  EXPECT_NEAR(moved.off_rate_ppm, 1000, 1);
}

TEST(ClockWatch, ADelayedLookIsNoJump) {
  const auto moved = watched(40, [&](int n, SimCounter& sim) {
    sim.stolen_ns = [n](int look) { return n % 7 == 3 && look % 3 == 1 ? 40e6 : 0; };
  });
  EXPECT_EQ(moved.jumps, 0u);
  EXPECT_EQ(moved.off_rate_s, 0);
}

TEST(ClockWatch, WithoutTwoLooksNothingIsSaid) {
  EXPECT_EQ(watched(0, [](int, SimCounter&) {}).jumps, 0u);
  EXPECT_EQ(watched(1, [](int, SimCounter&) {}).watched_s, 0);
}

// Without an allowance for the rate: a calendar that is set, against the clock that it is made of.
TEST(ClockWatch, ACalendarIsComparedExactly) {
  sources::Bracket at{1'000'000'000, 1'700'000'000'000'000'000, 1'000'000'050};
  ClockWatch watch(sources::Conversion::identity(), {100'000, 0});
  const auto go_on = [&](std::int64_t set_ns) {
    at.before_ns += kBeat_ns, at.after_ns += kBeat_ns;
    at.ticks += kBeat_ns + static_cast<std::uint64_t>(set_ns);
    watch.look(at);
  };
  watch.look(at);
  for (int i = 0; i < 10; ++i) go_on(0);
  EXPECT_EQ(watch.moved().jumps, 0u);
  go_on(-3'600'000'000'000);
  for (int i = 0; i < 10; ++i) go_on(0);
  EXPECT_EQ(watch.moved().jumps, 1u);
  EXPECT_NEAR(watch.moved().net_ns, -3600e9, 1000);
}

TEST(NarrowestOf, KeepsTheBracketThatSaysMost) {
  const sources::Bracket made[] = {{10, 1, 90}, {100, 2, 120}, {130, 3, 190}};
  int at = 0;
  EXPECT_EQ(narrowest_of(3, [&] { return made[at++]; }).ticks, 2u);
  EXPECT_EQ(at, 3);
}

}  // namespace
}  // namespace fathom::clock
