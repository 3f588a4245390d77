// Which mount a job's cgroup lies under: the first of blkio or of version 2, as with fio.
#include "run/process/cgroup.h"

#include <gtest/gtest.h>

namespace fathom::run::process {
namespace {

TEST(Cgroup, the_first_blkio_or_v2_mount_is_taken) {
  const auto v1 = find_cgroup_mount(
      "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0\n"
      "cgroup /sys/fs/cgroup/blkio cgroup rw,relatime,blkio 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n");
  ASSERT_TRUE(v1);
  EXPECT_EQ(v1->folder, "/sys/fs/cgroup/blkio");
  EXPECT_FALSE(v1->v2);
  const auto v2 = find_cgroup_mount("cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n");
  ASSERT_TRUE(v2);
  EXPECT_EQ(v2->folder, "/sys/fs/cgroup");
  EXPECT_TRUE(v2->v2);
  EXPECT_FALSE(find_cgroup_mount("cgroup /sys/fs/cgroup/cpu cgroup rw,cpu,noblkio 0 0\n"));
}

}  // namespace
}  // namespace fathom::run::process
