// Lines of --debug=io, as fio's own tests look for them.
#include "live/io_line.h"

#include <gtest/gtest.h>

namespace fathom::live {
namespace {

TEST(IoLine, InFiosWords) {
  run::files::Plan plan;
  plan.targets.resize(1);
  plan.targets[0].path = "/tmp/a";
  result::IoStamp write{};
  write.offset = 8192;
  write.length = 4096;
  write.dir = 1;
  auto elsewhere = write;
  elsewhere.target = 1;
  const result::IoStamp stamps[] = {write, elsewhere};
  EXPECT_EQ(io_lines(321, 9, stamps, plan),
            "io       321   complete: io_u 0x9: off=0x2000,len=0x1000,ddir=1,file=/tmp/a\n"
            "io       321   complete: io_u 0xa: off=0x2000,len=0x1000,ddir=1,file=\n");
  EXPECT_EQ(io_lost_line(321, 5), "io       321   5 I/Os came faster than their lines could be written\n");
}

}  // namespace
}  // namespace fathom::live
