// fathom's own cost, measured with the real loop. Times are no test; that they are positive, are of the right kind and
// are measured once a kind is.
#include "run/loop/own_cost.h"

#include <gtest/gtest.h>

#include "base/attempts.h"
#include "loops/table.h"

namespace fathom::loops {
namespace {

const auto kClock = clock::sources::calibrate(clock::sources::Source::clock_gettime);
int loops_run = 0;
base::Expected<void> counting_loop(run::loop::LoopContext& context) {
  ++loops_run;
  return idle_loop()(context);
}

job::Job job_of(std::uint32_t depth) {
  job::Job job;
  job.iodepth = depth;
  return job;
}

TEST_IN_ATTEMPTS(OwnCost, OfBothLoops) {
  run::loop::OwnCosts costs(idle_loop());
  for (const std::uint32_t depth : {1u, 128u}) {
    const auto cost = costs.of(job_of(depth), depth == 1, kClock);
    ASSERT_TRUE(cost) << depth;
    EXPECT_GT(cost->loop_ns_per_io, 0.5) << depth;
    EXPECT_GT(cost->record_ns, 0.1) << depth;
    EXPECT_LT(cost->record_ns, cost->loop_ns_per_io) << depth;
  }
}

TEST(OwnCost, IsMeasuredOnceForEachKindOfAFewKinds) {
  run::loop::OwnCosts costs(counting_loop);
  loops_run = 0;
  const auto first = costs.of(job_of(4), false, kClock);
  const int once = loops_run;
  EXPECT_GE(once, 3);
  const auto again = costs.of(job_of(4), false, kClock);
  EXPECT_EQ(loops_run, once);
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->loop_ns_per_io, again->loop_ns_per_io);
  int measured = 0;
  for (std::uint32_t depth = 2; depth < 40; ++depth) measured += costs.of(job_of(depth), false, kClock) ? 1 : 0;
  EXPECT_EQ(measured, 8);
}

TEST(OwnCost, IsAbsentWithoutALoopOrWhenItFails) {
  EXPECT_FALSE(run::loop::OwnCosts(nullptr).of(job_of(1), true, kClock));
  run::loop::OwnCosts failing([](run::loop::LoopContext&) { return base::Expected<void>(base::Error{}); });
  EXPECT_FALSE(failing.of(job_of(1), true, kClock));
}

TEST(SourceCost, KernelClocksHaveAPlausibleResolutionAndCost) {
  const auto tod = run::loop::source_cost(clock::sources::calibrate(clock::sources::Source::gettimeofday));
  EXPECT_GE(tod.resolution_ns, 1000);
  EXPECT_GT(tod.read_ns, 0);
  const auto monotonic = run::loop::source_cost(kClock);
  EXPECT_GE(monotonic.resolution_ns, 1);
  EXPECT_LT(monotonic.resolution_ns, 1000);
  EXPECT_GT(monotonic.read_ns, 0);
}

}  // namespace
}  // namespace fathom::loops
