// Huge pages, frequencies, disks and interrupts as sysfs and procfs show them, in trees that are written down here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/machine/cpu_frequency.h"
#include "host/machine/disk_queues.h"
#include "host/machine/huge_pages.h"
#include "host/machine/queue_interrupts.h"
#include "host/temp_tree.h"

namespace fathom::host::machine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(HugePages, OfEachSizeInRisingOrder) {
  const testing::TempTree tree;
  const auto pool = [&](const std::string& size, const char* total, const char* free, const char* promised) {
    const std::string folder = "/sys/kernel/mm/hugepages/hugepages-" + size + "kB/";
    tree.file(folder + "nr_hugepages", total);
    tree.file(folder + "free_hugepages", free);
    tree.file(folder + "resv_hugepages", promised);
  };
  pool("1048576", "2\n", "1\n", "0\n");
  pool("2048", "100\n", "40\n", "30\n");
  const auto pools = huge_pages(tree.root());
  EXPECT_THAT(pools, ElementsAre(HugePages{2 << 20, 100, 40, 30}, HugePages{1 << 30, 2, 1, 0}));
  EXPECT_EQ(pools[0].available(), 10u);
  EXPECT_EQ((HugePages{2 << 20, 1, 1, 5}).available(), 0u) << "more promised than free: they changed in between";
  EXPECT_EQ(huge_pages_folder(2 << 20), "/sys/kernel/mm/hugepages/hugepages-2048kB/");
  tree.file("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  EXPECT_EQ(thp_setting("enabled", tree.root()), "madvise");
}

TEST(HugePages, AreNoneWithoutSysfs) {
  const testing::TempTree tree;
  EXPECT_THAT(huge_pages(tree.root()), IsEmpty());
  EXPECT_EQ(thp_setting("enabled", tree.root()), "");
}

TEST(CpuFrequency, GroupsTheCpusByGovernor) {
  const testing::TempTree tree;
  const std::string cpus = "/sys/devices/system/cpu/";
  for (const char* cpu : {"cpu0", "cpu2"}) tree.file(cpus + cpu + "/cpufreq/scaling_governor", "schedutil\n");
  tree.file(cpus + "cpu1/cpufreq/scaling_governor", "performance\n");
  tree.file(cpus + "intel_pstate/no_turbo", "1\n");
  tree.file(cpus + "smt/control", "on\n");
  const int usable[] = {0, 1, 2, 3};
  const auto found = cpu_frequency(usable, tree.root());
  EXPECT_THAT(found.governors, ElementsAre(CpusOfGovernor{"schedutil", {0, 2}}, CpusOfGovernor{"performance", {1}}));
  EXPECT_EQ(found.turbo, false);
  EXPECT_EQ(found.smt, "on");
  EXPECT_EQ(governor_of(1, tree.root()), "performance");
}

TEST(CpuFrequency, OfAnotherDriverAndOfAGuest) {
  const testing::TempTree tree;
  const int usable[] = {0};
  auto found = cpu_frequency(usable, tree.root());
  EXPECT_THAT(found.governors, IsEmpty());
  EXPECT_EQ(found.turbo, std::nullopt);
  EXPECT_EQ(found.smt, "");
  tree.file("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  EXPECT_EQ(cpu_frequency(usable, tree.root()).turbo, true);
}

class MachineWithDisks : public testing::TempTree {
 public:
  MachineWithDisks() {
    device("vda", "254:0");
    device("vda1", "254:1", "vda");
    link("/sys/devices/vda/device", "../virtio1");
    folder("/sys/devices/virtio1");
    file("/sys/devices/vda/size", "2097152\n");
    file("/sys/devices/vda/vda1/size", "2048\n");
    file("/sys/devices/vda/queue/scheduler", "none [mq-deadline] kyber\n");
    file("/sys/devices/vda/queue/rotational", "1\n");
    file("/sys/devices/vda/queue/iostats", "0\n");
    file("/sys/devices/vda/queue/io_poll", "0\n");
    file("/sys/devices/vda/queue/write_cache", "write back\n");
    device("nvme0n1", "259:0");
    folder("/sys/devices/nvme0");
    link("/sys/devices/nvme0n1/device", "../nvme0");
    file("/sys/devices/nvme0n1/size", "4194304\n");
    file("/sys/devices/nvme0n1/queue/io_poll", "1\n");
    device("loop0", "7:0");
    file("/sys/devices/loop0/size", "2048\n");
    device("sr0", "11:0");
    folder("/sys/devices/sr0/device");
    file("/sys/devices/sr0/size", "0\n");
    device("nvme0c0n1", "259:9");
    folder("/sys/devices/nvme0c0n1/device");
    file("/sys/devices/nvme0c0n1/size", "4194304\n");
    file("/sys/devices/nvme0c0n1/hidden", "1\n");
  }
};

TEST(DiskQueues, AreOfWholeDisksWithADriver) {
  const MachineWithDisks machine;
  const auto disks = disk_queues(machine.root());
  ASSERT_EQ(disks.size(), 2u);
  EXPECT_EQ(disks[0].facts.disk, "nvme0n1");
  EXPECT_EQ(disks[0].kind, "NVMe");
  EXPECT_TRUE(disks[0].poll_queues && !disks[0].facts.no_poll && !disks[0].iostats_off);
  EXPECT_EQ(disks[1].facts.disk, "vda");
  EXPECT_EQ(disks[1].kind, "virtio");
  EXPECT_EQ(disks[1].facts.scheduler, "mq-deadline");
  EXPECT_EQ(disks[1].facts.size_bytes, 1u << 30);
  EXPECT_EQ(disks[1].write_cache, "write back");
  EXPECT_TRUE(disks[1].facts.rotational && disks[1].facts.no_poll && disks[1].iostats_off && !disks[1].poll_queues);
}

TEST(DiskQueues, AZramCountsItsIosItself) {
  const testing::TempTree tree;
  tree.device("zram0", "251:0");
  tree.file("/sys/devices/zram0/queue/iostats", "0\n");
  EXPECT_FALSE(iostats_off(disk::BlockTree(tree.root()), "zram0"));
}

constexpr const char* kInterrupts =
    "           CPU0       CPU1\n"
    " 35:          1          0  PCI-MSIX-0000:01:00.0   0-edge      nvme0q0\n"
    " 36:        100          0  PCI-MSIX-0000:01:00.0   1-edge      nvme0q1\n"
    " 37:          0        100  PCI-MSIX-0000:01:00.0   2-edge      nvme0q12\n"
    " 38:          0        100  PCI-MSIX-0000:02:00.0   2-edge      nvme10q1\n"
    " 39:          0          1  PCI-MSIX-0000:00:02.0   0-edge      virtio1-config\n"
    " 40:          0      74361  PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\n"
    " 41:          0      74361  PCI-MSIX-0000:00:03.0   1-edge      virtio11-req.0\n"
    "NMI:          0          0   Non-maskable interrupts\n";

TEST(QueueInterrupts, AreFoundByTheNameOfTheDriver) {
  const MachineWithDisks machine;
  machine.file("/proc/interrupts", kInterrupts);
  for (const char* number : {"36", "37", "40"})
    machine.file(std::string("/proc/irq/") + number + "/smp_affinity_list", "0-1\n");
  machine.file("/proc/irq/36/effective_affinity_list", "0\n");
  machine.file("/proc/irq/37/effective_affinity_list", "\n");
  const std::string disks[] = {"nvme0n1", "vda", "loop0"};
  const auto found = disk_interrupts(disks, machine.root());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].disk, "nvme0n1");
  EXPECT_THAT(found[0].queues, ElementsAre(QueueInterrupt{36, "nvme0q1", {0}}, QueueInterrupt{37, "nvme0q12", {0, 1}}));
  EXPECT_EQ(found[1].disk, "vda");
  EXPECT_THAT(found[1].queues, ElementsAre(QueueInterrupt{40, "virtio1-req.0", {0, 1}}));
}

TEST(QueueInterrupts, AreUnknownWhereTheirFilesAreHidden) {
  const MachineWithDisks machine;
  const std::string disks[] = {"nvme0n1", "vda"};
  EXPECT_THAT(disk_interrupts(disks, machine.root()), IsEmpty());
  machine.file("/proc/interrupts", kInterrupts);
  EXPECT_THAT(disk_interrupts(disks, machine.root()), IsEmpty()) << "/proc/irq is hidden";
}

}  // namespace
}  // namespace fathom::host::machine
