// Repetitions beside another run that has pages in this one's swap: what the last repetition could not take off, the
// next one of the same swap uses again, and one of another swap says that it is on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "paging/pressure/fake_machine.h"
#include "paging/pressure/own_swap.h"
#include "paging/pressure/run_pressure.h"
#include "paging/pressure/set_up.h"
#include "paging/pressure/stale_state.h"

namespace fathom::paging {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FakeMachine;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Killed;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kFile = "/var/tmp/s";

PressurePlan limited_plan_with(SwapPlan swap) {
  PressurePlan plan;
  plan.swap = std::move(swap);
  plan.limit_bytes = 64 * kMiB;
  plan.settings = {{"vm.swappiness", "100"}};
  return plan;
}
PressurePlan zram(std::uint64_t mib = 256, const std::string& compressor = "") {
  return limited_plan_with({SwapPlan::Kind::zram, "zram", "", mib * kMiB, compressor});
}
PressurePlan file(std::uint64_t mib = 256) {
  return limited_plan_with({SwapPlan::Kind::file, "file", kFile, mib * kMiB, ""});
}
PressurePlan device() { return limited_plan_with({SwapPlan::Kind::device, "dev", "/dev/blank", 0, ""}); }
PressurePlan other_kind(SwapPlan::Kind kind) { return limited_plan_with({kind, "it", "", 0, ""}); }

struct Repetition {
  std::unique_ptr<pressure::Pressure> pressure;
  std::vector<result::Finding> findings;
  base::Error error;
};

std::string evidence(const std::vector<result::Finding>& findings, const std::string& id) {
  for (const auto& finding : findings)
    if (finding.id == id) return finding.evidence;
  return "";
}

// Another run, which has no swap of its own, lives beside.
class SwapReuse : public ::testing::Test {
 protected:
  SwapReuse() {
    machine.add_disk("/dev/blank", 64 * kMiB);
    before = machine.state();
    machine.start_process(kSecond, 78);
    PressurePlan plan = other_kind(SwapPlan::Kind::current);
    plan.limit_bytes = 40 * kMiB;
    second = set_up(plan).pressure;
    machine.pid = kFirst;
  }
  Repetition set_up(const PressurePlan& plan) {
    Repetition made;
    auto pressure = pressure::set_up_on(machine, kState, plan, made.findings, {});
    if (pressure) {
      made.pressure = std::move(pressure.value());
    } else {
      made.error = pressure.error();
    }
    return made;
  }
  // All that is on then has pages of the other run in it.
  void other_runs_pages() {
    for (auto& swap : machine.swaps) swap.used_bytes = 60 * kMiB;
    machine.add_foreign(kWorker, "fathom", 110 * kMiB, "/fathom-paging-5000");
  }
  void worker_ends() {
    machine.end_foreign(kWorker);
    for (auto& swap : machine.swaps) swap.used_bytes = 0;
  }
  std::vector<result::Finding> repetition(const PressurePlan& plan) {
    auto made = set_up(plan);
    EXPECT_TRUE(made.pressure) << made.error.what << ": " << made.error.cause;
    if (!made.pressure) return {};
    facts = made.pressure->facts();
    other_runs_pages();
    const auto restored = made.pressure->restore();
    EXPECT_THAT(ids(restored), Not(Contains("paging.not_restored")));
    return made.findings;
  }
  std::vector<std::string> swap_paths() const {
    std::vector<std::string> paths;
    for (const auto& swap : machine.swaps) paths.push_back(swap.path);
    return paths;
  }
  void all_ends() {
    worker_ends();
    machine.pid = kSecond;
    EXPECT_THAT(ids(second->restore()), Each("paging.leftovers"));
    EXPECT_EQ(machine.state(), before);
    EXPECT_THAT(machine.journals(), IsEmpty());
  }

  FakeMachine machine;
  std::string before;
  std::unique_ptr<pressure::Pressure> second;
  result::PagingPressure facts;
};

TEST_F(SwapReuse, AZramIsReusedByTheNextRepetition) {
  EXPECT_THAT(repetition(zram()), IsEmpty());
  for (int i = 0; i < 3; ++i) {
    const auto said = repetition(zram());
    ASSERT_THAT(ids(said), ElementsAre("paging.swap_taken_again"));
    EXPECT_EQ(said[0].severity, result::Severity::note);
    EXPECT_THAT(said[0].evidence, HasSubstr("/dev/zram1 (60 MiB of 1 MiB used)"));
    ASSERT_THAT(facts.swaps, SizeIs(1));
    EXPECT_EQ(facts.swaps[0].kind, "zram") << "the run's own, not one that was there";
    EXPECT_EQ(facts.swaps[0].name, "zram");
    EXPECT_THAT(swap_paths(), ElementsAre("/dev/zram1"));
  }
  all_ends();
}

TEST_F(SwapReuse, AFileIsReusedByTheNextRepetition) {
  EXPECT_THAT(repetition(file()), IsEmpty());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(ids(repetition(file())), ElementsAre("paging.swap_taken_again"));
    EXPECT_EQ(facts.swaps.at(0).kind, "file");
    EXPECT_THAT(swap_paths(), ElementsAre(kFile));
  }
  all_ends();
}

