// Ratios of a queue pair's counters, against values worked out by hand.
#include "result/sums/queue_rates.h"

#include <gtest/gtest.h>

#include "report/formats.h"
#include "report/normal_parts.h"
#include "sample_run.h"

namespace fathom::report {
namespace {

using result::kNoPcieDevice;
using result::queue_rates;
using result::sum_of;

TEST(QueueRates, MatchValuesComputedByHand) {
  const auto rates = queue_rates(sample_queue());
  EXPECT_DOUBLE_EQ(rates.idle_percent, 12.5);
  EXPECT_DOUBLE_EQ(rates.ios_per_sq_doorbell, 30);
  EXPECT_DOUBLE_EQ(rates.ios_per_cq_doorbell, 20);
  EXPECT_DOUBLE_EQ(rates.completions_per_poll, 15) << "of the polls that found any";
  EXPECT_DOUBLE_EQ(rates.idle_polls_percent, 75);
  EXPECT_NEAR(rates.busy_ns_per_io, 875e6 / 1500, 1e-6);
  EXPECT_NEAR(rates.busy_ticks_per_io, 875e6 / 1500 * 2.5, 1e-6);
  EXPECT_TRUE(rates.device_bound);
  EXPECT_TRUE(rates.pcie);
}

TEST(QueueRates, CountAnIoOfSeveralCommandsOnce) {
  auto queue = sample_queue();
  queue.commands = queue.completions = 6000;
  const auto rates = queue_rates(queue);
  EXPECT_DOUBLE_EQ(rates.ios_per_sq_doorbell, 30);
  EXPECT_DOUBLE_EQ(rates.ios_per_cq_doorbell, 20);
  EXPECT_NEAR(rates.busy_ns_per_io, 875e6 / 1500, 1e-6);
  EXPECT_DOUBLE_EQ(rates.completions_per_poll, 60);
}

// Writes for 2 s and then their reading back for 1 s.
TEST(QueueRates, AddTheReadBackTimeToTheWriteTime) {
  auto job = queue_run().jobs[1];
  job.read_back_ns = job.dirs[0].runtime_ns = 1'000'000'000;
  job.dirs[1].runtime_ns = 2'000'000'000;
  EXPECT_NEAR(total_row(job).iops, 1500 / 3.0, 1e-6);
  job.dirs[0].runtime_ns = 3'000'000'000;  // a mixed job: its reads came all the time
  EXPECT_NEAR(total_row(job).iops, 1500 / 3.0, 1e-6);
}

TEST(QueueRates, CountTrimsAsIos) {
  auto job = queue_run().jobs[0];
  job.dirs[2] = job.dirs[1];
  job.dirs[2].ios = 100;
  job.queue->devices[0].trim_ios = 100;
  const auto rows = device_rows(job);
  EXPECT_NEAR(rows[0].iops + rows[1].iops, total_row(job).iops, 1e-6);
}

TEST(QueueText, UnmeasuredLatenciesAreNotPrintedAsZero) {
  auto run = queue_run();
  for (auto& job : run.jobs)
    for (auto& dir : job.dirs) dir.lat = dir.clat = {};
  EXPECT_EQ(queue_lines(run).find(" 0.00 "), std::string::npos) << queue_lines(run);
  EXPECT_NE(spdk(run).find("not measured"), std::string::npos);
}

TEST(QueueRates, AreZeroWithoutAnyCount) {
  const auto rates = queue_rates({});
  for (const double value : {rates.idle_percent, rates.ios_per_sq_doorbell, rates.ios_per_cq_doorbell,
                             rates.completions_per_poll, rates.busy_ns_per_io, rates.busy_ticks_per_io})
    EXPECT_EQ(value, 0);
  EXPECT_FALSE(rates.device_bound);
}

TEST(QueueRates, CallAJobDeviceBoundAboveTenPercentIdleTime) {
  auto queue = sample_queue();
  queue.idle_ns = 100;
  queue.busy_ns = 900;
  EXPECT_FALSE(queue_rates(queue).device_bound);
  queue.idle_ns = 101;
  EXPECT_TRUE(queue_rates(queue).device_bound);
}

TEST(QueueRates, DeviceRowsAddUpToTheJob) {
  const auto job = queue_run().jobs[0];
  const auto rows = device_rows(job);
  ASSERT_EQ(rows.size(), 2u);
  const auto total = total_row(job);
  EXPECT_NEAR(rows[0].iops + rows[1].iops, total.iops, 1e-6);
  EXPECT_NEAR(rows[0].bytes_per_s + rows[1].bytes_per_s, total.bytes_per_s, 1e-3);
  EXPECT_DOUBLE_EQ(rows[0].mean_ns, 30'000);
  EXPECT_EQ(rows[1].max_ns, 20'400'000u);
  EXPECT_NEAR(total.iops, 1500 / 1.000123456, 1e-6);
}

TEST(QueueRates, ASingleDevicesRowIsTheWholeJob) {
  const auto job = queue_run().jobs[1];
  const auto rows = device_rows(job);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].name, "soft");
  EXPECT_DOUBLE_EQ(rows[0].iops, total_row(job).iops);
}

TEST(QueueRates, DevicesWithoutSeparateCountsHaveNoRow) {
  auto job = queue_run().jobs[0];
  for (auto& device : job.queue->devices) device.read_ios = device.write_ios = 0;
  EXPECT_TRUE(device_rows(job).empty());
}

TEST(QueueRates, ASumsLatencyIsWeightedByRate) {
  const auto sum = sum_of({{"a", 100, 1000, 10, 5, 20}, {"b", 300, 3000, 30, 7, 90}});
  EXPECT_DOUBLE_EQ(sum.iops, 400);
  EXPECT_DOUBLE_EQ(sum.mean_ns, 25);
  EXPECT_EQ(sum.min_ns, 5u);
  EXPECT_EQ(sum.max_ns, 90u);
}

TEST(SpdkReport, ASlashInASocketPathIsNotANamespace) {
  auto run = queue_run();
  const auto shown = [&run](const char* device) {
    run.jobs[1].queue->devices[0].name = device;
    return spdk(run);
  };
  EXPECT_NE(shown("vfio-user:/run/a.sock").find("VFIOUSER (/run/a.sock) NSID 1 from"), std::string::npos);
  EXPECT_NE(shown("0000:05:00.0").find("PCIE (0000:05:00.0) NSID 1 from"), std::string::npos);
  EXPECT_NE(shown("0000:05:00.0/ns=3").find("PCIE (0000:05:00.0) NSID 3 from"), std::string::npos);
  EXPECT_NE(shown("soft:media=file:/tmp/d/1/ns=2").find("SOFT (soft:media=file:/tmp/d/1) NSID 2 from"),
            std::string::npos);
}

// What decides how a rate may be read stands beside it.
TEST(QueueText, SoftwareControllersAreLabelled) {
  const auto run = queue_run();
  const std::string text = queue_lines(run);
  EXPECT_NE(text.find("limit perf: the device"), std::string::npos);
  EXPECT_NE(text.find("software perf: of vfio-user:/run/a.sock/ns=2: "), std::string::npos) << "the other one is real";
  EXPECT_NE(text.find("software model: " + std::string(kNoPcieDevice)), std::string::npos);
  EXPECT_NE(text.find("model model: each doorbell write takes an emulated 150 ns"), std::string::npos);
  EXPECT_EQ(text.find("limit model"), std::string::npos) << "idle for 5 % only";
  EXPECT_EQ(queue_lines(simple_run()), "");
}

TEST(SpdkReport, HasTheTableThatScriptsParse) {
  const std::string text = spdk(queue_run());
  EXPECT_NE(text.find("Latency(us)\nDevice Information "), std::string::npos);
  EXPECT_NE(text.find("PCIE (0000:04:00.0) NSID 1 from thread  0"), std::string::npos);
  EXPECT_NE(text.find("VFIOUSER (/run/a.sock) NSID 2 from thread  0"), std::string::npos);
  EXPECT_NE(text.find("SOFT (soft) NSID 1 from thread  1"), std::string::npos);
  EXPECT_NE(text.find("\nTotal "), std::string::npos);
  EXPECT_NE(text.find(kNoPcieDevice), std::string::npos);
}

}  // namespace
}  // namespace fathom::report
