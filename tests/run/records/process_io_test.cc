// The kernel's account of a worker: its text, its differences, and that this process has one.
#include "run/records/process_io.h"

#include <gtest/gtest.h>

namespace fathom::run::records {
namespace {

constexpr const char* kText =
    "rchar: 323934931\nwchar: 323929600\nsyscr: 632687\nsyscw: 632675\nread_bytes: 18446744073709551615\n"
    "write_bytes: 323932160\ncancelled_write_bytes: 7\n";

TEST(ProcessIo, EveryRowOfProcIoIsParsed) {
  const auto io = parse_process_io(kText);
  ASSERT_TRUE(io.readable);
  EXPECT_EQ(io.rchar, 323934931u);
  EXPECT_EQ(io.wchar, 323929600u);
  EXPECT_EQ(io.read_bytes, ~0ull);
  EXPECT_EQ(io.write_bytes, 323932160u);
  EXPECT_EQ(io.cancelled_write_bytes, 7u);
}

TEST(ProcessIo, TextThatLacksARowIsUnreadable) {
  EXPECT_FALSE(parse_process_io("").readable);
  EXPECT_FALSE(parse_process_io("rchar: 1\nwchar: 2\nread_bytes: 3\nwrite_bytes: 4\n").readable);
  EXPECT_FALSE(
      parse_process_io("rchar: x\nwchar: 2\nread_bytes: 3\nwrite_bytes: 4\ncancelled_write_bytes: 5\n").readable);
}

TEST(ProcessIo, GrowthFromAnUnreadableSampleIsUnreadable) {
  const ProcessIoCounts first{true, 1, 1, 100, 50, 0}, last{true, 2, 2, 4196, 50, 0};
  EXPECT_EQ(grown(first, last).read_bytes, 4096u);
  EXPECT_EQ(grown(first, last).write_bytes, 0u);
  EXPECT_FALSE(grown(first, {}).readable);
  EXPECT_FALSE(grown({}, last).readable);
}

TEST(ProcessIo, AccountsOfProcessAndThreadAreReadable) {
  EXPECT_TRUE(read_process_io(false).readable);
  EXPECT_TRUE(read_process_io(true).readable);
}

}  // namespace
}  // namespace fathom::run::records
