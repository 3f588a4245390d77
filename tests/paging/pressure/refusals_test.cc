// What cannot be set up: said with the cause and what to write instead, nothing changed; and what a user without root
// is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paging/pressure/fake_machine.h"
#include "paging/pressure/run_pressure.h"

namespace fathom::paging {
namespace {

using testing::FakeMachine;
using ::testing::HasSubstr;

struct Tried {
  base::Expected<std::unique_ptr<pressure::Pressure>> pressure;
  std::vector<result::Finding> findings;
};

Tried try_set_up(FakeMachine& machine, const PressurePlan& plan, const std::function<bool()>& stop = {}) {
  std::vector<result::Finding> findings;
  auto pressure = pressure::set_up_on(machine, "/run/fathom/paging", plan, findings, stop);
  return {std::move(pressure), findings};
}

base::Error refusal(FakeMachine& machine, const PressurePlan& plan) {
  const std::string before = machine.state();
  auto tried = try_set_up(machine, plan);
  EXPECT_FALSE(tried.pressure.ok());
  EXPECT_EQ(machine.state(), before);
  EXPECT_TRUE(machine.journals().empty());
  return tried.pressure.ok() ? base::Error{} : tried.pressure.error();
}

PressurePlan file_plan(const std::string& path) {
  PressurePlan plan;
  plan.swap = {SwapPlan::Kind::file, "file:" + path + ":32M", path, 32 << 20, ""};
  return plan;
}

TEST(PressureSetUp, RefusesAnExistingSwapFile) {
  FakeMachine machine;
  machine.nodes["/var/tmp/precious"] = {9, 55, 10, 0, 0, S_IFREG | 0644, 0};
  const auto error = refusal(machine, file_plan("/var/tmp/precious"));
  EXPECT_EQ(error.kind, base::ErrorKind::usage);
  EXPECT_THAT(error.what, HasSubstr("/var/tmp/precious: already exists"));
  EXPECT_THAT(error.help, HasSubstr("current"));
}

TEST(PressureSetUp, RefusesABlockDeviceAsSwapFile) {
  FakeMachine machine;
  machine.add_disk("/var/disk", 64 << 20);
  EXPECT_THAT(refusal(machine, file_plan("/var/disk")).help, HasSubstr("--swap dev:/var/disk"));
}

TEST(PressureSetUp, RefusesAFileSystemWithoutSwapSupportAndNamesIt) {
  FakeMachine machine;
  machine.refuse_swap_on = "/var/tmp/s";
  machine.files["/proc/self/mountinfo"] += "40 1 8:1 / / rw - nilfs2 /dev/sda1 rw\n";
  const auto error = refusal(machine, file_plan("/var/tmp/s"));
  EXPECT_EQ(error.kind, base::ErrorKind::usage);
  EXPECT_THAT(error.cause, HasSubstr("nilfs2"));
  EXPECT_THAT(error.help, HasSubstr("ext4"));
}

TEST(PressureSetUp, RefusesAMissingFolder) {
  FakeMachine machine;
  EXPECT_THAT(refusal(machine, file_plan("/nowhere/s")).what, HasSubstr("directory does not exist"));
}

TEST(PressureSetUp, RefusesADeviceNotListedInAllowDestructive) {
  FakeMachine machine;
  machine.add_disk("/dev/blank", 64 << 20);
  PressurePlan plan;
  plan.swap = {SwapPlan::Kind::device, "dev:/dev/blank", "/dev/blank", 0, ""};
  EXPECT_EQ(refusal(machine, plan).kind, base::ErrorKind::refused);
}

TEST(PressureSetUp, RefusesADeviceInUseEvenIfAllowed) {
  FakeMachine machine;
  machine.add_disk("/dev/blank", 64 << 20);
  machine.in_use = {"/dev/blank"};
  PressurePlan plan;
  plan.swap = {SwapPlan::Kind::device, "dev:/dev/blank", "/dev/blank", 0, ""};
  plan.allow_destructive = {"/dev/blank"};
  const auto error = refusal(machine, plan);
  EXPECT_EQ(error.kind, base::ErrorKind::refused);
  EXPECT_THAT(error.what, HasSubstr("in use"));
  EXPECT_FALSE(pressure::check_on(machine, "/run/fathom/paging", plan).ok()) << "before anything is changed";
}

TEST(PressureSetUp, RefusesZramWhenTheKernelHasNone) {
  FakeMachine machine;
  machine.files.erase("/sys/class/zram-control/hot_add");
  PressurePlan plan;
  plan.swap = {SwapPlan::Kind::zram, "zram:32M", "", 32 << 20, ""};
  EXPECT_THAT(refusal(machine, plan).help, HasSubstr("modprobe zram"));
}

TEST(PressureSetUp, RefusesAnUnsupportedZramCompressor) {
  FakeMachine machine;
  PressurePlan plan;
  plan.swap = {SwapPlan::Kind::zram, "zram:32M", "", 32 << 20, "zstd"};
  const auto error = refusal(machine, plan);
  EXPECT_EQ(error.kind, base::ErrorKind::usage);
  EXPECT_THAT(error.help, HasSubstr("lz4"));
}

TEST(PressureSetUp, RefusesAnUnknownSwitchAndSuggestsTheNearest) {
  FakeMachine machine;
  PressurePlan plan;
  plan.settings = {{"vm.swapiness", "1"}};
  EXPECT_EQ(refusal(machine, plan).help, "did you mean `vm.swappiness`?");
  plan.settings = {{"vm.foo", "1"}};
  const auto far = refusal(machine, plan).help;
  EXPECT_THAT(far, ::testing::Not(HasSubstr("did you mean")));
  EXPECT_THAT(far, HasSubstr("known values: vm.page-cluster, vm.swappiness, "));
}

TEST(PressureSetUp, RefusesALimitWithoutAMemoryController) {
  FakeMachine machine(FakeMachine::Cgroups::none);
  PressurePlan plan;
  plan.limit_bytes = 64 << 20;
  EXPECT_EQ(refusal(machine, plan).kind, base::ErrorKind::privilege);
}

// All that breakdown asks of each of its swaps before it measures on the first.
TEST(PressureSetUp, CheckOnFindsRefusalsWithoutAnyChange) {
  const auto checked = [](FakeMachine& machine, const PressurePlan& plan) {
    auto able = pressure::check_on(machine, "/run/fathom/paging", plan);
    EXPECT_TRUE(machine.changes.empty());
    return able.ok() ? std::string() : able.error().what;
  };
  FakeMachine machine;
  machine.add_disk("/dev/blank", 64 << 20);
  machine.no_swap_files_below = "/run";
  machine.nodes["/var/tmp/precious"] = {9, 55, 10, 0, 0, S_IFREG | 0644, 0};
  EXPECT_EQ(checked(machine, file_plan("/var/tmp/new")), "");
  EXPECT_THAT(checked(machine, file_plan("/run/s")), HasSubstr("this file system cannot hold a swap file"));
  EXPECT_THAT(checked(machine, file_plan("/var/tmp/precious")), HasSubstr("already exists"));
  EXPECT_THAT(checked(machine, file_plan("/nowhere/s")), HasSubstr("directory does not exist"));
  PressurePlan plan;
  plan.swap = {SwapPlan::Kind::device, "dev:/dev/blank", "/dev/blank", 0, ""};
  EXPECT_THAT(checked(machine, plan), HasSubstr("not named"));
  plan.allow_destructive = {"/dev/blank"};
  EXPECT_EQ(checked(machine, plan), "");
  plan.swap = {SwapPlan::Kind::zram, "zram:32M:zstd", "", 32 << 20, "zstd"};
  EXPECT_THAT(checked(machine, plan), HasSubstr("zstd"));
  plan.swap.compressor = "lzo-rle";
  EXPECT_EQ(checked(machine, plan), "");
  machine.files.erase("/sys/class/zram-control/hot_add");
  EXPECT_THAT(checked(machine, plan), HasSubstr("zram is not available"));
  machine.root = false;
  EXPECT_EQ(checked(machine, plan), "") << "without root nothing of it is tried";
}

PressurePlan none_plan(std::uint64_t limit_bytes) {
  PressurePlan plan;
  plan.limit_bytes = limit_bytes;
  plan.swap = {SwapPlan::Kind::none, "none", "", 0, ""};
  return plan;
}

TEST(PressureSwapNone, IsEnforcedByTheCgroupWithoutALimitToo) {
  struct {
    FakeMachine::Cgroups cgroups;
    const char *file, *value;
  } cases[] = {{FakeMachine::Cgroups::v1, "/memory.swappiness", "0\n"},
               {FakeMachine::Cgroups::v2, "/memory.swap.max", "0\n"}};
  for (const auto& c : cases) {
    FakeMachine machine(c.cgroups);
    machine.add_swap("/dev/other");
    const std::string before = machine.state();
    auto tried = try_set_up(machine, none_plan(0));
    ASSERT_TRUE(tried.pressure.ok());
    const std::string cgroup = tried.pressure.value()->cgroup_path();
    ASSERT_NE(cgroup, "");
    EXPECT_EQ(machine.files[cgroup + c.file], c.value);
    EXPECT_EQ(tried.pressure.value()->facts().limit_bytes, 0u);
    EXPECT_TRUE(tried.findings.empty());
    tried.pressure.value()->restore();
    EXPECT_EQ(machine.state(), before);
  }
}

TEST(PressureSwapNone, IsAFindingWhereItCannotBeEnforced) {
  FakeMachine old_v2(FakeMachine::Cgroups::v2), no_cgroups(FakeMachine::Cgroups::none), no_root;
  old_v2.counts_swap = false;
  no_root.root = false;
  for (FakeMachine* machine : {&old_v2, &no_cgroups, &no_root}) {
    machine->add_swap("/dev/other");
    auto tried = try_set_up(*machine, none_plan(0));
    ASSERT_TRUE(tried.pressure.ok());
    ASSERT_EQ(tried.findings.size(), 1u);
    EXPECT_THAT(tried.findings[0].evidence, HasSubstr("pages may still be swapped"));
  }
}

TEST(PressureSwapNone, ChangesNothingWhenNoSwapIsActive) {
  FakeMachine machine(FakeMachine::Cgroups::none);
  auto tried = try_set_up(machine, none_plan(0));
  ASSERT_TRUE(tried.pressure.ok());
  EXPECT_TRUE(tried.findings.empty());
}

TEST(PressureSetUp, UndoesAllWhenInterrupted) {
  FakeMachine machine;
  const std::string before = machine.state();
  PressurePlan plan;
  plan.limit_bytes = 64 << 20;
  plan.swap = {SwapPlan::Kind::zram, "zram:32M", "", 32 << 20, ""};
  auto tried = try_set_up(machine, plan, [&] { return !machine.swaps.empty(); });
  ASSERT_FALSE(tried.pressure.ok());
  EXPECT_EQ(tried.pressure.error().sys_errno, EINTR);
  EXPECT_EQ(machine.state(), before);
}

TEST(PressureSetUp, WithoutRootRunsAndListsWhatWasNotPossible) {
  FakeMachine machine;
  machine.root = false;
  const std::string before = machine.state();
  PressurePlan plan;
  plan.limit_bytes = 64 << 20;
  plan.swap = {SwapPlan::Kind::zram, "zram:32M", "", 32 << 20, ""};
  plan.settings = {{"vm.swappiness", "1"}};
  auto tried = try_set_up(machine, plan);
  ASSERT_TRUE(tried.pressure.ok());
  EXPECT_EQ(machine.state(), before);
  EXPECT_EQ(tried.pressure.value()->cgroup_path(), "");
  EXPECT_TRUE(tried.pressure.value()->join(4711).ok());
  const auto facts = tried.pressure.value()->facts();
  EXPECT_EQ(facts.not_possible.size(), 3u);
  EXPECT_EQ(facts.limit_bytes, 0u);
  ASSERT_EQ(tried.findings.size(), 1u);
  EXPECT_EQ(tried.findings[0].id, "paging.not_root");
  EXPECT_THAT(tried.findings[0].evidence, HasSubstr("no swap zram:32M"));
  EXPECT_THAT(tried.findings[0].evidence, HasSubstr("no limit of 64 MiB"));
}

TEST(PressureSetUp, ReportsOtherActiveSwapAsAFinding) {
  FakeMachine machine;
  machine.swaps.push_back({"/dev/other", "partition", 64 << 20, 4096, 5});
  PressurePlan plan;
  plan.swap = {SwapPlan::Kind::zram, "zram:32M", "", 32 << 20, ""};
  auto tried = try_set_up(machine, plan);
  ASSERT_EQ(tried.findings.size(), 1u);
  EXPECT_EQ(tried.findings[0].id, "paging.other_swap");
  EXPECT_THAT(tried.findings[0].evidence, HasSubstr("/dev/other (priority 5, 4 KiB of 64 MiB used)"));
}

TEST(PressureFacts, HoldWhatTheMachineReportsAfterSetUp) {
  FakeMachine machine;
  PressurePlan plan;
  plan.limit_bytes = 64 << 20;
  plan.swap = {SwapPlan::Kind::zram, "zram:32M", "", 32 << 20, ""};
  plan.settings = {{"vm.swappiness", "100"}, {"vm.page-cluster", "3"}};
  machine.files["/sys/dev/block/0:110/uevent"] = "MAJOR=252\nDEVNAME=zram1\n";
  auto tried = try_set_up(machine, plan);
  ASSERT_TRUE(tried.pressure.ok());
  machine.files["/sys/dev/block/0:" + std::to_string(machine.nodes["/dev/zram1"].rdev) + "/uevent"] =
      "MAJOR=252\nDEVNAME=zram1\n";
  const auto facts = tried.pressure.value()->facts();
  EXPECT_EQ(facts.limit_bytes, 64u << 20);
  EXPECT_EQ(facts.controller, "cgroup v1");
  ASSERT_EQ(facts.swaps.size(), 1u);
  EXPECT_EQ(facts.swaps[0].kind, "zram");
  EXPECT_EQ(facts.swaps[0].name, "zram:32M");
  EXPECT_EQ(facts.swaps[0].disk, "zram1");
  EXPECT_EQ(facts.swaps[0].compressor, "lzo-rle");
  EXPECT_EQ(facts.swaps[0].used_bytes, 4096u);
  EXPECT_EQ(facts.swaps[0].stored_bytes, 8192u);
  EXPECT_EQ(facts.swaps[0].compressed_bytes, 100u);
  EXPECT_EQ(facts.changed, std::vector<std::string>{"vm.swappiness"});
  EXPECT_THAT(facts.settings, ::testing::Contains(std::make_pair(std::string("vm.swappiness"), std::string("100"))));
  EXPECT_THAT(facts.settings, ::testing::Contains(std::make_pair(std::string("thp.enabled"), std::string("madvise"))));
  EXPECT_EQ(machine.files[tried.pressure.value()->cgroup_path() + "/memory.swappiness"], "100\n") << "v1 has its own";
}

}  // namespace
}  // namespace fathom::paging
