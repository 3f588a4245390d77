// What --cost found is a warning only where it is sure, and only once.
#include <gmock/gmock.h>

#include "audit/sound_run.h"

namespace fathom::audit {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<result::Finding> cost_findings(const result::Run& run) {
  std::vector<result::Finding> out;
  for (auto& f : run_findings(run))
    if (f.id.starts_with("watching.") || f.id == "breakdown.cost") out.push_back(f);
  return out;
}

result::Run costs(const char* watcher, double share, double half_width) {
  auto run = sound_run();
  auto& of = run.watching.emplace_back();
  of.watcher = watcher;
  of.job = "t";
  of.cost.by = result::CostBy::rate;
  of.cost.from = result::CostFrom::cost_run;
  of.cost.rate = {share, half_width};
  of.cost.slices = 14;
  return run;
}

TEST(WatchingFindings, AreOfWhatIsSure) {
  const auto found = cost_findings(costs("tracepoints", 0.393, 0.087));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "watching.cost");
  EXPECT_EQ(found[0].job, "t");
  EXPECT_THAT(
      found[0].evidence,
      HasSubstr("tracepoints costs it 39.3 +- 8.7 % of the rate, by 14 slices of a separate run: more than 2 %"));
  EXPECT_THAT(found[0].remedy, HasSubstr("--audit"));
  EXPECT_THAT(cost_findings(costs("audit", 0.03, 0.02)), IsEmpty());
  EXPECT_THAT(cost_findings(costs("audit", 0.03, -1)), IsEmpty());
}

TEST(WatchingFindings, TheSplitSaysItsOwn) {
  auto run = costs("breakdown", 0.13, 0.02);
  EXPECT_EQ(cost_findings(run).size(), 1u);
  auto& c = run.breakdown.emplace().classes.emplace_back();
  c.job = "t";
  c.ios = c.matched = 1000;
  c.watching = run.watching[0].cost;
  const auto found = cost_findings(run);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].id, "breakdown.cost");
}

}  // namespace
}  // namespace fathom::audit
