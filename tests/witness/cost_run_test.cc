// The jobs of a cost run: as they are, but for so long and for nothing else. And what is one job of a report.
#include "witness/cost_run.h"

#include <gtest/gtest.h>

#include "job/fields/start.h"
#include "witness/reported_jobs.h"

namespace fathom::witness {
namespace {

TEST(CostRun, RunsJobsByTimeAlone) {
  run::files::Plan plan;
  plan.job.number_ios = 5;
  plan.job.ramp_ns = 7;
  plan.job.iodepth = 8;
  plan.job.own.get<job::fields::Start>().ramp_bytes = 4096;
  const auto plans = for_cost({plan}, 3'000'000'000);
  const auto& job = plans[0].job;
  EXPECT_TRUE(job.time_based);
  EXPECT_EQ(job.runtime_ns, 3'000'000'000u);
  EXPECT_EQ(job.number_ios, 0u);
  EXPECT_EQ(job.ramp_ns, 0u);
  EXPECT_EQ(job.of<job::fields::Start>().ramp_bytes, 0u);
  EXPECT_FALSE(job.do_verify);
  EXPECT_EQ(job.iodepth, 8u);
  EXPECT_EQ(plan.job.number_ios, 5u) << "the job itself is as it was";
}

TEST(ReportedJobs, OfOneGroupThatIsReportedTogetherAreOne) {
  std::vector<run::files::Plan> plans(5);
  const char* names[] = {"a", "b", "c", "d", "e"};
  for (std::size_t i = 0; i < plans.size(); ++i) {
    plans[i].job.name = names[i];
    plans[i].job.group_reporting = i != 2;
    plans[i].job.group_id = i == 4 ? 1 : 0;
  }
  const auto jobs = reported_jobs(plans);
  ASSERT_EQ(jobs.size(), 4u);
  EXPECT_EQ(jobs[0].plans, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(jobs[1].name, "c");
  EXPECT_EQ(jobs[2].number, 3);
  EXPECT_EQ(jobs[3].plans, (std::vector<std::size_t>{4}));
}

}  // namespace
}  // namespace fathom::witness
