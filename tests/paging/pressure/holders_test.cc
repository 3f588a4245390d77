// Others' pages in a run's swap: what has room in memory comes back and is said, what has none keeps the swap on.
#include "paging/pressure/holders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paging/pressure/fake_machine.h"
#include "paging/pressure/run_pressure.h"
#include "paging/pressure/set_up.h"
#include "paging/pressure/stale_state.h"

namespace fathom::paging {
namespace {

using testing::FakeMachine;
using ::testing::HasSubstr;
using ::testing::Not;

// A memory cgroup of somebody else.
struct Group {
  std::uint64_t limit, usage, inactive_file, swapped;
};

void add_group(FakeMachine& machine, bool v2, const std::string& path, const Group& g) {
  machine.directories.insert(path);
  machine.files[path + "/cgroup.procs"] = "";
  machine.files[path + (v2 ? "/memory.max" : "/memory.limit_in_bytes")] = number(g.limit);
  machine.files[path + (v2 ? "/memory.current" : "/memory.usage_in_bytes")] = number(g.usage);
  const std::string total = v2 ? "" : "total_";
  machine.files[path + "/memory.stat"] =
      "swap 7\ninactive_file 9\n" + total + "inactive_file " + number(g.inactive_file);
  if (v2) machine.files[path + "/memory.stat"] = "inactive_file " + number(g.inactive_file);
  if (v2) machine.files[path + "/memory.swap.current"] = number(g.swapped);
  if (!v2) machine.files[path + "/memory.stat"] += "total_swap " + number(g.swapped);
}

pressure::swap::ActiveSwap swap_with(std::uint64_t used_bytes) {
  return {"/dev/zram1", "partition", 256 * kMiB, used_bytes, 32767};
}

class LookAtHolders : public ::testing::TestWithParam<bool> {
 protected:
  bool v2() const { return GetParam(); }
  FakeMachine machine{GetParam() ? FakeMachine::Cgroups::v2 : FakeMachine::Cgroups::v1};
};
INSTANTIATE_TEST_SUITE_P(Cgroups, LookAtHolders, ::testing::Values(false, true),
                         [](const auto& tested) { return tested.param ? "v2" : "v1"; });

TEST_P(LookAtHolders, ACgroupAtItsLimitHasNoRoom) {
  add_group(machine, v2(), "/cg/tight", {40 * kMiB, 39 * kMiB, 0, 110 * kMiB});
  machine.add_foreign(900, "browser", 110 * kMiB, "/tight");
  machine.add_foreign(901, "other", 1 * kMiB, "/");
  const auto found = pressure::look_at_holders(machine, swap_with(111 * kMiB));
  EXPECT_THAT(found.no_room, HasSubstr("memory cgroup /tight (limit 40 MiB) has room for 1 MiB of its 110 MiB"));
  EXPECT_THAT(found.no_room, HasSubstr("browser (pid 900) 110 MiB"));
  EXPECT_THAT(found.no_room, Not(HasSubstr("other")));
}

TEST_P(LookAtHolders, ACgroupHasRoomUpToLimitLessUsage) {
  for (const std::uint64_t swapped : {10 * kMiB, 10 * kMiB + 4096}) {
    add_group(machine, v2(), "/cg/edge", {40 * kMiB, 30 * kMiB, 0, swapped});
    EXPECT_EQ(pressure::look_at_holders(machine, swap_with(64 * kMiB)).no_room.empty(), swapped == 10 * kMiB);
  }
}

TEST_P(LookAtHolders, InactiveFilePagesCountAsRoom) {
  add_group(machine, v2(), "/cg/files", {40 * kMiB, 40 * kMiB, 15 * kMiB, 10 * kMiB});
  EXPECT_EQ(pressure::look_at_holders(machine, swap_with(64 * kMiB)).no_room, "");
}

TEST_P(LookAtHolders, NoMoreBytesReturnThanTheSwapHolds) {
  add_group(machine, v2(), "/cg/elsewhere", {40 * kMiB, 30 * kMiB, 0, 110 * kMiB});
  machine.add_foreign(900, "browser", 110 * kMiB, "/elsewhere");
  const auto found = pressure::look_at_holders(machine, swap_with(8 * kMiB));
  EXPECT_EQ(found.no_room, "");
  EXPECT_EQ(found.bytes, 8 * kMiB);
}

TEST_P(LookAtHolders, AnAncestorsLimitApplies) {
  add_group(machine, v2(), "/cg/slice", {40 * kMiB, 39 * kMiB, 0, 64 * kMiB});
  add_group(machine, v2(), "/cg/slice/part", {std::uint64_t{1} << 62, 39 * kMiB, 0, 64 * kMiB});
  machine.add_foreign(900, "daemon", 64 * kMiB, "/slice/part");
  machine.add_foreign(901, "namesake", 64 * kMiB, "/slices");
  const auto found = pressure::look_at_holders(machine, swap_with(64 * kMiB));
  EXPECT_THAT(found.no_room, HasSubstr("memory cgroup /slice "));
  EXPECT_THAT(found.no_room, HasSubstr("daemon"));
  EXPECT_THAT(found.no_room, Not(HasSubstr("namesake")));
}

TEST_P(LookAtHolders, ANestedCgroupIsFound) {
  add_group(machine, v2(), "/cg/a", {std::uint64_t{1} << 62, 0, 0, 0});
  add_group(machine, v2(), "/cg/a/b", {40 * kMiB, 40 * kMiB, 0, 20 * kMiB});
  EXPECT_THAT(pressure::look_at_holders(machine, swap_with(64 * kMiB)).no_room, HasSubstr("/a/b (limit 40 MiB)"));
}

// Kernels that do not count swap by groups: the processes' own numbers.
TEST_P(LookAtHolders, WithoutACgroupSwapCounterVmSwapOfItsProcessesIsSummed) {
  add_group(machine, v2(), "/cg/tight", {40 * kMiB, 39 * kMiB, 0, 0});
  machine.files.erase("/cg/tight/memory.swap.current");
  machine.files["/cg/tight/memory.stat"] = "inactive_file 0\n";
  machine.add_foreign(900, "one", 3 * kMiB, "/tight");
  machine.add_foreign(901, "two", 4 * kMiB, "/tight");
  EXPECT_THAT(pressure::look_at_holders(machine, swap_with(64 * kMiB)).no_room,
              HasSubstr("room for 1 MiB of its 7 MiB"));
}

TEST_P(LookAtHolders, MemAvailableAndOtherSwapMustHoldAllPages) {
  machine.add_foreign(900, "browser", 100 * kMiB, "/");
  machine.files["/proc/meminfo"] = "MemTotal: 1048576 kB\nMemAvailable: 65536 kB\n";
  EXPECT_THAT(pressure::look_at_holders(machine, swap_with(100 * kMiB)).no_room,
              HasSubstr("the machine has room for 64 MiB of 100 MiB in it (browser (pid 900) 100 MiB)"));
  machine.swaps.push_back({"/dev/other", "partition", 64 * kMiB, 16 * kMiB, -2});
  EXPECT_EQ(pressure::look_at_holders(machine, swap_with(100 * kMiB)).no_room, "") << "48 MiB can go to the other swap";
}

TEST_P(LookAtHolders, AnUnusedSwapHasNoHolders) {
  add_group(machine, v2(), "/cg/tight", {40 * kMiB, 40 * kMiB, 0, 110 * kMiB});
  EXPECT_EQ(pressure::look_at_holders(machine, swap_with(0)).no_room, "");
}

TEST_P(LookAtHolders, TheRunsOwnProcessIsNotForeign) {
  machine.add_foreign(FakeMachine::kPid, "fathom", 100 * kMiB, "/");
  EXPECT_EQ(pressure::look_at_holders(machine, swap_with(100 * kMiB)).bytes, 0u);
}

TEST(SwapHolderWords, AreShortenedAfterFourProcesses) {
  std::vector<pressure::Holder> many;
  for (int pid = 1; pid <= 6; ++pid) many.push_back({pid, "w", kMiB, "/"});
  EXPECT_THAT(pressure::holders_text(many), HasSubstr("w (pid 4) 1 MiB and 2 more"));
}

// A run whose swap has taken pages of others.
struct Shared {
  explicit Shared(std::uint64_t limit) {
    auto made = set_up(machine, zram_plan());
    EXPECT_TRUE(made.ok());
    run = std::move(made.value());
    machine.swaps.at(0).used_bytes = 110 * kMiB;
    add_group(machine, false, "/cg/theirs", {limit, 39 * kMiB, 0, 110 * kMiB});
    machine.add_foreign(900, "browser", 110 * kMiB, "/theirs");
  }
  void they_end() {
    machine.end_foreign(900);
    add_group(machine, false, "/cg/theirs", {40 * kMiB, 0, 0, 0});
    machine.swaps.at(0).used_bytes = 0;
  }
  FakeMachine machine;
  std::unique_ptr<pressure::Pressure> run;
};

TEST(RestoreWithForeignSwapPages, LeavesSwapOnForProcessesWithoutRoomAndReportsNotRestored) {
  Shared s(40 * kMiB);
  const auto findings = s.run->restore();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "paging.not_restored");
  EXPECT_EQ(findings[0].severity, result::Severity::error);
  EXPECT_THAT(findings[0].evidence, HasSubstr("swapoff /dev/zram1: not done"));
  EXPECT_THAT(findings[0].evidence, HasSubstr("browser (pid 900) 110 MiB"));
  EXPECT_THAT(findings[0].remedy, HasSubstr("fathom paging cleanup"));
  EXPECT_EQ(s.machine.files["/proc/sys/vm/swappiness"], "60\n") << "the rest is restored";
  const auto changes = s.machine.changes.size();
  s.they_end();
  EXPECT_TRUE(s.run->restore().empty());
  s.run.reset();
  EXPECT_EQ(s.machine.changes.size(), changes) << "what was reported stays true";
  EXPECT_EQ(s.machine.swaps.size(), 1u);
  EXPECT_EQ(s.machine.journals().size(), 1u);
}

TEST(RestoreWithForeignSwapPages, CleanUpLeavesSwapOnForProcessesWithoutRoom) {
  Shared s(40 * kMiB);
  s.run->restore();
  s.machine.end_process(FakeMachine::kPid);
  s.machine.start_process(5000, 78);
  const auto first = pressure::clean_up_on(s.machine, kState);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_THAT(first[0].failed.at(0), HasSubstr("--force"));
  EXPECT_EQ(s.machine.swaps.size(), 1u);
  s.they_end();
  EXPECT_THAT(pressure::clean_up_on(s.machine, kState).at(0).undone, ::testing::Contains("swapoff /dev/zram1"));
  EXPECT_TRUE(s.machine.swaps.empty());
  EXPECT_TRUE(s.machine.journals().empty());
}

TEST(RestoreWithForeignSwapPages, CleanUpWithForceSwapsOffRegardless) {
  Shared s(40 * kMiB);
  s.run->restore();
  s.machine.end_process(FakeMachine::kPid);
  s.machine.start_process(5000, 78);
  EXPECT_THAT(pressure::clean_up_on(s.machine, kState, true).at(0).undone, ::testing::Contains("swapoff /dev/zram1"));
  EXPECT_TRUE(s.machine.journals().empty());
}

TEST(RestoreWithForeignSwapPages, SwapsOffAndReportsPagesBroughtBackWhenThereIsRoom) {
  Shared s(200 * kMiB);
  const auto findings = s.run->restore();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "paging.others_brought_back");
  EXPECT_THAT(findings[0].evidence, HasSubstr("up to 110 MiB of other processes were in /dev/zram1"));
  EXPECT_THAT(findings[0].evidence, HasSubstr("browser (pid 900)"));
  EXPECT_TRUE(s.machine.swaps.empty());
  EXPECT_TRUE(s.machine.journals().empty());
}

