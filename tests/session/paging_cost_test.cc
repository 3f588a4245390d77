// The load of a cost run is the one that was asked for, by time alone; what it found goes to the devices that have no
// cost of their own.
#include "session/paging_cost.h"

#include <gtest/gtest.h>

#include "base/system/shared_memory.h"

namespace fathom::session {
namespace {

TEST(PagingCost, TheLoadIsTheSameByTimeAlone) {
  paging_job::Request asked;
  asked.cost_ns = 3'000'000'000;
  asked.plan.duration_s = 60;
  asked.plan.delay_start_s = 5;
  asked.plan.threads = 3;
  asked.plan.touch.max_accesses = 100;
  asked.plan.touch.mark_above_ns = 1000;
  asked.plan.touch.delay_ticks = 500;
  asked.plan.pattern.name = "trace";
  const auto load = for_cost(asked);
  EXPECT_DOUBLE_EQ(load.plan.duration_s, 3);
  EXPECT_EQ(load.plan.delay_start_s, 0);
  EXPECT_EQ(load.plan.touch.max_accesses, 0u);
  EXPECT_EQ(load.plan.touch.mark_above_ns, 0u);
  EXPECT_TRUE(load.plan.pattern.trace_loop);
  EXPECT_EQ(load.plan.touch.delay_ticks, 500u);
  EXPECT_EQ(load.plan.threads, 3);
  asked.plan.pattern.name = "zipf";
  EXPECT_FALSE(for_cost(asked).plan.pattern.trace_loop);
}

result::WatcherCost row(const char* watcher, double share) {
  result::WatcherCost of;
  of.watcher = watcher;
  of.cost.by = result::CostBy::rate;
  of.cost.from = result::CostFrom::cost_run;
  of.cost.rate = {share, 0.001};
  return of;
}

TEST(PagingCost, GoesToDevicesThatWereLookedAtAllTheTime) {
  std::vector<result::DeviceTime> devices(3);
  devices[0].device = "zram4";
  devices[0].watching.cause = "the probe traced all";
  devices[1].watching.by = result::CostBy::rate;
  devices[1].watching.rate.share = 0.5;
  const std::vector<result::WatcherCost> watching{row("device time of zram3", 0.1), row("device time of vda", 0.2),
                                                  row("device time of vda", 0.3), row("audit", 0.4)};
  give_cost(watching, devices);
  EXPECT_EQ(devices[0].watching.rate.share, 0.1) << "the number of a zram device may change";
  EXPECT_EQ(devices[0].watching.from, result::CostFrom::cost_run);
  EXPECT_EQ(devices[1].watching.rate.share, 0.5) << "its own slices are of the run itself";
  EXPECT_EQ(devices[2].watching, result::WatchingCost()) << "direct reads do not look";
}

TEST(PagingCost, OfOtherDevicesGoesToNone) {
  std::vector<result::DeviceTime> devices(1);
  devices[0].watching.cause = "the probe traced all";
  give_cost({}, devices);
  EXPECT_EQ(devices[0].watching.cause, "the probe traced all");
  give_cost({row("device time of vda", 0.2), row("device time of vdb", 0.2)}, devices);
  EXPECT_EQ(devices[0].watching.cause, "the probe traced all");
}

class Session : public ::testing::Test {
 protected:
  Session() {
    listener_.on_state = [this](const std::string& state) { said_.push_back(state); };
    listener_.on_measured = [] {};
    listener_.progress = [](double, const std::string&) { return std::function<void(const paging::Progress&)>(); };
    options_.plan.region.map_bytes = options_.plan.region.set_bytes = std::uint64_t{1} << 20;
    options_.pressure.swap.kind = paging::SwapPlan::Kind::none;
    options_.cost_ns = 1'000'000'000;
  }
  PagingListener listener_;
  std::vector<std::string> said_;
  paging_job::Request options_;
  base::system::SharedArray<std::atomic<std::uint32_t>> stop_{1};
};

TEST_F(Session, WithoutAWatcherNothingIsTouchedAndTheMachineIsRestored) {
  PagingSession session{{}, listener_, stop_[0], {}};
  const auto cost = measure_paging_cost(options_, session);
  ASSERT_TRUE(cost.ok()) << cost.error().what;
  ASSERT_EQ(cost->watching.size(), 1u);
  EXPECT_NE(cost->watching[0].cost.cause, "");
  EXPECT_TRUE(cost->findings.empty());
  ASSERT_EQ(said_.size(), 2u);
  EXPECT_EQ(said_[0], "probe overhead: setting up");
  EXPECT_EQ(said_[1], "probe overhead: restoring");
}

TEST_F(Session, AStopIsAnError) {
  stop_[0] = 1;
  PagingSession session{{}, listener_, stop_[0], {}};
  const auto cost = measure_paging_cost(options_, session);
  ASSERT_FALSE(cost.ok());
  EXPECT_TRUE(cost.error().what.starts_with("interrupted"));
}

}  // namespace
}  // namespace fathom::session
