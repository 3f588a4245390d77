// Which latency a headline has: of a paced job from the intended start, of a mixture each I/O's own.
#include "result/sums/main_latency.h"

#include <gtest/gtest.h>

namespace fathom::result::sums {
namespace {

Latency latency(std::uint64_t ns, std::uint64_t times) {
  Latency out;
  for (std::uint64_t i = 0; i < times; ++i) out.moments_ns.add(ns);
  out.histogram_ns.add(ns, times);
  return out;
}

Direction closed(std::uint64_t ios) {
  Direction d;
  d.ios = ios;
  d.lat = latency(100'000, ios);
  d.clat = latency(99'000, ios);
  return d;
}

Direction paced(std::uint64_t ios) {
  auto d = closed(ios);
  d.intended_lat = latency(600'000'000, ios);
  return d;
}

TEST(MainLatency, IsFromTheIntendedStartWhereThereIsOne) {
  EXPECT_EQ(main_latency(paced(100)).name, "intended_lat");
  EXPECT_EQ(main_latency(closed(100)).name, "lat");
  auto without_lat = closed(100);
  without_lat.lat = {};
  EXPECT_EQ(main_latency(without_lat).name, "clat");
  without_lat.intended_lat = latency(5, 100);
  EXPECT_TRUE(main_latency(without_lat).is_due());
}

TEST(MainLatency, AClockThatSteppedBackOnceChangesNothing) {
  auto d = paced(1000);
  d.intended_lat = latency(600'000'000, 999);
  EXPECT_TRUE(main_latency(d).is_due());
  d.intended_lat = latency(600'000'000, 500);
  EXPECT_FALSE(main_latency(d).is_due()) << "half of them had no rate";
}

TEST(MainLatency, OfASumOfWhichSomeArePacedEachMemberHasItsOwn) {
  result::Run run;
  Job other, sum;
  other.members = 2, sum.members = 2;
  other.dirs[0] = closed(4);
  sum.dirs[0] = closed(300);
  sum.dirs[0].intended_lat = latency(600'000'000, 100);
  run.jobs = {other, sum};
  for (const auto& d : {closed(2), closed(2), paced(100), closed(200)}) run.group_members.emplace_back().dirs[0] = d;
  EXPECT_EQ(main_latency_parts(run, run.jobs[0], 0), (std::vector<const Direction*>{&run.jobs[0].dirs[0]}));
  const auto parts = main_latency_parts(run, run.jobs[1], 0);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_TRUE(main_latency(*parts[0]).is_due());
  EXPECT_FALSE(main_latency(*parts[1]).is_due());
  EXPECT_EQ(main_latency(*parts[1]).latency->moments_ns.n, 200u);
}

TEST(MainLatency, AnotherProgramsPacedJobLacksIt) {
  Job job;
  EXPECT_FALSE(lacks_due(job));
  job.rate.paced = true;
  EXPECT_TRUE(lacks_due(job));
  job.rate.asked_iops[1] = 1000;
  EXPECT_FALSE(lacks_due(job));
}

}  // namespace
}  // namespace fathom::result::sums
