// Two runs under pressure on one machine page to either's swap: whichever ends first leaves its own to the other's end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paging/pressure/fake_machine.h"
#include "paging/pressure/holders.h"
#include "paging/pressure/run_pressure.h"
#include "paging/pressure/set_up.h"
#include "paging/pressure/stale_state.h"

namespace fathom::paging {
namespace {

using ::testing::Contains;
using testing::FakeMachine;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr int kThird = 6000;

PressurePlan limited_plan() {
  PressurePlan plan = zram_plan();
  plan.limit_bytes = 40 * kMiB;
  return plan;
}

// A first run with zram, and a second one in a group at its limit, with pages in both swaps.
class ConcurrentPressureRuns : public ::testing::TestWithParam<bool> {
 protected:
  ConcurrentPressureRuns() {
    first = start(kFirst, 77, zram_plan());
    second = start(kSecond, 78, limited_plan());
    for (auto& swap : machine.swaps) swap.used_bytes = 60 * kMiB;
    const std::string group = second->cgroup_path();
    machine.files[group + (v2() ? "/memory.max" : "/memory.limit_in_bytes")] = number(40 * kMiB);
    machine.files[group + (v2() ? "/memory.current" : "/memory.usage_in_bytes")] = number(39 * kMiB);
    machine.files[group + "/memory.stat"] = "total_inactive_file 0\ntotal_swap " + number(110 * kMiB);
    if (v2()) machine.files[group + "/memory.swap.current"] = number(110 * kMiB);
    machine.add_foreign(kWorker, "fathom", 110 * kMiB, "/fathom-paging-5000");
  }
  bool v2() const { return GetParam(); }
  std::unique_ptr<pressure::Pressure> start(int pid, unsigned ticks, const PressurePlan& plan) {
    machine.start_process(pid, ticks);
    auto made = set_up(machine, plan);
    EXPECT_TRUE(made.ok());
    return std::move(made.value());
  }
  std::vector<result::Finding> end(pressure::Pressure& run, int pid) {
    machine.pid = pid;
    return run.restore();
  }
  // What it had in swap goes with it.
  void worker_ends() {
    machine.end_foreign(kWorker);
    for (auto& swap : machine.swaps) swap.used_bytes = 0;
  }
  void add_tight_foreign() {
    machine.directories.insert("/cg/theirs");
    machine.files["/cg/theirs/cgroup.procs"] = "";
    machine.files[v2() ? "/cg/theirs/memory.max" : "/cg/theirs/memory.limit_in_bytes"] = number(20 * kMiB);
    machine.files[v2() ? "/cg/theirs/memory.current" : "/cg/theirs/memory.usage_in_bytes"] = number(20 * kMiB);
    machine.add_foreign(900, "browser", 10 * kMiB, "/theirs");
  }
  void kill(pressure::Pressure* run, int pid) {
    machine.pid = 1;  // restore() of another process does nothing
    (run == first.get() ? first : second).reset();
    machine.end_process(pid);
  }

  FakeMachine machine{GetParam() ? FakeMachine::Cgroups::v2 : FakeMachine::Cgroups::v1};
  const std::string before = machine.state();
  std::unique_ptr<pressure::Pressure> first, second;
};
INSTANTIATE_TEST_SUITE_P(Cgroups, ConcurrentPressureRuns, ::testing::Values(false, true),
                         [](const auto& tested) { return tested.param ? "v2" : "v1"; });

TEST_P(ConcurrentPressureRuns, ARunThatEndsFirstLeavesItsSwapToTheOther) {
  const auto findings = end(*first, kFirst);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].id, "paging.left_to_other_run");
  EXPECT_EQ(findings[0].severity, result::Severity::note);
  EXPECT_THAT(findings[0].evidence, HasSubstr("swapoff /dev/zram1: postponed until another run"));
  EXPECT_THAT(findings[0].evidence, HasSubstr("pid 5000 (up to 60 MiB)"));
  EXPECT_THAT(machine.swaps, SizeIs(2));

