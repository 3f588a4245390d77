// Findings about a job's options: each is said, and only where a reader may be mistaken.
#include "run/outcome/notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::run::outcome {
namespace {

std::vector<result::Finding> findings_of(const files::Plan& plan) {
  result::Run run;
  add_option_findings({plan}, run);
  return run.findings;
}

files::Plan plan_of(const std::string& written, const std::vector<std::string>& names) {
  files::Plan plan;
  plan.job.name = "t";
  plan.job.filenames = names;
  plan.job.filename_place =
      base::SourcePlace{"<command line>", 1, 12, "--filename=" + written, static_cast<int>(written.size())};
  for (const auto& name : names) plan.targets.push_back({.path = name, .kind = io::TargetKind::regular});
  return plan;
}

TEST(OptionFindings, SayThatAColonSeparatesFiles) {
  const auto findings = findings_of(plan_of("a:b", {"a", "b"}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "option.reading");
  EXPECT_EQ(findings[0].severity, result::Severity::note);
  EXPECT_EQ(findings[0].evidence,
            "filename=a:b is 2 files, a and b: `:` separates names, and `\\:` is a colon in a name");
}

TEST(OptionFindings, AreNoneOfNamesWithoutAColonAndOfDevices) {
  EXPECT_TRUE(findings_of(plan_of("a", {"a"})).empty());
  EXPECT_TRUE(findings_of(plan_of("b", {"a", "b"})).empty()) << "two options, a name each";
  EXPECT_TRUE(findings_of(plan_of("a\\:b", {"a:b"})).empty()) << "one file";
  auto made = plan_of("a:b", {"a", "b"});
  made.job.filename_place->line_text.clear();
  EXPECT_TRUE(findings_of(made).empty()) << "no user wrote it";
  auto nvme = plan_of("soft:soft", {"soft", "soft"});
  nvme.job.ioengine = "nvme";
  EXPECT_TRUE(findings_of(nvme).empty());
}

}  // namespace
}  // namespace fathom::run::outcome
