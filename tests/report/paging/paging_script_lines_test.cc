// The lines that scripts read, by the patterns with which published ones look for them: LKP's statistics of pmbench
// (accesses over seconds, added up; rows of the histogram), and those that take the seventh word of the net average.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "report/paging/paging_view.h"
#include "report/paging_formats.h"
#include "report/paging_run.h"

namespace fathom::report::paging {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// What a pattern's groups hold, line by line.
std::vector<std::vector<std::string>> found(const std::string& text, const char* pattern) {
  std::vector<std::vector<std::string>> all;
  const std::regex regex(pattern);
  std::smatch match;
  for (const auto& line : lines_of(text))
    if (std::regex_search(line, match, regex)) all.emplace_back(match.begin() + 1, match.end());
  return all;
}

TEST(PmbenchLines, BenchmarkDoneLineHasSecondsAndAccessesOfEachThread) {
  const auto run = paging_run();
  const auto rows =
      found(pmbench_lines(run), R"(^\[(\d+)\] Benchmark done - took (\d+\.\d+) sec for (\d+) page access$)");
  ASSERT_EQ(rows.size(), run.paging->workers.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& worker = run.paging->workers[i];
    EXPECT_EQ(rows[i][0], std::to_string(i + 1));
    EXPECT_EQ(rows[i][1], fmt::format("{:.3f}", static_cast<double>(worker.wall_ns) / 1e9));
    EXPECT_EQ(rows[i][2], std::to_string(worker.accesses[0] + worker.accesses[1]));
  }
}

TEST(PmbenchLines, NetAverageIsTheSeventhWord) {
  const auto run = paging_run();
  const auto text = pmbench_lines(run);
  const auto whole = found(text, R"(^  Page latency during benchmark \(inc. gen\): (\d+\.\d+) us \((\d+) clks\)$)");
  std::vector<std::string> seventh;
  for (const auto& line : lines_of(text)) {
    if (line.find("Net average page latency") == std::string::npos) continue;
    std::istringstream words(line);
    std::string word;
    for (int i = 0; i < 7; ++i) words >> word;
    seventh.push_back(word);
  }
  ASSERT_EQ(whole.size(), run.paging->workers.size());
  ASSERT_EQ(seventh.size(), run.paging->workers.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto t = pmbench_thread(*run.paging, run.paging->workers[i]);
    EXPECT_EQ(whole[i][0], fmt::format("{:.4f}", t.latency_us));
    EXPECT_EQ(whole[i][1], std::to_string(t.latency_clk));
    EXPECT_EQ(seventh[i], fmt::format("{:.4f}", t.net_us));
  }
}

TEST(PmbenchLines, HistogramHas24RowsPerDirectionThatSumUp) {
  const auto run = paging_run();
  const auto text = pmbench_lines(run);
  const auto begin = text.find("\nRead:\n"), writes = text.find("\nWrite:\n");
  ASSERT_LT(begin, writes);
  for (const auto& part : {text.substr(begin + 1, writes - begin), text.substr(writes + 1)}) {
    const auto rows = found(part, R"(^2\^\((\d\d),(\d\d)\) ns: (\d+))");
    ASSERT_EQ(rows.size(), 24u);
    EXPECT_EQ(rows[0][0] + rows[0][1] + rows[1][0] + rows[1][1] + rows[23][0] + rows[23][1], "000808093032");
    std::uint64_t sum = 0;
    for (const auto& row : rows) sum += std::stoull(row[2]);
    const auto dir = part[0] == 'R' ? result::AccessDir::read : result::AccessDir::write;
    EXPECT_EQ(sum, accesses(*run.paging, dir));
    EXPECT_EQ(found(part, R"(^Total samples: (\d+)$)")[0][0], std::to_string(sum));
    const auto bins = found(part, R"(^2\^\(\d\d,\d\d\) ns: \d+  \[((\d+, ){15}\d+)\]$)");
    EXPECT_EQ(bins.size(), 15u);
  }
}

// 9,231 ns is in the third bin of the octave from 2^13 ns (the paper's example).
TEST(PmbenchLines, ALatencyIsInItsOctaveAndBin) {
  auto run = paging_run();
  run.paging->latency = {};
  run.paging->latency[2][0].histogram_ns.add(9231, 5);
  run.paging->read_percent = 100;
  const auto text = pmbench_lines(run);
  EXPECT_NE(text.find("\n2^(13,14) ns: 5  [0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n"), std::string::npos);
  EXPECT_EQ(text.find("Write:"), std::string::npos);
}

TEST(PmbenchLines, AccessTouchHasNoHistogramAndRepetitionsFollowEachOther) {
  auto run = paging_run();
  run.paging->access = "touch";
  EXPECT_EQ(pmbench_lines(run).find("2^("), std::string::npos);
  run.repetitions = {paging_run(), paging_run()};
  EXPECT_EQ(found(pmbench_lines(run), R"(^\[1\] Benchmark done)").size(), 2u);
  EXPECT_EQ(pmbench_lines(result::Run{}), "");
}

}  // namespace
}  // namespace fathom::report::paging
