// The job text of a trace, beside what Debian's fio-btrace2fio 3.33 writes for the same recording:
//   fio-btrace2fio -f -R -n 1 -t 1 -d /dev/x nvme-live.blkparse-d
//   [pid106] numjobs=1 direct=1 ioengine=sync rw=randwrite percentage_random=0,11,0 bssplit=4096/89:0/ rate=,820k,
//   [pid105] numjobs=1 direct=1 ioengine=sync rw=randread percentage_random=0,0,0 bssplit=4096/ rate=6400k,,
// and for depth-9-ramped.blktrace: ioengine=libaio iodepth=9 rw=randread percentage_random=0,0,0 bssplit=4096/.
// Its flush is a write of 0 bytes; ours is fsync=.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/sums/to_job.h"
#include "trace/traces.h"

namespace fathom::trace::sums {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string job_of(const Read& t, const JobWish& wish = {}) {
  JobMaker maker;
  for (const auto& event : t.events) maker.add(event);
  return maker.text(t.files, wish);
}

TEST(ToJob, ASectionPerProcess) {
  const auto text = job_of(read_file("nvme-live.blkparse-d"), {.filename = "/dev/x", .fewest_ios = 1});
  EXPECT_EQ(
      text,
      "; made by `fathom trace to-job`: mix, sizes and depth of the trace, not its order\n"
      "[global]\ndirect=1\ntime_based=1\n\n"
      "[pid105]\n; 8 reads, 0 writes, 0 trims, 0 flushes\nioengine=psync\nrw=randread\n"
      "percentage_random=0,0,0\nbssplit=4096/\nfilename=/dev/x\nruntime=5927us\n\n"
      "[pid106]\n; 0 reads, 8 writes, 0 trims, 1 flushes\nioengine=psync\nrw=randwrite\n"
      "percentage_random=0,0,0\nbssplit=4096/\nfsync=8\nfilename=/dev/x\nstartdelay=24593us\nruntime=39804us\n\n");
}

TEST(ToJob, DepthAndRate) {
  const auto t = read_file("depth-9-ramped.blktrace");
  const auto text = job_of(t, {.with_rate = true});
  EXPECT_THAT(text, HasSubstr("ioengine=libaio\niodepth=9\nrw=randread\npercentage_random=0,0,0\nbssplit=4096/\n"));
  EXPECT_THAT(text, HasSubstr("filename=7,2\n"));
  EXPECT_THAT(text, HasSubstr("rate="));
  EXPECT_THAT(job_of(t, {.most_depth = 4}), HasSubstr("; depth: 9 in the trace\nioengine=libaio\niodepth=4\n"));
}

TEST(ToJob, NamesWhatItLeavesOut) {
  const auto t = read_file("nvme-live.blkparse-d");
  const auto text = job_of(t, {.fewest_ios = 1, .shortest_ns = 20'000'000});
  EXPECT_THAT(text, HasSubstr("; left out: pid 105, too short (8 I/Os in 5927 us)\n"));
  EXPECT_THAT(text, Not(HasSubstr("[pid105]")));
  EXPECT_EQ(job_of(t, {.fewest_ios = 100}), "");
}

TEST(ToJob, MixesAndSizes) {
  std::string log = "fio version 3 iolog\n";
  for (int i = 0; i < 30; ++i) log += std::to_string(i) + " d read " + std::to_string(i * 65536) + " 4096\n";
  for (int i = 0; i < 10; ++i) log += "40 d write " + std::to_string(i * 8192) + (i < 7 ? " 8192\n" : " 512\n");
  const auto text = job_of(read_text(log));
  EXPECT_THAT(text,
              HasSubstr("[trace]\n; 30 reads, 10 writes, 0 trims, 0 flushes\n; depth: the trace has no completions\n"));
  EXPECT_THAT(text, HasSubstr("rw=randrw\nrwmixread=75\n"));
  EXPECT_THAT(text, HasSubstr("bssplit=4096/,8192/70:512/\n"));
  EXPECT_THAT(text, HasSubstr("percentage_random=97,20,0\n"));
}

}  // namespace
}  // namespace fathom::trace::sums
