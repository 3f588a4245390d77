// Calibration on a simulated machine whose rate is known, then the real clocks against each other.
#include "clock/sources/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/attempts.h"
#include "base/system/affinity.h"
#include "clock/sim_counter.h"

namespace fathom::clock::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr double kTrue_hz = 2'596'122'000;

Calibration calibrate_sim(SimCounter& sim, std::vector<FrequencyClaim> claims) {
  const Reference reference{[&] { return sim.read(); }, [&](std::uint64_t ns) { sim.pause(ns); }};
  return calibrate_cpu(claims, reference);
}

double wrong_by_ppm(const Calibration& c, double hz) { return std::abs(c.ticks_per_second / hz - 1) * 1e6; }

TEST(CalibrateCpu, AcceptsACorrectClaimWithinAMillisecond) {
  SimCounter sim{.hz = kTrue_hz};
  const double begin = sim.now_ns;
  const auto c = calibrate_sim(sim, {{kTrue_hz * (1 + 1e-6), "CPUID 0x15", {}}});
  EXPECT_EQ(c.source, Source::cpu);
  EXPECT_EQ(c.method, "CPUID 0x15");
  EXPECT_EQ(c.ticks_per_second, kTrue_hz * (1 + 1e-6));
  EXPECT_LE(c.error_ppm, kMaxErrorPpm);
  EXPECT_GE(c.error_ppm, 1);
  EXPECT_THAT(c.notes, IsEmpty());
  EXPECT_LT(sim.now_ns - begin, 1e6);
}

