// A split of which too much is missing is doubted, with what to do about it; one that is nearly whole is not.
#include <gmock/gmock.h>

#include "audit/sound_run.h"

namespace fathom::audit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<result::Finding> breakdown_findings(std::uint64_t ios, std::uint64_t lost) {
  auto run = sound_run();
  auto& split = run.breakdown.emplace();
  split.asked = true;
  split.events_by = "BPF programs";
  auto& c = split.classes.emplace_back();
  c.job = "t";
  c.direction = "read";
  c.ios = ios;
  c.of(result::Undivided::lost) = {lost, 0};
  c.matched = ios - lost;
  c.whole.moments_ns.add(1);
  std::vector<result::Finding> out;
  for (auto& f : run_findings(run))
    if (f.id.starts_with("breakdown.")) out.push_back(f);
  return out;
}

TEST(BreakdownFindings, NoneWhenNearlyAllIosWereSplit) {
  EXPECT_THAT(breakdown_findings(1000, 0), IsEmpty());
  EXPECT_THAT(breakdown_findings(1000, 50), IsEmpty());
  EXPECT_THAT(breakdown_findings(0, 0), IsEmpty());
}

TEST(BreakdownFindings, ManyUnsplitIosAreABiasWarning) {
  const auto found = breakdown_findings(1000, 51);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "breakdown.biased");
  EXPECT_EQ(found[0].severity, result::Severity::warning);
  EXPECT_EQ(found[0].job, "t");
  EXPECT_THAT(found[0].evidence, HasSubstr("of 1000 traced reads, 51 (5.1 %)"));
}

std::vector<result::Finding> of_time(result::Undivided why, std::uint64_t time_ns) {
  auto run = sound_run();
  auto& split = run.breakdown.emplace();
  split.asked = true;
  auto& c = split.classes.emplace_back();
  c.job = "t";
  c.direction = "read";
  c.ios = 1000;
  c.matched = 980;
  c.of(why) = {20, time_ns};
  for (int i = 0; i < 980; ++i) c.whole.moments_ns.add(4000);
  std::vector<result::Finding> out;
  for (auto& f : run_findings(run))
    if (f.id.starts_with("breakdown.")) out.push_back(f);
  return out;
}

TEST(BreakdownFindings, AFewUnsplitIosThatAreMostOfTheTimeArePartial) {
  const auto found = of_time(result::Undivided::contested, 2'000'000'000);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "breakdown.partial");
  EXPECT_THAT(found[0].evidence, HasSubstr("the parts explain 0.2 % of the latency of the traced reads"));
  EXPECT_THAT(found[0].evidence, HasSubstr("99.8 % of it (20 of 1000 I/Os) overlapped other I/Os"));
  EXPECT_THAT(found[0].remedy, HasSubstr("norandommap=0"));
  EXPECT_THAT(of_time(result::Undivided::contested, 400'000), IsEmpty()) << "below a tenth";
  EXPECT_THAT(of_time(result::Undivided::no_request, 2'000'000'000), IsEmpty()) << "a page cache is no shortcoming";
}

std::vector<result::Finding> of_cost(const result::WatchingCost& cost) {
  auto run = sound_run();
  auto& split = run.breakdown.emplace();
  split.asked = true;
  split.mode = result::BreakdownMode::slices;
  split.seen_share = 0.1;
  auto& c = split.classes.emplace_back();
  c.job = "t";
  c.direction = "read";
  c.ios = c.matched = 1000;
  for (int i = 0; i < 1000; ++i) c.whole.moments_ns.add(4000);
  c.watching = cost;
  std::vector<result::Finding> out;
  for (auto& f : run_findings(run))
    if (f.id.starts_with("breakdown.")) out.push_back(f);
  return out;
}

TEST(BreakdownFindings, ACostIsAWarningOnlyWhereItIsSure) {
  using result::CostBy;
  const auto found = of_cost({CostBy::rate, {0.13, 0.02}, {}, 20});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "breakdown.cost");
  EXPECT_EQ(found[0].severity, result::Severity::warning);
  EXPECT_THAT(found[0].evidence,
              HasSubstr("13.0 +- 2.0 % of the rate, by 20 slices: more than 2 %; it is watched 10 % of the time"));
  EXPECT_THAT(of_cost({CostBy::rate, {0.13, 0.12}, {}, 20}), IsEmpty()) << "too noisy to tell";
  EXPECT_THAT(of_cost({CostBy::rate, {0.01, 0.005}, {}, 20}), IsEmpty());
  EXPECT_THAT(of_cost({CostBy::rate, {0.13, -1}, {}, 2}), IsEmpty()) << "no interval";
  EXPECT_THAT(of_cost({}), IsEmpty()) << "not measured";
}

TEST(BreakdownFindings, APacedJobsCostIsItsMedian) {
  using result::CostBy;
  EXPECT_THAT(of_cost({CostBy::p50, {0.13, 0.02}, {0.01, 0.005}, 20}), IsEmpty());
  const auto found = of_cost({CostBy::p50, {0, 0.02}, {0.05, 0.01}, 20});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_THAT(found[0].evidence, HasSubstr("5.0 +- 1.0 % of the median latency"));
}

}  // namespace
}  // namespace fathom::audit
