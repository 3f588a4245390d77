// Whole reports of a paging run of fixed numbers, character for character.
#include <gtest/gtest.h>

#include "files.h"
#include "paging_run.h"
#include "report/paging_formats.h"

namespace fathom::report {
namespace {

TEST(GoldenPagingReport, TextIsUnchanged) {
  expect_golden("paging.txt", paging_text(paging_run(), {true, CountAxis::both, 80}));
}
TEST(GoldenPagingReport, AsciiTextIsUnchanged) { expect_golden("paging.ascii.txt", paging_text_ascii(paging_run())); }
TEST(GoldenPagingReport, Table2TextIsUnchanged) { expect_golden("paging.table2.txt", paging_text(table2_run())); }
TEST(GoldenPagingReport, JsonIsUnchanged) { expect_folded("paging.json", json(paging_run())); }
TEST(GoldenPagingReport, XmlIsUnchanged) { expect_folded("paging.xml", pmbench_xml(paging_run())); }
TEST(GoldenPagingReport, CsvIsUnchanged) { expect_folded("paging.csv", pmbench_csv(paging_run())); }

result::Run breakdown_run() {
  auto run = table2_run();
  run.repetitions = {paging_run()};
  return run;
}

TEST(GoldenPagingReport, JsonOfRepetitionsAndTable2IsUnchanged) {
  Folded folded;
  folded.know(json(paging_run()), "paging.json");
  expect_folded("paging.table2.json", json(breakdown_run()), folded);
}
TEST(GoldenPagingReport, XmlOfABreakdownIsUnchanged) {
  Folded folded;
  folded.know(pmbench_xml(paging_run()), "paging.xml");
  expect_folded("paging.table2.xml", pmbench_xml(breakdown_run()), folded);
}

TEST(FindPagingFormat, FindsFormatsByName) {
  ASSERT_NE(find_paging_format("xml"), nullptr);
  EXPECT_EQ(find_paging_format("xml")->render, &pmbench_xml);
  EXPECT_EQ(find_paging_format("spdk"), nullptr);
  for (const auto& format : paging_formats()) EXPECT_NE(format.render(paging_run()), "") << format.name;
}

}  // namespace
}  // namespace fathom::report
