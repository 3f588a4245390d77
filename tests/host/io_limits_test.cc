// Limits of I/O as cgroups of both versions have them in their files, in trees that are written down here.
#include "host/io_limits.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/temp_tree.h"

namespace fathom::host {
namespace {

using Limits = std::vector<std::string>;
constexpr const char* kIoMountsOfV2 = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime,nsdelegate 0 0\n";
constexpr const char* kIoMountsOfV1 =
    "tmpfs /sys/fs/cgroup tmpfs ro,nosuid,nodev,noexec,mode=755 0 0\n"
    "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,nosuid,nodev,noexec,relatime,cpu,cpuacct 0 0\n"
    "cgroup /sys/fs/cgroup/blkio cgroup rw,nosuid,nodev,noexec,relatime,blkio 0 0\n";
constexpr const char* kUnified = "cgroup2 /sys/fs/cgroup/unified cgroup2 rw,nosuid,nodev,noexec,relatime 0 0\n";

// A machine with these mounts, and this process in these groups.
class MachineWithLimits : public testing::TempTree {
 public:
  MachineWithLimits(const std::string& mounts, const std::string& groups) {
    file("/proc/mounts", "/dev/vda / ext4 rw,relatime 0 0\nproc /proc proc rw 0 0\n" + mounts);
    file("/proc/self/cgroup", groups);
  }
  Limits limits(const std::vector<std::string>& further = {}) const { return texts(io_limits(further, {}, root())); }
  Limits limits_of(const std::vector<std::string>& disks) const { return texts(io_limits({}, disks, root())); }

