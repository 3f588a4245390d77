// The table of findings: its form, the documents that it names, and the texts made of values.
#include "result/findings/rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "source_dir.h"

namespace fathom::result::findings {
namespace {

using testing::HasSubstr;

std::string contents(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The anchors that a viewer of Markdown gives its headings.
std::set<std::string> anchors_of(const std::string& markdown) {
  std::set<std::string> anchors;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) continue;
    std::string anchor;
    for (const char c : line.substr(line.find(' ') + 1)) {
      const auto byte = static_cast<unsigned char>(c);
      if (std::isalnum(byte) != 0 || c == '-' || c == '_') anchor += static_cast<char>(std::tolower(byte));
      if (c == ' ') anchor += '-';
    }
    anchors.insert(anchor);
  }
  return anchors;
}

TEST(FindingRows, HaveAllTheirTextsAndStandOnce) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const auto& row : rows()) {
    EXPECT_TRUE(seen.insert({row.id, row.variant}).second) << row.id << " " << row.variant;
    for (const auto text : {row.title, row.evidence, row.why, row.help, row.section})
      EXPECT_FALSE(text.empty()) << row.id;
    EXPECT_TRUE(row.why.ends_with(".")) << row.id;
    EXPECT_FALSE(row.title.ends_with(".") || row.help.ends_with(".")) << row.id;
  }
}

// The first lines print the worst finding and its help, with --brief alone: no text stands below them.
TEST(FindingRows, ReferToNoPlaceBelowOrAboveThem) {
  constexpr const char* kPlace = "(below|above) the table|(see|listed|named) (below|above)|(below|above)([,;:.)]|$)";
  EXPECT_THAT(std::string("see what was lost, and why, below the table"), testing::ContainsRegex(kPlace));
  EXPECT_THAT(std::string("the list below"), testing::ContainsRegex(kPlace));
  EXPECT_THAT(std::string("give a --limit below the set"), testing::Not(testing::ContainsRegex(kPlace)));
  for (const auto& row : rows())
    for (const auto text : {row.title, row.evidence, row.help})
      EXPECT_THAT(std::string(text), testing::Not(testing::ContainsRegex(kPlace))) << row.id << " " << row.variant;
}

TEST(FindingRows, NameSectionsThatThereAre) {
  for (const auto& row : rows()) {
    const auto file = row.section.substr(0, row.section.find('#'));
    const auto markdown = contents(in_source("docs/" + std::string(file)));
    ASSERT_FALSE(markdown.empty()) << row.id << ": docs/" << file;
    if (file.size() == row.section.size()) continue;
    const std::string anchor(row.section.substr(file.size() + 1));
    EXPECT_TRUE(anchors_of(markdown).contains(anchor)) << row.id << ": " << row.section;
  }
}

// After a change of a row: FATHOM_WRITE_FINDINGS=1 build/test_result --gtest_filter='FindingRows.*'
TEST(FindingRows, AreTheReference) {
  const auto path = in_source("docs/reference/findings.md");
  if (std::getenv("FATHOM_WRITE_FINDINGS") != nullptr) std::ofstream(path) << reference_markdown();
  EXPECT_EQ(contents(path), reference_markdown()) << "docs/reference/findings.md is stale: FATHOM_WRITE_FINDINGS=1 "
                                                     "build/test_result --gtest_filter='FindingRows.*'";
}

TEST(FindingText, IsMadeOfItsValues) {
  const std::vector<FindingValue> values = {
      {"ios", 3}, {"share_percent", 12.345}, {"device", "vda"}, {"moved_bytes", 1 << 20}};
  EXPECT_EQ(filled("{ios} I/Os of {device}, {share_percent:.1f} %, {moved_bytes:bytes}", values),
            "3 I/Os of vda, 12.3 %, 1.00 MiB");
  EXPECT_EQ(filled("{share_percent}", values), "12.35");
  EXPECT_EQ(filled("no value", {}), "no value");
  EXPECT_EQ(filled("", {}), "");
}

TEST(FindingText, IsThatOfItsVariant) {
  const auto made = [](std::string_view variant) {
    return found("run.interrupted", {.variant = variant, .values = {{"stopped_jobs", 1}, {"jobs", 2}}});
  };
  EXPECT_EQ(made("").evidence, "stopped before its end; 1 of 2 jobs were cut short");
  EXPECT_EQ(made("nothing").evidence, "interrupted before the first measured I/O; nothing was measured");
  EXPECT_EQ(made("has no row").evidence, made("").evidence);
  EXPECT_EQ(made("").severity, Severity::warning);
  EXPECT_EQ(found("run.interrupted", {.variant = "nothing", .severity = Severity::note}).severity, Severity::note);
}

TEST(FindingText, NamesTheRowThatMadeIt) {
  const auto device =
      found("delivery.depth",
            {.variant = "device", .values = {{"mean_depth", 16.0}, {"disk", "vda"}, {"device_depth", 1.4}}});
  EXPECT_EQ(row_of(device)->variant, "device");
  EXPECT_NE(explained("delivery.depth").find(std::string(row_of(device)->title)), std::string::npos);
  const auto queue = found("delivery.depth", {.values = {{"mean_depth", 3.0}, {"requested_depth", 16}, {"looks", ""}}});
  EXPECT_EQ(row_of(queue)->variant, "");
  Finding of_an_older_result{"delivery.depth", Severity::warning, "", "in other words", ""};
  EXPECT_TRUE(is_first(*row_of(of_an_older_result)));
  EXPECT_EQ(row_of({"no.such", Severity::note, "", "", ""}), nullptr);
}

TEST(FindingText, ExplainsEveryVariant) {
  const auto text = explained("audit.below");
  for (const auto* part :
       {"audit.below (warning): ", "losetup --direct-io=on", "docs/reference/audit.md#stacked-devices"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 28);
  EXPECT_THAT(text, HasSubstr("expected {expected_bytes}, seen {seen_bytes} ({difference}): {cause}\n"));
  EXPECT_EQ(explained("no.such"), "");
}

}  // namespace
}  // namespace fathom::result::findings
