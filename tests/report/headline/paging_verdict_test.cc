// The six lines that the text and the page of `fathom paging` open with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "report/headline/verdict.h"
#include "report/paging_formats.h"
#include "report/paging_run.h"

namespace fathom::report::headline {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

result::Run undoubted() {
  auto run = paging_run();
  run.findings.clear();
  run.audit.reset();
  return run;
}

void expect_short(const std::string& text, std::ptrdiff_t lines) {
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), lines) << text;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    EXPECT_LE(line.size(), 82u) << line;  // bytes: there are two of each ±
}

TEST(PagingVerdict, SaysWhatWasTouchedHowFastAndHowSureThatIs) {
  auto run = undoubted();
  run.paging->score = {194'000, 190'000, 197'000, 0.95, "25 intervals of 0.1 s"};
  const auto text = verdict(run);
  EXPECT_THAT(text, StartsWith("  measured " + run.paging->pattern + ", "));
  EXPECT_THAT(text, HasSubstr("\n  accesses 194k per second; p50 "));
  EXPECT_THAT(text, HasSubstr("\n           190k-197k per second (95 %, 25 intervals of 0.1 s)\n"));
  EXPECT_THAT(text, HasSubstr("\n  major    "));
  EXPECT_THAT(text, HasSubstr(" of their time; p50 "));
  EXPECT_THAT(text, HasSubstr("\n  checks   passed: achieved as requested\n"));
  EXPECT_THAT(text, HasSubstr("\n  next     --repeat=5 "));
  expect_short(text, 6);
}

TEST(PagingVerdict, OfTwoRepetitionsThereIsARangeAndNoShareOfCertainty) {
  auto run = undoubted();
  run.paging->score = {194'000, 190'000, 197'000, 0, "2 repetitions"};
  const auto text = verdict(run);
  EXPECT_THAT(text, HasSubstr("190k-197k per second (2 repetitions)\n"));
  EXPECT_THAT(text, HasSubstr("\n  next     `fathom compare` "));
}

TEST(PagingVerdict, MinorFaultsAreShownWhereThereWasNoMajorOne) {
  auto run = undoubted();
  for (auto& latency : run.paging->latency[static_cast<std::size_t>(result::AccessClass::major)]) latency = {};
  EXPECT_THAT(verdict(run), Not(HasSubstr("\n  major ")));
  run.paging->classified = false;
  EXPECT_THAT(verdict(run), Not(HasSubstr("\n  minor ")));
}

TEST(PagingVerdict, NamesTheWorstDoubtAndWhatIsToBeDone) {
  auto run = undoubted();
  run.findings.push_back({"paging.a_note", result::Severity::note, "", "something", "nothing"});
  run.findings.push_back({"paging.slow_hits", result::Severity::warning, "", "others took the CPU", "end other work"});
  run.interrupted = run.paging->interrupted = true;
  const auto text = verdict(run);
  EXPECT_THAT(text, HasSubstr("\n  checks   2 warnings: interrupted; machine 1\n"));
  EXPECT_THAT(text, HasSubstr("\n  warning  others took the CPU [paging.slow_hits]\n"));
  EXPECT_THAT(text, HasSubstr("\n  next     end other work\n"));
}

TEST(PagingVerdict, OfABreakdownEachSwapHasALine) {
  auto run = table2_run();
  run.findings.clear();
  const auto text = verdict(run);
  EXPECT_THAT(text, HasSubstr("\n  zram:2G  an access 11.7 us ± 292 ns, a major fault 22.8 us ± 570 ns\n"));
  EXPECT_THAT(text, HasSubstr("\n  ..athom/swap:2G: an access "));
  EXPECT_THAT(text, HasSubstr("\n  dev:/dev/loop7: an access "));
  EXPECT_THAT(text, HasSubstr("\n  next     `fathom compare` "));
  expect_short(text, 9);
}

TEST(PagingVerdict, OfAnImportedFileWhatLiesInTheFirstBinIsNoNumber) {
  auto run = undoubted();
  run.paging->imported.emplace();
  run.paging->latency = {};
  auto& hits = run.paging->latency[static_cast<std::size_t>(result::AccessClass::hit)][0];
  hits.histogram_ns.add(100);
  hits.moments_ns.add(100);
  EXPECT_THAT(verdict(run), HasSubstr("p50 <256 ns, p99 <256 ns\n"));
}

TEST(PagingVerdict, OpensTheTextAndIsTheBriefForm) {
  const auto run = paging_run();
  EXPECT_THAT(paging_text(run), StartsWith(verdict(run)));
  EXPECT_EQ(paging_brief(run), verdict(run));
  EXPECT_THAT(find_paging_format("brief")->render(run), StartsWith("  measured "));
}

}  // namespace
}  // namespace fathom::report::headline
