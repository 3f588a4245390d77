// Stored verdicts: what is written is read back, and nothing else is.
#include "clock/verdict_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/prng.h"

namespace fathom::clock {
namespace {

constexpr std::string_view kBoot = "0bd2c1a4-6f1e-4b1c-9d6e-1c2f3a4b5c6d";

StoredVerdict example() {
  StoredVerdict v;
  v.stored_at_ns = 123'456'789'012;
  v.test = {Outcome::passed, TestKind::full, false, {0, 1, 7, 4095}, 100'000, 3, 47, 95, 81'000'000, "no mismatches"};
  return v;
}

void expect_same(const StoredVerdict& a, const StoredVerdict& b) {
  EXPECT_EQ(a.stored_at_ns, b.stored_at_ns);
  EXPECT_EQ(a.test.outcome, b.test.outcome);
  EXPECT_EQ(a.test.kind, b.test.kind);
  EXPECT_EQ(a.test.cpus, b.test.cpus);
  EXPECT_EQ(a.test.entries_per_cpu, b.test.entries_per_cpu);
  EXPECT_EQ(a.test.mismatches, b.test.mismatches);
  EXPECT_EQ(a.test.largest_backward_ticks, b.test.largest_backward_ticks);
  EXPECT_EQ(a.test.detectable_ticks, b.test.detectable_ticks);
  EXPECT_EQ(a.test.took_ns, b.test.took_ns);
  EXPECT_EQ(a.test.text, b.test.text);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(VerdictText, ParsesWhatWasWritten) {
  const auto parsed = parse_verdict(verdict_text(example(), kBoot), kBoot);
  ASSERT_TRUE(parsed);
  expect_same(*parsed, example());
}

TEST(VerdictText, WordsStayOnOneLine) {
  auto v = example();
  v.test.text = "two\nlines\r";
  const auto parsed = parse_verdict(verdict_text(v, kBoot), kBoot);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->test.text, "two lines ");
}

TEST(VerdictText, AnotherBootOrVersionIsRejected) {
  const auto text = verdict_text(example(), kBoot);
  EXPECT_FALSE(parse_verdict(text, "another"));
  EXPECT_FALSE(parse_verdict(text, ""));
  EXPECT_FALSE(parse_verdict(replaced(text, "verdict 1\n", "verdict 2\n"), kBoot));
  EXPECT_FALSE(parse_drift(text, kBoot)) << "a verdict is no drift";
}

TEST(VerdictText, MalformedTextIsRejected) {
  const auto text = verdict_text(example(), kBoot);
  const std::pair<const char*, const char*> changes[] = {{"outcome passed", "outcome Passed"},
                                                         {"outcome passed\n", ""},
                                                         {"kind long", "kind longer"},
                                                         {"kind long", "kind"},
                                                         {"cpus 0 1 7", "cpus 1 0 7"},
                                                         {"cpus 0 1 7", "cpus 0 0 7"},
                                                         {"cpus 0 1", "cpus 0  1"},
                                                         {"cpus 0 1 7 4095", "cpus "},
                                                         {"7 4095", "7 65536"},
                                                         {"7 4095", "7 4095 "},
                                                         {"mismatches 3", "mismatches 3x"},
                                                         {"mismatches 3", "mismatches -3"},
                                                         {"mismatches 3", "mismatches 99999999999999999999999"},
                                                         {"mismatches 3", "mismatches 3\nmismatches 3"},
                                                         {"took_ns", "took_us"},
                                                         {"took_ns 81", "extra 1\ntook_ns 81"},
                                                         {"entries_per_cpu 100000", "entries_per_cpu 4294967296"}};
  for (const auto& [from, to] : changes) EXPECT_FALSE(parse_verdict(replaced(text, from, to), kBoot)) << to;
  EXPECT_FALSE(parse_verdict("", kBoot));
  EXPECT_FALSE(parse_verdict(text + "x", kBoot));
}

TEST(VerdictText, TruncatedTextIsRejected) {
  const auto text = verdict_text(example(), kBoot);
  for (std::size_t n = 0; n < text.size(); ++n) EXPECT_FALSE(parse_verdict(text.substr(0, n), kBoot)) << n;
}

// Bytes changed at random: whatever still parses is a valid verdict, and nothing crashes.
TEST(VerdictText, SurvivesDamage) {
  const auto text = verdict_text(example(), kBoot);
  base::Prng prng(7);
  for (int round = 0; round < 20'000; ++round) {
    auto damaged = text;
    for (std::uint64_t hits = 1 + prng.below(4); hits > 0; --hits)
      damaged[prng.below(damaged.size())] = static_cast<char>(prng.below(256));
    const auto parsed = parse_verdict(damaged, kBoot);
    if (!parsed) continue;
    ASSERT_FALSE(parsed->test.cpus.empty());
    ASSERT_TRUE(std::is_sorted(parsed->test.cpus.begin(), parsed->test.cpus.end()));
    const auto again = parse_verdict(verdict_text(*parsed, kBoot), kBoot);
    ASSERT_TRUE(again);
    expect_same(*again, *parsed);
  }
}

RC_GTEST_PROP(VerdictTextProperty, DriftParsesBackAsWritten, ()) {
  const Drift drift{*rc::gen::arbitrary<std::int32_t>() / 1000.0, *rc::gen::inRange(0, 1'000'000) / 7.0,
                    *rc::gen::arbitrary<std::uint64_t>(), *rc::gen::inRange(1, 2'000'000'000) * 2.5};
  const auto parsed = parse_drift(drift_text(drift, kBoot), kBoot);
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(parsed->drift_ppm == drift.drift_ppm);
  RC_ASSERT(parsed->bound_ppm == drift.bound_ppm);
  RC_ASSERT(parsed->over_ns == drift.over_ns);
  RC_ASSERT(parsed->ticks_per_second == drift.ticks_per_second);
}

TEST(DriftText, NonFiniteNumbersAreRejected) {
  const auto text = drift_text({1.5, 0.25, 1000, 2.5e9}, kBoot);
  EXPECT_TRUE(parse_drift(text, kBoot));
  for (const char* bad : {"nan", "inf", "-inf", "1e999", "0x1p3", ""})
    EXPECT_FALSE(parse_drift(replaced(text, "drift_ppm 1.5", std::string("drift_ppm ") + bad), kBoot)) << bad;
}

}  // namespace
}  // namespace fathom::clock
