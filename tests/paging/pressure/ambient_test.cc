// A run that is started in a memory group with a limit: the limit is found wherever above it stands, counts in the
// arithmetic, and the run's own group is made where it goes on to hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paging/pressure/cgroup.h"
#include "paging/pressure/fake_machine.h"
#include "paging/pressure/fit.h"
#include "paging/pressure/run_pressure.h"
#include "paging/pressure/set_up.h"

namespace fathom::paging {
namespace {

using testing::FakeMachine;
using ::testing::HasSubstr;
using Paths = std::vector<std::string>;

pressure::EffectiveLimit ambient_of(FakeMachine& machine) {
  return pressure::ambient_limit(machine, pressure::find_memory_controller(machine));
}
Paths parents_of(FakeMachine& machine) {
  return pressure::parents_for_run(machine, pressure::find_memory_controller(machine));
}

PressurePlan with_limit() {
  PressurePlan plan;
  plan.limit_bytes = 64 * kMiB;
  return plan;
}

struct SetUp {
  std::unique_ptr<pressure::Pressure> pressure;
  std::string findings;
};
SetUp set_up_noting(FakeMachine& machine, const PressurePlan& plan) {
  std::vector<result::Finding> findings;
  auto pressure = pressure::set_up_on(machine, "/run/fathom/paging", plan, findings, {});
  EXPECT_TRUE(pressure.ok()) << (pressure.ok() ? "" : pressure.error().what);
  SetUp made{pressure.ok() ? std::move(pressure.value()) : nullptr, ""};
  for (const auto& finding : findings) made.findings += finding.id + ": " + finding.evidence + "\n";
  return made;
}

class AmbientLimit : public ::testing::TestWithParam<FakeMachine::Cgroups> {};
INSTANTIATE_TEST_SUITE_P(Cgroups, AmbientLimit, ::testing::Values(FakeMachine::Cgroups::v1, FakeMachine::Cgroups::v2),
                         [](const auto& tested) { return tested.param == FakeMachine::Cgroups::v1 ? "v1" : "v2"; });

TEST_P(AmbientLimit, AGroupWithoutALimitBindsNothing) {
  FakeMachine machine(GetParam());
  EXPECT_FALSE(ambient_of(machine).binds());
  machine.add_group("/cg/box", "");
  machine.put_run_into("/box");
  EXPECT_FALSE(ambient_of(machine).binds());
  EXPECT_EQ(parents_of(machine), (Paths{"/cg", "/cg/box"})) << "from the top, as ever";
  const auto made = set_up_noting(machine, with_limit());
  ASSERT_TRUE(made.pressure);
  EXPECT_EQ(made.pressure->facts().ambient_limit_bytes, 0u);
}

TEST_P(AmbientLimit, TheTightestLimitOfAllAncestorsApplies) {
  FakeMachine machine(GetParam());
  machine.add_group("/cg/slice", std::to_string(100 * kMiB));
  machine.add_group("/cg/slice/box", std::to_string(300 * kMiB));
  machine.put_run_into("/slice/box");
  EXPECT_EQ(ambient_of(machine).memory_bytes, 100 * kMiB);
  EXPECT_EQ(ambient_of(machine).group, "/slice");
  machine.add_group("/cg/slice/box", std::to_string(50 * kMiB), "4242\n");
  EXPECT_EQ(ambient_of(machine).memory_bytes, 50 * kMiB);
  EXPECT_EQ(ambient_of(machine).group, "/slice/box");
}

TEST_P(AmbientLimit, ALimitAboveTheMachinesMemoryBindsNothing) {
  FakeMachine machine(GetParam());
  machine.files["/proc/meminfo"] = "MemTotal:  102400 kB\n";
  machine.add_group("/cg/box", std::to_string(200 * kMiB));
  machine.put_run_into("/box");
  EXPECT_FALSE(ambient_of(machine).binds());
}

TEST_P(AmbientLimit, AContainersGroupIsFoundAtItsMountPoint) {
  FakeMachine machine(GetParam());
  const bool v2 = GetParam() == FakeMachine::Cgroups::v2;
  machine.files["/proc/self/mountinfo"] = v2 ? "38 31 0:38 /docker/abc /cg rw - cgroup2 cgroup2 rw\n"
                                             : "35 31 0:32 /docker/abc /cg rw - cgroup cgroup rw,memory\n";
  machine.add_group("/cg/inner", std::to_string(80 * kMiB));
  machine.put_run_into("/inner");
  machine.files["/proc/self/cgroup"] = "4:memory:/docker/abc/inner\n0::/docker/abc/inner\n";
  EXPECT_EQ(ambient_of(machine).memory_bytes, 80 * kMiB);
}

TEST_P(AmbientLimit, TheRunsCgroupIsCreatedBelowTheLimit) {
  FakeMachine machine(GetParam());
  machine.add_group("/cg/slice", std::to_string(100 * kMiB));
  machine.add_group("/cg/slice/box", "", "77\n");
  machine.put_run_into("/slice/box");
  const std::string before = machine.state();
  auto made = set_up_noting(machine, with_limit());
  ASSERT_TRUE(made.pressure);
  const bool v2 = GetParam() == FakeMachine::Cgroups::v2;
  EXPECT_EQ(made.pressure->cgroup_path(), std::string(v2 ? "/cg/slice" : "/cg/slice/box") + "/fathom-paging-4242")
      << "v2: another process is in the box, so the nearest above it that can";
  const auto facts = made.pressure->facts();
  EXPECT_EQ(facts.limit_bytes, 64 * kMiB);
  EXPECT_EQ(facts.ambient_limit_bytes, 100 * kMiB);
  EXPECT_EQ(facts.ambient_group, "/slice");
  EXPECT_TRUE(made.pressure->restore().empty());
  EXPECT_EQ(machine.state(), before);
}

TEST(AmbientLimitV1, WithoutUseHierarchyAnAncestorsLimitDoesNotApply) {
  FakeMachine machine(FakeMachine::Cgroups::v1);
  machine.add_group("/cg/slice", std::to_string(100 * kMiB));
  machine.files["/cg/slice/memory.use_hierarchy"] = "0\n";
  machine.add_group("/cg/slice/box", "");
  machine.put_run_into("/slice/box");
  EXPECT_FALSE(ambient_of(machine).binds());
}

TEST(AmbientLimitV1, MemswLimitAppliesToMemoryAndSwapTogether) {
  FakeMachine machine(FakeMachine::Cgroups::v1);
  machine.add_group("/cg/box", "");
  machine.files["/cg/box/memory.memsw.limit_in_bytes"] = std::to_string(200 * kMiB) + "\n";
  machine.put_run_into("/box");
  EXPECT_EQ(ambient_of(machine).both_bytes, 200 * kMiB);
  EXPECT_EQ(parents_of(machine), Paths{"/cg/box"});
}

TEST(AmbientLimitV2, SwapMaxOfZeroAppliesToTheRun) {
  FakeMachine machine(FakeMachine::Cgroups::v2);
  machine.add_group("/cg/slice", std::to_string(100 * kMiB));
  machine.add_group("/cg/slice/box", "");
  machine.files["/cg/slice/box/memory.swap.max"] = "0\n";
  machine.put_run_into("/slice/box");
  EXPECT_EQ(ambient_of(machine).swap_bytes, 0u);
  EXPECT_EQ(parents_of(machine), Paths{"/cg/slice/box"}) << "in the slice it could swap";
}

TEST(AmbientLimitV2, MemoryHighCountsAsALimit) {
  FakeMachine machine(FakeMachine::Cgroups::v2);
  machine.add_group("/cg/box", "");
  machine.files["/cg/box/memory.high"] = std::to_string(70 * kMiB) + "\n";
  machine.put_run_into("/box");
  EXPECT_EQ(ambient_of(machine).tightest_bytes(), 70 * kMiB);
  EXPECT_EQ(ambient_of(machine).group, "/box");
}

TEST(AmbientLimitV2, ARunAloneInItsGroupMovesToALeafAndBack) {
  FakeMachine machine(FakeMachine::Cgroups::v2);
  machine.add_group("/cg/box", std::to_string(100 * kMiB));
  machine.put_run_into("/box");
  auto made = set_up_noting(machine, with_limit());
  ASSERT_TRUE(made.pressure);
  EXPECT_EQ(made.pressure->cgroup_path(), "/cg/box/fathom-paging-4242");
  EXPECT_EQ(machine.files["/cg/box/fathom-leaf-4242/cgroup.procs"], "4242\n");
  EXPECT_EQ(machine.files["/cg/box/cgroup.procs"], "");
  EXPECT_TRUE(made.pressure->restore().empty());
  EXPECT_EQ(machine.files["/cg/box/cgroup.procs"], "4242\n");
  EXPECT_EQ(machine.directories.count("/cg/box/fathom-leaf-4242"), 0u);
  EXPECT_EQ(machine.files["/cg/box/cgroup.subtree_control"], "\n");
}

TEST(AmbientLimitV2, WithOtherProcessesInTheGroupNoCgroupIsMadeAndAFindingSaysSo) {
  FakeMachine machine(FakeMachine::Cgroups::v2);
  machine.add_group("/cg/box", std::to_string(100 * kMiB), "77\n");
  machine.put_run_into("/box");
  const std::string before = machine.state();
  auto made = set_up_noting(machine, with_limit());
  ASSERT_TRUE(made.pressure);
  EXPECT_EQ(made.pressure->cgroup_path(), "") << "and not at the top, where the box's limit does not hold";
  EXPECT_THAT(made.findings, HasSubstr("paging.not_possible"));
  EXPECT_THAT(made.findings, HasSubstr("memory group /box: other processes are in it"));
  EXPECT_THAT(made.findings, HasSubstr("systemd-run --scope"));
  EXPECT_TRUE(made.pressure->restore().empty());
  EXPECT_EQ(machine.state(), before);
}

struct AmbientFit {
  AmbientFit() {
    plan.region.set_bytes = 256 * kMiB;
    facts.ram_bytes = 16ull << 30;
    facts.ambient.memory_bytes = 100 * kMiB;
    facts.ambient.group = "/box";
  }
  std::string refusal() const {
    const auto fits = pressure::judge_fit(plan, pressure, facts);
    return fits.ok() ? "" : fits.error().what + " | " + fits.error().cause + " | " + fits.error().help;
  }
  Plan plan;
  PressurePlan pressure;
  pressure::FitFacts facts;
};

TEST(JudgeFitInAmbientLimit, ASetAboveTheGroupsMemoryAndSwapIsRefused) {
  AmbientFit fit;
  EXPECT_THAT(fit.refusal(), HasSubstr("the set of 256 MiB does not fit"));
  EXPECT_THAT(fit.refusal(),
              HasSubstr("limit 100 MiB of the memory group /box that fathom is started in + no swap = 100 MiB"));
  fit.facts.active = {{"/dev/sda2", "partition", 1024 * kMiB, 0, -2}};
  EXPECT_EQ(fit.refusal(), "");
  fit.facts.ambient.swap_bytes = 20 * kMiB;
  EXPECT_THAT(fit.refusal(), HasSubstr("20 MiB of it available to the memory cgroup = 120 MiB"));
  fit.facts.ambient.swap_bytes = pressure::kNoLimit;
  fit.facts.ambient.both_bytes = 150 * kMiB;
  EXPECT_THAT(fit.refusal(), HasSubstr("reduced by the memory group's limit of memory and swap together = 150 MiB"));
  fit.pressure.force = true;
  EXPECT_EQ(fit.refusal(), "");
}

TEST(JudgeFitInAmbientLimit, TheLowerOfOwnAndAmbientLimitCounts) {
  AmbientFit fit;
  fit.pressure.limit_bytes = 64 * kMiB;
  EXPECT_THAT(fit.refusal(), HasSubstr("limit 64 MiB + no swap"));
  fit.pressure.limit_bytes = 512 * kMiB;
  EXPECT_THAT(fit.refusal(), HasSubstr("limit 100 MiB of the memory group /box"));
  fit.facts.ambient.memory_bytes = 4 * kMiB;
  EXPECT_THAT(fit.refusal(),
              HasSubstr("the limit 4 MiB of the memory group /box that fathom is started in is less than"));
  EXPECT_THAT(fit.refusal(), HasSubstr("start fathom in a group with more memory"));
}

}  // namespace
}  // namespace fathom::paging
