// The byte shape, and that every string, however broken, gives JSON that a strict parser takes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/parts/json_writer.h"

namespace fathom::report::parts {
namespace {

using Json = nlohmann::json;

std::string string_document(std::string_view text) {
  JsonWriter w;
  w.begin_object();
  w.field("s", text);
  w.end_object();
  return w.take();
}

TEST(JsonWriter, WritesFiosIndentationAndFieldTypes) {
  JsonWriter w;
  w.begin_object();
  w.field("i", -3);
  w.field("u", std::numeric_limits<std::uint64_t>::max());
  w.field("d", 1.5);
  w.field("b", true);
  w.begin_object("o");
  w.field("s", "x");
  w.end_object();
  w.begin_array("a");
  w.begin_object();
  w.end_object();
  w.element("e");
  w.element(0.25);
  w.end_array();
  w.begin_array("empty");
  w.end_array();
  w.end_object();
  EXPECT_EQ(w.take(),
            "{\n"
            "  \"i\" : -3,\n"
            "  \"u\" : 18446744073709551615,\n"
            "  \"d\" : 1.500000,\n"
            "  \"b\" : true,\n"
            "  \"o\" : {\n"
            "    \"s\" : \"x\"\n"
            "  },\n"
            "  \"a\" : [\n"
            "    {\n"
            "    },\n"
            "    \"e\",\n"
            "    0.250000\n"
            "  ],\n"
            "  \"empty\" : [\n"
            "  ]\n"
            "}\n");
}

TEST(JsonWriter, WritesNanAndInfinityAsZero) {
  JsonWriter w;
  w.begin_object();
  w.field("nan", std::nan(""));
  w.field("inf", -std::numeric_limits<double>::infinity());
  w.end_object();
  EXPECT_EQ(w.take(), "{\n  \"nan\" : 0.000000,\n  \"inf\" : 0.000000\n}\n");
}

TEST(JsonWriter, EscapesControlsAndReplacesInvalidUtf8) {
  EXPECT_EQ(string_document("a\"b\\c\td\x7f"), "{\n  \"s\" : \"a\\\"b\\\\c\\u0009d\\u007f\"\n}\n");
  const std::string replaced = Json::parse(string_document("x\xff\xc3(\xed\xa0\x80\xc0\xafy")).at("s");
  EXPECT_EQ(replaced, "x\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDy");
  const std::string kept = "µ€😀";
  EXPECT_EQ(Json::parse(string_document(kept)).at("s"), kept);
}

RC_GTEST_PROP(JsonWriterProperty, AnyBytesGiveParsableJson, (const std::vector<std::uint8_t>& bytes)) {
  const std::string text(bytes.begin(), bytes.end());
  const Json back = Json::parse(string_document(text));
  RC_ASSERT(back.at("s").is_string());
}

RC_GTEST_PROP(JsonWriterProperty, AsciiParsesBackUnchanged, (const std::vector<std::uint8_t>& bytes)) {
  std::string text;
  for (auto b : bytes) text += static_cast<char>(b & 0x7F);
  RC_ASSERT(Json::parse(string_document(text)).at("s").get<std::string>() == text);
}

// A random tree, written and read back, is the same tree with the same order of keys.
void write_tree(JsonWriter& w, nlohmann::ordered_json& expected, int depth) {
  const auto fields = *rc::gen::inRange(0, 5);
  for (int i = 0; i < fields; ++i) {
    const std::string key = "k" + std::to_string(i);
    switch (*rc::gen::inRange(0, depth > 0 ? 4 : 3)) {
      case 0: {
        const auto value = *rc::gen::arbitrary<std::int64_t>();
        w.field(key, value);
        expected[key] = value;
        break;
      }
      case 1: {
        const double value = *rc::gen::inRange(-1000, 1000) / 8.0;
        w.field(key, value);
        expected[key] = value;
        break;
      }
      case 2: {
        w.field(key, "text");
        expected[key] = "text";
        break;
      }
      default: {
        w.begin_object(key);
        expected[key] = nlohmann::ordered_json::object();
        write_tree(w, expected[key], depth - 1);
        w.end_object();
      }
    }
  }
}

TEST(JsonWriter, WritesADocumentOnOneLine) {
  JsonWriter w(JsonLayout::one_line);
  w.begin_object();
  w.field("s", "a\nb");
  w.null("n");
  w.exact("d", 2);
  w.begin_array("a");
  w.element(1);
  w.element(2);
  w.end_array();
  w.begin_object("o");
  w.end_object();
  w.end_object();
  EXPECT_EQ(w.take(), "{\"s\":\"a\\u000ab\",\"n\":null,\"d\":2.0,\"a\":[1,2],\"o\":{}}\n");
}

RC_GTEST_PROP(JsonWriterProperty, TreesParseBackInTheSameOrder, ()) {
  nlohmann::ordered_json expected = nlohmann::ordered_json::object();
  JsonWriter w;
  w.begin_object();
  write_tree(w, expected, 4);
  w.end_object();
  const auto back = nlohmann::ordered_json::parse(w.take());
  RC_ASSERT(back == expected);
}

}  // namespace
}  // namespace fathom::report::parts