TEST_F(SwapReuse, ADeviceIsUsedAgainWithoutAFinding) {
  PressurePlan plan = device();
  plan.allow_destructive = {"/dev/blank"};
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(repetition(plan), IsEmpty());
    EXPECT_THAT(swap_paths(), ElementsAre("/dev/blank"));
  }
  all_ends();
}

TEST_F(SwapReuse, AZramIsReusedWithoutBirthTimes) {
  machine.keeps_births = false;
  repetition(zram());
  repetition(zram());
  EXPECT_THAT(swap_paths(), ElementsAre("/dev/zram1"));
  all_ends();
}

TEST_F(SwapReuse, TheLastRepetitionRemovesSwapThatNobodyElseUses) {
  repetition(file());
  auto again = set_up(file());
  ASSERT_TRUE(again.pressure);
  worker_ends();
  EXPECT_THAT(again.pressure->restore(), IsEmpty());
  EXPECT_THAT(swap_paths(), IsEmpty());
  all_ends();
}

TEST_F(SwapReuse, SwapRemovedByTheOtherRunIsCreatedAgain) {
  repetition(file());
  worker_ends();
  machine.pid = kSecond;
  second->restore();
  EXPECT_THAT(swap_paths(), IsEmpty());
  machine.pid = kFirst;
  auto again = set_up(file());
  ASSERT_TRUE(again.pressure);
  EXPECT_THAT(again.findings, IsEmpty());
  EXPECT_THAT(again.pressure->restore(), IsEmpty());
  EXPECT_EQ(machine.state(), before);
}

// Of its own it is none that --only turns off, and the other's pages in it are no reason to refuse.
TEST_F(SwapReuse, WithOnlyTheRunsOwnSwapIsReused) {
  for (PressurePlan plan : {zram(), file()}) {
    plan.only = true;
    repetition(plan);
    EXPECT_THAT(ids(repetition(plan)), ElementsAre("paging.swap_taken_again"));
    EXPECT_THAT(swap_paths(), SizeIs(1));
    worker_ends();
    set_up(plan).pressure->restore();
    EXPECT_THAT(swap_paths(), IsEmpty());
  }
  all_ends();
}

TEST_F(SwapReuse, OwnSwapOfAnotherColumnStillOnIsAWarning) {
  EXPECT_THAT(repetition(zram()), IsEmpty());
  const auto second_column = repetition(file());
  ASSERT_THAT(ids(second_column), ElementsAre("paging.own_swap_left"));
  EXPECT_EQ(second_column[0].severity, result::Severity::warning);
  EXPECT_THAT(second_column[0].evidence, HasSubstr("/dev/zram1 (60 MiB of 1 MiB used)"));
  EXPECT_THAT(second_column[0].evidence, Not(HasSubstr(kFile)));
  for (int round = 2; round < 4; ++round) {
    const auto of_zram = repetition(zram()), of_file = repetition(file());
    for (const auto* said : {&of_zram, &of_file})
      EXPECT_THAT(ids(*said), ElementsAre("paging.own_swap_left", "paging.swap_taken_again"));
    EXPECT_THAT(evidence(of_zram, "paging.own_swap_left"), HasSubstr(kFile));
    EXPECT_THAT(evidence(of_zram, "paging.swap_taken_again"), HasSubstr("/dev/zram1"));
    EXPECT_THAT(evidence(of_file, "paging.own_swap_left"), HasSubstr("/dev/zram1"));
    EXPECT_THAT(evidence(of_file, "paging.swap_taken_again"), HasSubstr(kFile));
    EXPECT_THAT(swap_paths(), ElementsAre("/dev/zram1", kFile));
  }
  all_ends();
}

TEST_F(SwapReuse, SwapCurrentReportsTheRunsOwnSwapLeftOn) {
  repetition(zram());
  EXPECT_THAT(ids(repetition(other_kind(SwapPlan::Kind::current))), ElementsAre("paging.own_swap_left"));
  EXPECT_THAT(repetition(other_kind(SwapPlan::Kind::none)), IsEmpty()) << "nothing of it goes there";
  all_ends();
}

TEST_F(SwapReuse, OwnAndForeignSwapAreSeparateFindings) {
  repetition(zram());
  machine.add_swap("/dev/theirs");
  const auto said = repetition(file());
  EXPECT_THAT(ids(said), ElementsAre("paging.own_swap_left", "paging.other_swap"));
  EXPECT_THAT(evidence(said, "paging.other_swap"), HasSubstr("/dev/theirs"));
  EXPECT_THAT(evidence(said, "paging.other_swap"), Not(HasSubstr("zram1")));
}

TEST_F(SwapReuse, AZramOfAnotherSizeOrCompressorIsNotReused) {
  repetition(zram());
  EXPECT_THAT(ids(repetition(zram(256, "lz4"))), ElementsAre("paging.own_swap_left"));
  EXPECT_THAT(ids(repetition(zram(128))), ElementsAre("paging.own_swap_left"));
  EXPECT_THAT(swap_paths(), ElementsAre("/dev/zram1", "/dev/zram2", "/dev/zram3"));
  all_ends();
}