  worker_ends();  // the first process lives yet: it writes its report
  const auto later = end(*second, kSecond);
  ASSERT_THAT(later, SizeIs(1));
  EXPECT_EQ(later[0].id, "paging.leftovers");
  EXPECT_EQ(later[0].severity, result::Severity::note);
  EXPECT_THAT(later[0].evidence, HasSubstr("of the run with pid 4242, which has ended: swapoff /dev/zram1"));
  EXPECT_THAT(machine.swaps, IsEmpty());
  EXPECT_THAT(machine.journals(), IsEmpty());
  EXPECT_EQ(machine.state(), before);
}

TEST_P(ConcurrentPressureRuns, TheLastToEndRestoresEverything) {
  worker_ends();
  EXPECT_THAT(end(*second, kSecond), IsEmpty());
  EXPECT_THAT(end(*first, kFirst), IsEmpty());
  EXPECT_EQ(machine.state(), before);
}

TEST_P(ConcurrentPressureRuns, ARunWithoutACgroupIsFoundByItsProcesses) {
  const pressure::swap::ActiveSwap swap{"/dev/zram1", "partition", 256 * kMiB, 60 * kMiB, 32767};
  machine.end_foreign(kWorker);
  machine.add_foreign(7000, "fathom", 30 * kMiB, "/");
  machine.files["/proc/7000/status"] += "PPid:\t6000\n";
  machine.add_foreign(kThird, "fathom", 2 * kMiB, "/");
  machine.add_foreign(900, "browser", 3 * kMiB, "/");
  const auto found = pressure::look_at_holders(machine, swap, {{kThird, ""}});
  EXPECT_EQ(found.of_runs, "pid 6000 (up to 32 MiB)");
  EXPECT_EQ(found.bytes, 3 * kMiB);
  EXPECT_THAT(found.holders, SizeIs(1));
}

TEST_P(ConcurrentPressureRuns, AnotherRunsFewPagesWithRoomDoNotDelaySwapoff) {
  const pressure::swap::ActiveSwap swap{"/dev/zram1", "partition", 256 * kMiB, 60 * kMiB, 32767};
  machine.end_foreign(kWorker);
  machine.add_foreign(kThird, "fathom", kMiB - 4096, "/");
  EXPECT_EQ(pressure::look_at_holders(machine, swap, {{kThird, ""}}).of_runs, "");
}

// A container's limit around all runs: full of the second's pages, of which nothing would come back.
TEST_P(ConcurrentPressureRuns, AParentCgroupFilledByARunIsNotForeign) {
  machine.files[v2() ? "/cg/memory.max" : "/cg/memory.limit_in_bytes"] = number(64 * kMiB);
  machine.files[v2() ? "/cg/memory.current" : "/cg/memory.usage_in_bytes"] = number(63 * kMiB);
  machine.files["/cg/memory.stat"] = "total_inactive_file 0\ntotal_swap " + number(110 * kMiB);
  machine.files["/cg/memory.swap.current"] = number(110 * kMiB);
  ASSERT_THAT(ids(end(*first, kFirst)), ::testing::ElementsAre("paging.left_to_other_run"));
  machine.files["/cg/memory.stat"] = "total_inactive_file 0\ntotal_swap " + number(112 * kMiB);
  machine.files["/cg/memory.swap.current"] = number(112 * kMiB);
  machine.add_foreign(900, "browser", 2 * kMiB, "/");
  const pressure::swap::ActiveSwap swap{"/dev/zram1", "partition", 256 * kMiB, 60 * kMiB, 32767};
  const auto found = pressure::look_at_holders(machine, swap, {{kSecond, second->cgroup_path()}});
  EXPECT_THAT(found.no_room, HasSubstr("has room for 1 MiB of its 2 MiB in swap (browser (pid 900)"));
}

TEST_P(ConcurrentPressureRuns, AForeignProcessWithoutRoomIsNotRestored) {
  add_tight_foreign();
  const auto findings = end(*first, kFirst);
  ASSERT_THAT(ids(findings), ::testing::ElementsAre("paging.not_restored"));
  EXPECT_THAT(findings[0].evidence, HasSubstr("/theirs"));
  EXPECT_THAT(findings[0].evidence, HasSubstr("browser (pid 900)"));
  EXPECT_THAT(findings[0].evidence, Not(HasSubstr("fathom-paging")));
  worker_ends();
  machine.swaps.at(0).used_bytes = 10 * kMiB;
  const auto later = end(*second, kSecond);
  ASSERT_THAT(ids(later), ::testing::ElementsAre("paging.leftovers")) << "the first had said that it is an error";
  EXPECT_EQ(later[0].severity, result::Severity::warning);
}

