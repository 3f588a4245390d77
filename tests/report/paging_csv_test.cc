// The sheet of a breakdown: which column is of which swap, and who made it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "paging_run.h"
#include "report/paging_formats.h"

namespace fathom::report {
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

TEST(PagingCsv, ColumnsOfABreakdownAreNamedAfterTheirSwap) {
  const auto zram = swap("zram", "zram:2G", "/dev/zram1"), old = swap("current", "", "/dev/sda2");
  const auto text = pmbench_csv(on_swaps({{old, zram}, {}, {old}, {zram, old}, {}}));
  EXPECT_THAT(text, HasSubstr("Read latencies,,zram:2G 1,none 1,/dev/sda2 1,zram:2G 2,none 2\n"));
  EXPECT_THAT(text, HasSubstr("\nzram:2G 2,Thread #,"));
  EXPECT_THAT(text, HasSubstr("\nLinux 6.1.0,*,"));
  EXPECT_THAT(text, Not(HasSubstr("Trial")));
}

TEST(PagingCsv, RepetitionsOnOneSwapAreTrials) {
  const auto zram = swap("zram", "zram:2G", "/dev/zram1");
  const auto text = pmbench_csv(on_swaps({{zram}, {zram}}));
  EXPECT_THAT(text, HasSubstr("Read latencies,,Trial 1,Trial 2\n"));
  EXPECT_THAT(text, HasSubstr("\nLinux 6.1.0,zram:2G,"));
}

TEST(PagingCsv, JobsAreThoseAskedForWhereOnlyTheTableIsLeft) {
  const auto text = pmbench_csv(on_swaps({{}, {}}));
  EXPECT_THAT(text, HasSubstr(",none,,1024MiB,6,0,50,\n"));
  EXPECT_THAT(pmbench_csv(paging_run()), HasSubstr("MiB,1024MiB,2,0,50,\n"));
}

TEST(PagingCsv, CountersThatOnlyGrowAreNoRates) { EXPECT_THAT(pmbench_csv(paging_run()), Not(HasSubstr("/s,"))); }

}  // namespace
}  // namespace fathom::report
