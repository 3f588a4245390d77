// What was delivered, from a worker's record.
#include "run/outcome/delivery.h"

#include <gtest/gtest.h>

#include "base/system/shared_memory.h"
#include "job/fields/files.h"

namespace fathom::run::outcome {
namespace {

files::Plan plan_with(const char* engine) {
  files::Plan plan;
  plan.job.ioengine = engine;
  plan.job.mode.reads = true;
  plan.job.iodepth = 32;
  plan.targets.push_back({"/data/a", io::TargetKind::regular, true, 0, 0, 0, 1 << 20});
  return plan;
}

TEST(Delivery, MeanDepthIsTheTimeInFlightOverTheTime) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  EXPECT_FALSE(delivery_of(plan_with("io_uring"), r[0], {}).mean_depth);
  auto& dir = r[0].measured.dirs[0];
  for (int i = 0; i < 100; ++i) dir.lat.add(dir.lat_counts, 80'000);
  r[0].elapsed_ns = 9'000'000;  // end_fsync
  r[0].flying_ns = 1'000'000;
  EXPECT_DOUBLE_EQ(*delivery_of(plan_with("io_uring"), r[0], {}).mean_depth, 8.0);
}

TEST(Delivery, IodepthOnASynchronousEngineIsMarked) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  DepthSamples samples;
  samples.add(32, 32);
  samples.add(31, 32);
  const auto queue = delivery_of(plan_with("io_uring"), r[0], samples);
  EXPECT_EQ(queue.depth_samples, 2u);
  EXPECT_EQ(queue.full_samples, 1u);
  EXPECT_FALSE(queue.synchronous);
  EXPECT_TRUE(delivery_of(plan_with("psync"), r[0], samples).synchronous);
  auto one = plan_with("psync");
  one.job.iodepth = 1;
  EXPECT_FALSE(delivery_of(one, r[0], samples).synchronous);
}

TEST(Delivery, AJobThatFillsADeviceAsksForNoNumberOfBytes) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  auto plan = plan_with("psync");
  EXPECT_EQ(delivery_of(plan, r[0], {}).asked_bytes, 1u << 20);
  plan.job.own.get<job::fields::FileOptions>().fill_device = true;
  EXPECT_EQ(delivery_of(plan, r[0], {}).asked_bytes, 0u);
  plan.job.size = {.bytes = 1 << 20, .set = true};
  EXPECT_EQ(delivery_of(plan, r[0], {}).asked_bytes, 1u << 20);
}

TEST(Delivery, BufferedLibaioIsSynchronous) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  auto plan = plan_with("libaio");
  EXPECT_TRUE(delivery_of(plan, r[0], {}).synchronous);
  plan.job.direct = true;
  EXPECT_FALSE(delivery_of(plan, r[0], {}).synchronous);
}

TEST(Delivery, PosixaioDoesTheIosOfOneFileOneAfterTheOther) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  auto plan = plan_with("posixaio");
  plan.job.direct = true;
  EXPECT_TRUE(delivery_of(plan, r[0], {}).synchronous);
  plan.targets.push_back(plan.targets[0]);
  EXPECT_FALSE(delivery_of(plan, r[0], {}).synchronous);
}

// In flight, from outside: issued and not over, and what the ramp left in the queue.
TEST(Delivery, InFlightIsIssuedMinusCompleted) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  auto& m = r[0].measured;
  m.submit.issued[0].add(40);
  m.submit.issued[3].add(2);
  m.done.ios[0].add(20);
  m.error_ios[0].add(1);
  m.sync_ios.add(1);
  EXPECT_EQ(r[0].in_flight_now(), 20u);
  r[0].carried_in = 32;
  EXPECT_EQ(r[0].in_flight_now(), 52u);
  m.done.ios[0].add(100);
  EXPECT_EQ(r[0].in_flight_now(), 0u);
}

