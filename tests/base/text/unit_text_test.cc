// Bytes, times and rates in words: each shape at its edges, and that no shape shows a unit too many or a number that is
// another.
#include "base/text/unit_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>

namespace fathom::base::text {
namespace {

struct Case {
  double value;
  std::span<const UnitStep> scale;
  std::string text;
};

TEST(UnitText, EveryFormIsRightAtItsEdges) {
  const Case kCases[] = {{0, kBytes, "0 B"},
                         {1023, kBytes, "1023 B"},
                         {4096, kBytes, "4 KiB"},
                         {1048575, kBytes, "1024.0 KiB"},
                         {0x1p60 * 1.5, kBytes, "1.5 EiB"},
                         {1023, kBytesColumn, "1023 B"},
                         {1048575, kBytesColumn, "1.0 MiB"},
                         {0x1p29, kBytesColumn, "512 MiB"},
                         {1023, kBytesOne, "1023 B"},
                         {1024, kBytesOne, "1.0 KiB"},
                         {1048575, kBytesOne, "1024.0 KiB"},
                         {999.4, kBytesThree, "999 B"},
                         {1000, kBytesThree, "0.98 KiB"},
                         {4096, kBytesThree, "4.00 KiB"},
                         {-102'400, kBytesThree, "-100 KiB"},
                         {0x1p60, kBytesThree, "1024 PiB"},
                         {1536, kMib, "0.0 MiB"},
                         {0x1p30, kMib, "1024.0 MiB"},
                         {0x1p29, kGib, "0.5 GiB"},
                         {850, kTimeColumn, "850ns"},
                         {999.7, kTimeColumn, "1.00us"},
                         {99'960, kTimeColumn, "100us"},
                         {-1500, kTimeColumn, "-1.50us"},
                         {1.8446744e19, kTimeColumn, "1.8e+10s"},
                         {999, kTimeLive, "999 ns"},
                         {999.5, kTimeLive, "1.00 us"},
                         {9'995, kTimeLive, "10.0 us"},
                         {1.234, kTimeExact, "1.23 ns"},
                         {1e14, kTimeExact, "100000 s"},
                         {-12'345, kTimeExact, "-12.3 us"},
                         {999.7, kTime, "1000 ns"},
                         {1000, kTime, "1.00 us"},
                         {999'600, kTime, "1.00 ms"},
                         {1.4, kTime, "1 ns"},
                         {999, kTimeAxis, "999ns"},
                         {1e5, kTimeAxis, "100us"},
                         {1e10, kTimeAxis, "10s"},
                         {10'000, kTimeLimit, "10 us"},
                         {1e6, kTimeLimit, "1 ms"},
                         {1500, kTimeLimit, "1.5 us"},
                         {0.1, kTimeAtMost, "1 ns"},
                         {9'999.5, kTimeAtMost, "10000 ns"},
                         {10'100, kTimeAtMost, "10.1 us"},
                         {10'101, kTimeAtMost, "10.2 us"},
                         {0.5, kSeconds, "500ms"},
                         {0.00025, kSeconds, "250us"},
                         {1.5, kSeconds, "1.5s"},
                         {0.001000045, kSeconds, "1.00005ms"},
                         {9'999'999, kCountColumn, "9999999"},
                         {12'345'678, kCountColumn, "12.3M"},
                         {1.8446744e19, kCountColumn, "18.4E"},
                         {950, kRateLive, "950"},
                         {8'100, kRateLive, "8.10k"},
                         {5e15, kRateLive, "5000T"},
                         {145'210, kRateExact, "145 k"},
                         {12.5, kRateExact, "12.5"},
                         {6e8, kByteRateExact, "600 MB/s"},
                         {128 * 0x1p20, kByteRateStatus, "128MiB/s"},
                         {1.5 * 0x1p30, kByteRateStatus, "1.50GiB/s"},
                         {99.96 * 0x1p20, kByteRateStatus, "100.0MiB/s"},
                         {999'999, kRateStatus, "1000k"}};
  for (const auto& c : kCases) EXPECT_EQ(unit_text(c.value, c.scale), c.text);
  EXPECT_EQ(size_text(3ull << 30), "3 GiB");
}

// Read back, a text is the value to the digits that it shows. Three digits never show 1000 of what has a larger unit.
RC_GTEST_PROP(UnitText, IsTheValue, ()) {
  const double value = std::exp(*rc::gen::inRange(0, 4'400'000) * 1e-5);
  for (const std::span<const UnitStep> scale :
       {std::span<const UnitStep>(kBytesThree), std::span<const UnitStep>(kTimeExact),
        std::span<const UnitStep>(kTimeLive), std::span<const UnitStep>(kTime), std::span<const UnitStep>(kTimeColumn),
        std::span<const UnitStep>(kByteRateExact), std::span<const UnitStep>(kRateLive),
        std::span<const UnitStep>(kRateExact)}) {
    const auto& step = step_of(value, scale);
    const std::string text = unit_text(value, scale);
    const double shown = std::strtod(text.c_str(), nullptr);
    RC_ASSERT(text.ends_with(step.unit));
    RC_ASSERT(std::abs(shown * step.size - value) <= 0.0501 * value || (value < 10 && std::abs(shown - value) <= 0.5));
    if (step.digits == Digits::three && &step != &scale.front()) RC_ASSERT(shown < 1000);
  }
}

RC_GTEST_PROP(UnitText, ALargerValueIsNeverShownAsLess, ()) {
  const double low = std::exp(*rc::gen::inRange(0, 4'400'000) * 1e-5),
               high = low * (1 + *rc::gen::inRange(0, 50) * 0.01);
  for (const std::span<const UnitStep> scale :
       {std::span<const UnitStep>(kBytes), std::span<const UnitStep>(kBytesOne), std::span<const UnitStep>(kBytesThree),
        std::span<const UnitStep>(kTimeExact), std::span<const UnitStep>(kTimeAtMost),
        std::span<const UnitStep>(kCountColumn), std::span<const UnitStep>(kByteRateStatus)}) {
    const auto shown = [&](double v) {
      return std::strtod(unit_text(v, scale).c_str(), nullptr) * step_of(v, scale).size;
    };
    RC_ASSERT(shown(low) <= shown(high) * 1.0006);  // 0.98 KiB follows 999 B
  }
}

TEST(MinutesText, IsRoundedUp) {
  EXPECT_EQ(minutes_text(0.5), "1 s");
  EXPECT_EQ(minutes_text(89), "89 s");
  EXPECT_EQ(minutes_text(121), "3 min");
  EXPECT_EQ(minutes_text(5400), "1.5 h");
  EXPECT_EQ(minutes_text(5401), "1.6 h");
}

TEST(DurationText, HasMinutesAndHoursFromAMinuteOn) {
  EXPECT_EQ(duration_text(0), "0 ns");
  EXPECT_EQ(duration_text(950e6), "950 ms");
  EXPECT_EQ(duration_text(59.5e9), "59.5 s");
  EXPECT_EQ(duration_text(59.96e9), "1 min");
  EXPECT_EQ(duration_text(90e9), "1 min 30 s");
  EXPECT_EQ(duration_text(3600e9), "1 h");
  EXPECT_EQ(duration_text(7505e9), "2 h 5 min 5 s");
  EXPECT_EQ(duration_text(7202e9), "2 h 2 s");
}

TEST(Commas, SeparateEveryThreeDigits) {
  EXPECT_EQ(with_commas(0, false), "0");
  EXPECT_EQ(with_commas(999, false), "999");
  EXPECT_EQ(with_commas(1000, false), "1,000");
  EXPECT_EQ(with_commas(1234567.891, true), "1,234,567.89");
  EXPECT_EQ(with_commas(-123456, false), "-123,456");
}

}  // namespace
}  // namespace fathom::base::text
