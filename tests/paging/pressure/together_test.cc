// Several runs on one machine, and other people's zram, swaps and switches: what is not a run's own it does not touch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "paging/pressure/fake_machine.h"
#include "paging/pressure/run_pressure.h"
#include "paging/pressure/set_up.h"
#include "paging/pressure/stale_state.h"

namespace fathom::paging {
namespace {

using testing::FakeMachine;
using ::testing::HasSubstr;
using testing::Killed;

constexpr const char* kSwappiness = "/proc/sys/vm/swappiness";

PressurePlan small_zram_plan() {
  PressurePlan plan;
  plan.swap = {SwapPlan::Kind::zram, "zram:32M", "", 32 << 20, ""};
  return plan;
}

PressurePlan swappiness_plan(const std::string& value) {
  PressurePlan plan;
  plan.settings = {{"vm.swappiness", value}};
  return plan;
}

// Of a first set-up with zram: mkdir, mkdir, intent, hot_add, its two lines, disksize, header, swapon.
constexpr int kHotAdd = 3, kSwapOn = 8;

// Set up by a process that is killed right after its k-th change.
void killed_after(FakeMachine& machine, const PressurePlan& plan, int k) {
  machine.kill_after = static_cast<int>(machine.changes.size()) + k;
  EXPECT_THROW((void)set_up(machine, plan), Killed);
  machine.kill_after = -1;
}

TEST(PressureCleanUp, LeavesALivingRunAlone) {
  FakeMachine machine;
  auto pressure = set_up(machine, small_zram_plan());
  ASSERT_TRUE(pressure.ok());
  const std::string during = machine.state();
  machine.start_process(5000, 78);
  EXPECT_TRUE(pressure::clean_up_on(machine, kState).empty());
  EXPECT_EQ(machine.state(), during);
  machine.pid = FakeMachine::kPid;
}

// /proc of this namespace does not show the run, or shows another process under its number: its journal is locked.
TEST(PressureCleanUp, LeavesARunOfAnotherPidNamespaceAlone) {
  FakeMachine machine;
  auto pressure = set_up(machine, small_zram_plan());
  ASSERT_TRUE(pressure.ok());
  const std::string during = machine.state();
  const auto journal = std::find_if(machine.files.begin(), machine.files.end(), [](const auto& file) {
    return file.first.starts_with(std::string(kState) + "/4242-");
  });
  ASSERT_NE(journal, machine.files.end());
  machine.locked.insert(journal->first);
  machine.start_process(FakeMachine::kPid, 1234567);
  machine.pid = 5000;
  machine.pid_namespace += 100;
  EXPECT_TRUE(pressure::clean_up_on(machine, kState).empty());
  EXPECT_TRUE(pressure::stale_runs_on(machine, kState).empty());
  EXPECT_EQ(machine.state(), during);
  machine.locked.clear();
  EXPECT_EQ(pressure::stale_runs_on(machine, kState), std::vector<int>{4242});
  machine.pid = FakeMachine::kPid;
}

// A forked child of the killed run has inherited the lock, and has not ended yet.
TEST(PressureCleanUp, TakesNoLockOfAKilledRunsChildForTheRun) {
  FakeMachine machine;
  const std::string before = machine.state();
  killed_after(machine, small_zram_plan(), kSwapOn);
  machine.start_process(FakeMachine::kPid, 1234567);
  for (const auto& journal : machine.journals()) machine.locked.insert(journal);
  EXPECT_FALSE(pressure::clean_up_on(machine, kState).empty());
  EXPECT_EQ(machine.state(), before);
}

TEST(PressureCleanUp, DoesNotTakeARecycledPidForTheRun) {
  FakeMachine machine;
  const std::string before = machine.state();
  killed_after(machine, small_zram_plan(), kSwapOn);
  machine.start_process(FakeMachine::kPid, 1234567);
  EXPECT_FALSE(pressure::clean_up_on(machine, kState).empty());
  EXPECT_EQ(machine.state(), before);
}

TEST(PressureCleanUp, TreatsAZombieAsEnded) {
  FakeMachine machine;
  const std::string before = machine.state();
  const std::string stat = machine.files.at("/proc/4242/stat");
  killed_after(machine, small_zram_plan(), kSwapOn);
  machine.files["/proc/4242/stat"] = std::string(stat).replace(stat.find(" S "), 3, " Z ");
  machine.pid = 5000;
  pressure::clean_up_on(machine, kState);
  machine.files.erase("/proc/4242/stat");
  EXPECT_EQ(machine.state(), before);
}

TEST(PressureCleanUp, RemovesAZramWhenKilledRightAfterHotAdd) {
  FakeMachine machine;
  const std::string before = machine.state();
  killed_after(machine, small_zram_plan(), kHotAdd);
  ASSERT_EQ(machine.changes.back(), "hot_add");
  EXPECT_NE(machine.state(), before);
  machine.start_process(5000, 78);
  pressure::clean_up_on(machine, kState);
  EXPECT_EQ(machine.state(), before);
}

TEST(PressureCleanUp, LeavesAZramThatAnotherProgramAdded) {
  FakeMachine machine;
  killed_after(machine, small_zram_plan(), kHotAdd - 1);  // the intent alone
  machine.now += 60'000'000'000;
  const int others = machine.add_zram();
  machine.start_process(5000, 78);
  pressure::clean_up_on(machine, kState);
  EXPECT_TRUE(machine.exists("/dev/zram" + std::to_string(others)));
}

TEST(PressureCleanUp, LeavesAZramThatALivingRunAdded) {
  FakeMachine machine;
  killed_after(machine, small_zram_plan(), kHotAdd - 1);
  machine.start_process(5000, 78);
  auto pressure = set_up(machine, small_zram_plan());
  ASSERT_TRUE(pressure.ok());
  const std::string device = pressure.value()->facts().swaps.at(0).path;
  machine.files["/sys/block/" + device.substr(5) + "/disksize"] = "0\n";
  pressure::clean_up_on(machine, kState);
  EXPECT_TRUE(machine.exists(device));
}

TEST(PressureCleanUp, ReportsAZramIdThatWasGivenToAnotherProgram) {
  FakeMachine machine;
  killed_after(machine, small_zram_plan(), kSwapOn);
  const std::string device = machine.swaps.at(0).path;
  machine.nodes[device].birth_ns += 1;
  machine.start_process(5000, 78);
  const auto stale = pressure::clean_up_on(machine, kState);
  ASSERT_EQ(stale.size(), 1u) << "not passed over in silence";
  EXPECT_THAT(stale[0].undone.at(0), HasSubstr(device + " no longer belongs to the run"));
  EXPECT_EQ(machine.swaps.size(), 1u);
  EXPECT_TRUE(machine.exists(device));
}

// The user has turned it off and removed it; ext4 gives its number to the next file.
TEST(PressureCleanUp, LeavesAFileThatHasGotTheInodeOfASwapFile) {
  constexpr const char* kSwapFile = "/var/tmp/s";
  PressurePlan plan;
  plan.swap = {SwapPlan::Kind::file, "file", kSwapFile, 32 << 20, ""};
  FakeMachine whole;
  const auto set = set_up(whole, plan);
  ASSERT_TRUE(set.ok());
  for (const bool is_users : {false, true}) {
    FakeMachine machine;
    killed_after(machine, plan, static_cast<int>(whole.changes.size()) - 1);
    ASSERT_TRUE(machine.exists(kSwapFile));
    machine.swaps.clear();
    if (is_users) machine.pages[kSwapFile].assign(4096, std::byte{'x'});
    machine.start_process(5000, 78);
    pressure::clean_up_on(machine, kState);
    EXPECT_EQ(machine.exists(kSwapFile), is_users);
  }
}

// /dev before kernel 6.0: what changes a node (udev's chmod) must not make it another's.
TEST(PressureCleanUp, WithoutBirthTimesTheSwapHeaderIdentifiesAZram) {
  FakeMachine machine;
  machine.keeps_births = false;
  const std::string before = machine.state();
  auto pressure = set_up(machine, small_zram_plan());
  ASSERT_TRUE(pressure.ok());
  machine.now += 60'000'000'000;
  EXPECT_TRUE(pressure.value()->restore().empty());
  EXPECT_EQ(machine.state(), before);
}

TEST(PressureCleanUp, WithoutBirthTimesAKillAtAnyStepIsUndone) {
  for (int k = kHotAdd; k <= kSwapOn; ++k) {
    FakeMachine machine;
    machine.keeps_births = false;
    const std::string before = machine.state();
    killed_after(machine, small_zram_plan(), k);
    machine.now += 60'000'000'000;
    machine.start_process(5000, 78);
    pressure::clean_up_on(machine, kState);
    EXPECT_EQ(machine.state(), before) << "killed after " << machine.changes.at(static_cast<std::size_t>(k));
  }
}

TEST(PressureCleanUp, WithoutBirthTimesAForeignSwapHeaderIsLeftAloneAndReported) {
  FakeMachine machine;
  machine.keeps_births = false;
  killed_after(machine, small_zram_plan(), kSwapOn);
  const std::string device = machine.swaps.at(0).path;
  machine.pages[device] = pressure::swap::swap_page(32 << 20, 4096, pressure::swap::random_uuid(), "theirs");
  machine.start_process(5000, 78);
  const auto stale = pressure::clean_up_on(machine, kState);
  ASSERT_EQ(stale.size(), 1u);
  EXPECT_THAT(stale[0].undone.at(0), HasSubstr(device));
  EXPECT_EQ(machine.swaps.size(), 1u);
}

PressurePlan only_plan() {
  PressurePlan plan = small_zram_plan();
  plan.only = true;
  return plan;
}

TEST(PressureCleanUp, RestoreKeepsTheOrderOfKernelAssignedPriorities) {
  FakeMachine machine;
  for (const char* path : {"/dev/first", "/dev/second", "/dev/third"}) machine.add_swap(path);
  auto pressure = set_up(machine, only_plan());
  ASSERT_TRUE(pressure.ok());
  EXPECT_EQ(machine.swaps.size(), 1u);
  EXPECT_TRUE(pressure.value()->restore().empty());
  EXPECT_EQ(machine.priority_of("/dev/first"), -2);
  EXPECT_EQ(machine.priority_of("/dev/second"), -3);
  EXPECT_EQ(machine.priority_of("/dev/third"), -4);
}

TEST(PressureCleanUp, OnlyIsRefusedForSwapOfALivingRun) {
  FakeMachine machine;
  auto first = set_up(machine, small_zram_plan());
  ASSERT_TRUE(first.ok());
  const std::string during = machine.state();
  machine.start_process(5000, 78);
  auto second = set_up(machine, only_plan());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, base::ErrorKind::refused);
  EXPECT_THAT(second.error().what, HasSubstr("/dev/zram1: not turned off: a run with pid 4242 uses it"));
  EXPECT_EQ(machine.state(), during);
  std::vector<result::Finding> findings;
  auto third = pressure::set_up_on(machine, kState, small_zram_plan(), findings, {});
  ASSERT_TRUE(third.ok());
  EXPECT_THAT(findings.at(0).remedy, HasSubstr("wait for its end")) << "not: use --only";
  third.value().reset();
  machine.pid = FakeMachine::kPid;
}

// Turned off for a run that was killed; then the machine changed.
struct TurnedOff {
  TurnedOff() {
    machine.add_swap("/dev/other");
    killed_after(machine, only_plan(), kSwapOn + 2);
    EXPECT_EQ(machine.priority_of("/dev/other"), 0);
    machine.start_process(5000, 78);
  }
  FakeMachine machine;
};

TEST(PressureCleanUp, ReportsAVanishedSwapOnceAndDropsTheJournal) {
  TurnedOff t;
  t.machine.nodes.erase("/dev/other");
  const auto stale = pressure::clean_up_on(t.machine, kState);
  ASSERT_EQ(stale.size(), 1u);
  EXPECT_TRUE(stale[0].failed.empty());
  EXPECT_THAT(stale[0].undone, ::testing::Contains(HasSubstr("/dev/other no longer exists")));
  EXPECT_TRUE(pressure::clean_up_on(t.machine, kState).empty());
  EXPECT_TRUE(t.machine.journals().empty());
}

TEST(PressureCleanUp, DoesNotSwapOnAnotherDeviceUnderTheSameName) {
  for (const bool is_swap : {true, false}) {
    TurnedOff t;
    t.machine.pages["/dev/other"] =
        is_swap ? pressure::swap::swap_page(1 << 20, 4096, pressure::swap::random_uuid(), "theirs")
                : std::vector<std::byte>(4096);
    const auto stale = pressure::clean_up_on(t.machine, kState);
    EXPECT_TRUE(t.machine.swaps.empty());
    EXPECT_THAT(stale.at(0).undone, ::testing::Contains(HasSubstr("no longer the swap")));
    EXPECT_TRUE(t.machine.journals().empty());
  }
}

TEST(PressureCleanUp, NamesTheJournalOfWhatCannotBeUndone) {
  TurnedOff t;
  const auto journal = t.machine.journals().at(0);
  t.machine.fail_at = static_cast<int>(t.machine.changes.size());
  const auto stale = pressure::clean_up_on(t.machine, kState);
  EXPECT_THAT(stale.at(0).failed.at(0), HasSubstr("(journal " + journal + ")"));
}

TEST(PressureCleanUp, SetUpUsesAnActiveSwapNamedByASymlink) {
  for (const bool only : {false, true}) {
    FakeMachine machine;
    machine.add_swap("/dev/other");
    machine.links["/dev/by-uuid"] = "/dev/other";
    PressurePlan plan;
    plan.swap = {SwapPlan::Kind::device, "dev:/dev/by-uuid", "/dev/by-uuid", 0, ""};
    plan.only = only;
    auto pressure = set_up(machine, plan);
    ASSERT_TRUE(pressure.ok()) << pressure.error().what;
    EXPECT_EQ(pressure.value()->facts().swaps.at(0).kind, "dev");
    EXPECT_EQ(machine.priority_of("/dev/other"), -2);
  }
}

TEST(PressureCleanUp, LeavesAFileThatReplacedTheSwapFile) {
  FakeMachine machine;
  PressurePlan plan;
  plan.swap = {SwapPlan::Kind::file, "file:/var/tmp/s:32M", "/var/tmp/s", 32 << 20, ""};
  machine.kill_after = 5;
  EXPECT_THROW((void)set_up(machine, plan), Killed);
  ASSERT_TRUE(machine.exists("/var/tmp/s"));
  machine.nodes["/var/tmp/s"].inode += 1;
  machine.start_process(5000, 78);
  pressure::clean_up_on(machine, kState);
  EXPECT_TRUE(machine.exists("/var/tmp/s"));
}

TEST(PressureCleanUp, ASwitchSharedByTwoRunsIsRestoredByTheLast) {
  FakeMachine machine;
  auto first = set_up(machine, swappiness_plan("100"));
  ASSERT_TRUE(first.ok());
  machine.start_process(5000, 78);
  auto second = set_up(machine, swappiness_plan("100"));
  ASSERT_TRUE(second.ok());
  machine.pid = FakeMachine::kPid;
  EXPECT_TRUE(first.value()->restore().empty());
  EXPECT_EQ(machine.files[kSwappiness], "100\n");
  machine.pid = 5000;
  EXPECT_TRUE(second.value()->restore().empty());
  EXPECT_EQ(machine.files[kSwappiness], "60\n");
}

TEST(PressureCleanUp, SetUpRefusesASwitchValueOtherThanALivingRuns) {
  FakeMachine machine;
  auto first = set_up(machine, swappiness_plan("100"));
  ASSERT_TRUE(first.ok());
  machine.start_process(5000, 78);
  auto second = set_up(machine, swappiness_plan("0"));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, base::ErrorKind::refused);
  EXPECT_THAT(second.error().what, HasSubstr("pid 4242"));
  EXPECT_EQ(machine.files[kSwappiness], "100\n");
  machine.pid = FakeMachine::kPid;
}

