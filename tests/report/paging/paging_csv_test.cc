// The sheet of a breakdown: which column is of which swap, and who made it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/paging_formats.h"
#include "report/paging_run.h"

namespace fathom::report::paging {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

result::Run on_swaps(const std::vector<std::vector<result::PagingSwap>>& all) {
  auto run = table2_run();
  run.paging->threads = 2;
  run.paging->processes = 3;
  for (const auto& swaps : all) {
    run.repetitions.push_back(paging_run());
    run.repetitions.back().paging->pressure.swaps = swaps;
  }
  return run;
}

result::PagingSwap swap(const char* kind, const char* name, const char* path) {
  result::PagingSwap s;
  s.kind = kind;
  s.name = name;
  s.path = path;
  return s;
}

TEST(PagingCsv, BreakdownColumnsAreNamedAfterTheirSwap) {
  const auto zram = swap("zram", "zram:2G", "/dev/zram1"), old = swap("current", "", "/dev/sda2");
  const auto text = pmbench_csv(on_swaps({{old, zram}, {}, {old}, {zram, old}, {}}));
  EXPECT_THAT(text, HasSubstr("Read latencies,,zram:2G 1,none 1,/dev/sda2 1,zram:2G 2,none 2\n"));
  EXPECT_THAT(text, HasSubstr("\nzram:2G 2,Thread #,"));
  EXPECT_THAT(text, HasSubstr("\nLinux 6.1.0,*,"));
  EXPECT_THAT(text, Not(HasSubstr("Trial")));
}

TEST(PagingCsv, RepetitionsOnOneSwapAreNamedTrials) {
  const auto zram = swap("zram", "zram:2G", "/dev/zram1");
  const auto text = pmbench_csv(on_swaps({{zram}, {zram}}));
  EXPECT_THAT(text, HasSubstr("Read latencies,,Trial 1,Trial 2\n"));
  EXPECT_THAT(text, HasSubstr("\nLinux 6.1.0,zram:2G,"));
}

TEST(PagingCsv, JobsAreThoseAskedForWhenWorkersAreAbsent) {
  const auto text = pmbench_csv(on_swaps({{}, {}}));
  EXPECT_THAT(text, HasSubstr(",none,,1024MiB,6,0,50,\n"));
  EXPECT_THAT(pmbench_csv(paging_run()), HasSubstr("MiB,1024MiB,2,0,50,\n"));
}

// The heads that the program writes, by which scripts find a column: it calls counters rates.
TEST(PagingCsv, MemoryColumnsHavePmbenchsHeadings) {
  EXPECT_THAT(pmbench_csv(paging_run()),
              HasSubstr("\nTrial 1,Free KiB,Buffer KiB,Cache KiB,Active KiB,Inactive KiB,Page in/s,Page out/s,"
                        "Swap in/s,Swap out/s,Major faults\nPre-warmup,"));
}

TEST(PagingCsv, AnImportedFileNamesItsColumn) {
  auto run = paging_run();
  run.program.argv = {"fathom", "paging", "--import", "old/zram, 1.xml"};
  const auto text = pmbench_csv(run);
  EXPECT_THAT(text, HasSubstr("\nzram  1,Thread #,"));
  EXPECT_THAT(text, HasSubstr("\nRead latencies,,zram  1\n0,256,"));
  EXPECT_THAT(text, HasSubstr("\nzram  1,Free KiB,"));
  EXPECT_THAT(text, Not(HasSubstr("Trial")));
}

TEST(PagingCsv, AccessTouchHasNoLatencies) {
  auto run = paging_run();
  run.paging->access = "touch";
  EXPECT_THAT(pmbench_csv(run), Not(HasSubstr(" latencies,")));
}

}  // namespace
}  // namespace fathom::report::paging
