// The rate of several jobs: all I/Os over the time from the first begin to the last end.
#include "result/sums/rates.h"

#include <gtest/gtest.h>

namespace fathom::result::sums {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

Direction direction(std::uint64_t ios, std::uint64_t begin_ns, std::uint64_t end_ns) {
  Direction d;
  d.ios = ios;
  d.bytes = ios * 4096;
  d.runtime_ns = end_ns - begin_ns;
  d.runtime_ms = d.runtime_ns / 1'000'000;
  d.begin_ns = begin_ns;
  d.end_ns = end_ns;
  return d;
}

RateSum rate(std::initializer_list<Direction> directions) {
  RateSum sum;
  for (const auto& d : directions) sum.add(d);
  return sum;
}

TEST(RateSum, OfJobsWithUnequalTimesIsNoSumOfRates) {
  const auto sum = rate({direction(10'240, 0, 10'240'000'000), direction(100, 0, 100'000'000)});
  EXPECT_NEAR(*sum.iops(), 1009.8, 0.1);
  EXPECT_NEAR(*sum.bytes_per_s(), 1009.8 * 4096, 400);
}

TEST(RateSum, OfSyncsIsOverTheTimeOfTheWrites) {
  Job job;
  job.sync_ios = 15;
  job.dirs[1] = direction(1000, 0, kSecond);
  job.dirs[0] = direction(1000, kSecond, 3 * kSecond);  // read back
  job.read_back_ns = 2 * kSecond;
  RateSum sum;
  sum.add_syncs(job);
  EXPECT_DOUBLE_EQ(*sum.iops(), 15);
}

TEST(RateSum, OfJobsThatNeverOverlapIsThatOfOne) {
  EXPECT_DOUBLE_EQ(*rate({direction(500, 0, kSecond), direction(500, kSecond, 2 * kSecond)}).iops(), 500);
  EXPECT_DOUBLE_EQ(*rate({direction(500, 0, kSecond), direction(500, 3 * kSecond, 4 * kSecond)}).iops(), 250);
}

TEST(RateSum, IsToTheNanosecond) {
  const auto sum = rate_of(direction(1, 0, 140'000));
  EXPECT_NEAR(*sum.iops(), 7142.86, 0.01);
  EXPECT_NEAR(*sum.bytes_per_s() / (1 << 20), 27.9, 0.01);
}

TEST(RateSum, WithoutBeginsIsOverTheLongestTime) {
  auto one = direction(1000, 0, kSecond), other = direction(500, 5 * kSecond, 7 * kSecond);
  other.begin_ns = other.end_ns = std::nullopt;
  EXPECT_DOUBLE_EQ(*rate({one, other}).iops(), 750);
  Direction of_fio;  // milliseconds alone
  of_fio.ios = 10, of_fio.runtime_ms = 100;
  EXPECT_DOUBLE_EQ(*rate_of(of_fio).iops(), 100);
}

TEST(RateSum, WithoutATimeIsNotKnown) {
  Direction d;
  d.ios = 1000;
  EXPECT_FALSE(rate_of(d).iops());
  EXPECT_FALSE(rate_of(d).bytes_per_s());
  EXPECT_FALSE(RateSum().iops());
}

TEST(MergeTimes, GivesASumTheFirstBeginAndTheLastEnd) {
  Direction sum;
  for (const auto& d : {direction(1, kSecond, 2 * kSecond), direction(1, 3 * kSecond, 6 * kSecond)}) {
    merge_times(sum, d);
    sum.ios += d.ios;
  }
  EXPECT_EQ(sum.begin_ns, kSecond);
  EXPECT_EQ(sum.end_ns, 6 * kSecond);
  EXPECT_EQ(sum.runtime_ns, 3 * kSecond) << "fio's rule";
  merge_times(sum, {});  // a job that did not use the direction
  EXPECT_EQ(sum.begin_ns, kSecond);
  auto unknown = direction(1, 0, kSecond);
  unknown.begin_ns = unknown.end_ns = std::nullopt;
  merge_times(sum, unknown);
  EXPECT_FALSE(sum.begin_ns || sum.end_ns);
}

// Two jobs of 100 fsyncs in a second each, one after the other: 100 a second, and not 200.
TEST(RateSum, SyncsAreOverTheWholeTimeToo) {
  const auto syncing = [](std::uint64_t begin_ns) {
    Job job;
    job.sync_ios = 100;
    job.dirs[1] = direction(100, begin_ns, begin_ns + kSecond);
    return job;
  };
  RateSum sum;
  sum.add_syncs(syncing(0));
  sum.add_syncs(syncing(kSecond));
  EXPECT_DOUBLE_EQ(*sum.iops(), 100);
  EXPECT_DOUBLE_EQ(*sum.bytes_per_s(), 0);
  Job alone;  // nothing but syncs: of four jobs together a second each
  alone.sync_ios = 400, alone.members = 4, alone.job_runtime_ms = 4000;
  RateSum of_one;
  of_one.add_syncs(alone);
  EXPECT_DOUBLE_EQ(*of_one.iops(), 400);
  RateSum none;
  none.add_syncs(Job{});
  EXPECT_FALSE(none.iops());
}

}  // namespace
}  // namespace fathom::result::sums
