// Texts of tools: blkparse, strace, biosnoop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "traces.h"

namespace fathom::trace {
namespace {

using testing::ElementsAre;

// The text and the binary records of one recording.
TEST(BlkparseText, IsTheSameTraceAsTheBinary) {
  const auto text = read_file("nvme-live.blkparse-text"), binary = read_file("nvme-live.blkparse-d");
  EXPECT_EQ(text.error.what, "");
  EXPECT_EQ(text.traits.format, "blkparse");
  ASSERT_EQ(text.events.size(), binary.events.size());
  for (std::size_t i = 0; i < text.events.size(); ++i) {
    const auto &a = text.events[i], &b = binary.events[i];
    EXPECT_EQ(a.time_ns, b.time_ns) << i;
    EXPECT_EQ(a.response_ns, b.response_ns) << i;
    EXPECT_EQ(a.offset_bytes, b.offset_bytes) << i;
    EXPECT_EQ(a.length_bytes, b.length_bytes) << i;
    EXPECT_EQ(a.action, b.action) << i;
    EXPECT_EQ(a.task, b.task) << i;
  }
  EXPECT_EQ(text.files, binary.files);
}

TEST(BlkparseText, ReadsFlushFuaAndDiscard) {
  const auto t = read_text(
      "  8,0    3        1     0.000000000   697  Q FWFSM 1000 + 8 [jbd2/sda]\n"
      "  8,0    3        2     0.000001000   697  Q FWS [jbd2/sda]\n"
      "  8,0    3        3     0.000002000   697  Q  DS 0 + 2048 [fstrim]\n"
      "  8,0    3        4     0.000003000     0  C  DS 0 + 2048 [0]\n"
      "  8,0    3        0     0.000004000     0  m   N cfq a message\n"
      "CPU0 (8,0):\n Reads Queued:           0,        0KiB\n");
  EXPECT_EQ(t.error.what, "");
  ASSERT_EQ(t.events.size(), 3u);
  EXPECT_TRUE(t.events[0].flush_first && t.events[0].forced_unit_access);
  EXPECT_EQ(t.events[1].action, Action::sync);
  EXPECT_EQ(t.events[2].action, Action::trim);
  EXPECT_EQ(t.events[2].response_ns, 1000u);
  EXPECT_THAT(t.notes, ElementsAre("2 I/Os have no completion in the trace"));
}

TEST(BlkparseText, ABadLineIsAnErrorAtItsPlace) {
  const auto good = std::string("8,0 3 1 0.0 697 Q R 0 + 8 [x]\n");
  EXPECT_EQ(read_text(good + "8,0 3 2 0.x 697 Q R 0 + 8 [x]\n").error.place->column, 9);
  EXPECT_EQ(read_text(good + "8 3 2 0.1 697 Q R 0 + 8 [x]\n").error.place->column, 1);
  EXPECT_EQ(read_text(good + "8,0 3 2 0.1 697 Q Z 0 + 8 [x]\n").error.place->column, 19);
  EXPECT_EQ(read_text(good + "8,0 3 2 0.1 697 Q R 0 + -8 [x]\n").error.place->column, 25);
}

const std::string kOpen = "1700000000.000100 openat(AT_FDCWD, \"/tmp/f\", O_RDWR|O_CREAT, 0644) = 3 <0.000010>\n";

TEST(Strace, FollowsThePosition) {
  const auto t = read_text(kOpen +
                           "1700000000.000200 write(3, \"a) = 4 <0.1>\\\"\"..., 4096) = 4096 <0.000020>\n"
                           "1700000000.000300 lseek(3, 8192, SEEK_SET)    = 8192 <0.000005>\n"
                           "1700000000.000400 read(3, \"\\0\\0\"..., 1000)    = 512 <0.000030>\n"
                           "1700000000.000500 read(3, \"\", 1000)           = 0 <0.000001>\n"
                           "1700000000.000600 pwrite64(3, \"x\", 1, 77)     = 1 <0.000002>\n"
                           "1700000000.000700 fsync(3)                    = 0 <0.002000>\n"
                           "1700000000.000800 fdatasync(3)                = 0 <0.001000>\n"
                           "1700000000.000900 close(3)                    = 0 <0.000003>\n"
                           "1700000000.001000 write(1, \"x\", 1)            = 1 <0.000003>\n"
                           "1700000000.001100 +++ exited with 0 +++\n");
  EXPECT_EQ(t.error.what, "");
  EXPECT_EQ(t.traits.format, "strace");
  ASSERT_EQ(t.events.size(), 5u);
  EXPECT_THAT(t.files, ElementsAre("/tmp/f"));
  EXPECT_EQ(t.events[0].offset_bytes, 0u);
  EXPECT_EQ(t.events[0].response_ns, 20'000u);
  EXPECT_EQ(t.events[1].offset_bytes, 8192u);
  EXPECT_EQ(t.events[1].length_bytes, 512u);
  EXPECT_EQ(t.events[1].time_ns, 200'000u);
  EXPECT_EQ(t.events[2].offset_bytes, 77u);
  EXPECT_EQ(t.events[3].action, Action::sync);
  EXPECT_EQ(t.events[4].action, Action::datasync);
  EXPECT_EQ(t.skipped_for("zero length"), 1u);
  EXPECT_EQ(t.skipped_for("a descriptor that was opened before the trace"), 1u);
}

TEST(Strace, JoinsCallsInTwoParts) {
  const auto t = read_text(
      "10 1700000000.000100 openat(AT_FDCWD, \"/tmp/f\", O_RDWR) = 3 <0.000010>\n"
      "10 1700000000.000150 clone3({flags=CLONE_VM|CLONE_FILES, exit_signal=0}, 88) = 11 <0.000010>\n"
      "11 1700000000.000200 pread64(3,  <unfinished ...>\n"
      "10 1700000000.000300 pread64(3, \"y\"..., 4096, 0) = 4096 <0.000050>\n"
      "11 1700000000.000900 <... pread64 resumed>\"x\"..., 4096, 8192) = 4096 <0.000700>\n"
      "12 1700000000.000950 <... pread64 resumed>\"x\"..., 4096, 8192) = 4096 <0.000700>\n");
  ASSERT_EQ(t.events.size(), 2u);
  EXPECT_EQ(t.events[0].offset_bytes, 8192u);
  EXPECT_EQ(t.events[0].task, 11u);
  EXPECT_EQ(t.events[0].response_ns, 700'000u);
  EXPECT_EQ(t.events[1].time_ns, 100'000u);
  EXPECT_EQ(t.times_back, 0u);
  EXPECT_EQ(t.skipped_for("the begin of a call is missing"), 1u);
}

TEST(Strace, ReadsNamesOfDescriptors) {
  const auto t = read_text(
      "1700000000.1 preadv2(5</tmp/a,b>, [{iov_base=\"\", iov_len=512}], 1, 1024, 0) = 512 <0.000010>\n"
      "1700000000.2 pwritev2(5</tmp/a,b>, [{iov_base=\"(\", iov_len=512}], 1, 0, RWF_DSYNC) = 512 <0.000010>\n"
      "1700000000.3 write(6<socket:[77]>, \"x\", 1) = 1 <0.000010>\n"
      "1700000000.4 read(5</tmp/a,b>, \"x\", 1) = 1 <0.000010>\n"
      "1700000000.5 pread64(5</tmp/a,b>, 0x1, 1, 0) = -1 EFAULT (Bad address) <0.000010>\n"
      "1700000000.6 io_uring_enter(0, 1, 0, IORING_ENTER_GETEVENTS, NULL, 8) = 1 <0.000010>\n"
      "hello from the program\n");
  EXPECT_THAT(t.files, ElementsAre("/tmp/a,b"));
  ASSERT_EQ(t.events.size(), 2u);
  EXPECT_EQ(t.events[0].offset_bytes, 1024u);
  EXPECT_TRUE(t.events[1].forced_unit_access);
  EXPECT_EQ(t.skipped_for("no file: a socket, a pipe, a terminal"), 1u);
  EXPECT_EQ(t.skipped_for("the file's position is not known"), 1u);
  EXPECT_EQ(t.skipped_for("a call that failed"), 1u);
  EXPECT_EQ(t.skipped_for("no line of strace -ttt"), 1u);
  EXPECT_EQ(t.skipped.size(), 5u);
}

TEST(Strace, AProcessHasACopyOfItsDescriptors) {
  const auto t = read_text(
      "10 1700000000.1 openat(AT_FDCWD, \"f\", O_WRONLY|O_APPEND) = 3 <0.00001>\n"
      "10 1700000000.2 clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 11 <0.00001>\n"
      "10 1700000000.3 close(3) = 0 <0.00001>\n"
      "10 1700000000.4 write(3, \"x\", 1) = 1 <0.00001>\n"
      "11 1700000000.5 write(3, \"x\", 10) = 10 <0.00001>\n"
      "11 1700000000.6 dup2(3, 7) = 7 <0.00001>\n"
      "11 1700000000.7 write(7, \"x\", 10) = 10\n");
  ASSERT_EQ(t.events.size(), 2u);
  EXPECT_EQ(t.events[1].offset_bytes, 10u);
  EXPECT_EQ(t.events[1].response_ns, kNotKnown);
  EXPECT_EQ(t.notes.size(), 2u);
}

TEST(Strace, AnExitForgetsTheProcess) {
  const auto t = read_text(
      "10 1700000000.1 openat(AT_FDCWD, \"f\", O_RDWR) = 3 <0.00001>\n"
      "10 1700000000.2 +++ exited with 0 +++\n"
      "10 1700000000.3 pread64(3, \"x\", 1, 0) = 1 <0.00001>\n");
  EXPECT_EQ(t.events.size(), 0u);
  EXPECT_EQ(t.skipped_for("a descriptor that was opened before the trace"), 1u);
}

TEST(Strace, DescriptorsAreBounded) {
  std::string text;
  for (int task = 1; task < 6000; ++task)
    text += std::to_string(task) + " 1.1 openat(AT_FDCWD, \"f\", O_RDWR) = 3 <0.00001>\n";
  EXPECT_EQ(read_text(text).skipped_for("more than 4,096 processes at once"), 5999u - 4096u);
}

TEST(Biosnoop, SubmissionIsCompletionLessLatency) {
  const auto t = read_text(
      "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  LAT(ms)\n"
      "0.000400    tokio runtime  1234    nvme0n1   R 8          4096      0.40\n"
      "0.000500    dd             1235    nvme0n1   W 16         8192      0.45\n"
      "0.000600    jbd2/sda-8     20      sda       FF 0         0         0.10\n");
  EXPECT_EQ(t.error.what, "");
  EXPECT_EQ(t.traits.format, "biosnoop");
  EXPECT_THAT(t.times(), ElementsAre(0, 50'000, 500'000));
  EXPECT_THAT(t.files, ElementsAre("nvme0n1", "sda"));
  EXPECT_EQ(t.events[0].response_ns, 400'000u);
  EXPECT_EQ(t.events[0].task, 1234u);
  EXPECT_EQ(t.events[0].offset_bytes, 4096u);
  EXPECT_EQ(t.events[1].action, Action::write);
  EXPECT_EQ(t.events[2].action, Action::sync);
}

TEST(Biosnoop, LinesAreInTheOrderOfSubmission) {
  const auto t = read_text(
      "TIME(s)     COMM  PID  DISK T SECTOR BYTES QUE(ms) LAT(ms)\n"
      "0.001000    a     1    sda  R 0      512   0.00    0.10\n"
      "0.002000    a     1    sda  R 8      512   0.50    1.50\n");
  EXPECT_THAT(t.times(), ElementsAre(0, 900'000));
  EXPECT_EQ(t.events[0].offset_bytes, 4096u);
  EXPECT_EQ(t.events[0].response_ns, 2'000'000u);
  EXPECT_EQ(t.times_back, 0u);
}

// The lines are those of biosnoop-bpfcc 0.26 with -P and -PQ: no blank follows a BYTES of seven digits.
TEST(Biosnoop, ReadsThePatternColumn) {
  const auto t = read_text(
      "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  P LAT(ms)\n"
      "1.000000    dd             1235    sda       W 16         8192   S    0.45\n"
      "2.000000    dd             1235    sda       R 32         1048576R 1000.00\n");
  EXPECT_EQ(t.error.what, "");
  ASSERT_EQ(t.events.size(), 2u);
  EXPECT_EQ(t.events[0].length_bytes, 8192u);
  EXPECT_EQ(t.events[0].response_ns, 450'000u);
  EXPECT_EQ(t.events[1].length_bytes, 1048576u);
  EXPECT_EQ(t.events[1].offset_bytes, 32u * 512);
  EXPECT_EQ(t.events[1].response_ns, 1'000'000'000u);
  const auto queued = read_text(
      "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  P QUE(ms) LAT(ms)\n"
      "1.000000    dd             1235    sda       W 16         8192   ?    0.05    0.45\n");
  ASSERT_EQ(queued.events.size(), 1u);
  EXPECT_EQ(queued.events[0].length_bytes, 8192u);
  EXPECT_EQ(queued.events[0].response_ns, 500'000u);
}

TEST(Biosnoop, BytesAndSecondsWithoutABlankAreTwoColumns) {
  const auto t = read_text(
      "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  LAT(ms)\n"
      "2.000000    dd             1235    sda       W 32         10485761234.56\n"
      "3.000000    dd             1235    sda       W 64         8192   1234.56\n");
  EXPECT_EQ(t.error.what, "");
  ASSERT_EQ(t.events.size(), 2u);
  EXPECT_EQ(t.events[0].length_bytes, 1048576u);
  EXPECT_EQ(t.events[0].response_ns, 1'234'560'000u);
  EXPECT_EQ(t.events[1].length_bytes, 8192u);
  const auto queued = read_text(
      "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  QUE(ms) LAT(ms)\n"
      "9.000000    dd             1235    sda       W 32         10485762000.00 1000.00\n");
  ASSERT_EQ(queued.events.size(), 1u);
  EXPECT_EQ(queued.events[0].length_bytes, 1048576u);
  EXPECT_EQ(queued.events[0].response_ns, 3'000'000'000u);
}

TEST(Tools, WhatWasReadBeforeAnErrorIsHandedOut) {
  const auto snoop = read_text("0.5 a 1 sda R 0 512 0.10\nx\n0.6 a 1 sda R 0 512 0.10\n");
  EXPECT_EQ(snoop.events.size(), 1u);
  EXPECT_EQ(snoop.error.place->line, 2);
  const auto blk = read_text("8,0 3 1 0.0 697 Q R 0 + 8 [x]\nx\n");
  EXPECT_EQ(blk.events.size(), 1u);
  EXPECT_EQ(blk.error.place->line, 2);
}

TEST(Biosnoop, ABadLineIsAnErrorAtItsPlace) {
  const std::string good = "0.5 a 1 sda R 0 512 0.10\n";
  EXPECT_EQ(read_text(good + "0.6 a 1 sda R 0 512 x\n").error.place->column, 21);
  EXPECT_EQ(read_text(good + "0.6 a 1 sda R 0 -512 0.1\n").error.place->column, 17);
  EXPECT_EQ(read_text(good + "x a 1 sda R 0 512 0.1\n").error.place->column, 1);
  EXPECT_EQ(read_text(good + "0.1\n").error.place->line, 2);
}

}  // namespace
}  // namespace fathom::trace