TEST_P(ConcurrentPressureRuns, SwapLeftToARunThatCannotRemoveItIsThatRunsError) {
  end(*first, kFirst);
  add_tight_foreign();
  worker_ends();
  machine.swaps.at(0).used_bytes = 10 * kMiB;
  const auto later = end(*second, kSecond);
  ASSERT_THAT(ids(later), ::testing::ElementsAre("paging.not_restored"));
  EXPECT_THAT(later[0].evidence, HasSubstr("of the run with pid 4242"));
  EXPECT_THAT(machine.swaps, SizeIs(1));
  machine.end_foreign(900);
  machine.swaps.at(0).used_bytes = 0;
  pressure::clean_up_on(machine, kState);
  EXPECT_THAT(machine.swaps, IsEmpty());
  EXPECT_THAT(machine.journals(), IsEmpty());
}

TEST_P(ConcurrentPressureRuns, AKilledRunsSwapIsRemovedWhenTheOtherEnds) {
  kill(first.get(), kFirst);
  machine.start_process(kThird, 79);
  const auto meanwhile = pressure::clean_up_on(machine, kState);
  ASSERT_THAT(meanwhile, SizeIs(1));
  EXPECT_THAT(meanwhile[0].failed, IsEmpty());
  EXPECT_THAT(meanwhile[0].waiting, Contains(HasSubstr("pid 5000")));
  EXPECT_THAT(machine.swaps, SizeIs(2));
  worker_ends();
  EXPECT_THAT(ids(end(*second, kSecond)), ::testing::ElementsAre("paging.leftovers"));
  EXPECT_THAT(machine.swaps, IsEmpty());
  EXPECT_THAT(machine.journals(), IsEmpty());
}

TEST_P(ConcurrentPressureRuns, SwapLeftToAKilledRunIsRemovedByTheNextStart) {
  end(*first, kFirst);
  kill(second.get(), kSecond);
  worker_ends();
  machine.start_process(kThird, 79);
  EXPECT_THAT(pressure::clean_up_on(machine, kState), SizeIs(2));
  EXPECT_EQ(machine.state(), before);
  EXPECT_THAT(machine.journals(), IsEmpty());
}

TEST_P(ConcurrentPressureRuns, AKilledRunsProcessesAreNotForeign) {
  machine.files[second->cgroup_path() + "/cgroup.procs"] = std::to_string(kWorker) + "\n";
  kill(second.get(), kSecond);
  const auto findings = end(*first, kFirst);
  EXPECT_THAT(ids(findings), Not(Contains("paging.not_restored")));
  EXPECT_THAT(machine.swaps, IsEmpty());
  EXPECT_THAT(machine.journals(), IsEmpty());
}

// The next repetition of the same process.
TEST_P(ConcurrentPressureRuns, ASwapTakenBackByTheNextRepetitionIsNotRemovedByTheOther) {
  end(*first, kFirst);
  machine.pid = kFirst;
  auto again = set_up(machine, zram_plan());
  ASSERT_TRUE(again.ok());
  worker_ends();
  EXPECT_THAT(end(*second, kSecond), IsEmpty());
  EXPECT_THAT(machine.swaps, SizeIs(1)) << "the first process's, used again";
  EXPECT_THAT(end(**again, kFirst), IsEmpty());
  EXPECT_EQ(machine.state(), before);
  EXPECT_THAT(machine.journals(), IsEmpty());
}

TEST_P(ConcurrentPressureRuns, ASwapTakenBackWithoutFurtherChangesIsNotRemovedByTheOther) {
  end(*first, kFirst);
  machine.pid = kFirst;
  PressurePlan nothing;
  nothing.settings = {{"kernel.numa_balancing", "0"}};  // not in this kernel
  auto again = set_up(machine, nothing);
  ASSERT_TRUE(again.ok());
  worker_ends();
  EXPECT_THAT(end(*second, kSecond), IsEmpty());
  EXPECT_THAT(machine.swaps, SizeIs(1));
  EXPECT_THAT(end(**again, kFirst), IsEmpty());
  EXPECT_EQ(machine.state(), before);
}

