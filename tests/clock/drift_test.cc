// Drift over simulated runs.
#include "clock/drift.h"

#include <gtest/gtest.h>

#include "base/system/affinity.h"
#include "clock/sim_counter.h"

namespace fathom::clock {
namespace {

struct Case {
  const char* what;
  double drift_ppm;
  std::uint64_t run_ns;
  double most_bound_ppm;
};

TEST(DriftOf, IsFoundWithItsSignAndBound) {
  const Case cases[] = {{"none, 10 s", 0, 10'000'000'000, 0.01},
                        {"fast", 150, 1'000'000'000, 0.1},
                        {"slow", -150, 1'000'000'000, 0.1},
                        {"a little, a day", 0.002, 86'400'000'000'000, 0.001},
                        {"none, but too short", 0, 100'000, 1000}};
  for (const auto& c : cases) {
    SimCounter sim{.hz = 2.5e9 * (1 + c.drift_ppm / 1e6)};
    const auto begin = sim.burst(16);
    sim.pause(c.run_ns);
    const auto drift = drift_of(begin, sim.burst(16), sources::Conversion::of_frequency(2.5e9));
    ASSERT_TRUE(drift) << c.what;
    EXPECT_LE(std::abs(drift->drift_ppm - c.drift_ppm), drift->bound_ppm + 1e-3) << c.what;
    EXPECT_LE(drift->bound_ppm, c.most_bound_ppm) << c.what;
    EXPECT_GE(drift->over_ns, c.run_ns) << c.what;
    EXPECT_NEAR(drift->ticks_per_second, sim.hz, sim.hz * drift->bound_ppm / 1e6) << c.what;
  }
}

TEST(DriftOf, ADelayedEndReadingWidensTheBound) {
  SimCounter sim{.hz = 2.5e9};
  const auto begin = sim.burst(16);
  sim.pause(1'000'000'000);
  sim.stolen_ns = [](int) { return 500'000.0; };  // every look of the end
  const auto drift = drift_of(begin, sim.burst(16), sources::Conversion::of_frequency(2.5e9));
  ASSERT_TRUE(drift);
  EXPECT_LE(std::abs(drift->drift_ppm), drift->bound_ppm + 1e-3);
  EXPECT_GT(drift->bound_ppm, 100);
}

TEST(DriftOf, IsUnknownWithoutReadingsOrTime) {
  SimCounter sim{.hz = 2.5e9};
  const auto readings = sim.burst(4);
  const auto c = sources::Conversion::of_frequency(2.5e9);
  EXPECT_FALSE(drift_of({}, readings, c));
  EXPECT_FALSE(drift_of(readings, {}, c));
  EXPECT_FALSE(DriftMeter().end(c)) << "end without begin";
}

TEST(DriftMeter, MeasuresTheClocksOfThisMachine) {
  const base::system::StayOnThisCpu stay;
  for (const auto source : {sources::Source::cpu, sources::Source::clock_gettime}) {
    DriftMeter meter(source);
    meter.begin();
    const timespec pause{0, 30'000'000};
    ::nanosleep(&pause, nullptr);
    const auto drift = meter.end(sources::Conversion::identity());
    ASSERT_TRUE(drift);
    EXPECT_GT(drift->over_ns, 30'000'000u);
    if (source == sources::Source::clock_gettime) {
      EXPECT_LT(std::abs(drift->drift_ppm), 600 + drift->bound_ppm);  // NTP steers by 500 ppm at most
    }
  }
}

}  // namespace
}  // namespace fathom::clock
