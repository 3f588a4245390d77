// What `fathom pmu list` finds on recorded machines: everything, what a pattern means, and what nothing matches.
#include "session/counters/pmu_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmu/recorded.h"

namespace fathom::session::counters {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

ListPlan list_plan_of(std::optional<std::string> pattern, bool explain = false) {
  ListPlan plan;
  plan.root = pmu::testing::recorded_prefix("pcie_bdf");
  plan.pattern = std::move(pattern);
  plan.explain = explain;
  return plan;
}

result::PmuList found(const ListPlan& plan) {
  auto list = pmu_list(plan);
  EXPECT_TRUE(list) << (list ? "" : list.error().what);
  return list ? std::move(*list) : result::PmuList{};
}

TEST(PmuList, WithoutAPatternItIsTheMachine) {
  const auto list = found(list_plan_of(std::nullopt));
  EXPECT_FALSE(list.matches || list.device || list.of_pattern);
  ASSERT_THAT(list.sources, Not(IsEmpty()));
  EXPECT_THAT(list.sources[0].name, HasSubstr("pcie_bdf_"));
  EXPECT_THAT(list.sources[0].terms, ::testing::Contains(::testing::Field(&std::pair<std::string, std::string>::second,
                                                                          HasSubstr("config:"))));
  ASSERT_THAT(list.pcie, Not(IsEmpty()));
  EXPECT_THAT(list.pcie[0].rules[0].sentence, HasSubstr("bytes (pcie_bdf_*: "));
  EXPECT_THAT(list.software, ::testing::Contains("page-faults"));
}

TEST(PmuList, AnEventOfAPatternHasItsExplanationAndItsRule) {
  const auto list = found(list_plan_of("Rx_PCIe_TLP_Data_Payload"));
  EXPECT_TRUE(list.of_pattern);
  ASSERT_TRUE(list.matches && !list.matches->events.empty());
  EXPECT_THAT(list.matches->sources, IsEmpty()) << "it is no part of a PMU's name";
  const auto& event = list.matches->events[0];
  EXPECT_TRUE(event.here);
  ASSERT_TRUE(event.dwc && event.rule);
  EXPECT_LT(event.dwc->of, list.matches->groups.size());
  EXPECT_TRUE(list.matches->groups[event.dwc->of].time_based);
  EXPECT_EQ(event.rule->direction, result::PmuDirection::read);
  EXPECT_EQ(event.rule->unit_bytes, 16);
  EXPECT_THAT(found(list_plan_of("Rx_PCIe_TLP_Data_Payload", true)).matches->sources, Not(IsEmpty()))
      << "explained, with the PMU whose event it is";
}

TEST(PmuList, EverythingExplainedIsTheMachineAndEachEvent) {
  const auto list = found(list_plan_of(std::nullopt, true));
  EXPECT_FALSE(list.of_pattern);
  ASSERT_TRUE(list.matches);
  EXPECT_GE(list.matches->events.size(), list.software.size());
}

TEST(PmuList, EventsOfTheDataFilesAreNotHere) {
  auto plan = list_plan_of("dwc_pcie");
  plan.root = pmu::testing::recorded_prefix("msr");
  const auto list = found(plan);
  ASSERT_TRUE(list.matches && !list.matches->events.empty());
  for (const auto& event : list.matches->events) EXPECT_TRUE(!event.here && event.dwc) << event.name;
}

TEST(PmuList, NothingThatMatchesIsAMistakeWithTheNearest) {
  const auto list = pmu_list(list_plan_of("page-fautls"));
  ASSERT_FALSE(list);
  EXPECT_EQ(list.error().kind, base::ErrorKind::usage);
  EXPECT_EQ(list.error().what, "no PMU, event or tracepoint matches `page-fautls`");
  EXPECT_THAT(list.error().help, HasSubstr("page-faults"));
  EXPECT_EQ(list.error().cause, "");
  const auto tracepoint = pmu_list(list_plan_of("blok:*"));
  ASSERT_FALSE(tracepoint);
  EXPECT_THAT(tracepoint.error().cause, HasSubstr("tracefs"));
}

TEST(PmuList, ADeviceThatIsNotThereHasNoPort) {
  auto plan = list_plan_of(std::nullopt);
  plan.device = "/nowhere/at/all";
  const auto list = found(plan);
  ASSERT_TRUE(list.device);
  EXPECT_EQ(list.device->target, "/nowhere/at/all");
  EXPECT_THAT(list.device->ports, IsEmpty());
}

}  // namespace
}  // namespace fathom::session::counters
