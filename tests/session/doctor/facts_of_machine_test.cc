// The facts of a recorded machine, and that this machine can be examined.
#include "session/doctor/facts_of_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/io_uring.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system/fd.h"
#include "host/pci_recording.h"
#include "session/doctor/examine.h"

namespace fathom::session::doctor {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(FactsOfMachine, RightsAndSettingsOfARecordedMachine) {
  const host::testing::TempTree tree;
  tree.file("/proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t0000000000000000\nSeccomp:\t2\n");
  tree.file("/proc/sys/kernel/io_uring_disabled", "2\n");
  tree.file("/proc/sys/kernel/kptr_restrict", "1\n");
  tree.file("/proc/sys/kernel/unprivileged_bpf_disabled", "0\n");
  audit::doctor::Facts facts;
  add_rights(facts, tree.root());
  EXPECT_EQ(facts.rights.user, 0u);
  EXPECT_EQ(facts.rights.seccomp, 2u);
  EXPECT_EQ(facts.io_uring.disabled, 2);
  EXPECT_EQ(facts.perf.kptr_restrict, 1);
  EXPECT_EQ(facts.bpf.unprivileged_disabled, 0);
}

TEST(FactsOfMachine, HardwareOfARecordedMachine) {
  const host::testing::PciRecording machine;
  machine.function("pci0000:00/0000:00:02.0/0000:01:00.0", host::testing::kNvme);
  machine.folder("/sys/kernel/iommu_groups/0");
  machine.folder("/sys/kernel/iommu_groups/1");
  machine.folder("/sys/bus/pci/drivers/vfio-pci");
  machine.file("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  machine.file("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  audit::doctor::Facts facts;
  facts.cpus = {0, 1};
  add_hardware(facts, machine.root());
  EXPECT_EQ(facts.nvme.iommu_groups, 2u);
  EXPECT_TRUE(facts.nvme.vfio_driver);
  EXPECT_THAT(facts.nvme.controllers, ElementsAre("0000:01:00.0 (nvme)"));
  EXPECT_EQ(facts.thp, "always");
  ASSERT_EQ(facts.frequency.governors.size(), 1u);
  EXPECT_THAT(facts.frequency.governors[0].cpus, ElementsAre(1));
  EXPECT_THAT(facts.disks, IsEmpty());
}

TEST(FactsOfMachine, OfThisMachineAgreeWithASystemCall) {
  audit::doctor::Facts facts;
  add_facts_of_machine(facts);
  io_uring_params params{};
  const base::system::UniqueFd ring(static_cast<int>(::syscall(SYS_io_uring_setup, 1, &params)));
  EXPECT_EQ(facts.io_uring.ring.possible(), static_cast<bool>(ring)) << facts.io_uring.ring.refusal;
  EXPECT_EQ(facts.rights.user, ::geteuid());
  EXPECT_THAT(facts.cpus, Not(IsEmpty()));
}

TEST(FactsOfMachine, BecomeLinesWithHeadings) {
  const auto doctor = examine_machine();
  EXPECT_THAT(doctor.abilities, Not(IsEmpty()));
  EXPECT_GT(doctor.checks.size(), doctor.abilities.size());
  for (const auto& check : doctor.checks) EXPECT_FALSE(check.heading.empty() || check.text.empty()) << check.name;
}

}  // namespace
}  // namespace fathom::session::doctor
