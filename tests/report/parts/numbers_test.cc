// Scaling against what fio printed, and rules that hold for every value.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "report/files.h"
#include "report/parts/numbers.h"

namespace fathom::report::parts {
namespace {

TEST(ReportNumbers, SizesMatchFios) {
  std::istringstream lines(read_text(test_path("observed/sizes.tsv")));
  std::uint64_t bytes = 0;
  std::string binary, decimal;
  int pairs = 0;
  while (lines >> bytes >> binary >> decimal) {
    EXPECT_EQ(size_pair(bytes), binary + " (" + decimal + ")") << bytes;
    ++pairs;
  }
  EXPECT_GT(pairs, 500);
}

TEST(ReportNumbers, RatesMatchFios) {
  EXPECT_EQ(scaled(8'609'616, kRateDigits, Base::k1000), "8610k");
  EXPECT_EQ(scaled(13'300'000, kRateDigits, Base::k1000), "13.3M");
  EXPECT_EQ(scaled(16'243, kRateDigits, Base::k1000), "16.2k");
  EXPECT_EQ(scaled(5'636, kRateDigits, Base::k1000), "5636");
  EXPECT_EQ(bandwidth(540'672'000), "516MiB/s (541MB/s)");
  EXPECT_EQ(bandwidth(13'570'072), "12.9MiB/s (13.6MB/s)");
  EXPECT_EQ(bandwidth(0), "0B/s (0B/s)");
  EXPECT_EQ(scaled(2'421'136, kLatencyDigits, Base::k1000), "2421.1k");
  EXPECT_EQ(scaled(25'429'979, kLatencyDigits, Base::k1000), "25430k");
}

TEST(ReportNumbers, LineUnitChangesOnlyWhenAllThreeAreLarge) {
  EXPECT_EQ(line_unit(2'000, 1'000'000, 5e4).name, "nsec");
  EXPECT_EQ(line_unit(2'001, 100'000, 1000.5).name, "usec");
  EXPECT_EQ(line_unit(2'001, 99'999, 5e4).name, "nsec");
  EXPECT_EQ(line_unit(2'001, 100'000, 1000.0).name, "nsec");
  EXPECT_EQ(line_unit(2'000'001, 100'000'000, 1e6 + 1).name, "msec");
  EXPECT_EQ(line_unit(2'000'000, 100'000'000, 1e6 + 1).name, "usec");
}

TEST(ReportNumbers, WholeClampsNegativeNanAndInfinity) {
  EXPECT_EQ(whole(2.9), 2u);
  EXPECT_EQ(whole(-1), 0u);
  EXPECT_EQ(whole(std::nan("")), 0u);
  EXPECT_EQ(whole(HUGE_VAL), UINT64_MAX);
}

TEST(ReportNumbers, CalendarIsLocalTime) {
  setenv("TZ", "UTC", 1);
  EXPECT_EQ(calendar(1'721'999'912'345, std::nullopt), "Fri Jul 26 13:18:32 2024");
  EXPECT_EQ(calendar(1'783'000'000'000, std::nullopt), "Thu Jul  2 13:46:40 2026");
  EXPECT_EQ(calendar(1'783'000'000'000, 5 * 3600 + 1800), "Thu Jul  2 19:16:40 2026");
  EXPECT_EQ(calendar(1'783'000'000'000, -14 * 3600), "Wed Jul  1 23:46:40 2026");
}

// The number that a reader takes from the text is the value, to the digits that are shown.
double read_back(const std::string& text, double step) {
  char* end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  const std::string prefixes = step == 1000 ? "kMGTPE" : "KMGTPE";
  const auto at = *end == '\0' ? std::string::npos : prefixes.find(*end);
  return at == std::string::npos ? value : value * std::pow(step, static_cast<double>(at + 1));
}

RC_GTEST_PROP(ReportNumbersProperty, ScaledTextIsShortAndExactToItsDigits,
              (std::uint64_t mantissa, bool binary, bool narrow)) {
  const auto shift = *rc::gen::inRange(0, 64);
  const std::uint64_t value = mantissa >> shift;
  const unsigned digits = narrow ? kRateDigits : kLatencyDigits;
  const double step = binary ? 1024 : 1000;
  const std::string text = scaled(value, digits, binary ? Base::k1024 : Base::k1000);
  const std::size_t number = text.find_last_of("0123456789") + 1;
  RC_ASSERT(number <= digits + 1);  // one more where rounding up carries
  const double error = std::abs(read_back(text, step) - static_cast<double>(value));
  RC_ASSERT(error <= static_cast<double>(value) * 0.0051 + 1e-9);
}

RC_GTEST_PROP(ReportNumbersProperty, SmallValuesAreExact, ()) {
  const auto value = *rc::gen::inRange<std::uint64_t>(0, 10'000);
  RC_ASSERT(scaled(value, kRateDigits, Base::k1000) == std::to_string(value));
  RC_ASSERT(scaled(value, kRateDigits, Base::k1024, "B") == std::to_string(value) + "B");
}

TEST(QuantityText, HasThreeDigitsInAFittingUnit) {
  struct Row {
    double value;
    const char *unit, *text;
  };
  constexpr Row kRows[] = {{12'345, "ns", "12.3 us"},   {999'900, "ns", "1.00 ms"},       {999.4, "ns", "999 ns"},
                           {61.2e9, "ns", "61.2 s"},    {145'210, "1/s", "145 k"},        {30.41e6, "1/s", "30.4 M"},
                           {975, "1/s", "975"},         {6e8, "bytes/s", "600 MB/s"},     {0, "ns", "0.00 ns"},
                           {-603'032, "ns", "-603 us"}, {1.25e11, "bytes/s", "125 GB/s"}, {99.97, "1/s", "100"},
                           {12.345, "%", "12.3 %"}};
  for (const auto& row : kRows) EXPECT_EQ(quantity_text(row.value, row.unit), row.text);
}

}  // namespace
}  // namespace fathom::report::parts