// The second's process, with pages in the first's swap, is killed only after that was looked at.
TEST_P(ConcurrentPressureRuns, TwoKilledRunsAreCleanedUpCompletely) {
  machine.files[second->cgroup_path() + "/cgroup.procs"] = std::to_string(kWorker) + "\n";
  kill(first.get(), kFirst);
  kill(second.get(), kSecond);
  machine.start_process(kThird, 79);
  for (const pressure::StaleState& left : pressure::clean_up_on(machine, kState)) EXPECT_THAT(left.failed, IsEmpty());
  EXPECT_EQ(machine.state(), before);
  EXPECT_THAT(machine.journals(), IsEmpty());
}

// The first put it back, and then somebody set the value that the run had used.
TEST_P(ConcurrentPressureRuns, OnlySwapIsHandedOverAndSwitchesAreRestoredAtOnce) {
  PressurePlan plan = zram_plan();
  plan.settings = {{"vm.page-cluster", "0"}};
  machine.start_process(kThird, 79);
  auto third = set_up(machine, plan);
  machine.swaps.at(2).used_bytes = 60 * kMiB;
  end(*third.value(), kThird);
  EXPECT_EQ(machine.files["/proc/sys/vm/page-cluster"], "3\n");
  machine.files["/proc/sys/vm/page-cluster"] = "0\n";
  worker_ends();
  end(*second, kSecond);
  EXPECT_THAT(machine.swaps, SizeIs(1));
  EXPECT_EQ(machine.files["/proc/sys/vm/page-cluster"], "0\n");
}

// What is given up counts no more as a living run's, though its process lives: else nobody would put a switch back.
TEST_P(ConcurrentPressureRuns, ASharedSwitchIsRestoredByTheLastRun) {
  end(*first, kFirst);
  EXPECT_EQ(machine.files["/proc/sys/vm/swappiness"], "100\n");
  worker_ends();
  end(*second, kSecond);
  EXPECT_EQ(machine.files["/proc/sys/vm/swappiness"], "60\n");
}

TEST_P(ConcurrentPressureRuns, OnlyIsRefusedWhenAnotherRunHasPagesInTheSwap) {
  kill(first.get(), kFirst);
  PressurePlan plan;
  plan.swap = {SwapPlan::Kind::none, "none", "", 0, ""};
  plan.only = true;
  std::erase_if(machine.swaps, [](const pressure::swap::ActiveSwap& swap) { return swap.path == "/dev/zram2"; });
  machine.start_process(kThird, 79);
  const auto checked = pressure::check_on(machine, kState, plan);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().kind, base::ErrorKind::refused);
  EXPECT_THAT(checked.error().cause, HasSubstr("pid 5000"));
}

// A journal that stays names its run, also beside a clean one of the same pid.
TEST_P(ConcurrentPressureRuns, TwoJournalsOfOnePidAreTwoRuns) {
  kill(first.get(), kFirst);
  const std::string journal = std::string(kState) + "/4242-";
  machine.files[journal + "99"] = "cgroup /cg/fathom-paging-4242\n";
  machine.start_process(kThird, 79);
  const auto stale = pressure::clean_up_on(machine, kState);
  ASSERT_THAT(stale, SizeIs(1));
  EXPECT_THAT(stale[0].waiting, SizeIs(1));
  machine.files[journal + "99"] = machine.files[journal + "77"];
  EXPECT_THAT(pressure::clean_up_on(machine, kState), SizeIs(2));
}

TEST_P(ConcurrentPressureRuns, CleanUpWithForceDoesNotWaitForAnotherRun) {
  kill(first.get(), kFirst);
  machine.start_process(kThird, 79);
  EXPECT_THAT(pressure::clean_up_on(machine, kState, true).at(0).undone, Contains("swapoff /dev/zram1"));
  EXPECT_THAT(machine.swaps, SizeIs(1));
}

}  // namespace
}  // namespace fathom::paging