// The second repetition of the same process must not lose the first one's journal.
TEST(RestoreWithForeignSwapPages, ALaterRunOfTheSameProcessKeepsTheFirstJournal) {
  Shared s(40 * kMiB);
  s.run->restore();
  auto second = set_up(s.machine, zram_plan());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(s.machine.swaps.size(), 1u) << "the same again";
  second.value()->restore();
  EXPECT_EQ(s.machine.swaps.size(), 1u);
  EXPECT_EQ(s.machine.journals().size(), 1u);
  auto third = set_up(s.machine, zram_plan());
  s.they_end();
  EXPECT_TRUE(third.value()->restore().empty());
  EXPECT_TRUE(s.machine.swaps.empty());
  EXPECT_TRUE(s.machine.journals().empty());
}

TEST(RestoreWithForeignSwapPages, ProgressOfALongSwapoffIsReported) {
  Shared s(200 * kMiB);
  std::vector<std::string> told;
  s.run->restore([&](const std::string& text) { told.push_back(text); });
  EXPECT_EQ(told, std::vector<std::string>{"swapoff /dev/zram1: 110 MiB still in it"});
}

TEST(RestoreWithForeignSwapPages, OnlyIsRefusedWhenOthersHaveNoRoomForTheirPages) {
  FakeMachine machine;
  machine.add_swap("/dev/other");
  machine.swaps.at(0).used_bytes = 20 * kMiB;
  add_group(machine, false, "/cg/theirs", {40 * kMiB, 39 * kMiB, 0, 20 * kMiB});
  PressurePlan plan = zram_plan();
  plan.only = true;
  const auto checked = pressure::check_on(machine, kState, plan);
  ASSERT_FALSE(checked.ok());
  EXPECT_EQ(checked.error().kind, base::ErrorKind::refused);
  EXPECT_THAT(checked.error().what, HasSubstr("/dev/other: not turned off"));
  EXPECT_THAT(checked.error().cause, HasSubstr("/theirs (limit 40 MiB)"));
  EXPECT_FALSE(set_up(machine, plan).ok());
  EXPECT_EQ(machine.swaps.size(), 1u);
  EXPECT_TRUE(machine.journals().empty());
}

}  // namespace
}  // namespace fathom::paging
