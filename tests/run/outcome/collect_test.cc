// Collecting and summing: pure functions of records.
#include "run/outcome/collect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/system/shared_memory.h"
#include "io/engine_effects.h"
#include "job/fields/errors.h"
#include "job/fields/report_as.h"
#include "run/loop/queue_loop.h"
#include "run/outcome/sum_jobs.h"

namespace fathom::run::outcome {
namespace {

files::Plan plan_of(const char* name, int group) {
  files::Plan plan;
  plan.job.name = name;
  plan.job.group_id = group;
  plan.targets.push_back({"/data/a", io::TargetKind::regular, true, 0, 0, 0, 0});
  return plan;
}

result::Job collected(const files::Plan& plan, const records::WorkerRecord& record) {
  return collect_job(plan, 0, record, sampling::WorkerSeries(), result::ClockFacts{}, "fathom");
}

TEST(Collect, CountsAndRuntimeComeFromTheRecord) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  auto& m = r[0].measured;
  for (std::uint64_t v : {1000, 2000, 3000}) {
    m.dirs[1].clat.add(m.dirs[1].clat_counts, v);
    m.done.ios[1].add(1);
    m.done.bytes[1].add(4096);
    m.submit.issued[1].add(1);
  }
  r[0].elapsed_ns = 1'499'600'000;
  const auto job = collected(plan_of("j", 0), r[0]);
  EXPECT_EQ(job.dirs[1].ios, 3u);
  EXPECT_EQ(job.dirs[1].bytes, 3u * 4096);
  EXPECT_EQ(job.dirs[1].runtime_ms, 1500u);
  EXPECT_EQ(job.dirs[1].clat.moments_ns.mean(), 2000.0);
  EXPECT_EQ(job.dirs[1].clat.histogram_ns.total(), 3u);
  EXPECT_EQ(job.dirs[0].runtime_ms, 0u);
}

TEST(Collect, DroppedIosAreCountedAsReads) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  r[0].measured.dropped_ios = 3;
  const auto job = collected(plan_of("j", 0), r[0]);
  EXPECT_EQ(job.dirs[0].dropped_ios, 3u);
  EXPECT_EQ(job.dirs[1].dropped_ios, 0u);
}

TEST(Collect, AnEngineThatCountsBitsIsShownInBitsUnlessTheJobSaysOtherwise) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  auto plan = plan_of("j", 0);
  EXPECT_EQ(collected(plan, r[0]).reporting.unit_base, 0u);
  plan.job.engine.own.get<io::EngineEffects>().counts_bits = true;
  EXPECT_EQ(collected(plan, r[0]).reporting.unit_base, 1u);
  plan.job.own.get<job::fields::ReportAs>().unit_base = 8;
  EXPECT_EQ(collected(plan, r[0]).reporting.unit_base, 8u);
}

// What the ramp moved is cleared from what is reported, and reached the engine all the same.
TEST(Collect, MovedBytesIncludeTheRamp) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  r[0].measured.done.ios[0].add(3);
  r[0].measured.done.bytes[0].add(3 * 4096);
  r[0].keep_ramp();
  EXPECT_EQ(collected(plan_of("j", 0), r[0]).dirs[0].moved_ios, 6u);
  r[0].process_io = {true, 1, 2, 24576, 4, 5};
  const auto job = collected(plan_of("j", 0), r[0]);
  EXPECT_EQ(job.dirs[0].bytes, 3u * 4096);
  EXPECT_EQ(job.dirs[0].moved_bytes, 6u * 4096);
  EXPECT_EQ(job.process_io.read_bytes, 24576u);
  auto other = job;
  other.process_io.readable = false;
  const auto sum = sum_jobs({job, other}, {});
  EXPECT_EQ(sum.dirs[0].moved_bytes, 12u * 4096);
  EXPECT_FALSE(sum.process_io.readable);
}

// Batches of one are counted by one increment; what is reported is as if each had been put into its bucket.
TEST(Collect, BatchesOfOneAreAddedToTheirBucket) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  auto& m = r[0].measured;
  m.submit.alone = 10;
  m.submit.batches.add(6, 2, 60);
  m.reap.alone = 12;
  m.reap.empty = 5;
  m.reap.batches.add(4, 1, 40);
  const auto job = collected(plan_of("j", 0), r[0]);
  EXPECT_EQ(job.depth.submit[1], 10u);
  EXPECT_EQ(job.depth.submit[2], 1u);
  EXPECT_EQ(job.depth.submit_calls, 11u);
  EXPECT_EQ(job.depth.complete[0], 5u);
  EXPECT_EQ(job.depth.complete[1], 13u);
  EXPECT_EQ(job.depth.complete_calls, 18u);
  EXPECT_EQ(job.stamps.submit.batches, 11u);
  EXPECT_EQ(job.stamps.submit.ios, 16u);
  EXPECT_EQ(job.stamps.submit.max_ios, 6u);
  EXPECT_DOUBLE_EQ(job.stamps.submit.mean_ns, 60.0 / 11);
  EXPECT_EQ(job.stamps.reap.ios, 16u);
}

