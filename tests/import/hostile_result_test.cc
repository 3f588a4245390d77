// Files that are no result, or no whole one: each is refused with what is wrong and where, and nothing is read beyond it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "import/files.h"
#include "import/result_json.h"

namespace fathom::import {
namespace {

using ::testing::HasSubstr;

struct Place {
  int line, column;
};
Place place_of(const std::string& text, std::size_t at) {
  const auto begin = at == 0 || text.rfind('\n', at - 1) == text.npos ? 0 : text.rfind('\n', at - 1) + 1;
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1;
  return {static_cast<int>(line), static_cast<int>(at - begin) + 1};
}

base::Error refused(const std::string& text) {
  const auto run = read_result_json(text, "result.json");
  EXPECT_FALSE(run.ok());
  if (run.ok()) return {};
  EXPECT_TRUE(run.error().place.has_value());
  EXPECT_EQ(run.error().place->file, "result.json");
  return run.error();
}

const std::string& good() {
  static const std::string text = stored_result("14_sim.json");
  return text;
}

TEST(ResultJson, RefusesMalformedJsonWithItsPlace) {
  struct Row {
    std::string text;
    const char *what, *help;
  };
  for (const auto& [text, what, help] : {
           Row{"", "an empty file", ""},
           Row{" \n\n", "an empty file", ""},
           Row{std::string("\x7f\x45LF\0\0\1", 7), "a binary file", "JSON of fathom"},
           Row{"<?xml version=\"1.0\"?>\n<pmbenchmark/>\n", "not a JSON document", "XML of pmbench"},
           Row{"job: (g=0): rw=read\n", "not a JSON document", "JSON of fathom"},
           Row{"[1, 2]\n", "not a result of fathom", "JSON of fathom"},
           Row{"{ \"fio version\" : \"fio-3.33\", \"jobs\" : [] }\n", "not a result of fathom", "terse lines"},
           Row{std::string(100'000, '['), "nested too deeply", ""},
       }) {
    const auto error = refused(text);
    EXPECT_THAT(error.what, HasSubstr(what)) << text.substr(0, 40);
    EXPECT_THAT(error.help, HasSubstr(help)) << text.substr(0, 40);
  }
}

TEST(ResultJson, RefusesATruncatedFileAsCutOff) {
  for (std::size_t length = 2; length + 4 < good().size(); length += 41) {
    const auto text = good().substr(0, length);
    const auto error = refused(text);
    EXPECT_THAT(error.what, HasSubstr("truncated")) << length;
    const auto end = place_of(text, text.size());
    EXPECT_EQ(error.place->line, end.line) << length;
    EXPECT_NEAR(error.place->column, end.column, 1) << length;
  }
}

TEST(ResultJson, ANumberOfManyDigitsIsNotToldWhole) {
  const auto error = refused("{\"fathom\" : {\"x\" : " + std::string(4000, '1') + "}}\n");
  EXPECT_THAT(error.cause, HasSubstr("number overflow"));
  EXPECT_LT(error.cause.size(), 200u);
}

// One value of a good file is another.
struct Damage {
  const char *what, *from, *to, *message;
};

TEST(ResultJson, RefusesAValueOutOfRange) {
  constexpr const char* kSchema = "\"schema_version\" : 14";
  for (const auto& [name, from, to, message] : {
           Damage{"newer", kSchema, "\"schema_version\" : 16", "a result of schema 16, newer than this program"},
           Damage{"far newer", kSchema, "\"schema_version\" : 1e30", "no schema_version"},
           Damage{"older", kSchema, "\"schema_version\" : 13", "a result of schema 13"},
           Damage{"schema 0", kSchema, "\"schema_version\" : 0", "a result of schema 0"},
           Damage{"schema below 0", kSchema, "\"schema_version\" : -14", "no schema_version"},
           Damage{"schema as text", kSchema, "\"schema_version\" : \"14\"", "no schema_version"},
           Damage{"below 0", "\"job_number\" : 0", "\"job_number\" : -5000000000",
                  "\"job_number\" is a number below 0"},
           Damage{"count below 0", "\"error_count\" : 0", "\"error_count\" : -1",
                  "\"error_count\" is a number below 0"},
           Damage{"fraction", "\"error_count\" : 0", "\"error_count\" : 0.5", "\"error_count\" is a number"},
           Damage{"too large", "\"error_count\" : 0", "\"error_count\" : 18446744073709551616",
                  "\"error_count\" is a number"},
           Damage{"NaN", "\"error_count\" : 0", "\"error_count\" : NaN", "not a JSON document"},
           Damage{"infinite", "\"error_count\" : 0", "\"error_count\" : 1e999", "not a JSON document"},
           Damage{"text", "\"error_count\" : 0", "\"error_count\" : \"none\"", "\"error_count\" is \"none\""},
           Damage{"object", "\"error_count\" : 0", "\"error_count\" : {}", "\"error_count\" is an object"},
           Damage{"null", "\"error_count\" : 0", "\"error_count\" : null", "\"error_count\" is null"},
           Damage{"twice", "\"error_count\" : 0", "\"error_count\" : 0, \"error_count\" : 1",
                  "\"error_count\" stands twice"},
           Damage{"list", "\"group_members\" : [", "\"group_members\" : 5, \"other\" : [",
                  "\"group_members\" is a whole number"},
           Damage{"control character", "\"engine\" : \"sim\"", "\"engine\" : \"s\x01m\"", "not a JSON document"},
           Damage{"half a character", "\"engine\" : \"sim\"", "\"engine\" : \"s\xC3\"", "not a JSON document"},
           Damage{"no word", "\"severity\" : \"note\"", "\"severity\" : \"grave\"",
                  "\"severity\" has an unknown value"},
       }) {
    const auto text = with(good(), from, to);
    const auto run = read_result_json(text, "result.json");
    ASSERT_FALSE(run.ok()) << name;
    EXPECT_THAT(run.error().what, HasSubstr(message)) << name;
    const int line = place_of(good(), good().find(from)).line;
    EXPECT_GE(run.error().place->line, line) << name;
    EXPECT_LE(run.error().place->line, line + 1) << name;
    EXPECT_GE(run.error().place->column, 1) << name;
  }
}

TEST(ResultJson, RefusesAResultWithoutAList) {
  const auto error = refused(with(good(), "\"group_members\" : [", "\"members\" : ["));
  EXPECT_EQ(error.what, "no \"group_members\" in \"fathom\"");
  EXPECT_EQ(error.place->line, place_of(good(), good().find("\"fathom\" : {")).line);
}

TEST(ResultJson, NamesTheCommitThatReadsAnOlderSchema) {
  const auto error = refused(with(good(), "\"schema_version\" : 14", "\"schema_version\" : 7"));
  EXPECT_EQ(error.what, "a result of schema 7");
  EXPECT_EQ(error.cause, "this fathom reads schema 14 and 15");
  EXPECT_THAT(error.help, HasSubstr("build fathom from commit "));
}

// Of schema 14 counts by value, of 15 pairs.
TEST(ResultJson, RefusesWhatIsNoHistogram) {
  for (const char* other : {"[[1480, 1], [1480, 1]]", "[[1496, 1], [1480, 1]]", "[[1480, 1, 1]]", "[[1480]]", "[1480]",
                            "[[\"1480\", 1]]", "[[1480, -1]]", "[{}]", "5", "{ \"1496\" : 1, \"1480\" : 1 }",
                            "{ \"x\" : 1 }", "[[0, 18446744073709551615], [1, 1]]", "[[1480, 7]]"}) {
    const auto error =
        refused(with(good(), "\"histogram_ns\" : {", std::string("\"histogram_ns\" : ") + other + ", \"was\" : {"));
    EXPECT_NE(error.what, "") << other;
  }
}

TEST(ResultJson, CountsErrorLinesFromTheFilesBegin) {
  const std::string text = "before\n{\n  \"fathom\" : {\n    \"schema_version\" : 99\n  }\n}\nafter\n";
  EXPECT_EQ(refused(text).place->line, 4);
}

}  // namespace
}  // namespace fathom::import
