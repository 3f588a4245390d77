// Set-up fails, or the program is killed, at each single change that it makes: afterwards, or after the next start, the
// machine is as it was. The same for restoring, and for the cleaning itself.
#include <gtest/gtest.h>

#include "paging/pressure/fake_machine.h"
#include "paging/pressure/run_pressure.h"
#include "paging/pressure/set_up.h"
#include "paging/pressure/stale_state.h"

namespace fathom::paging {
namespace {

using testing::FakeMachine;
using testing::Killed;

struct Case {
  const char* name;
  FakeMachine::Cgroups cgroups;
  SwapPlan swap;
  bool only;
  const char* box_limit = nullptr;  // the run is started in a group with this limit, alone
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

PressurePlan plan_of(const Case& c) {
  PressurePlan plan;
  plan.limit_bytes = 64 << 20;
  plan.swap = c.swap;
  plan.only = c.only;
  plan.allow_destructive = {"/dev/blank", "/dev/prepared"};
  plan.settings = {{"vm.swappiness", "100"}, {"thp.enabled", "never"}, {"zswap.enabled", "off"}};
  return plan;
}

FakeMachine machine_of(const Case& c) {
  FakeMachine machine(c.cgroups);
  for (const char* disk : {"/dev/blank", "/dev/prepared", "/dev/other"}) machine.add_disk(disk, 64 << 20);
  for (const char* swap : {"/dev/prepared", "/dev/other"})
    machine.pages[swap] = pressure::swap::swap_page(64 << 20, 4096, pressure::swap::random_uuid(), "");
  machine.swaps.push_back({"/dev/other", "partition", 64 << 20, 4096, 5});
  if (c.box_limit != nullptr) {
    machine.add_group("/cg/box", c.box_limit);
    machine.put_run_into("/box");
  }
  return machine;
}

std::unique_ptr<pressure::Pressure> made(FakeMachine& machine, const PressurePlan& plan) {
  std::vector<result::Finding> findings;
  auto pressure = pressure::set_up_on(machine, kState, plan, findings, {});
  EXPECT_TRUE(pressure.ok()) << (pressure.ok() ? "" : pressure.error().what);
  return pressure.ok() ? std::move(pressure.value()) : nullptr;
}

std::string first_journal(const FakeMachine& machine) {
  return machine.journals().empty() ? "no journal" : machine.files.at(machine.journals().front());
}

constexpr std::uint64_t kSize = 32 << 20;
const Case kCases[] = {
    {"zram_v1", FakeMachine::Cgroups::v1, {SwapPlan::Kind::zram, "zram:32M", "", kSize, "lz4"}, false},
    {"zram_v2_only", FakeMachine::Cgroups::v2, {SwapPlan::Kind::zram, "zram:32M", "", kSize, ""}, true},
    {"file_v2",
     FakeMachine::Cgroups::v2,
     {SwapPlan::Kind::file, "file:/var/tmp/s:32M", "/var/tmp/s", kSize, ""},
     false},
    {"device_v1_only", FakeMachine::Cgroups::v1, {SwapPlan::Kind::device, "dev:/dev/blank", "/dev/blank", 0, ""}, true},
    {"kept_device_v2",
     FakeMachine::Cgroups::v2,
     {SwapPlan::Kind::device, "dev:/dev/prepared", "/dev/prepared", 0, ""},
     false},
    {"box_v1", FakeMachine::Cgroups::v1, {SwapPlan::Kind::zram, "zram:32M", "", kSize, ""}, false, "134217728"},
    {"box_v2", FakeMachine::Cgroups::v2, {SwapPlan::Kind::zram, "zram:32M", "", kSize, ""}, false, "134217728"},
    {"none_only_v1", FakeMachine::Cgroups::v1, {SwapPlan::Kind::none, "none", "", 0, ""}, true},
};

class PressureSetUpSteps : public ::testing::TestWithParam<Case> {
 protected:
  int changes_of_set_up() {
    FakeMachine machine = machine_of(GetParam());
    const auto pressure = made(machine, plan_of(GetParam()));
    return static_cast<int>(machine.changes.size());
  }
};

TEST_P(PressureSetUpSteps, RestoreUndoesEveryChange) {
  FakeMachine machine = machine_of(GetParam());
  const std::string before = machine.state();
  auto pressure = made(machine, plan_of(GetParam()));
  ASSERT_TRUE(pressure);
  EXPECT_NE(machine.state(), before);
  machine.files["/proc/43/stat"] = "43 (w) S";
  ASSERT_TRUE(pressure->join(43).ok());
  EXPECT_TRUE(pressure->restore().empty());
  EXPECT_EQ(machine.files.count("/proc/43/stat"), 0u) << "a process was left in the cgroup";
  EXPECT_EQ(machine.state(), before);
  EXPECT_TRUE(machine.journals().empty());
  const auto changes = machine.changes.size();
  EXPECT_TRUE(pressure->restore().empty());
  pressure.reset();
  EXPECT_EQ(machine.changes.size(), changes) << "restoring twice changes nothing";
}

TEST_P(PressureSetUpSteps, AFailureAtAnyStepLeavesNoChange) {
  const int steps = changes_of_set_up();
  ASSERT_GT(steps, 6);
  for (int k = 0; k < steps; ++k) {
    FakeMachine machine = machine_of(GetParam());
    const std::string before = machine.state();
    machine.fail_at = k;
    std::vector<result::Finding> findings;
    auto pressure = pressure::set_up_on(machine, kState, plan_of(GetParam()), findings, {});
    if (pressure.ok()) pressure.value().reset();
    EXPECT_EQ(machine.state(), before) << "step " << k << ": " << machine.changes[k];
    EXPECT_TRUE(machine.journals().empty()) << k;
  }
}

TEST_P(PressureSetUpSteps, AKillAtAnyStepIsUndoneByTheNextStart) {
  const int steps = changes_of_set_up();
  for (int k = 0; k < 2 * steps; ++k) {
    FakeMachine machine = machine_of(GetParam());
    const std::string before = machine.state();
    (k % 2 == 0 ? machine.kill_before : machine.kill_after) = k / 2;
    std::vector<result::Finding> findings;
    EXPECT_THROW((void)pressure::set_up_on(machine, kState, plan_of(GetParam()), findings, {}), Killed);
    const std::string journal = first_journal(machine);
    machine.start_process(4243, 99);
    pressure::clean_up_on(machine, kState);
    EXPECT_EQ(machine.state(), before) << "killed " << (k % 2 == 0 ? "before " : "after ") << machine.changes[k / 2]
                                       << "\n"
                                       << journal;
    EXPECT_TRUE(machine.journals().empty());
  }
}

TEST_P(PressureSetUpSteps, AKilledRestoreOrCleanUpIsFinishedByTheNextStart) {
  const int steps = changes_of_set_up();
  for (int k = steps;; ++k) {
    FakeMachine machine = machine_of(GetParam());
    const std::string before = machine.state();
    auto pressure = made(machine, plan_of(GetParam()));
    machine.kill_after = k;
    bool killed = false;
    try {
      pressure->restore();
    } catch (const Killed&) {
      killed = true;
    }
    if (!killed) break;
    for (int pid = 4243; pid < 4300; ++pid) {
      machine.start_process(pid, 99);
      machine.kill_after = static_cast<int>(machine.changes.size());
      try {
        pressure::clean_up_on(machine, kState);
        break;
      } catch (const Killed&) {
      }
    }
    EXPECT_EQ(machine.state(), before) << k;
    EXPECT_TRUE(machine.journals().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Plans, PressureSetUpSteps, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace fathom::paging
