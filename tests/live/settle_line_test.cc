// What --settle shows: the background, what of it is too much, and how long still.
#include "live/settle_line.h"

#include <gtest/gtest.h>

namespace fathom::live {
namespace {

host::SettleProgress busy() {
  host::SettleProgress s;
  s.disks = {"vda", "vdb"};
  s.limits.cpu_percent = s.limits.disk_iops = 5;
  s.still_s = 1.5;
  s.gives_up_s = 57.4;
  return s;
}

TEST(SettleLine, ShowsNoRateBeforeTheFirstInterval) {
  EXPECT_EQ(settle_line(busy()), "settling: checking the CPUs and vda, vdb; 1.5 s of quiet needed, gives up in 57 s");
}

TEST(SettleLine, NamesWhatIsTooBusy) {
  auto s = busy();
  s.seen = true;
  s.cpu_percent = 43.21;
  s.disk_iops = 3;
  EXPECT_EQ(settle_line(s),
            "settling: CPUs 43.2 % busy (waiting for 5 or less), vda, vdb 3 I/O/s (5 allowed); 1.5 s of quiet needed, "
            "gives up in 57 s");
}

TEST(SettleLine, CountsTheQuietTimeDown) {
  auto s = busy();
  s.disks.clear();
  s.seen = true;
  s.cpu_percent = 1;
  s.quiet_s = 0.5;
  s.still_s = 1;
  EXPECT_EQ(settle_line(s), "settling: CPUs 1.0 % busy (5 allowed); quiet for 0.5 s, 1.0 s more, gives up in 57 s");
}

}  // namespace
}  // namespace fathom::live
