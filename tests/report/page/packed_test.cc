// JSON on a page: the same document, smaller.
#include "report/page/packed.h"

#include <gtest/gtest.h>

namespace fathom::report::page {
namespace {

TEST(Packed, SpacesGoButThoseOfTexts) {
  EXPECT_EQ(packed("{\n  \"a b\" : \"c \\\" d\\\\\",\n  \"e\" : [1, 2]\n}\n"),
            "{\"a b\":\"c \\\" d\\\\\",\"e\":[1,2]}");
}

TEST(Packed, ALongListOfRecordsSaysItsKeysOnce) {
  EXPECT_EQ(packed("{\"s\":[{\"time\":1,\"t\":\"[{,\"},{\"time\":2,\"t\":\"\\\"}\"},{\"time\":3,\"t\":null},"
                   "{\"time\":4,\"t\":true},{\"time\":5,\"t\":-1.5e3},{\"time\":6,\"t\":0}]}"),
            "{\"s\":{\"fathom:rows\":[{\"keys\":[\"time\",\"t\"],\"rows\":[[1,\"[{,\"],[2,\"\\\"}\"],[3,null],[4,true],"
            "[5,-1.5e3],[6,0]]}]}}");
}

TEST(Packed, RecordsWithOtherKeysAreAPartOfTheirOwn) {
  std::string list, a, b;
  for (int i = 0; i < 9; ++i) {
    list += (i > 0 ? "," : "") + std::string(i < 5 ? R"({"milliseconds":1})" : R"({"milliseconds":1,"percentile":2})");
    if (i > 0 && i != 5) (i < 5 ? a : b) += ",";
    i < 5 ? a += "[1]" : b += "[1,2]";
  }
  EXPECT_EQ(packed("[" + list + "]"), R"({"fathom:rows":[{"keys":["milliseconds"],"rows":[)" + a +
                                          R"(]},{"keys":["milliseconds","percentile"],"rows":[)" + b + "]}]}");
}

TEST(Packed, WhatWouldNotBeShorterStays) {
  for (const char* const json : {"[]", "{}", "[{}]", "[{\"a\":1}]", "[{\"a\":1},{\"a\":[1]}]",
                                 "[{\"a\":{\"b\":1}},{\"a\":{\"b\":1}}]", "[{\"a\":1},2]", "\"[{\"", "[[{\"a\":1}]]"})
    EXPECT_EQ(packed(json), json);
}

TEST(Packed, WhatIsCutShortEnds) {
  const std::string whole = "{\"s\":[{\"time\":1,\"t\":\"x\"},{\"time\":2,\"t\":\"\\\\\"}]}";
  for (std::size_t n = 0; n < whole.size(); ++n) packed(whole.substr(0, n));
}

TEST(Packed, DocumentsOnLinesStayOnLines) {
  EXPECT_EQ(packed("{\"a\" : 1,\n\"b\" : [1,\n2]}\n{\"c\" : \"\\n\"}\n\n"), "{\"a\":1,\"b\":[1,2]}\n{\"c\":\"\\n\"}");
}

}  // namespace
}  // namespace fathom::report::page
