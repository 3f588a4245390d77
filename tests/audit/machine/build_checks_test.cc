// What a build says of itself.
#include "audit/machine/build_checks.h"

#include <gtest/gtest.h>

namespace fathom::audit::machine {
namespace {

TEST(BuildFindings, AnOptimisedBuildHasNone) { EXPECT_TRUE(build_findings({}).empty()); }

TEST(BuildFindings, UnoptimisedSanitizedAndProfiledBuildsAreWarnings) {
  const auto found = build_findings({false, "address,undefined", true});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].id, "build.unoptimised");
  EXPECT_EQ(found[1].id, "build.sanitized");
  EXPECT_NE(found[1].evidence.find("-fsanitize=address,undefined"), std::string::npos);
  EXPECT_EQ(found[2].id, "build.profiled");
  for (const auto& f : found) {
    EXPECT_EQ(f.severity, result::Severity::warning);
    EXPECT_NE(f.remedy.find("Release"), std::string::npos);
  }
}

}  // namespace
}  // namespace fathom::audit::machine
