// Our own files: whole ones, which hold everything, older ones, which did not, and what no run of ours has written.
// tests/cli/paging_xml_test.cc reads what was just written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "import/files.h"
#include "import/pmbench/pmbench_xml.h"

namespace fathom::import {
namespace {

using ::testing::HasSubstr;

std::string seed(const std::string& name) { return sample("../corpus_pmbench_xml/" + name); }

result::Run read_whole(const std::string& text) {
  auto run = pmbench::read_pmbench_xml(text, "x.xml");
  EXPECT_TRUE(run.ok()) << (run.ok() ? "" : run.error().what);
  if (run.ok()) return *run;
  result::Run none;
  none.paging.emplace();
  return none;
}

std::size_t findings_of(const result::Run& run, const std::string& id) {
  std::size_t count = 0;
  for (const auto& finding : run.findings) count += finding.id == id;
  return count;
}

TEST(FathomXml, ReadsEveryPartOfACompleteFile) {
  const auto run = read_whole(seed("ours_whole.xml"));
  const auto& p = *run.paging;
  EXPECT_FALSE(p.imported);
  EXPECT_EQ(run.program.argv, (std::vector<std::string>{"fathom", "paging"})) << "of the run, not of the import";
  ASSERT_EQ(p.workers.size(), 1u);
  EXPECT_EQ(p.workers[0].latency[2][0].moments_ns.n, 3u);
  EXPECT_EQ(p.workers[0].cpus, (std::vector<int>{0, 1}));
  ASSERT_EQ(p.series.size(), 2u);
  EXPECT_EQ(p.series[1].time_ms, 200u);
  EXPECT_EQ(p.series[1].kernel.at("pswpin"), 3u);
  EXPECT_EQ(p.series[0].pressure_percent.count("io.some"), 0u);
  EXPECT_EQ(p.series[1].pressure_percent.at("io.some"), 0.5);
  EXPECT_EQ(p.vmstat.at("pswpin"), 6u);
  EXPECT_EQ(p.memcg.at("pgfault"), 1u);
  ASSERT_EQ(p.devices.size(), 1u);
  EXPECT_EQ(p.devices[0].read_ns.moments_ns.max, 1900u);
  ASSERT_TRUE(run.audit);
  ASSERT_EQ(run.audit->witnesses.size(), 1u);
  EXPECT_EQ(run.audit->witnesses[0].terms[0].how, "2 x 4096");
  EXPECT_EQ(run.audit->counts[0].lost_at_s, 1.0);
  EXPECT_EQ(findings_of(run, "import.left_out"), 0u);
  EXPECT_EQ(run.findings[0].severity, result::Severity::warning);
}

TEST(FathomXml, ReadsTable2AndRepetitionsOfABreakdown) {
  const auto run = read_whole(seed("ours_breakdown.xml"));
  EXPECT_TRUE(run.paging->workers.empty()) << "those of pmbench's elements are the first run's";
  ASSERT_EQ(run.paging->table2.size(), 1u);
  EXPECT_EQ(run.paging->table2[0].rows[1].values[2], 6615.5);
  EXPECT_EQ(run.paging->table2[0].media, "bios of zram1");
  ASSERT_EQ(run.repetitions.size(), 1u);
  EXPECT_EQ(run.repetitions[0].paging->workers[0].accesses[0], 5u);
  EXPECT_FALSE(run.repetitions[0].paging->pressure.known);
}

TEST(FathomXml, ReportsWhatAnOlderFileLeftOut) {
  const auto run = read_whole(seed("ours.xml"));
  EXPECT_EQ(findings_of(run, "import.left_out"), 1u);
  EXPECT_EQ(run.program.commit, "0123456789ab");
  EXPECT_EQ(run.paging->workers.size(), 2u);
  EXPECT_EQ(run.paging->workers[1].tid, 4712);
  EXPECT_EQ(run.paging->workers[1].overhead_accesses, 100'000u) << "by pmbench's element";
  EXPECT_EQ(run.paging->caches.at(0).type, "Data");
  EXPECT_EQ(run.paging->latency[2][1].moments_ns.max, 260'000u);
  EXPECT_EQ(run.paging->pressure.swaps.at(0).name, "zram:2G");
  EXPECT_EQ(run.paging->start_epoch_ms, 1'721'999'912'345u);
  ASSERT_TRUE(run.audit);
  EXPECT_THAT(run.audit->line, HasSubstr("agrees: 243,660"));
  EXPECT_FALSE(run.paging->imported);
}

// A part of an older file may leave everything out: nine bytes there, hundreds here.
TEST(FathomXml, RefusesManyEmptyPartsOfAnOlderFile) {
  std::string many;
  for (int i = 0; i < 70'000; ++i) many += "<thread/>";
  const auto run = pmbench::read_pmbench_xml(with(seed("ours.xml"), "</threads>", many + "</threads>"), "x");
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().what, "too many parts in <fathom>");
  EXPECT_EQ(read_whole(with(seed("ours.xml"), "</threads>", "<thread/></threads>")).paging->workers.size(), 3u);
}

struct Bad {
  const char* name;
  const char* from;
  const char* to;
  const char* what;
};
class BadFathomXml : public testing::TestWithParam<Bad> {};

TEST_P(BadFathomXml, IsRefusedWithItsPlace) {
  const auto& bad = GetParam();
  const auto run = pmbench::read_pmbench_xml(with(seed("ours_whole.xml"), bad.from, bad.to), "x.xml");
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.error().what, HasSubstr(bad.what));
  ASSERT_TRUE(run.error().place);
  EXPECT_GT(run.error().place->line, 1);
}

INSTANTIATE_TEST_SUITE_P(
    OursXml, BadFathomXml,
    testing::Values(Bad{"int", "<processes>1", "<processes>2147483648", "<processes> is too large"},
                    Bad{"threads", "<processes>1", "<processes>2147483647",
                        "process, thread or CPU number 2147483647 is out of range"},
                    Bad{"thread", "<thread>0<", "<thread>1048577<",
                        "process, thread or CPU number 1048577 is out of range"},
                    Bad{"cpu", "<cpus>0 1<", "<cpus>0 2147483647<", "CPU number 2147483647"},
                    Bad{"negative", "<window_ns>99", "<window_ns>-99", "<window_ns> holds \"-99\""},
                    Bad{"beyond", "<slow_ns>0", "<slow_ns>18446744073709551616", "<slow_ns> holds"},
                    Bad{"no_number", "<floor_ns>0", "<floor_ns>nan", "<floor_ns> holds \"nan\""},
                    Bad{"infinite", "<seen_share>1", "<seen_share>1e999", "<seen_share> holds"},
                    Bad{"percent", "<read_percent>50", "<read_percent>101", "<read_percent> is out of range"},
                    Bad{"duration", "<duration_s>0", "<duration_s>-1", "<duration_s> is out of range"},
                    Bad{"form", "form=\"2\"", "form=\"3\"", "<fathom> of form \"3\""},
                    Bad{"missing", "<low>0</low>", "", "no <low> in <score>"},
                    Bad{"part", "<settle>", "<settled>", "not an XML document"},
                    Bad{"word", "<verdict>agrees", "<verdict>agree", "\"agree\" is no verdict"},
                    Bad{"severity", "severity=\"warning\"", "severity=\"\"", "\"\" is no severity"},
                    Bad{"class", "<class name=\"major\"", "<class name=\"huge\"", "a <class> without a known name"},
                    Bad{"bins", "<count>3<", "<count>4<", "a <class> with bins that do not add up"},
                    Bad{"pairs", "<bins_ns>", "<bins_ns>1 ", "with an unreadable sum_squares_ns2 or bins_ns"},
                    Bad{"column", "<column>minor<", "<column>miner<", "an unknown <column>"},
                    Bad{"short_point", "<point>100 ", "<point>", "a <point> without a value for each of its 7"},
                    Bad{"long_point", "<point>100 ", "<point>1 100 ", "a <point> without a value for each of its 7"},
                    Bad{"point_word", "<point>100 ", "<point>x ", "a <point> without a value for each of its 7"},
                    Bad{"cpus", "<cpus>0 1<", "<cpus>0 -1<", "<cpus> holds \"-1\""},
                    Bad{"counter", "name=\"pgfault\">1<", "name=\"pgfault\">1.5<", "<counter> holds \"1.5\""}),
    [](const auto& one) { return std::string(one.param.name); });

std::string between(const std::string& text, const std::string& begin, const std::string& end, const std::string& put) {
  const auto from = text.find(begin), to = text.find(end, from);
  EXPECT_NE(to, std::string::npos);
  return text.substr(0, from) + put + text.substr(to + end.size());
}

TEST(FathomXml, RefusesARunWithoutThreadsAndRepetitions) {
  const auto run = pmbench::read_pmbench_xml(between(seed("ours_whole.xml"), "<threads>", "</threads>", ""), "x");
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.error().what, HasSubstr("neither <threads> nor <repetitions>"));
}

std::string with_series(const std::string& series) {
  return between(seed("ours_whole.xml"), "<series>", "</series>", "<series>" + series + "</series>");
}

TEST(FathomXml, ReadsManySeriesPoints) {
  std::string series;
  for (const char* name : {"time_ms", "interval_ms", "accesses", "minor", "major"})
    series += std::string("<column>") + name + "</column>";
  for (int i = 0; i < 40'000; ++i) series += "<point>1 2 3 4 5</point>";
  const auto run = read_whole(with_series(series));
  ASSERT_EQ(run.paging->series.size(), 40'000u);
  EXPECT_EQ(run.paging->series.back().major, 5u);
}

// Few bytes of the file for much memory: bounded by the sum over all series.
TEST(FathomXml, RefusesMoreSeriesValuesThanAnyRunHas) {
  constexpr int kColumns = 8192, kPoints = 2049;
  const std::string around = with_series("@");
  const auto place = around.find('@');
  std::string text = around.substr(0, place), row;
  text.reserve(std::size_t{kPoints} * (2 * kColumns + 20) + (1 << 20));
  for (int i = 0; i < kColumns; ++i) {
    text += "<column of=\"kernel\">" + std::to_string(i) + "</column>";
    row += i == 0 ? "-" : " -";
  }
  row = "<point>" + row + "</point>";
  for (int i = 0; i < kPoints; ++i) text += row;
  text += around.substr(place + 1);
  const auto run = pmbench::read_pmbench_xml(text, "x");
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.error().what, HasSubstr("more than 16777216 values"));
  EXPECT_LT(run.error().place->line_text.size(), 1000u) << "the line is 33 MB long";
}

// A stack of 8 MiB has no room for as many calls.
TEST(FathomXml, SurvivesDeepNesting) {
  constexpr int kDeep = 100'000;
  for (const char* name : {"a", "fathom", "repetitions", "report"}) {
    std::string deep;
    for (int i = 0; i < kDeep; ++i) deep += std::string("<") + name + ">";
    EXPECT_FALSE(pmbench::read_pmbench_xml(with(seed("ours_whole.xml"), "</fathom>", deep), "x").ok()) << "not closed";
    for (int i = 0; i < kDeep; ++i) deep += std::string("</") + name + ">";
    EXPECT_TRUE(pmbench::read_pmbench_xml(with(seed("ours_whole.xml"), "</fathom>", deep + "</fathom>"), "x").ok());
  }
}

// A repetition within a repetition is none of ours, and is not looked into.
TEST(FathomXml, RefusesRepetitionsWithinARepetition) {
  auto text = seed("ours_breakdown.xml");
  const auto begin = text.find("<repetition>"), end = text.find("</repetition>");
  const auto one = text.substr(begin, end - begin) + "</repetition>";
  text = with(text, "</repetition>", "<repetitions>" + one + one + "</repetitions></repetition>" + one);
  const auto run = read_whole(text);
  EXPECT_EQ(run.repetitions.size(), 2u);
  EXPECT_TRUE(run.repetitions[0].repetitions.empty());
}

TEST(FathomXml, RefusesAFileAbove256MiBUnread) {
  constexpr std::size_t kBytes = pmbench::kMostReportBytes + 1;
  void* const unread =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(unread, MAP_FAILED);
  *static_cast<char*>(unread) = '\n';
  const auto run = pmbench::read_pmbench_xml({static_cast<const char*>(unread), kBytes}, "x");
  ::munmap(unread, kBytes);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().what, "more than 256 MiB");
  EXPECT_TRUE(run.error().place->line_text.empty());
}

// The fuzzer cuts what is longer (scripts/parts), and what is cut is refused at its end.
TEST(FathomXml, FuzzerSeedsAreShortAndReadable) {
  for (const char* name : {"linux.xml", "cold_reads.xml", "touch.xml", "windows.xml", "ours.xml", "ours_whole.xml",
                           "ours_breakdown.xml"}) {
    EXPECT_LE(seed(name).size(), 8192u) << name;
    EXPECT_TRUE(pmbench::read_pmbench_xml(seed(name), name).ok()) << name;
  }
}

}  // namespace
}  // namespace fathom::import
