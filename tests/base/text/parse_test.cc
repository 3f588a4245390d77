// Numbers with units: what is taken, what is refused, and that printing and reading agree.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text/parse.h"

namespace fathom::base::text {
namespace {

struct Bytes {
  const char* text;
  unsigned kb_base;
  std::uint64_t bytes;
};

class ParseBytes : public testing::TestWithParam<Bytes> {};
TEST_P(ParseBytes, MatchesFio) {
  const auto& p = GetParam();
  const auto n = parse_bytes(p.text, p.kb_base);
  ASSERT_TRUE(n.ok()) << p.text << ": " << n.error().what;
  EXPECT_EQ(*n, p.bytes) << p.text;
}
INSTANTIATE_TEST_SUITE_P(Table, ParseBytes,
                         testing::Values(Bytes{"0", 1024, 0}, Bytes{"512", 1024, 512}, Bytes{"512b", 1024, 512},
                                         Bytes{"4096B", 1024, 4096}, Bytes{"4k", 1024, 4096}, Bytes{"4K", 1024, 4096},
                                         Bytes{"4kb", 1024, 4096}, Bytes{"4ki", 1024, 4096}, Bytes{"4kib", 1024, 4000},
                                         Bytes{"4KiB", 1000, 4096}, Bytes{"4k", 1000, 4000}, Bytes{"4kb", 1000, 4000},
                                         Bytes{"1m", 1024, 1 << 20}, Bytes{"1g", 1024, 1 << 30},
                                         Bytes{"2t", 1024, 2ull << 40}, Bytes{"1p", 1024, 1ull << 50},
                                         Bytes{"15e", 1024, 15ull << 60}, Bytes{"0x10", 1024, 16},
                                         Bytes{"0x10k", 1024, 16384}, Bytes{"1.5g", 1024, 1610612736},
                                         Bytes{"0.5k", 1024, 512}, Bytes{" 4k ", 1024, 4096}, Bytes{"010", 1024, 10},
                                         Bytes{"18446744073709551615", 1024, ~0ull}));

class ParseBytesRefusal : public testing::TestWithParam<const char*> {};
TEST_P(ParseBytesRefusal, HasACause) {
  const auto n = parse_bytes(GetParam());
  ASSERT_FALSE(n.ok()) << GetParam() << " was read as " << *n;
  EXPECT_FALSE(n.error().what.empty());
}
INSTANTIATE_TEST_SUITE_P(Table, ParseBytesRefusal,
                         testing::Values("", " ", "4x", "4k8", "4 k 8", "-1", "k", "4kk", "4kbb", "x4", "1.", ".5",
                                         "1.2.3", "16e", "0x", "18446744073709551616", "99999999999999999999", "50%",
                                         "4bk", "1e3x"));

struct Time {
  const char* text;
  std::uint64_t unit, ns;
};
class ParseDurationNs : public testing::TestWithParam<Time> {};
TEST_P(ParseDurationNs, ReturnsNanoseconds) {
  const auto n = parse_duration_ns(GetParam().text, GetParam().unit);
  ASSERT_TRUE(n.ok()) << GetParam().text << ": " << n.error().what;
  EXPECT_EQ(*n, GetParam().ns) << GetParam().text;
}
constexpr std::uint64_t kS = 1'000'000'000;
INSTANTIATE_TEST_SUITE_P(Table, ParseDurationNs,
                         testing::Values(Time{"10", kS, 10 * kS}, Time{"10", 1000, 10'000}, Time{"10s", 1, 10 * kS},
                                         Time{"10sec", 1, 10 * kS}, Time{"500ms", kS, kS / 2},
                                         Time{"500msec", kS, kS / 2}, Time{"20us", kS, 20'000},
                                         Time{"20usec", kS, 20'000}, Time{"5ns", kS, 5}, Time{"2m", kS, 120 * kS},
                                         Time{"1h", kS, 3600 * kS}, Time{"1d", kS, 86400 * kS},
                                         Time{"1:30", 1, 90 * kS}, Time{"1:00:00", 1, 3600 * kS},
                                         Time{"1.5s", 1, kS + kS / 2}, Time{"0", kS, 0}));

TEST(ParseDuration, RefusesWhatIsNotATime) {
  for (const char* text :
       {"", "s", "10q", "-1s", "1:60", "1:2:3:4", "1:", ":1", "10min", "99999999999999999999s", "9999999999d", "1:x"})
    EXPECT_FALSE(parse_duration_ns(text, kS).ok()) << text;
}

TEST(ParseInt, TakesSignAndHex) {
  EXPECT_EQ(*parse_int("12"), 12);
  EXPECT_EQ(*parse_int("-3"), -3);
  EXPECT_EQ(*parse_int("+3"), 3);
  EXPECT_EQ(*parse_int("0x1f"), 31);
  EXPECT_EQ(*parse_int("-9223372036854775808"), INT64_MIN);
  for (const char* text : {"", "-", "1k", "9223372036854775808", "--1", "0x", "1 2"})
    EXPECT_FALSE(parse_int(text).ok()) << text;
}

TEST(ParseDouble, TakesTheWholeText) {
  EXPECT_DOUBLE_EQ(*parse_double("1.25"), 1.25);
  EXPECT_DOUBLE_EQ(*parse_double("-2"), -2);
  for (const char* text : {"", "1.2x", "nan", "inf", "1e999"}) EXPECT_FALSE(parse_double(text).ok()) << text;
}

TEST(ParsePercent, RequiresThePercentSign) {
  EXPECT_DOUBLE_EQ(*parse_percent("50%"), 50);
  EXPECT_DOUBLE_EQ(*parse_percent("12.5%"), 12.5);
  for (const char* text : {"50", "%", "x%", "50%%"}) EXPECT_FALSE(parse_percent(text).ok()) << text;
}

TEST(EditDistance, CountsEditsAndTranspositions) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("randred", "randread"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("mrs", "msr"), 1u) << "neighbours that changed places";
  EXPECT_EQ(edit_distance("abcd", "badc"), 2u);
}

RC_GTEST_PROP(ParseBytes, ReadsWhatIsPrinted, (std::uint64_t bytes)) {
  RC_ASSERT(*parse_bytes(std::to_string(bytes)) == bytes);
  const std::uint64_t kib = bytes >> 10;
  RC_ASSERT(*parse_bytes(std::to_string(kib) + "k") == kib << 10);
}

RC_GTEST_PROP(ParseBytes, NeverTakesTrailingText, (std::uint64_t bytes)) {
  const char letter = *rc::gen::elementOf(std::string("acdfhijlnoqrsuvwxyz_,;:/"));
  RC_ASSERT(!parse_bytes(std::to_string(bytes) + letter).ok());
}

RC_GTEST_PROP(ParseBytes, NeverCrashes, (const std::string& text)) {
  (void)parse_bytes(text).ok();
  (void)parse_duration_ns(text, 1).ok();
  (void)parse_int(text).ok();
  (void)parse_double(text).ok();
  (void)parse_percent(text).ok();
}

RC_GTEST_PROP(EditDistance, IsAMetric, (const std::string& a, const std::string& b)) {
  RC_ASSERT(edit_distance(a, b) == edit_distance(b, a));
  RC_ASSERT((edit_distance(a, b) == 0) == (a == b));
}

}  // namespace
}  // namespace fathom::base::text
