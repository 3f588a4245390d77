// Whole reports of a paging run of fixed numbers, character for character.
#include <gtest/gtest.h>

#include "files.h"
#include "paging_run.h"
#include "report/paging_formats.h"
#include "schema_7.h"

namespace fathom::report {
namespace {

TEST(PagingGolden, Text) { expect_golden("paging.txt", paging_text(paging_run(), {true, CountAxis::both, 80})); }
TEST(PagingGolden, TextInAscii) { expect_golden("paging.ascii.txt", paging_text_ascii(paging_run())); }
TEST(PagingGolden, Table2Text) { expect_golden("paging.table2.txt", paging_text(table2_run())); }
TEST(PagingGolden, Json) { expect_folded("paging.json", json(in_schema_7(paging_run()))); }
TEST(PagingGolden, Xml) { expect_folded("paging.xml", pmbench_xml(paging_run())); }
TEST(PagingGolden, Csv) { expect_folded("paging.csv", pmbench_csv(paging_run())); }

result::Run breakdown_run() {
  auto run = table2_run();
  run.repetitions = {paging_run()};
  return run;
}

TEST(PagingGolden, RepetitionsAndTable2Json) {
  Folded folded;
  folded.know(json(in_schema_7(paging_run())), "paging.json");
  expect_folded("paging.table2.json", json(in_schema_7(breakdown_run())), folded);
}
TEST(PagingGolden, BreakdownXml) {
  Folded folded;
  folded.know(pmbench_xml(paging_run()), "paging.xml");
  expect_folded("paging.table2.xml", pmbench_xml(breakdown_run()), folded);
}

TEST(PagingFormats, TableFindsThem) {
  ASSERT_NE(find_paging_format("xml"), nullptr);
  EXPECT_EQ(find_paging_format("xml")->render, &pmbench_xml);
  EXPECT_EQ(find_paging_format("spdk"), nullptr);
  for (const auto& format : paging_formats()) EXPECT_NE(format.render(paging_run()), "") << format.name;
}

}  // namespace
}  // namespace fathom::report
