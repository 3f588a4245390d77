// Latencies by the priority of the I/O.
#include "run/watch/priority_latency.h"

#include <gtest/gtest.h>

#include "base/system/shared_memory.h"
#include "run/outcome/so_far.h"

namespace fathom::run::watch {
namespace {

using Record = base::system::SharedArray<records::WorkerRecord>;

io::Request request(io::Dir dir, unsigned number) {
  return {.length = 4096, .dir = dir, .flags = static_cast<std::uint8_t>(number << io::kPriorityShift)};
}

job::Job with_priorities() {
  job::Job job;
  job.engine.own.get<io::CmdprioOptions>().values = {{1, 0, 0}};
  return job;
}

TEST(PriorityLatency, EachPriorityAndDirectionIsKeptSeparately) {
  Record record(1);
  PriorityLatency clat(with_priorities(), record[0]);
  EXPECT_TRUE(clat.used());
  clat.done(request(io::Dir::read, 0), 100, 150);
  clat.done(request(io::Dir::read, 1), 200, 250);
  clat.done(request(io::Dir::read, 1), 300, 350);
  clat.done(request(io::Dir::write, 1), 400, 450);
  clat.done(request(io::Dir::trim, 0), 500, 550);
  const auto& priorities = record[0].priorities;
  EXPECT_EQ(priorities[0][0].sums.moments.n, 1u);
  EXPECT_EQ(priorities[0][1].sums.moments.n, 2u);
  EXPECT_EQ(priorities[0][1].sums.moments.max, 300u);
  EXPECT_EQ(priorities[1][0].sums.moments.n, 0u);
  EXPECT_EQ(priorities[1][1].sums.moments.max, 400u);
}

TEST(PriorityLatency, WithLatPercentilesItRecordsLat) {
  Record record(1);
  auto job = with_priorities();
  job.lat_percentiles = true;
  PriorityLatency(job, record[0]).done(request(io::Dir::read, 1), 200, 250);
  EXPECT_EQ(record[0].priorities[0][1].sums.moments.max, 250u);
}

TEST(PriorityLatency, AJobWithoutMeasuredLatencyRecordsNone) {
  Record record(1);
  EXPECT_FALSE(PriorityLatency(job::Job{}, record[0]).used());
  auto job = with_priorities();
  job.disable_clat = true;
  EXPECT_FALSE(PriorityLatency(job, record[0]).used());
  job.lat_percentiles = true;
  EXPECT_TRUE(PriorityLatency(job, record[0]).used());
  job.gtod_reduce = true;
  EXPECT_FALSE(PriorityLatency(job, record[0]).used());
  EXPECT_FALSE(record[0].by_priority);
}

TEST(PriorityLatency, AMidRunReportIncludesThem) {
  Record record(1);
  PriorityLatency of_job(with_priorities(), record[0]);
  of_job.done(request(io::Dir::write, 1), 400, 450);
  record[0].set_phase(records::Phase::running);
  EXPECT_EQ(outcome::record_so_far(record[0], 1)->priorities[1][1].sums.moments.max, 400u);
  record[0].by_priority = false;
  EXPECT_EQ(outcome::record_so_far(record[0], 1)->priorities[1][1].sums.moments.n, 0u)
      << "memory of others is not touched";
}

}  // namespace
}  // namespace fathom::run::watch