TEST(CalibrateCpu, TakesTheKernelsConversionBitForBit) {
  SimCounter sim{.hz = 2.5e9};
  const auto conversion = Conversion::of_kernel(1'717'986'918, 32);
  const auto c = calibrate_sim(sim, {{conversion.ticks_per_second(), "perf_event cap_user_time", conversion}});
  EXPECT_EQ(c.conversion.mult, conversion.mult);
  EXPECT_EQ(c.conversion.pre_shift, conversion.pre_shift);
}

TEST(CalibrateCpu, RejectsAWrongClaimWithANote) {
  // As pmbench's was: wrong by 42 %. And a leaf that is wrong by 0.1 %.
  for (const double wrong : {1.42, 1.001, 0.999}) {
    SimCounter sim{.hz = kTrue_hz};
    const auto c =
        calibrate_sim(sim, {{kTrue_hz * wrong, "CPUID 0x15", {}}, {kTrue_hz, "hypervisor leaf 0x40000010", {}}});
    EXPECT_EQ(c.method, "hypervisor leaf 0x40000010");
    EXPECT_EQ(c.ticks_per_second, kTrue_hz);
    EXPECT_THAT(c.notes, ElementsAre(HasSubstr("CPUID 0x15 reports")));
  }
}

TEST(CalibrateCpu, MeasuresTheRateWithoutAClaim) {
  SimCounter sim{.hz = kTrue_hz};
  const double begin = sim.now_ns;
  const auto c = calibrate_sim(sim, {});
  EXPECT_THAT(c.method, StartsWith("CLOCK_MONOTONIC_RAW over "));
  EXPECT_LE(c.error_ppm, 20);
  EXPECT_LE(wrong_by_ppm(c, kTrue_hz), c.error_ppm);
  EXPECT_LT(sim.now_ns - begin, 20e6);
}

TEST(CalibrateCpu, PreemptionDoesNotShiftTheRate) {
  for (int phase = 0; phase < 3; ++phase) {  // before, inside and after the reading of the counter
    SimCounter sim{.hz = kTrue_hz};
    sim.stolen_ns = [phase](int look) { return look % 15 == phase ? 4e6 : 0.0; };
    const auto c = calibrate_sim(sim, {{kTrue_hz * 1.01, "CPUID 0x15", {}}});
    ASSERT_EQ(c.source, Source::cpu) << phase;
    EXPECT_LE(c.error_ppm, kMaxErrorPpm);
    EXPECT_LE(wrong_by_ppm(c, kTrue_hz), c.error_ppm) << phase;
    EXPECT_EQ(c.notes.size(), 1u);
  }
}

TEST(CalibrateCpu, AOneSidedDisturbanceDoesNotShiftTheRate) {
  SimCounter sim{.hz = kTrue_hz};
  sim.stolen_ns = [](int look) { return look % 3 == 1 ? 10'000.0 * (look % 5) : 0.0; };
  const auto c = calibrate_sim(sim, {});
  ASSERT_EQ(c.source, Source::cpu);
  EXPECT_LE(wrong_by_ppm(c, kTrue_hz), c.error_ppm);
}

TEST(CalibrateCpu, RefusesARateThatCannotBeBounded) {
  // Every reading is disturbed by up to 500 us on either side: nothing can be bounded to 100 ppm in 150 ms.
  SimCounter sim{.hz = kTrue_hz};
  sim.stolen_ns = [](int look) { return 300'000.0 + 9970 * (look * 7 % 19); };
  const auto c = calibrate_sim(sim, {{kTrue_hz, "CPUID 0x15", {}}});
  EXPECT_EQ(c.source, Source::clock_gettime);
  EXPECT_EQ(c.conversion.to_ns({12345}).v, 12345u);
  EXPECT_THAT(c.notes, ElementsAre(HasSubstr("could not be confirmed"), HasSubstr("is known only to")));
}

// As in an emulator: 15 ms bound it to some 300 ppm only.
TEST(CalibrateCpu, MeasuresLongerWhenTheClockIsSlowToRead) {
  SimCounter sim{.hz = kTrue_hz};
  sim.stolen_ns = [](int look) { return 3'000.0 + 99 * (look * 7 % 19); };
  const double begin = sim.now_ns;
  const auto c = calibrate_sim(sim, {});
  ASSERT_EQ(c.source, Source::cpu);
  EXPECT_LE(c.error_ppm, kMaxErrorPpm);
  EXPECT_LE(wrong_by_ppm(c, kTrue_hz), c.error_ppm);
  EXPECT_GT(sim.now_ns - begin, 15e6);
  EXPECT_LT(sim.now_ns - begin, 160e6);
}

TEST(CalibrateCpu, RefusesACounterThatJumpsAllTheTime) {
  SimCounter sim{.hz = kTrue_hz};
  const Reference reference{[&] {
                              sim.ticks_offset += 26'000'000;
                              return sim.read();
                            },
                            [&](std::uint64_t ns) {
                              sim.ticks_offset -= 500'000'000;
                              sim.pause(ns);
                            }};
  const auto c = calibrate_cpu({}, reference);
  EXPECT_EQ(c.source, Source::clock_gettime);
  EXPECT_THAT(c.notes, ElementsAre(HasSubstr("no constant rate")));
}

TEST(CalibrateCpu, RefusesACounterThatStands) {
  SimCounter sim{.hz = 0};
  EXPECT_EQ(calibrate_sim(sim, {{kTrue_hz, "CPUID 0x15", {}}}).source, Source::clock_gettime);
}

TEST_IN_ATTEMPTS(Calibrate, AgreesWithTheMonotonicClock) {
  const auto c = calibrate(Source::cpu);
  if (c.source != Source::cpu) GTEST_SKIP() << "the CPU clock could not be calibrated: " << c.notes.back();
  EXPECT_LE(c.error_ppm, kMaxErrorPpm);
  const base::system::StayOnThisCpu stay;
  auto begin = read_brackets(16);
  ::usleep(100'000);
  for (const auto& b : read_brackets(16)) begin.push_back(b);
  const auto range = rate_of(begin);
  ASSERT_TRUE(range);
  EXPECT_LE(range->error_ppm(c.ticks_per_second), c.error_ppm + 2 * range->bound_ppm()) << c.method;
}

TEST(Calibrate, ChecksAnEarlierRunsRateLikeAnyClaim) {
  const auto first = calibrate(Source::cpu);
  if (first.source != Source::cpu) GTEST_SKIP() << "the CPU clock could not be calibrated: " << first.notes.back();
  const FrequencyClaim wrong{first.ticks_per_second * 1.01, "an earlier run", {}};
  const auto c = calibrate(Source::cpu, &wrong);
  EXPECT_NE(c.method, "an earlier run");
}

TEST(Calibrate, KernelClocksCountNanoseconds) {
  EXPECT_EQ(calibrate(Source::clock_gettime).conversion.to_ns({12345}).v, 12345u);
  EXPECT_EQ(calibrate(Source::gettimeofday).conversion.to_ns({12000}).v, 12000u);
}

}  // namespace
}  // namespace fathom::clock::sources
