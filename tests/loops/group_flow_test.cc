// Jobs that keep each device busy by itself (depth_per_file), and jobs that wait or end beside the path: a ramp, a
// rate, a pause for thought. What is counted, and where the thread's time went. The devices are stepped by the driver.
#include <gtest/gtest.h>

#include "base/attempts.h"
#include "engine/userspace/nvme_devices.h"
#include "loops/flow.h"

namespace fathom::loops {
namespace {

class GroupFlow : public ::testing::Test {
 protected:
  static std::string soft(const std::string& words) {
    static int id = 100'000;
    return "soft:id=" + std::to_string(++id) + ",step," + words;
  }
  static result::Job job(const std::string& devices, const std::string& text) {
    const auto all = run_text("[g]\nioengine=nvme\nthread\nrw=read\nsize=4m\nfilename=" + devices + "\n" + text);
    EXPECT_EQ(all.jobs.size(), 1u) << text;
    result::Job j = all.jobs.empty() ? result::Job{} : all.jobs[0];
    EXPECT_EQ(j.error, 0) << text;
    EXPECT_TRUE(j.queue.has_value()) << text;
    if (!j.queue) j.queue.emplace();
    j.queue->devices.resize(2);
    return j;
  }
  static result::Job pair(const std::string& text) {
    return job(soft("ideal") + ":" + soft("ideal"), "depth_per_file=1\niodepth=4\n" + text);
  }
  static double idle_share(const result::Job& j) {
    return static_cast<double>(j.queue->idle_ns) / static_cast<double>(j.queue->idle_ns + j.queue->busy_ns);
  }
  void TearDown() override { engine::userspace::close_nvme_devices(); }
};

TEST_F(GroupFlow, WithGtodReduceIssuedIosAreCountedAtEveryDepth) {
  for (const char* depth : {"2", "4", "32"}) {
    const auto all = run_text(std::string("[n]\nioengine=null\nrw=read\nsize=4m\ngtod_reduce=1\niodepth=") + depth);
    EXPECT_EQ(all.jobs.at(0).dirs[0].ios, 1024u) << depth;
    EXPECT_EQ(all.jobs.at(0).dirs[0].issued, 1024u) << depth;
  }
}

TEST_F(GroupFlow, TimedARateHoldsForEachDeviceInTheRampToo) {
  steady::attempts([&] {
    const auto j = pair("time_based\nramp_time=200ms\nruntime=400ms\nrate_iops=1000");
    for (const auto& device : j.queue->devices) {
      EXPECT_GT(device.read_ios, 200u) << device.name;
      EXPECT_LT(device.read_ios, 700u) << device.name;
    }
    EXPECT_EQ(j.rate.asked_iops[0], 2000);
  });
}

// 10 I/Os every 50 ms: one device's pause is not the other's.
TEST_F(GroupFlow, TimedThinktimesOfDevicesOverlap) {
  steady::attempts([&] {
    const auto j = pair("time_based\nruntime=1\nthinktime=50ms\nthinktime_blocks=10\nthinktime_blocks_type=issue");
    EXPECT_GT(j.dirs[0].ios, 240u) << "one after the other it would be 200 or so";
    EXPECT_LT(j.dirs[0].ios, 450u);
    EXPECT_GT(idle_share(j), 0.8);
  });
}

TEST_F(GroupFlow, TimedWaitingForPacedIosIsIdleTime) {
  steady::attempts([&] {
    const std::string paced = "time_based\nruntime=300ms\nrate_iops=200\niodepth=4\n";
    EXPECT_GT(idle_share(pair(paced)), 0.8);
    EXPECT_GT(idle_share(job(soft("ideal"), paced)), 0.8);
    EXPECT_GT(idle_share(job(soft("ideal"), "time_based\nruntime=300ms\nthinktime=20ms\niodepth=4")), 0.8);
  });
}

TEST_F(GroupFlow, TimedTheFirstDeviceMayBeDoneInTheRamp) {
  steady::attempts([&] {
    const std::string devices = soft("ideal,size=1m") + ":" + soft("ideal,size=2g");
    const auto j = job(devices, "depth_per_file=1\niodepth=4\nramp_time=20ms\nsize=100%");
    EXPECT_EQ(j.queue->devices[0].read_ios, 0u);
    EXPECT_GT(j.queue->devices[1].read_ios, 50'000u);
  });
}

TEST_F(GroupFlow, AJobThatEndsInItsRampKeepsItsCounts) {
  for (const auto& j : {job(soft("ideal"), "iodepth=4\nramp_time=100"), pair("ramp_time=100")}) {
    EXPECT_EQ(j.dirs[0].ios, 1024u);
    EXPECT_EQ(j.queue->commands, 1024u);
    EXPECT_EQ(j.queue->ios, 1024u);
  }
}

TEST_F(GroupFlow, DeviceRowsCountTrimsAndShowNoUnmeasuredLatency) {
  for (const char* batch : {"", "iodepth_batch=4\niodepth_batch_complete_max=4\n"}) {
    const auto j = pair(std::string("rw=trim\ngtod_reduce=1\n") + batch);
    for (const auto& device : j.queue->devices) {
      EXPECT_EQ(device.trim_ios, 512u) << batch;
      EXPECT_EQ(device.lat_ns_max, 0u) << batch;
    }
  }
}

}  // namespace
}  // namespace fathom::loops
