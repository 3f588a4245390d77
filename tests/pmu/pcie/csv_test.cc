// Reading tables of events: quotes, widths, the lines that mistakes are on; and the embedded files.
#include "pmu/pcie/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::pmu::pcie {
namespace {

using ::testing::ElementsAre;

TEST(ParseCsv, ReadsQuotedFieldsAndLineBreaks) {
  const auto table = parse_csv("a,b,c\r\n1,\"x, \"\"y\"\"\",\n,\"two\nlines\",3");
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_THAT(table->names, ElementsAre("a", "b", "c"));
  ASSERT_EQ(table->rows.size(), 2u);
  EXPECT_THAT(table->rows[0], ElementsAre("1", "x, \"y\"", ""));
  EXPECT_THAT(table->rows[1], ElementsAre("", "two\nlines", "3"));
  EXPECT_THAT(table->lines, ElementsAre(2, 3));
  EXPECT_EQ(table->at(0, "b"), "x, \"y\"");
  EXPECT_EQ(table->at(0, "no such column"), "");
}

TEST(ParseCsv, SkipsEmptyLines) {
  const auto table = parse_csv("\na\n\n1\n\n");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows.size(), 1u);
  EXPECT_THAT(table->lines, ElementsAre(4));
}

TEST(ParseCsv, ErrorsNameTheirLine) {
  const auto why = [](std::string_view text) {
    const auto table = parse_csv(text);
    return table ? std::string() : table.error().what;
  };
  EXPECT_EQ(why(""), "line 1: no header");
  EXPECT_EQ(why("a,b\n1,2\n3\n"), "line 3: 1 fields, the header has 2");
  EXPECT_EQ(why("a,b\n1,\"2\n"), "line 2: a closing quote is missing");
  EXPECT_EQ(why("a,b\n1,\"2\"3\n"), "line 2: text after a closing quote");
  EXPECT_EQ(why("a,b\n1,2\"3\n"), "line 2: a quote inside a field without quotes");
}

TEST(ParseCsv, ReadsTheEmbeddedEventFiles) {
  EXPECT_FALSE(event_file("pcie_bandwidth.csv").empty());
  EXPECT_EQ(event_file("nothing.csv"), "");
  const auto table = parse_csv(event_file("dwc_pcie.csv"));
  ASSERT_TRUE(table) << table.error().what;
  EXPECT_EQ(table->rows.size(), 97u);
}

}  // namespace
}  // namespace fathom::pmu::pcie
