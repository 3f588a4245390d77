// What a report says was asked for: a pattern's own numbers where none were given, a profile's reads, and every option
// that has no field.
#include "paging/conditions.h"

#include <gtest/gtest.h>

#include "paging/source_support.h"
#include "paging/temporary_file.h"

namespace fathom::paging {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
constexpr std::uint64_t kSet_bytes = 800 * 4096;

sources::PatternFacts facts_of(const PatternPlan& plan) {
  const auto facts = sources::pattern_facts(plan, kSet_bytes);
  EXPECT_TRUE(facts.ok()) << plan.name;
  return facts.ok() ? *facts : sources::PatternFacts{};
}

TEST(PagingConditions, a_shape_that_was_not_given_is_the_patterns_default) {
  EXPECT_EQ(facts_of(plan_of("zipf")).shape, 0.99);
  EXPECT_EQ(facts_of(plan_of("pareto")).shape, 1.00001);
  EXPECT_EQ(facts_of(plan_of("linear")).shape, 1);
  EXPECT_EQ(facts_of(plan_of("normal")).shape, 100);
  EXPECT_EQ(facts_of(plan_of("uniform")).shape, 0);
  EXPECT_EQ(facts_of(plan_of("legacy:uniform")).shape, 0);
  auto plan = plan_of("zipf");
  plan.shape = 0.5;
  EXPECT_EQ(facts_of(plan).shape, 0.5);
}

TEST(PagingConditions, the_profiles_read_percent_is_reported_unless_one_was_given) {
  EXPECT_EQ(facts_of(plan_of("uniform")).read_percent, 50);
  const TemporaryFile profile("version 1\nzipf_theta 0.9\nworking_set_bytes 4096000\nread_percent 89.5\n");
  auto plan = plan_of("profile");
  plan.file = profile.path();
  EXPECT_EQ(facts_of(plan).read_percent, 89.5);
  EXPECT_EQ(facts_of(plan).profile_bytes, 4096000u);
  plan.read_percent_given = true;
  EXPECT_EQ(facts_of(plan).read_percent, 50);
  const TemporaryFile trace("R 1000\nW 2000\n");
  plan = plan_of("trace");
  plan.file = trace.path();
  EXPECT_LT(facts_of(plan).read_percent, 0);
}

TEST(PagingConditions, a_profile_larger_than_the_set_by_a_page_is_a_finding) {
  sources::PatternFacts facts;
  EXPECT_TRUE(judge_profile(facts, kSet_bytes).empty());
  facts.profile_bytes = kSet_bytes + 4095;
  EXPECT_TRUE(judge_profile(facts, kSet_bytes).empty());
  facts.profile_bytes = kSet_bytes + 4096;
  const auto findings = judge_profile(facts, kSet_bytes);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "paging.profile_clipped");
  EXPECT_NE(findings[0].evidence.find("801 pages, the set 800"), std::string::npos) << findings[0].evidence;
}

TEST(PagingConditions, a_profile_without_a_reliable_zipf_theta_is_a_finding) {
  const auto said = [](const char* exponent) {
    const TemporaryFile profile(std::string("version 1\nworking_set_bytes 4096\n") + exponent);
    auto plan = plan_of("profile");
    plan.file = profile.path();
    const auto findings = judge_profile(facts_of(plan), kSet_bytes);
    for (const auto& finding : findings) EXPECT_EQ(finding.id, "paging.profile_theta");
    return findings.empty() ? std::string() : findings[0].evidence;
  };
  EXPECT_EQ(said("zipf_theta 0.9\nzipf_error 0.05\n"), "");
  EXPECT_NE(said("zipf_theta -1\n").find("equally often"), std::string::npos);
  EXPECT_NE(said("zipf_theta 0.825\nzipf_error 0.978\n").find("0.825 ± 0.978"), std::string::npos);
}

TEST(PagingConditions, a_default_plan_has_none) {
  EXPECT_EQ(conditions_of(Plan{}), Pairs{});
  EXPECT_EQ(fill_text(RegionPlan{}), "none");
}

TEST(PagingConditions, every_option_is_reported_with_the_value_given) {
  Plan plan;
  plan.pattern.name = "hot";
  plan.pattern.hot_access_percent = 95;
  plan.pattern.hot_set_percent = 2.5;
  plan.pattern.hot_move_s = 0.1;
  plan.pattern.permute = true;
  plan.touch.load_before_store = true;
  plan.touch.max_accesses = 7;
  plan.touch.mark_above_ns = 100'000;
  plan.touch.slow_above_ns = 900;
  plan.region.thp = Thp::never;
  plan.region.advice = {"random", "hugepage"};
  plan.region.memory_nodes = {0, 2};
  plan.region.initial_node = 1;
  plan.region.fill = Fill::compressible;
  plan.region.fill_percent = 70;
  plan.region.fill_map = true;
  EXPECT_EQ(fill_text(plan.region), "compressible:70");
  EXPECT_EQ(conditions_of(plan), (Pairs{{"hot-access", "95"},
                                        {"hot-set", "2.5"},
                                        {"hot-move", "100ms"},
                                        {"permute", ""},
                                        {"load-before-store", ""},
                                        {"accesses", "7"},
                                        {"slow-above", "900ns"},
                                        {"mark-above", "100000ns"},
                                        {"fill-map", ""},
                                        {"thp", "never"},
                                        {"madvise", "random,hugepage"},
                                        {"membind", "0,2"},
                                        {"initial-node", "1"}}));
  Plan trace;
  trace.pattern.name = "trace";
  trace.pattern.file = "/t";
  trace.pattern.trace_loop = true;
  EXPECT_EQ(conditions_of(trace), (Pairs{{"pattern", "trace:/t"}, {"trace-loop", ""}}));
  Plan nodes;
  nodes.process_nodes = {{0}, {1, 2}};
  EXPECT_EQ(conditions_of(nodes), (Pairs{{"membind", "0:1,2"}}));
}

}  // namespace
}  // namespace fathom::paging
