// Which syncs fall due when, and of which bytes.
#include "workload/sync_cadence.h"

#include <gtest/gtest.h>

#include "workload/make_job.h"

namespace fathom::workload {
namespace {

using testing::k;

// "w0 w4 r0+8:2": writes by their offset, syncs "s", "d", and of ranges "r" offset + length : file, in KiB.
std::string log_with_syncs(const job::Job& job, std::uint32_t files) {
  std::string log;
  for (const auto& r : testing::all_requests(job, testing::make_targets(job, files))) {
    if (!log.empty()) log += ' ';
    if (r.dir != io::Dir::sync)
      log += "w" + std::to_string(r.offset / k);
    else if ((r.flags & io::kRangeSyncMask) != 0)
      log += "r" + std::to_string(r.offset / k) + "+" + std::to_string(r.length / k) + ":" + std::to_string(r.target);
    else
      log += (r.flags & io::kDataSync) != 0 ? "d" : "s";
  }
  return log;
}

// effect: sync_file_range
TEST(SyncCadence, SyncFileRangeCoversWhatWasWrittenSinceTheLast) {
  auto job = testing::make_job("write", 32 * k);
  auto& files = job.own.get<job::fields::FileOptions>();
  files.range_sync_every = 3;
  files.range_sync_flags = 2;
  EXPECT_EQ(log_with_syncs(job, 1), "w0 w4 w8 r0+12:0 w12 w16 w20 r12+12:0 w24 w28");
  const auto requests = testing::all_requests(job, testing::make_targets(job));
  EXPECT_EQ(requests[3].flags >> io::kRangeSyncShift, 2);
  EXPECT_EQ(log_with_syncs(job, 2), "w0 w0 w4 r0+4:1 w8 w4 w12 r4+4:1 w8 w12")
      << "the next file in turn, what it had written";
  job.mode.sequential_add = -8 * 1024;
  SyncCadence backwards(job, 1);
  for (const std::uint64_t at : {8, 4, 0}) backwards.wrote(0, at * k, 4096);
  const auto range = backwards.request(0);
  EXPECT_EQ(range.offset, 0u);
  EXPECT_EQ(range.length, 12 * k);
  EXPECT_FALSE(backwards.due());
}

TEST(SyncCadence, ARangeBeyond32BitsExtendsToTheEnd) {
  job::Job job;
  job.own.get<job::fields::FileOptions>().range_sync_every = 2;
  SyncCadence syncs(job, 1);
  syncs.wrote(0, 0, 4096);
  syncs.wrote(0, std::uint64_t{1} << 33, 4096);
  EXPECT_EQ(syncs.request(0).length, io::kToTheEnd);
}

// effect: write_barrier
TEST(SyncCadence, WriteBarrierIsAnFdatasyncAfterEveryNthWrite) {
  auto job = testing::make_job("write", 24 * k);
  job.own.get<job::fields::FileOptions>().barrier_every = 2;
  EXPECT_EQ(log_with_syncs(job, 1), "w0 w4 d w8 w12 d w16 w20");
}

TEST(SyncCadence, SyncsDueTogetherAreOneOfEachKind) {
  auto job = testing::make_job("write", 20 * k);
  auto& files = job.own.get<job::fields::FileOptions>();
  files.range_sync_every = 4;
  files.range_sync_flags = 2;
  files.barrier_every = 2;
  job.fsync_every = 4;
  EXPECT_EQ(log_with_syncs(job, 1), "w0 w4 d w8 w12 s r0+16:0 w16");
}

}  // namespace
}  // namespace fathom::workload
