// Lines of traces, as valgrind's lackey and simpler tools write them, and what is wrong with others.
#include "paging/sources/trace_text.h"

#include <gtest/gtest.h>

namespace fathom::paging::sources {
namespace {

using Kind = TraceLine::Kind;

TEST(TraceText, parses_lackey_and_simple_accesses) {
  struct Row {
    const char* line;
    Kind kind;
    std::uint64_t address;
  };
  const Row rows[] = {
      {" L 04222cac,8", Kind::load, 0x4222cac},       {" S 1ffefff818,8", Kind::store, 0x1ffefff818},
      {" M 0421c7cc,4", Kind::modify, 0x421c7cc},     {" L 1ffefff818,32\r", Kind::load, 0x1ffefff818},
      {"R 7f2000001000", Kind::load, 0x7f2000001000}, {"W 0x7f2000001FFC", Kind::store, 0x7f2000001ffc},
      {"r ffffffffffffffff,1", Kind::load, ~0ull},    {"\tw  10  ", Kind::store, 16},
  };
  for (const Row& row : rows) {
    const TraceLine access = parse_trace_line(row.line);
    EXPECT_EQ(access.kind, row.kind) << row.line;
    EXPECT_EQ(access.address, row.address) << row.line;
  }
}

TEST(TraceText, skips_instructions_comments_and_messages) {
  for (const char* line : {"I  04001090,3", "", "   ", "\r", "# R 10", "  # x",
                           "==12== Lackey, an example Valgrind tool", "==12==", "--12-- warning"})
    EXPECT_EQ(parse_trace_line(line).kind, Kind::nothing) << line;
}

TEST(TraceText, errors_have_column_and_cause) {
  struct Row {
    const char* line;
    int column;
    const char* says;
  };
  const Row rows[] = {
      {"X 10", 1, "not one of"},
      {"0x7f00 R", 1, "not one of"},
      {" L", 3, "a blank"},
      {" L04222cac,8", 3, "a blank"},
      {" L ", 4, "not an address"},
      {" L xyz,8", 4, "not an address"},
      {"R 1ffffffffffffffff", 20, "not an address"},
      {"R 0x", 5, "not an address"},
      {" L 04222cac", 12, "a comma"},
      {" S 04222cac 8", 12, "a comma"},
      {" L 04222cac,", 13, "not a size"},
      {" L 04222cac,x", 13, "not a size"},
      {" L 04222cac,8 9", 15, "unexpected text"},
      {"R 10 W 20", 6, "unexpected text"},
  };
  for (const Row& row : rows) {
    const TraceLine access = parse_trace_line(row.line);
    EXPECT_EQ(access.kind, Kind::bad) << row.line;
    EXPECT_EQ(access.column, row.column) << row.line;
    ASSERT_NE(access.cause, nullptr) << row.line;
    EXPECT_NE(std::string(access.cause).find(row.says), std::string::npos) << row.line << ": " << access.cause;
  }
}

}  // namespace
}  // namespace fathom::paging::sources
