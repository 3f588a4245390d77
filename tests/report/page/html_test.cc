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

TEST(Html, ACellMayHaveAToneWithAnIcon) {
  Table table("", {"name", "#n", "verdict"});
  table.cells({{"<a>"}, {"1"}, {"faster", "passed", "▲"}});
  EXPECT_THAT(table.html(), HasSubstr("<th scope=\"row\">&lt;a&gt;</th><td class=\"n\">1</td>"
                                      "<td class=\"tone passed\"><span aria-hidden=\"true\">▲</span> faster</td>"));
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

// Of whatever was measured.
TEST(Page, BeginsWithTheVerdictAndItsNumbers) {
  const result::Stored job(simple_run()), paging(paging_run());
  const auto of_job = page_of({{"job", &job}});
  EXPECT_THAT(of_job, HasSubstr("<div class=\"first\">\n<p class=\"badge "));
  EXPECT_THAT(of_job, HasSubstr("<p class=\"measured\">randrw, "));
  EXPECT_THAT(of_job, HasSubstr("<section><h2>read</h2><dl><div><dt>IOPS</dt><dd>"));
  EXPECT_THAT(of_job, HasSubstr("</dd></div><div><dt>bandwidth</dt><dd>"));
  const auto text = page_of({{"paging", &paging}});
  EXPECT_THAT(text, HasSubstr("<p class=\"measured\">uniform, "));
  EXPECT_THAT(text, HasSubstr("<section><h2>accesses</h2><dl><div><dt>per second</dt><dd>"));
  EXPECT_THAT(text, HasSubstr("<p>190k-197k per second (95 %, 25 intervals of 0.1 s)</p>"));
}

std::string badge_of(result::Run run, std::vector<result::Finding> findings) {
  run.findings = std::move(findings);
  const result::Stored stored(std::move(run));
  const auto page = page_of({{"job", &stored}});
  const auto begin = page.find("<p class=\"badge "), end = page.find("</p>", begin);
  return page.substr(begin, end - begin);
}

TEST(Page, ItsBadgeSaysWhetherTheChecksPassed) {
  const result::Finding warning{.id = "run.two_modes", .severity = result::Severity::warning};
  const result::Finding error{.id = "run.no_medium", .severity = result::Severity::error};
  EXPECT_THAT(badge_of(simple_run(), {}),
              HasSubstr("badge passed\"><span aria-hidden=\"true\">✓</span> Checks passed"));
  EXPECT_THAT(badge_of(simple_run(), {warning}),
              HasSubstr("badge warnings\"><span aria-hidden=\"true\">!</span> 1 warning "));
  EXPECT_THAT(badge_of(simple_run(), {warning, error}),
              HasSubstr("badge failed\"><span aria-hidden=\"true\">✕</span> Checks FAILED"));
}

// Each a line that unfolds; the one that decided is first, and what the first screen names leads to it.
TEST(Page, FindingsAreInTheOrderOfTheirEffect) {
  auto run = simple_run();
  const auto of_time = [](double share) { return result::Effect{result::EffectOn::time, share}; };
  run.findings = {{.id = "run.too_short", .severity = result::Severity::note, .evidence = "short"},
                  {.id = "run.changed", .severity = result::Severity::warning, .evidence = "small"},
                  {.id = "run.stopped", .severity = result::Severity::warning, .evidence = "large"}};
  run.findings[1].effect = of_time(0.2), run.findings[2].effect = of_time(0.6);
  const result::Stored stored(run);
  const auto text = page_of({{"job", &stored}});
  const auto at = [&](const char* word) { return text.find(std::string("</b> <span>") + word + "</span> <code>"); };
  EXPECT_LT(at("large"), at("small"));
  EXPECT_LT(at("small"), at("short"));
  EXPECT_THAT(text, HasSubstr("<p><b>warning</b> large <a href=\"#result0-run.stopped\">run.stopped</a></p>"));
  EXPECT_THAT(text, HasSubstr("<details open class=\"finding warning\" id=\"result0-run.stopped\">"));
}

TEST(Page, WhatFailedIsATable) {
  auto run = simple_run();
  result::IoError error;
  error.op = "read", error.file = "/dev/x", error.job = "a", error.message = "Input/output error";
  error.offset_bytes = 8192, error.length_bytes = 4096;
  run.errors = {error};
  const result::Stored stored(run);
  EXPECT_THAT(page_of({{"job", &stored}}),
              HasSubstr("<tr><th scope=\"row\">a</th><td>read</td><td>/dev/x</td><td class=\"n\">8192</td>"
                        "<td class=\"n\">4096</td><td>Input/output error</td></tr>"));
}

TEST(Page, OfManyJobsAndResultsEachIsFolded) {
  auto run = simple_run();
  run.jobs.resize(7, run.jobs[0]);
  const result::Stored many(run), one(simple_run());
  EXPECT_THAT(page_of({{"job", &many}}), HasSubstr("<details open class=\"job\" id=\"result0-job6\">"));
  EXPECT_THAT(page_of({{"job", &many}}), HasSubstr("<details open class=\"beside\"><summary>The jobs side by side"));
  EXPECT_THAT(page_of({{"job", &one}}), HasSubstr("<section class=\"job\" id=\"result0-job0\">"));
  const auto four = page_of({{"a", &one}, {"b", &one}, {"c", &one}, {"d", &one}});
  EXPECT_THAT(four, HasSubstr("<article id=\"result3\"><details open class=\"result\"><summary><h1>d</h1>"));
  EXPECT_THAT(four, HasSubstr("<caption>Results</caption>"));
  EXPECT_THAT(four, HasSubstr("<th scope=\"row\"><a href=\"#result3\">d</a></th>"));
  EXPECT_THAT(page_of({{"a", &one}}), Not(HasSubstr("<caption>Results</caption>")));
}

}  // namespace
}  // namespace fathom::report::page
