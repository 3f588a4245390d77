// What a folded golden still tells apart, and what it does not show twice.
#include "fold.h"

#include <gtest/gtest.h>

namespace fathom::report {
namespace {

const std::string kLong(90, 'x');

std::string pair_of_values(const std::string& value, const std::string& other) {
  return "{\n  \"a\" : {\n    \"n\" : " + value + ",\n    \"text\" : \"" + kLong +
         "\"\n  },\n  \"b\" : {\n    \"n\" : " + other + ",\n    \"text\" : \"" + kLong +
         "\"\n  },\n  \"c\" : [\n    1,\n    2\n  ]\n}\n";
}

std::string folded(const std::string& text) { return Folded().of(text); }

TEST(FoldedDocument, ARepeatedPartIsReplacedByItsFirstPlace) {
  EXPECT_EQ(folded(pair_of_values("1", "1")),
            "{\n  \"a\" : { \"n\" : 1, \"text\" : \"" + kLong + "\" }, \"b\" : { as in a }, \"c\" : [ 1, 2 ]\n}\n");
}

TEST(FoldedDocument, DiffersForEveryNameValueAndOrder) {
  const std::string good = pair_of_values("1", "1");
  EXPECT_NE(folded(pair_of_values("2", "2")), folded(good));
  EXPECT_NE(folded(pair_of_values("1", "2")), folded(good)) << "no longer what a is";
  EXPECT_NE(folded(pair_of_values("1", "1.0")), folded(good));
  for (const char* change : {"\"a\"", "\"b\"", "\"n\"", "text", "[", "    2\n"}) {
    std::string other = good;
    other.insert(other.find(change) + 1, "~");
    EXPECT_NE(folded(other), folded(good)) << change;
  }
}

TEST(FoldedDocument, APartOfAnotherDocumentIsReplacedByItsPlaceThere) {
  Folded fold;
  fold.know(pair_of_values("1", "1"), "other.json");
  EXPECT_EQ(fold.of("{\n  \"z\" : {\n    \"n\" : 1,\n    \"text\" : \"" + kLong + "\"\n  }\n}\n"),
            "{\n  \"z\" : { as in other.json:a }\n}\n");
}

TEST(FoldedDocument, XmlElementsAreShortened) {
  EXPECT_EQ(
      folded(
          "<?xml version=\"1.0\"?>\n<r>\n  <a>1</a>\n  <h index=\"1\">2</h>\n  <h index=\"5\">3</h>\n  <e />\n</r>\n"),
      "<?xml version=\"1.0\"?>\n<r>\n  a=1 h=2 h index=\"5\"=3 <e />\n</r>\n");
}

TEST(FoldedDocument, RowsOfNumbersAreJoined) {
  EXPECT_EQ(folded("Read,,x\n0,256,1\n256,272,0\nWrite,,x\n"), "Read,,x\n0,256,1 256,272,0\nWrite,,x\n");
}

}  // namespace
}  // namespace fathom::report
