// A job has the options of its own [global], not those of the run's last one.
#include "result/option_of.h"

#include <gtest/gtest.h>

namespace fathom::result {
namespace {

Run two_files() {
  Run run;
  run.global_options = {{"direct", "1"}, {"bs", "8k"}};
  Job first, second;
  first.global_options = Options{{"bs", "4k"}, {"bs", "16k"}};
  second.options = {{"rw", "read"}, {"bs", "64k"}};
  run.jobs = {first, second};
  return run;
}

TEST(OptionOf, AJobHasTheGlobalOptionsOfItsOwnFile) {
  const auto run = two_files();
  EXPECT_EQ(option_of(run, run.jobs[0], "direct"), nullptr);
  ASSERT_NE(option_of(run, run.jobs[1], "direct"), nullptr);
  EXPECT_EQ(*option_of(run, run.jobs[1], "direct"), "1");
}

TEST(OptionOf, TheLastValueAndTheJobsOwnCount) {
  const auto run = two_files();
  EXPECT_EQ(*option_of(run, run.jobs[0], "bs"), "16k");
  EXPECT_EQ(*option_of(run, run.jobs[1], "bs"), "64k");
  EXPECT_EQ(option_of(run, run.jobs[1], "size"), nullptr);
}

}  // namespace
}  // namespace fathom::result
