// Limits of CPU time as cgroups of both versions have them in their files, in trees that are written down here.
#include "host/cpu_quotas.h"

#include <gtest/gtest.h>

#include <string>

#include "host/temp_tree.h"

namespace fathom::host {
namespace {

constexpr const char* kCpuMountsOfV2 = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";
constexpr const char* kCpuMountsOfV1 =
    "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,nosuid,cpu,cpuacct 0 0\n"
    "cgroup /sys/fs/cgroup/cpuset cgroup rw,nosuid,cpuset 0 0\n";

class MachineWithQuotas : public testing::TempTree {
 public:
  MachineWithQuotas(const std::string& mounts, const std::string& groups) {
    file("/proc/mounts", "proc /proc proc rw 0 0\n" + mounts);
    file("/proc/self/cgroup", groups);
  }
  std::vector<CpuQuota> quotas(const std::vector<std::string>& further = {}) const {
    return cpu_quotas(further, root());
  }
};

TEST(CpuQuotas, OfTheSecondVersion) {
  const MachineWithQuotas machine(kCpuMountsOfV2, "0::/pod/container\n");
  machine.file("/sys/fs/cgroup/pod/container/cpu.max", "50000 100000\n");
  machine.file("/sys/fs/cgroup/pod/container/cpu.stat",
               "usage_usec 12\nuser_usec 6\nnr_periods 100\nnr_throttled 43\nthrottled_usec 2500\nnr_bursts 0\n");
  machine.file("/sys/fs/cgroup/pod/cpu.max", "max 100000\n");
  EXPECT_EQ(machine.quotas(), (std::vector<CpuQuota>{{"cpu.max of /pod/container: 50000 100000", 0.5, 43, 2'500'000}}));
  machine.file("/sys/fs/cgroup/pod/cpu.max", "400000 100000\n");
  ASSERT_EQ(machine.quotas().size(), 2u) << "what is above holds too";
  EXPECT_EQ(machine.quotas()[1].cpus, 4);
}

TEST(CpuQuotas, AContainerSeesItsOwnGroupAsTheRoot) {
  const MachineWithQuotas machine(kCpuMountsOfV2, "0::/\n");
  machine.file("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  EXPECT_EQ(machine.quotas(), (std::vector<CpuQuota>{{"cpu.max of /: 150000 100000", 1.5}}));
}

TEST(CpuQuotas, OfTheFirstVersion) {
  const MachineWithQuotas machine(kCpuMountsOfV1, "3:cpuset:/other\n1:cpu,cpuacct:/docker/x\n0::/\n");
  const std::string folder = "/sys/fs/cgroup/cpu,cpuacct/docker/x/";
  machine.file(folder + "cpu.cfs_quota_us", "20000\n");
  machine.file(folder + "cpu.cfs_period_us", "100000\n");
  machine.file(folder + "cpu.stat", "nr_periods 7\nnr_throttled 5\nthrottled_time 300000123\n");
  EXPECT_EQ(machine.quotas(),
            (std::vector<CpuQuota>{{"cpu.cfs_quota_us of /docker/x: 20000 in 100000", 0.2, 5, 300'000'123}}));
  machine.file(folder + "cpu.cfs_quota_us", "-1\n");
  EXPECT_TRUE(machine.quotas().empty());
}

TEST(CpuQuotas, OfAJobsOwnGroup) {
  const MachineWithQuotas machine(kCpuMountsOfV2, "0::/user\n");
  machine.file("/sys/fs/cgroup/database/cpu.max", "50000 100000\n");
  EXPECT_TRUE(machine.quotas().empty());
  EXPECT_EQ(machine.quotas({"database"}).size(), 1u);
}

TEST(CpuQuotas, AreNoneWhereThereIsNothingToRead) {
  EXPECT_TRUE(MachineWithQuotas("", "").quotas().empty());
  const MachineWithQuotas machine(kCpuMountsOfV2, "0::/user\n");
  for (const char* text : {"", "max\n", "nonsense 100000\n", "0 100000\n", "100000\n", "-1 -1\n"}) {
    machine.file("/sys/fs/cgroup/user/cpu.max", text);
    EXPECT_TRUE(machine.quotas().empty()) << text;
  }
}

TEST(CpuQuotas, WhatWasAddedIsOfTheSameLimit) {
  const std::vector<CpuQuota> before{{"a", 1, 10, 1000}, {"b", 1, 5, 500}};
  EXPECT_EQ(added(before, {{"a", 1, 12, 1500}}), (std::vector<CpuQuota>{{"a", 1, 2, 500}}));
  EXPECT_EQ(added(before, {{"c", 1, 12, 1500}}), (std::vector<CpuQuota>{{"c", 1, 12, 1500}}));
  EXPECT_EQ(added(before, {{"b", 1, 4, 400}}), (std::vector<CpuQuota>{{"b", 1, 0, 0}})) << "made anew meanwhile";
}

}  // namespace
}  // namespace fathom::host