 private:
  static Limits texts(const std::vector<IoLimit>& limits) {
    Limits out;
    for (const auto& limit : limits) out.push_back(limit.text);
    return out;
  }
};

TEST(IoLimits, AreNoneWhereThereAreNoGroups) {
  EXPECT_EQ(MachineWithLimits("", "").limits(), Limits{});
  const testing::TempTree nothing;
  EXPECT_TRUE(io_limits({"database"}, {}, nothing.root()).empty());
}

TEST(IoLimits, AreNoneWhereTheFilesAreEmptyOrMissing) {
  const MachineWithLimits second(kIoMountsOfV2, "0::/user\n");
  second.file("/sys/fs/cgroup/user/io.max", "");
  EXPECT_EQ(second.limits(), Limits{});
  const MachineWithLimits first(kIoMountsOfV1, "4:blkio:/user\n0::/\n");
  first.file("/sys/fs/cgroup/blkio/user/blkio.throttle.read_bps_device", "");
  EXPECT_EQ(first.limits(), Limits{});
}

TEST(IoLimits, OfTheSecondVersionAreLinesWithAWordThatIsNoMax) {
  const MachineWithLimits machine(kIoMountsOfV2, "0::/database\n");
  machine.file("/sys/fs/cgroup/database/io.max", "8:16 rbps=2097152 wbps=max riops=max wiops=120\n");
  EXPECT_EQ(machine.limits(), (Limits{"io.max of /database: 8:16 rbps=2097152 wbps=max riops=max wiops=120"}));
  machine.file("/sys/fs/cgroup/database/io.max", "8:16 rbps=max wbps=max riops=max wiops=1\n");
  EXPECT_EQ(machine.limits().size(), 1u) << "the last word alone";
}

TEST(IoLimits, OfTheSecondVersionAreNoneWhereEveryWordIsMax) {
  const MachineWithLimits machine(kIoMountsOfV2, "0::/database\n");
  machine.file("/sys/fs/cgroup/database/io.max",
               "8:16 rbps=max wbps=max riops=max wiops=max\n8:32 rbps=max wbps=max riops=max wiops=max\n");
  EXPECT_EQ(machine.limits(), Limits{});
}

TEST(IoLimits, OfOtherDisksAreLeftOut) {
  const MachineWithLimits second(kIoMountsOfV2, "0::/database\n");
  second.file("/sys/fs/cgroup/database/io.max",
              "8:0 rbps=max wbps=max riops=100 wiops=max\n8:32 rbps=5 wbps=max riops=max wiops=max\n");
  EXPECT_EQ(second.limits_of({"253:0", "8:32"}),
            (Limits{"io.max of /database: 8:32 rbps=5 wbps=max riops=max wiops=max"}));
  EXPECT_EQ(second.limits_of({"8:3"}), Limits{});
  const MachineWithLimits first(kIoMountsOfV1, "4:blkio:/user\n0::/\n");
  first.file("/sys/fs/cgroup/blkio/user/blkio.throttle.read_iops_device", "253:16 500\n253:1 7\n");
  EXPECT_EQ(first.limits_of({"253:1"}), (Limits{"blkio.throttle.read_iops_device of /user: 253:1 7"}));
}

TEST(IoLimits, OfSeveralDevicesAreJoinedAndThoseWithoutALimitLeftOut) {
  const MachineWithLimits machine(kIoMountsOfV2, "0::/database\n");
  machine.file("/sys/fs/cgroup/database/io.max",
               "8:0 rbps=max wbps=max riops=100 wiops=max\n8:16 rbps=max wbps=max riops=max wiops=max\n"
               "8:32 rbps=5 wbps=max riops=max wiops=max\n");
  EXPECT_EQ(machine.limits(), (Limits{"io.max of /database: 8:0 rbps=max wbps=max riops=100 wiops=max; "
                                      "8:32 rbps=5 wbps=max riops=max wiops=max"}));
}

TEST(IoLimits, OfTheSecondVersionAreTargetsOfLatencyToo) {
  const MachineWithLimits machine(kIoMountsOfV2, "0::/database\n");
  machine.file("/sys/fs/cgroup/database/io.latency", "8:16 target=50000\n");
  EXPECT_EQ(machine.limits(), (Limits{"io.latency of /database: 8:16 target=50000"}));
}

TEST(IoLimits, AreNoWeights) {
  const MachineWithLimits machine(kIoMountsOfV2, "0::/database\n");
  machine.file("/sys/fs/cgroup/database/io.weight", "default 50\n8:16 10\n");
  machine.file("/sys/fs/cgroup/database/io.stat", "8:16 rbytes=1 wbytes=2 rios=3 wios=4\n");
  EXPECT_EQ(machine.limits(), Limits{});
}

TEST(IoLimits, OfAGroupAboveAreFoundAndStandBehindTheOwn) {
  const MachineWithLimits machine(kIoMountsOfV2, "0::/system.slice/database/reader\n");
  machine.file("/sys/fs/cgroup/system.slice/io.max", "8:0 rbps=1 wbps=max riops=max wiops=max\n");
  EXPECT_EQ(machine.limits(), (Limits{"io.max of /system.slice: 8:0 rbps=1 wbps=max riops=max wiops=max"}));
  machine.file("/sys/fs/cgroup/system.slice/database/reader/io.max", "8:0 rbps=2 wbps=max riops=max wiops=max\n");
  machine.file("/sys/fs/cgroup/system.slice/database/io.latency", "8:0 target=7\n");
  EXPECT_EQ(machine.limits(),
            (Limits{"io.max of /system.slice/database/reader: 8:0 rbps=2 wbps=max riops=max wiops=max",
                    "io.latency of /system.slice/database: 8:0 target=7",
                    "io.max of /system.slice: 8:0 rbps=1 wbps=max riops=max wiops=max"}));
}

TEST(IoLimits, OfAGroupBesideOrBelowAreNotOurs) {
  const MachineWithLimits machine(kIoMountsOfV2, "0::/system.slice/database\n");
  machine.file("/sys/fs/cgroup/system.slice/database/reader/io.max", "8:0 rbps=1 wbps=max riops=max wiops=max\n");
  machine.file("/sys/fs/cgroup/system.slice/other/io.max", "8:0 rbps=1 wbps=max riops=max wiops=max\n");
  machine.file("/sys/fs/cgroup/database/io.max", "8:0 rbps=1 wbps=max riops=max wiops=max\n");
  EXPECT_EQ(machine.limits(), Limits{});
}

TEST(IoLimits, OfAContainerThatSeesItsGroupAsTheRootStandAtTheMount) {
  const MachineWithLimits named(kIoMountsOfV2, "0::/docker/1a2b\n");
  named.file("/sys/fs/cgroup/io.max", "8:0 rbps=1 wbps=max riops=max wiops=max\n");
  EXPECT_EQ(named.limits(), (Limits{"io.max of /: 8:0 rbps=1 wbps=max riops=max wiops=max"}));
  const MachineWithLimits rooted(kIoMountsOfV2, "0::/\n");
  rooted.file("/sys/fs/cgroup/io.max", "8:0 rbps=1 wbps=max riops=max wiops=max\n");
  EXPECT_EQ(rooted.limits(), (Limits{"io.max of /: 8:0 rbps=1 wbps=max riops=max wiops=max"}));
  const MachineWithLimits first(kIoMountsOfV1, "4:blkio:/docker/1a2b\n");
  first.file("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device", "8:0 1048576\n");
  EXPECT_EQ(first.limits(), (Limits{"blkio.throttle.write_bps_device of /: 8:0 1048576"}));
}

TEST(IoLimits, OfTheFirstVersionAreFourFiles) {
  const MachineWithLimits machine(kIoMountsOfV1,
                                  "9:cpu,cpuacct:/elsewhere\n4:blkio:/database\n1:name=systemd:/user.slice\n");
  const std::string group = "/sys/fs/cgroup/blkio/database/blkio.throttle.";
  machine.file(group + "read_bps_device", "8:0 1\n");
  machine.file(group + "write_bps_device", "8:0 2\n8:16 3\n");
  machine.file(group + "read_iops_device", "253:0 500\n");
  machine.file(group + "write_iops_device", "8:0 4\n");
  machine.file(group + "io_serviced", "8:0 Read 77\n8:0 Total 77\nTotal 77\n");
  EXPECT_EQ(machine.limits(), (Limits{"blkio.throttle.read_bps_device of /database: 8:0 1",
                                      "blkio.throttle.write_bps_device of /database: 8:0 2; 8:16 3",
                                      "blkio.throttle.read_iops_device of /database: 253:0 500",
                                      "blkio.throttle.write_iops_device of /database: 8:0 4"}));
}

TEST(IoLimits, OfTheFirstVersionAreFoundAboveToo) {
  const MachineWithLimits machine(kIoMountsOfV1, "4:blkio:/system.slice/database\n");
  machine.file("/sys/fs/cgroup/blkio/system.slice/blkio.throttle.read_iops_device", "8:0 500\n");
  EXPECT_EQ(machine.limits(), (Limits{"blkio.throttle.read_iops_device of /system.slice: 8:0 500"}));
}

TEST(IoLimits, OfAnotherControllersTreeAreNotLookedAt) {
  const MachineWithLimits machine(kIoMountsOfV1, "9:cpu,cpuacct:/other\n4:blkio:/database\n");
  machine.file("/sys/fs/cgroup/blkio/other/blkio.throttle.read_bps_device", "8:0 1\n");
  machine.file("/sys/fs/cgroup/cpu,cpuacct/other/blkio.throttle.read_bps_device", "8:0 1\n");
  machine.file("/sys/fs/cgroup/cpu,cpuacct/database/blkio.throttle.read_bps_device", "8:0 1\n");
  EXPECT_EQ(machine.limits(), Limits{});
}

TEST(IoLimits, OfTheFirstVersionAreNoneWhereTheNumberIsZero) {
  const MachineWithLimits machine(kIoMountsOfV1, "4:blkio:/database\n");
  machine.file("/sys/fs/cgroup/blkio/database/blkio.throttle.read_bps_device", "8:0 0\n");
  EXPECT_EQ(machine.limits(), Limits{});
}

TEST(IoLimits, OfBothVersionsAtOnceAreFoundInTheGroupOfEach) {
  const MachineWithLimits machine(std::string(kIoMountsOfV1) + kUnified, "4:blkio:/old\n0::/new\n");
  machine.file("/sys/fs/cgroup/blkio/old/blkio.throttle.read_bps_device", "8:0 1\n");
  machine.file("/sys/fs/cgroup/blkio/new/blkio.throttle.write_bps_device", "8:0 9\n");
  machine.file("/sys/fs/cgroup/unified/new/io.max", "8:0 rbps=2 wbps=max riops=max wiops=max\n");
  machine.file("/sys/fs/cgroup/unified/old/io.max", "8:0 rbps=9 wbps=max riops=max wiops=max\n");
  EXPECT_EQ(machine.limits(), (Limits{"blkio.throttle.read_bps_device of /old: 8:0 1",
                                      "io.max of /new: 8:0 rbps=2 wbps=max riops=max wiops=max"}));
}

TEST(IoLimits, OfBlkioThatIsMountedWithOthersAreFound) {
  const MachineWithLimits machine("cgroup /cg cgroup rw,cpu,blkio,memory 0 0\n", "3:cpu,blkio,memory:/database\n");
  machine.file("/cg/database/blkio.throttle.read_bps_device", "8:0 1\n");
  EXPECT_EQ(machine.limits(), (Limits{"blkio.throttle.read_bps_device of /database: 8:0 1"}));
}

TEST(IoLimits, OfFurtherGroupsAreFoundAndOfThoseAboveThem) {
  const MachineWithLimits machine(std::string(kIoMountsOfV1) + kUnified, "4:blkio:/user\n0::/user\n");
  machine.file("/sys/fs/cgroup/blkio/jobs/reader/blkio.throttle.read_bps_device", "8:0 1\n");
  machine.file("/sys/fs/cgroup/blkio/jobs/blkio.throttle.read_iops_device", "8:0 2\n");
  machine.file("/sys/fs/cgroup/unified/writer/io.max", "8:0 rbps=max wbps=3 riops=max wiops=max\n");
  EXPECT_EQ(machine.limits(), Limits{});
  EXPECT_EQ(machine.limits({"jobs/reader", "writer", "missing"}),
            (Limits{"blkio.throttle.read_bps_device of /jobs/reader: 8:0 1",
                    "blkio.throttle.read_iops_device of /jobs: 8:0 2",
                    "io.max of /writer: 8:0 rbps=max wbps=3 riops=max wiops=max"}));
}

TEST(IoLimits, OfFurtherGroupsAreFoundWhereThisProcessIsInNone) {
  const MachineWithLimits machine(kIoMountsOfV2, "");
  machine.file("/sys/fs/cgroup/jobs/io.max", "8:0 rbps=1 wbps=max riops=max wiops=max\n");
  EXPECT_EQ(machine.limits({"jobs"}), (Limits{"io.max of /jobs: 8:0 rbps=1 wbps=max riops=max wiops=max"}));
}

TEST(IoLimits, StandOnceWhereTwoWaysLeadToThem) {
  const MachineWithLimits machine(std::string(kIoMountsOfV2) + "cgroup2 /also cgroup2 rw 0 0\n", "0::/jobs/a\n");
  machine.link("/also", "sys/fs/cgroup");
  machine.file("/sys/fs/cgroup/jobs/io.max", "8:0 rbps=1 wbps=max riops=max wiops=max\n");
  EXPECT_EQ(machine.limits({"jobs/b", "jobs/a", "jobs"}),
            (Limits{"io.max of /jobs: 8:0 rbps=1 wbps=max riops=max wiops=max"}));
}

TEST(IoLimits, HaveTheirRatesAsNumbers) {
  const MachineWithLimits second(kIoMountsOfV2, "0::/database\n");
  second.file("/sys/fs/cgroup/database/io.max",
              "8:16 rbps=2097152 wbps=max riops=max wiops=120\n8:32 rbps=1048576 wbps=max riops=max wiops=max\n");
  const auto of_second = io_limits({}, {}, second.root());
  ASSERT_EQ(of_second.size(), 1u);
  EXPECT_EQ(of_second[0].bytes_per_s[0], 1048576) << "the least";
  EXPECT_EQ(of_second[0].bytes_per_s[1], 0);
  EXPECT_EQ(of_second[0].iops[0], 0);
  EXPECT_EQ(of_second[0].iops[1], 120);
  EXPECT_EQ(io_limits({}, {"8:16"}, second.root())[0].bytes_per_s[0], 2097152);
  const MachineWithLimits first(kIoMountsOfV1, "4:blkio:/user\n0::/\n");
  first.file("/sys/fs/cgroup/blkio/user/blkio.throttle.write_iops_device", "253:0 500\n");
  const auto of_first = io_limits({}, {}, first.root());
  ASSERT_EQ(of_first.size(), 1u);
  EXPECT_EQ(of_first[0].iops[1], 500);
  EXPECT_EQ(of_first[0].iops[0], 0);
}

}  // namespace
}  // namespace fathom::host
