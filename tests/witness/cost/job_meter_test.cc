// What is read of workers' records: by direction and of all, across the end of a ramp, of lanes, and the CPU time of
// workers that are threads, processes, or gone.
#include "witness/cost/job_meter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "base/system/shared_memory.h"
#include "stats/histogram.h"

namespace fathom::witness::cost {
namespace {

using run::records::WorkerRecord;

class Meter : public ::testing::Test {
 protected:
  static void did(WorkerRecord& record, io::Dir dir, std::uint64_t ios, std::uint64_t ns) {
    record.measured.done.ios[io::index(dir)].add(ios);
    auto& of = record.measured.dirs[io::index(dir)];
    of.lat.add_many(of.lat_counts, ns, ios);
  }
  base::system::SharedArray<WorkerRecord> records_{4};
};

TEST_F(Meter, CountsADirectionAndBesideItTheWholeJob) {
  did(records_[0], io::Dir::read, 100, 1000);
  did(records_[1], io::Dir::read, 20, 1000);
  did(records_[1], io::Dir::write, 3, 9000);
  records_[1].measured.sync_ios.add(2);
  const run::WorkerViews workers{{&records_[0], {}}, {&records_[1], {}}};
  auto reads = JobMeter(workers, io::Dir::read).read();
  EXPECT_EQ(reads.ios, 120u);
  EXPECT_EQ(reads.job_ios, 125u);
  EXPECT_EQ(reads.latencies[stats::bucket_of(1000)], 120u);
  EXPECT_EQ(reads.latencies[stats::bucket_of(9000)], 0u);
  EXPECT_EQ(JobMeter(workers, io::Dir::sync).read().ios, 2u);
  auto all = JobMeter(workers, std::nullopt).read();
  EXPECT_EQ(all.ios, 125u);
  EXPECT_EQ(all.latencies[stats::bucket_of(9000)], 3u);
}

TEST_F(Meter, GoesOnWhenARampsCountsAreCleared) {
  auto& record = records_[0];
  JobMeter meter({{&record, {}}}, io::Dir::write);
  EXPECT_FALSE(meter.any_began());
  did(record, io::Dir::write, 50, 1000);
  EXPECT_TRUE(meter.any_began());
  EXPECT_EQ(meter.read().ios, 50u);
  record.keep_ramp();
  record.measured.done.ios[io::index(io::Dir::write)].set(0);
  EXPECT_EQ(meter.read().ios, 50u);
  did(record, io::Dir::write, 5, 1000);
  EXPECT_EQ(meter.read().ios, 55u);
}

TEST_F(Meter, OfAJobWithLanesReadsThose) {
  did(records_[2], io::Dir::read, 7, 1000);
  did(records_[3], io::Dir::read, 8, 1000);
  const std::span<const WorkerRecord> lanes(&records_[2], 2);
  EXPECT_EQ(JobMeter({{&records_[0], lanes}}, std::nullopt).read().ios, 15u);
  records_[0].pid = ::getpid();
  records_[0].tid = ::gettid();
  EXPECT_FALSE(JobMeter({{&records_[0], lanes}}, std::nullopt).read().cpu_known) << "the lanes are other threads";
}

TEST_F(Meter, CpuTimeIsOfWhoeverWorks) {
  records_[0].pid = ::getpid();
  records_[0].tid = ::gettid();
  JobMeter meter({{&records_[0], {}}, {&records_[1], {}}, {nullptr, {}}}, std::nullopt);
  const auto from = meter.read();
  EXPECT_TRUE(from.cpu_known);
  volatile std::uint64_t spun = 0;
  for (std::uint64_t i = 0; i < 1'000'000; ++i) spun = i;
  const auto to = meter.read();
  EXPECT_EQ(spun, 999'999u);
  EXPECT_GT(to.cpu_ns, from.cpu_ns);
  EXPECT_LE(to.cpu_ns - from.cpu_ns, to.ns - from.ns + 1'000'000);
  records_[0].tid = 4'190'000;  // nobody
  EXPECT_EQ(meter.read().cpu_ns, to.cpu_ns) << "one that has ended stays where it was";
}

}  // namespace
}  // namespace fathom::witness::cost
