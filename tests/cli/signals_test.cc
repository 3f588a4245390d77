// Signals of the terminal: how far Ctrl-C goes, and that a command gets back what was done about broken pipes.
#include "cli/signals.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "base/system/subprocess.h"
#include "pmu/one_counter_pmu.h"

namespace fathom::cli {
namespace {

using pmu::OneCounterPmu;

TEST(Workload, TheCommandHasTheDefaultActionOfSigpipe) {
  ignore_broken_pipes();
  OneCounterPmu pmu([](std::uint64_t, double from_ns, double to_ns) { return to_ns - from_ns; });
  session::CountPlan plan;
  plan.command = {"sh", "-c", "kill -PIPE $$"};
  plan.calls = &OneCounterPmu::calls();
  plan.before_exec = restore_broken_pipes;
  plan.events.resize(1);
  plan.events[0].name = "soft/a/";
  plan.events[0].pmu = "soft";
  plan.events[0].type = 60;
  plan.events[0].reach = pmu::events::Reach::system;
  plan.events[0].cpus = {0};
  bool not_started = false;
  const auto counted = session::count_once(plan, not_started);
  ASSERT_TRUE(counted) << counted.error().what;
  ASSERT_TRUE(counted->ended);
  EXPECT_EQ(counted->ended->status, base::system::kBySignal + SIGPIPE);
  restore_broken_pipes();
}

TEST(StopLevels, CtrlCWaitsThenEndsThenKills) {
  const auto& level = install_stop_levels();
  for (const auto expected : {StopLevel::wait, StopLevel::terminate, StopLevel::kill, StopLevel::kill}) {
    ::raise(SIGINT);
    EXPECT_EQ(level.load(), expected);
  }
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
}

}  // namespace
}  // namespace fathom::cli
