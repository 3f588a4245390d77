// What a measurement of paging tells its listener, and that what comes back is complete.
#include "session/paging_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/system/shared_memory.h"
#include "session/paging_breakdown.h"

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

// The stop arrives while the second measurement is set up.
TEST(PagingRun, AStopBetweenTwoRepetitionsIsNoFailure) {
  base::system::SharedArray<std::atomic<std::uint32_t>> stop(1);
  PagingListener listener;
  listener.on_state = [&](const std::string& state) { stop[0] = stop[0] | (state.starts_with("2 of") ? 1 : 0); };
  listener.on_error = [](const base::Error& error) { ADD_FAILURE() << error.what; };
  listener.on_measured = [] {};
  listener.progress = [](double, const std::string&) { return std::function<void(const paging::Progress&)>(); };
  paging_job::Request options;
  options.plan.region.map_bytes = options.plan.region.set_bytes = std::uint64_t{1} << 20;
  options.plan.duration_s = 0.05;
  options.pressure.swap.kind = paging::SwapPlan::Kind::none;
  options.audit = false;
  options.repeat = 3;
  PagingSession session{clocks::choose_paging_clock(options.plan, false), listener, stop[0], {}};
  const auto run = measure_repeated(options, session);
  ASSERT_TRUE(run.ok()) << run.error().what;
  EXPECT_TRUE(run->interrupted);
  EXPECT_TRUE(run->errors.empty());
}

TEST(PagingRun, AStopBetweenTwoRoundsIsNoFailure) {
  base::system::SharedArray<std::atomic<std::uint32_t>> stop(1);
  PagingListener listener;
  listener.on_state = [&](const std::string& state) {
    stop[0] = stop[0] | (state.find("2 of") != std::string::npos ? 1 : 0);
  };
  listener.on_error = [](const base::Error& error) { ADD_FAILURE() << error.what; };
  listener.on_measured = [] {};
  listener.progress = [](double, const std::string&) { return std::function<void(const paging::Progress&)>(); };
  paging_job::Request options;
  options.plan.region.map_bytes = options.plan.region.set_bytes = std::uint64_t{1} << 20;
  options.plan.duration_s = 0.05;
  options.swaps.resize(1);
  options.swaps[0].kind = paging::SwapPlan::Kind::none;
  options.audit = false;
  options.repeat = 3;
  PagingSession session{clocks::choose_paging_clock(options.plan, false), listener, stop[0], {}};
  const auto run = break_down(options, session);
  ASSERT_TRUE(run.ok()) << run.error().what;
  EXPECT_TRUE(run->interrupted);
  EXPECT_TRUE(run->errors.empty());
  EXPECT_EQ(run->repetitions.size(), 1u);
}

TEST(PagingRun, AStopThatLeftSomethingBehindIsAFailure) {
  EXPECT_TRUE(is_interruption(interrupted()));
  result::Finding stays;
  stays.severity = result::Severity::error;
  stays.evidence = "the swap is still on";
  EXPECT_FALSE(is_interruption(with_what_stays(interrupted(), {stays})));
}

}  // namespace
}  // namespace fathom::session
