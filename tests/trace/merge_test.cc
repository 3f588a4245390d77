// Merging traces: order, scale, iterations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/merge.h"
#include "traces.h"

namespace fathom::trace {
namespace {

using testing::ElementsAre;

MergeInput of(const std::string& lines, double time_percent = 100, std::uint64_t iterations = 1) {
  return {[=] { return open_trace(in_memory("fio version 3 iolog\n" + lines), "t"); }, time_percent, iterations};
}

std::vector<std::uint64_t> times_us(const Read& t) {
  auto all = t.times();
  for (auto& time : all) time /= 1000;
  return all;
}

TEST(Merge, OrdersByTimeAndJoinsTheFiles) {
  const auto t = read_all(merged({of("1 a read 0 512\n5 b read 0 512\n"), of("1 b write 0 512\n3 c write 0 512\n")}));
  EXPECT_EQ(t.error.what, "");
  EXPECT_THAT(times_us(t), ElementsAre(1, 1, 3, 5));
  EXPECT_THAT(t.files, ElementsAre("a", "b", "c"));
  EXPECT_EQ(t.events[0].action, Action::read);
  EXPECT_EQ(t.events[1].file, t.events[3].file);
}

TEST(Merge, FiftyPercentIsHalfTheTime) {
  const auto t = read_all(merged({of("0 a read 0 512\n400 a read 0 512\n", 50), of("300 b read 0 512\n")}));
  EXPECT_THAT(times_us(t), ElementsAre(0, 200, 300));
}

TEST(Merge, AnIterationFollowsTheOneBefore) {
  const auto t = read_all(
      merged({of("0 a read 0 512\n10 a read 0 0\n100 a read 0 512\n", 50, 3), of("1 b read 0 512\n", 100, 0)}));
  EXPECT_THAT(times_us(t), ElementsAre(0, 50, 50, 100, 100, 150));
  EXPECT_EQ(t.skipped_for("zero length"), 3u);
  EXPECT_THAT(t.files, ElementsAre("a"));
}

TEST(Merge, AnErrorOfOneTraceEndsAll) {
  const auto t = read_all(merged({of("0 a read 0 512\n"), of("1 b read 0 512\nx\n")}));
  EXPECT_NE(t.error.what, "");
  EXPECT_FALSE(merged({of("", -1)}).ok());
  EXPECT_NE(read_all(merged({of("x\n")})).error.what, "");
}

}  // namespace
}  // namespace fathom::trace