TEST(Collect, ASynchronousCallIsASubmissionAndAReap) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  auto& m = r[0].measured;
  m.alone = 7;
  m.done.ios[0].add(6);
  m.error_ios[0].add(1);
  const auto job = collected(plan_of("j", 0), r[0]);
  EXPECT_EQ(job.dirs[0].issued, 7u);
  EXPECT_EQ(job.depth.level[0], 7u);
  EXPECT_EQ(job.depth.submit[1], 7u);
  EXPECT_EQ(job.depth.complete_calls, 7u);
  EXPECT_EQ(job.stamps.reap.max_ios, 1u);
}

TEST(Collect, AnErrorNamesFileOffsetAndCause) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  auto* e = r[0].add_error(EIO);
  e->is_io = true;
  e->dir = io::Dir::write;
  e->offset_bytes = 8192;
  e->length_bytes = 4096;
  const auto job = collected(plan_of("j", 0), r[0]);
  EXPECT_EQ(job.error, EIO);
  ASSERT_EQ(job.errors.size(), 1u);
  EXPECT_EQ(job.errors[0].message,
            "fathom: io_u error on file /data/a: Input/output error: write offset=8192, buflen=4096");
  EXPECT_EQ(job.errors[0].offset_bytes, 8192u);
  EXPECT_FALSE(job.errors[0].place);
}

TEST(Collect, ErrorsBeyondTheRecordsAreCounted) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  for (int i = 0; i < 40; ++i) r[0].add_error(ENOSPC);
  const auto job = collected(plan_of("j", 0), r[0]);
  EXPECT_EQ(job.error_count, 40u);
  EXPECT_EQ(job.errors.size(), records::kErrorRecords);
}

// What the job went on after never takes the place of what ended it.
// effect: error_dump
TEST(Collect, ContinuedErrorsDoNotDisplaceTheFatalOne) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  io::Request request{};
  request.length = 4096;
  for (int i = 0; i < 5000; ++i) {
    request.offset = 4096u * static_cast<unsigned>(i);
    r[0].add_io_error(EIO, true, request);
  }
  r[0].add_io_error(ENOSPC, false, request);
  files::Plan plan = plan_of("j", 0);
  const auto quiet = collected(plan, r[0]);
  EXPECT_EQ(quiet.error_count, 5001u);
  ASSERT_EQ(quiet.errors.size(), records::kErrorRecords);
  EXPECT_EQ(quiet.errors.back().err, ENOSPC);
  EXPECT_FALSE(quiet.errors.back().went_on);
  plan.job.own.get<job::fields::Errors>().dump = true;  // error_dump
  const auto dumped = collected(plan, r[0]);
  ASSERT_EQ(dumped.errors.size(), records::kErrorRecords + records::kPassedErrors);
  EXPECT_EQ(dumped.errors[14].offset_bytes, 4096u * 14);
  EXPECT_EQ(dumped.errors[16].offset_bytes, 4096u * 15);
  EXPECT_TRUE(dumped.errors[16].went_on);
  EXPECT_EQ(dumped.errors.back().offset_bytes, 4096u * (15 + records::kPassedErrors - 1));
  EXPECT_THAT(dumped.errors.back().message, testing::HasSubstr("io_u error on file /data/a: Input/output error: read"));
}

result::Job simple_job(int group, std::uint64_t bytes, std::uint64_t runtime_ms) {
  result::Job j;
  j.name = "j";
  j.group_id = group;
  j.dirs[0].bytes = bytes;
  j.dirs[0].ios = bytes / 4096;
  j.dirs[0].runtime_ms = runtime_ms;
  j.dirs[0].runtime_ns = runtime_ms * 1'000'000;
  return j;
}

TEST(SumJobs, AddsCountsAndTakesTheLongestRuntime) {
  const auto sum = sum_jobs({simple_job(0, 4096 * 10, 1000), simple_job(0, 4096 * 30, 2000)}, {});
  EXPECT_EQ(sum.members, 2);
  EXPECT_EQ(sum.dirs[0].ios, 40u);
  EXPECT_EQ(sum.dirs[0].runtime_ms, 2000u);
}

