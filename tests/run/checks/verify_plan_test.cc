// What verify= and its options come to.
#include "run/checks/verify_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "job/fields/verify.h"
#include "job/option.h"
#include "verify/methods.h"

namespace fathom::run::checks {
namespace {

job::Job writer(const std::string& method) {
  job::Job job;
  job.verify = true;
  job.mode.reads = false;
  job.mode.writes = true;
  job.verify_interval = 4096;
  job.own.get<job::fields::VerifyOptions>().method = method;
  return job;
}

// The names that a job may have are those of the methods, and the other way round.
TEST(VerifyPlan, EveryVerifyOptionValueHasAMethod) {
  const auto* row = job::find_option("verify");
  ASSERT_NE(row, nullptr);
  std::size_t named = 0;
  for (const auto& choice : row->choices) {
    if (choice.value == 0) continue;
    EXPECT_NE(verify::method_named(choice.name), nullptr) << choice.name;
    ++named;
  }
  for (const auto& method : verify::methods())
    EXPECT_TRUE(std::any_of(row->choices.begin(), row->choices.end(), [&](const auto& choice) {
      return choice.name == method.name;
    })) << method.name;
  EXPECT_EQ(named, verify::methods().size() + 1) << "crc32c-intel is crc32c";
}

TEST(VerifyPlan, ImpossibleCombinationsAreRefusedInFiosWords) {
  auto job = writer("sha512");
  EXPECT_TRUE(VerifyTools::make(job).ok());
  job.own.get<job::fields::VerifyOptions>().format = job::fields::VerifyFormat::fio_3_33;
  EXPECT_NE(verify_layout(job).error().what.find("sha512"), std::string::npos);
  job = writer("pattern");
  EXPECT_NE(verify_layout(job).error().help.find("verify_pattern="), std::string::npos);
  job = writer("md5");
  job.own.get<job::fields::VerifyOptions>().offset = 4090;
  EXPECT_EQ(verify_layout(job).error().what, "cannot offset verify header beyond the verify interval.");
  EXPECT_EQ(verify_layout(job).error().kind, base::ErrorKind::usage);
}

TEST(VerifyPlan, APatternWithoutAMethodIsCheckedBehindItsHeader) {
  auto job = writer("");
  auto& options = job.own.get<job::fields::VerifyOptions>();
  options.pattern = std::string("ab") + std::string(8, '\0');
  options.offset_places = {2};
  auto tools = VerifyTools::make(job);
  ASSERT_TRUE(tools.ok());
  EXPECT_EQ(tools->sealer.layout().method, verify::Method::pattern_hdr);
  std::vector<std::byte> block(4096);
  tools->sealer.seal(block, {.offset = 0x3000});
  EXPECT_EQ(block[50], std::byte{'a'});  // ten bytes from the start of the block, over and over
  EXPECT_EQ(block[53], std::byte{0x30});
  EXPECT_TRUE(tools->checker.check(block, {.offset = 0x3000}).good());
}

// Only those of one stage that write, and whose windows of the same file meet.
TEST(VerifyPlan, JobsThatWriteTheSameRangesAreReported) {
  std::vector<files::Plan> plans(3);
  for (auto& plan : plans) {
    plan.job = writer("md5");
    plan.targets.resize(1);
    plan.targets[0].path = "f";
    plan.targets[0].length = 8192;
  }
  plans[1].targets[0].start = 8192;
  plans[2].targets[0].start = 12288;
  mark_shared_places(plans);
  EXPECT_FALSE(plans[0].others_write_there);
  EXPECT_TRUE(plans[1].others_write_there);
  EXPECT_TRUE(plans[2].others_write_there);
}

}  // namespace
}  // namespace fathom::run::checks