TEST(PressureCleanUp, RestoreLeavesASwitchThatOthersChangedAndReportsIt) {
  FakeMachine machine;
  auto pressure = set_up(machine, swappiness_plan("100"));
  ASSERT_TRUE(pressure.ok());
  machine.files[kSwappiness] = "70\n";
  const auto findings = pressure.value()->restore();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "paging.changed_by_others");
  EXPECT_THAT(findings[0].evidence, HasSubstr("vm.swappiness is 70"));
  EXPECT_EQ(machine.files[kSwappiness], "70\n");
}

TEST(PressureCleanUp, TheMemoryControllerIsDisabledByTheLastRun) {
  FakeMachine machine(FakeMachine::Cgroups::v2);
  const std::string before = machine.state();
  PressurePlan plan;
  plan.limit_bytes = 64 << 20;
  auto first = set_up(machine, plan);
  machine.start_process(5000, 78);
  auto second = set_up(machine, plan);
  ASSERT_TRUE(first.ok() && second.ok());
  machine.pid = FakeMachine::kPid;
  first.value()->restore();
  EXPECT_EQ(machine.files["/cg/cgroup.subtree_control"], "memory\n");
  EXPECT_TRUE(machine.exists("/cg/fathom-paging-5000/memory.max"));
  machine.pid = 5000;
  second.value()->restore();
  machine.end_process(5000);
  EXPECT_EQ(machine.state(), before);
}