TEST_F(SwapReuse, AFileOfAnotherSizeIsRefused) {
  repetition(file());
  const auto other = set_up(file(128));
  EXPECT_FALSE(other.pressure);
  EXPECT_EQ(other.error.kind, base::ErrorKind::refused);
  EXPECT_THAT(other.error.what, HasSubstr(kFile));
  EXPECT_THAT(other.error.help, HasSubstr("wait for the other run"));
  all_ends();
}

// Somebody has taken the name since: what is there is never used, overwritten or removed.
TEST_F(SwapReuse, AFileReplacedByAnotherInodeIsRefused) {
  repetition(file());
  machine.nodes[kFile].inode += 1000;
  const auto again = set_up(file());
  EXPECT_FALSE(again.pressure);
  EXPECT_THAT(again.error.what, HasSubstr("already exists"));
}

TEST_F(SwapReuse, AZramWithAnotherBirthTimeIsLeftAlone) {
  repetition(zram());
  machine.nodes["/dev/zram1"].birth_ns += 1;
  EXPECT_THAT(ids(repetition(zram())), ElementsAre("paging.other_swap"));
  EXPECT_THAT(swap_paths(), ElementsAre("/dev/zram1", "/dev/zram2"));
}

TEST_F(SwapReuse, AnotherProcessReusesNothing) {
  repetition(file());
  machine.start_process(6000, 79);
  EXPECT_THAT(set_up(file()).error.what, HasSubstr("already exists"));
  const auto third = set_up(zram());
  EXPECT_THAT(ids(third.findings), ElementsAre("paging.other_swap"));
}

// A restore looks twice where a killed run's things went meanwhile: what its first look did is said as well.
TEST_F(SwapReuse, PagesBroughtBackAreReportedBesideSwapLeftOn) {
  repetition(file());
  worker_ends();
  auto made = set_up(zram());
  machine.directories.insert("/cg/theirs");
  machine.files["/cg/theirs/cgroup.procs"] = "";
  machine.files["/cg/theirs/memory.limit_in_bytes"] = std::to_string(20 * kMiB) + "\n";
  machine.files["/cg/theirs/memory.usage_in_bytes"] = std::to_string(17 * kMiB) + "\n";
  machine.add_foreign(900, "browser", 10 * kMiB, "/theirs");
  machine.swaps.at(0).used_bytes = 10 * kMiB;
  machine.swaps.at(1).used_bytes = 2 * kMiB;
  machine.files[std::string(kState) + "/77-1"] = "switch vm.page-cluster 3 0\n";
  machine.files["/proc/sys/vm/page-cluster"] = "0\n";
  const auto said = made.pressure->restore();
  EXPECT_THAT(ids(said), ElementsAre("paging.not_restored", "paging.others_brought_back", "paging.leftovers"));
  EXPECT_THAT(evidence(said, "paging.not_restored"), HasSubstr(kFile));
  EXPECT_THAT(evidence(said, "paging.others_brought_back"), HasSubstr("/dev/zram1"));
}

// A refusal leaves what was given up with the other run.
TEST_F(SwapReuse, ARefusedSetUpLeavesTheSwapWithTheOtherRun) {
  repetition(zram());
  PressurePlan plan = zram();
  plan.settings = {{"vm.swappiness", "much"}};
  EXPECT_FALSE(set_up(plan).pressure);
  all_ends();
}

TEST_F(SwapReuse, AFailureAtAnyStepHandsTheSwapOverAgain) {
  for (const PressurePlan& plan : {zram(), file()}) {
    repetition(plan);
    for (int k = 0; k < 30; ++k) {
      machine.fail_at = static_cast<int>(machine.changes.size()) + k;
      auto again = set_up(plan);
      machine.fail_at = -1;
      again.pressure.reset();
      EXPECT_THAT(swap_paths(), SizeIs(1)) << k;
    }
    worker_ends();
    set_up(plan).pressure->restore();
    EXPECT_THAT(swap_paths(), IsEmpty());
  }
  all_ends();
}

TEST_F(SwapReuse, AKillAtAnyStepIsCleanedUpCompletely) {
  for (int k = 0; k < 30; ++k) {
    repetition(file());
    machine.kill_after = static_cast<int>(machine.changes.size()) + k;
    bool killed = false;
    try {
      set_up(file()).pressure->restore();
    } catch (const Killed&) {
      killed = true;
    }
    machine.kill_after = -1;
    worker_ends();
    machine.start_process(6000, 79);
    pressure::clean_up_on(machine, kState);
    EXPECT_THAT(swap_paths(), IsEmpty()) << k;
    machine.end_process(6000);
    machine.start_process(kFirst, 77);
    if (!killed) return all_ends();
  }
  FAIL() << "never got through";
}

}  // namespace
}  // namespace fathom::paging
