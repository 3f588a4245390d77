// The same finding of several jobs is shown, and counted, once.
#include "result/sums/same_findings.h"

#include <gtest/gtest.h>

#include "result/sums/checks.h"

namespace fathom::result::sums {
namespace {

using Names = std::vector<std::string>;

Finding of(std::string job, const char* evidence = "the depth was 1") {
  return {"delivery.synchronous", Severity::warning, std::move(job), evidence, "use another engine"};
}

TEST(SameFindings, AreOneWithTheNamesOfTheirJobs) {
  auto different = of("d");
  different.values = {{"requested_depth", 8}};
  const std::vector<Finding> findings{of("a"), of("b"), of("c", "another depth"), different, of("a"), of("")};
  const auto same = same_findings(findings);
  ASSERT_EQ(same.size(), 4u);
  EXPECT_EQ(same[0].first, &findings[0]);
  EXPECT_EQ(same[0].jobs, (Names{"a", "b"}));
  EXPECT_EQ(same[1].jobs, (Names{"c"}));
  EXPECT_EQ(same[2].jobs, (Names{"d"}));
  EXPECT_EQ(same[3].jobs, Names{}) << "of the whole run";
  EXPECT_TRUE(same_findings({}).empty());
}

TEST(SameFindings, ManyJobsAreCounted) {
  EXPECT_EQ(jobs_text({}), "");
  EXPECT_EQ(jobs_text({"a"}), "a");
  EXPECT_EQ(jobs_text({"a", "b"}), "a and b");
  EXPECT_EQ(jobs_text({"a", "b", "c", "d"}), "a, b, c and d");
  EXPECT_EQ(jobs_text({"a", "b", "c", "d", "e"}), "a, b, c and 2 more");
}

TEST(SameFindings, AreOneWarning) {
  result::Run run;
  run.findings = {of("a"), of("b"), of("c"), of("c", "another depth")};
  const auto checks = checks_of(run);
  EXPECT_EQ(checks.warnings, 2u);
  EXPECT_EQ(checks.counts[static_cast<std::size_t>(Area::delivery)], 2u);
  EXPECT_EQ(checks.worst_of, "a, b and c");
}

}  // namespace
}  // namespace fathom::result::sums
