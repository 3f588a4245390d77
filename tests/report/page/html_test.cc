// What stands in a page is text: no name becomes markup, and no JSON ends its script.
#include "report/page/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/page/page.h"
#include "report/paging_run.h"
#include "report/sample_run.h"

namespace fathom::report::page {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kEvil = "</script><img src=x onerror=\"a('b')\">&";

TEST(Html, TextIsNoMarkup) {
  EXPECT_EQ(escaped(kEvil), "&lt;/script&gt;&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;");
  EXPECT_THAT(escaped("a\nb\x1b[31m"), Not(HasSubstr("\x1b")));
  EXPECT_EQ(escaped_lines("a\n<b>\n"), "a\n&lt;b&gt;\n");
}

TEST(Html, JsonDoesNotEndItsScript) {
  const auto text = in_script("{ \"a\" : \"</script><!--\" }");
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_EQ(text, "{ \"a\" : \"\\u003c/script>\\u003c!--\" }");
}

TEST(Html, ATableHasHeadsOfColumnsAndRows) {
  Table table("what", {"name", "#n"});
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.html(), "");
  table.row({"<a>", "1"});
  EXPECT_THAT(table.html(), HasSubstr("<caption>what</caption>"));
  EXPECT_THAT(table.html(), HasSubstr("<th scope=\"col\" class=\"n\">n</th>"));
  EXPECT_THAT(table.html(), HasSubstr("<th scope=\"row\">&lt;a&gt;</th><td class=\"n\">1</td>"));
}

// Every script and style of the page is one that its policy names, and there is no other.
TEST(Page, HasAPolicyThatLetsItsOwnScriptsRun) {
  const result::Stored stored(simple_run());
  const auto text = page_of({{kEvil, &stored}});
  EXPECT_THAT(text, HasSubstr("default-src &#39;none&#39;; script-src &#39;sha256-"));
  EXPECT_THAT(text, Not(HasSubstr("unsafe-inline")));
  EXPECT_THAT(text, Not(HasSubstr("http://")));
  EXPECT_THAT(text, Not(HasSubstr("<img src=x")));
  std::size_t scripts = 0;
  for (auto at = text.find("<script"); at != text.npos; at = text.find("<script", at + 1)) ++scripts;
  EXPECT_EQ(scripts, 3u) << "the plots', the page's, and the result";
}

// Of whatever was measured; what a line goes on with is no word that a line begins with.
TEST(Page, BeginsWithTheVerdict) {
  const result::Stored job(simple_run()), paging(paging_run());
  EXPECT_THAT(page_of({{"job", &job}}), HasSubstr("<div class=\"verdict\">\n<p><b>measured</b> randrw, "));
  const auto text = page_of({{"paging", &paging}});
  EXPECT_THAT(text, HasSubstr("<div class=\"verdict\">\n<p><b>measured</b> uniform, "));
  EXPECT_THAT(text, HasSubstr("<p><b>accesses</b> "));
  EXPECT_THAT(text, HasSubstr("<p>190k-197k per second (95 %, 25 intervals of 0.1 s)</p>"));
}

}  // namespace
}  // namespace fathom::report::page