TEST(Delivery, BytesNeverSyncedAreCounted) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  r[0].measured.done.bytes[1].add(1 << 20);
  auto plan = plan_with("psync");
  plan.job.mode = {};
  plan.job.mode.writes = true;
  EXPECT_EQ(delivery_of(plan, r[0], {}).unsynced_bytes, 1u << 20);
  for (const auto change : {+[](job::Job& job) { job.direct = true; }, +[](job::Job& job) { job.end_fsync = true; },
                            +[](job::Job& job) { job.sync_mode = job::SyncMode::dsync; }}) {
    auto waits = plan;
    change(waits.job);
    EXPECT_EQ(delivery_of(waits, r[0], {}).unsynced_bytes, 0u);
  }
  auto mapped = plan;
  mapped.job.ioengine = "mmap";
  mapped.job.sync_mode = job::SyncMode::sync;
  EXPECT_EQ(delivery_of(mapped, r[0], {}).unsynced_bytes, 1u << 20) << "O_SYNC says nothing of a mapping";
  plan.job.verify = true;
  plan.job.fsync_every = 1'000'000;
  plan.job.own.get<job::fields::FileOptions>().fsync_on_close = true;
  EXPECT_EQ(delivery_of(plan, r[0], {}).unsynced_bytes, 1u << 20) << "no sync came in its run time";
  r[0].measured.sync_ios.add(1);
  EXPECT_EQ(delivery_of(plan, r[0], {}).unsynced_bytes, 0u);
  plan.targets[0].kind = io::TargetKind::none;
  EXPECT_EQ(delivery_of(plan, r[0], {}).unsynced_bytes, 0u);
}

TEST(Delivery, AskedBytesFollowTheOptionsAndDoneBytesIncludeTheRamp) {
  base::system::SharedArray<records::WorkerRecord> r(1);
  r[0].measured.done.bytes[0].add(1000);
  r[0].ramp_bytes[0] = 24;
  auto plan = plan_with("psync");
  plan.job.size = {100ull << 30, 0, true};
  plan.job.loops = 2;
  auto delivery = delivery_of(plan, r[0], {});
  EXPECT_EQ(delivery.asked_size_bytes, 100ull << 30);
  EXPECT_EQ(delivery.asked_bytes, 200ull << 30);
  EXPECT_EQ(delivery.window_bytes, 1u << 20);
  EXPECT_EQ(delivery.done_bytes, 1024u);
  plan.job.time_based = true;
  EXPECT_EQ(delivery_of(plan, r[0], {}).asked_bytes, 0u);
}

TEST(Delivery, AGroupSumsTheDeliveryOfItsMembers) {
  result::Delivery a;
  a.sizes[0] = {{4096, 4096, 50, 10}, {8192, 8192, 50, 20}};
  a.mean_depth = 3;
  a.asked_depth = 4;
  a.asked_read_percent = 70;
  auto b = a;
  auto sum = a;
  merge_delivery(sum, b);
  EXPECT_EQ(sum.sizes[0][1].ios, 40u);
  EXPECT_EQ(sum.asked_depth, 8u);
  EXPECT_DOUBLE_EQ(*sum.mean_depth, 6);
  EXPECT_EQ(*sum.asked_read_percent, 70);
  files::Plan failed = plan_with("psync");
  failed.failed = base::Error{};
  base::system::SharedArray<records::WorkerRecord> r(1);
  const auto nothing = delivery_of(failed, r[0], {});
  merge_delivery(sum, nothing);
  EXPECT_EQ(sum.asked_depth, 8u) << "what never ran asks for nothing";
  auto first = nothing;
  merge_delivery(first, a);
  EXPECT_EQ(*first.mean_depth, 3);
  b.sizes[0][0].asked_percent = 60;
  b.asked_read_percent = 30;
  sum = a;
  merge_delivery(sum, b);
  EXPECT_TRUE(sum.sizes[0].empty()) << "two mixes have no sum";
  EXPECT_FALSE(sum.asked_read_percent);
}

}  // namespace
}  // namespace fathom::run::outcome
