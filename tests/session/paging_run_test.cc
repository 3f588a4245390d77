// What a measurement of paging tells its listener, and that what comes back is complete.
#include "session/paging_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/system/shared_memory.h"

namespace fathom::session {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(PagingRun, StatesReachTheListenerInOrder) {
  std::vector<std::string> said;
  PagingListener listener;
  listener.on_settle = [&](const std::string&, const host::SettleProgress&) { said.push_back("settling"); };
  listener.on_state = [&](const std::string& state) { said.push_back(state); };
  listener.on_measured = [&] { said.push_back("measured"); };
  listener.progress = [](double, const std::string&) { return std::function<void(const paging::Progress&)>(); };

  paging_job::Request options;
  options.plan.region.map_bytes = options.plan.region.set_bytes = std::uint64_t{1} << 20;
  options.plan.duration_s = 0.05;
  options.pressure.swap.kind = paging::SwapPlan::Kind::none;
  options.audit = false;
  ASSERT_TRUE(check_paging(options).ok());
  base::system::SharedArray<std::atomic<std::uint32_t>> stop(1);
  PagingSession session{clocks::choose_paging_clock(options.plan, false), listener, stop[0], {}};
  const auto run = measure_once(options, session, "round 1: ");
  ASSERT_TRUE(run.ok()) << run.error().what;
  EXPECT_THAT(said, ElementsAre("round 1: setting up", "round 1: restoring", "measured"));
  ASSERT_TRUE(run->paging.has_value());
  EXPECT_TRUE(ran_to_its_end(*run));
  EXPECT_NE(run->host.hostname, "");
  EXPECT_FALSE(run->paging->clock.stamps.empty());
}

TEST(PagingRun, AStopBeforeTheStartIsAnError) {
  std::vector<std::string> said;
  PagingListener listener;
  listener.on_state = [&](const std::string& state) { said.push_back(state); };
  listener.on_measured = [&] { said.push_back("measured"); };
  paging_job::Request options;
  options.plan.region.map_bytes = options.plan.region.set_bytes = std::uint64_t{1} << 20;
  options.pressure.swap.kind = paging::SwapPlan::Kind::none;
  options.audit = false;
  base::system::SharedArray<std::atomic<std::uint32_t>> stop(1);
  stop[0] = 1;
  PagingSession session{clocks::choose_paging_clock(options.plan, false), listener, stop[0], {}};
  const auto run = measure_once(options, session, "");
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.error().what, StartsWith("interrupted"));
  EXPECT_EQ(said.back(), "measured");
}

}  // namespace
}  // namespace fathom::session