TEST(SumJobs, QueuesKeepTheHighestDoorbellCostAndTheLowestLatency) {
  auto a = simple_job(0, 4096, 1), b = a;
  a.queue.emplace();
  a.queue->doorbell_cost_ns = 150;
  a.queue->sq_copy = "words";
  a.queue->devices.resize(1);
  a.queue->devices[0].read_ios = 10;
  a.queue->devices[0].lat_ns_min = 700;
  b.queue = a.queue;
  b.queue->doorbell_cost_ns = 0;
  b.queue->sq_copy = "sse2";
  b.queue->devices[0].read_ios = b.queue->devices[0].lat_ns_min = 0;
  const auto sum = sum_jobs({a, b}, {});
  EXPECT_EQ(sum.queue->doorbell_cost_ns, 150u);
  EXPECT_EQ(sum.queue->sq_copy, "words, sse2");
  EXPECT_EQ(sum.queue->devices[0].lat_ns_min, 700u);
  const auto other_way = sum_jobs({b, a}, {});
  EXPECT_EQ(other_way.queue->doorbell_cost_ns, 150u);
  EXPECT_EQ(other_way.queue->devices[0].lat_ns_min, 700u);
}

TEST(SumJobs, AGroupHasTheNameOfItsFirstJobAndTheOptionsOfItsLast) {
  result::Job a, b;
  a.name = "a";
  a.options = {{"bs", "4k"}};
  b.name = "b";
  b.options = {{"bs", "8k"}, {"stonewall", ""}};
  const auto sum = sum_jobs({a, b}, {});
  EXPECT_EQ(sum.name, "a");
  EXPECT_EQ(sum.options, b.options);
}

TEST(QueueCounts, TheSumKeepsTheHighestDoorbellCost) {
  engine::userspace::QueueCounts sum, model;
  model.doorbell_cost_ns = 150;
  sum.add(model);
  sum.add({});
  EXPECT_EQ(sum.doorbell_cost_ns, 150u);
}

TEST(Collect, WithDepthPerFileTheRateIsOfEachDevice) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  auto plan = plan_of("j", 0);
  plan.targets.push_back(plan.targets[0]);
  plan.job.rate_iops[0] = 500;
  EXPECT_EQ(collected(plan, r[0]).rate.asked_iops[0], 500);
  plan.job.depth_per_file = true;
  EXPECT_EQ(collected(plan, r[0]).rate.asked_iops[0], 1000);
}

TEST(Collect, DevicesBeyondTheRecordsShareTheLast) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  auto plan = plan_of("j", 0);
  plan.targets.resize(records::kDeviceRecords + 3, plan.targets[0]);
  r[0].queue.queue_pairs = 67;
  const auto job = collected(plan, r[0]);
  ASSERT_EQ(job.queue->devices.size(), records::kDeviceRecords);
  EXPECT_EQ(job.queue->devices.back().name, "/data/a and 3 more");
  EXPECT_EQ(job.queue->devices.front().name, "/data/a");
}

TEST(SumGroups, GroupTotalsMatchFiosRunStatus) {
  const auto groups =
      sum_groups({simple_job(0, 1'000'000, 1000), simple_job(0, 3'000'000, 2000), simple_job(1, 500, 1)});
  ASSERT_EQ(groups.size(), 2u);
  const auto& d = groups[0].dirs[0];
  EXPECT_DOUBLE_EQ(d.min_bytes_per_s, 1'000'000);
  EXPECT_DOUBLE_EQ(d.max_bytes_per_s, 1'500'000);
  EXPECT_DOUBLE_EQ(d.agg_bytes_per_s, 2'000'000);
  EXPECT_EQ(d.max_run_ms, 2000u);
  EXPECT_FALSE(groups[0].dirs[1].used);
}

TEST(DepthAndBatchBuckets, MatchFio) {
  const std::pair<unsigned, std::size_t> batches[] = {{0, 0},  {1, 1},  {4, 1},  {5, 2},  {8, 2},  {9, 3},
                                                      {16, 3}, {17, 4}, {32, 4}, {33, 5}, {64, 5}, {65, 6}};
  for (auto [n, bucket] : batches) EXPECT_EQ(loop::batch_bucket(n), bucket) << n;
  const std::pair<unsigned, std::size_t> depths[] = {{1, 0},  {2, 1},  {3, 1},  {4, 2},  {7, 2},  {8, 3},
                                                     {16, 4}, {32, 5}, {63, 5}, {64, 6}, {500, 6}};
  for (auto [n, bucket] : depths) EXPECT_EQ(loop::depth_bucket(n), bucket) << n;
}

}  // namespace
}  // namespace fathom::run::outcome