TEST(PressureCleanUp, AFailedRestoreIsAFindingAndTheNextStartRetries) {
  FakeMachine machine;
  const std::string before = machine.state();
  auto pressure = set_up(machine, small_zram_plan());
  ASSERT_TRUE(pressure.ok());
  machine.fail_at = static_cast<int>(machine.changes.size());
  const auto findings = pressure.value()->restore();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "paging.not_restored");
  EXPECT_THAT(findings[0].evidence, HasSubstr("swapoff /dev/zram1"));
  EXPECT_THAT(findings[0].remedy, HasSubstr("cleanup"));
  EXPECT_EQ(machine.journals().size(), 1u);
  pressure.value().reset();
  EXPECT_EQ(machine.swaps.size(), 1u) << "not restored in silence after it was reported";
  machine.end_process(FakeMachine::kPid);
  machine.start_process(5000, 78);
  EXPECT_EQ(pressure::clean_up_on(machine, kState).at(0).undone.at(0), "swapoff /dev/zram1");
  EXPECT_EQ(machine.state(), before);
}

TEST(PressureCleanUp, AForkedChildRestoresNothing) {
  FakeMachine machine;
  auto pressure = set_up(machine, small_zram_plan());
  ASSERT_TRUE(pressure.ok());
  const std::string during = machine.state();
  machine.pid = 5001;
  EXPECT_TRUE(pressure.value()->restore().empty());
  EXPECT_EQ(machine.state(), during);
  machine.pid = FakeMachine::kPid;
}

TEST(PressureCleanUp, IgnoresDamagedJournals) {
  FakeMachine machine;
  const std::string before = machine.state();
  machine.directories.insert({"/run/fathom", kState});
  machine.files[std::string(kState) + "/99-1"] =
      "file /etc/passwd 1 1 1\ncgroup /cg/service\nzram 0 5 keep\nswitch vm.swappiness 60\nswap-off /dev/none "
      "x\n\x01\x02\nzram-int";
  machine.files[std::string(kState) + "/notes"] = "not a journal";
  const auto stale = pressure::clean_up_on(machine, kState);
  ASSERT_EQ(stale.size(), 1u);
  EXPECT_THAT(stale[0].undone, ::testing::Contains(HasSubstr("3 damaged lines")));
  EXPECT_EQ(machine.state(), before);
  EXPECT_EQ(machine.journals().size(), 1u) << "only the journal is removed";
}

}  // namespace
}  // namespace fathom::paging
