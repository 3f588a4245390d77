// What a job was asked to do, where a run has several [global].
#include "audit/job_view.h"

#include <gtest/gtest.h>

#include "sound_run.h"

namespace fathom::audit {
namespace {

TEST(JobView, AnotherFilesGlobalMakesNoJobDirect) {
  auto run = sound_run();
  run.jobs[0].options = {{"rw", "randread"}};
  run.global_options = {{"direct", "1"}, {"sync", "1"}};
  EXPECT_TRUE(is_direct(run, run.jobs[0]));
  EXPECT_TRUE(is_on(run, run.jobs[0], "sync"));
  run.jobs[0].global_options = result::Options{{"buffered", "1"}};
  EXPECT_FALSE(is_direct(run, run.jobs[0]));
  EXPECT_FALSE(is_on(run, run.jobs[0], "sync"));
  run.jobs[0].options = {{"direct", "1"}};
  EXPECT_TRUE(is_direct(run, run.jobs[0]));
}

}  // namespace
}  // namespace fathom::audit
