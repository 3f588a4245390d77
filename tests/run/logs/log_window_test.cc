// Windows of averaged logs, I/O by I/O, and the marks of histograms.
#include "run/logs/log_window.h"

#include <gtest/gtest.h>

#include <vector>

#include "run/logs/log_times.h"

namespace fathom::run::logs {
namespace {

IoRow io_at(std::uint64_t at_ns, std::uint64_t lat_ns = 1000, std::uint32_t bytes = 4096) {
  return {at_ns, 0, {kNoLatency, lat_ns, lat_ns + 10}, bytes, io::Dir::write, 0};
}

// The rows that come of completions at these moments.
std::vector<WindowRow> rows_of(const std::vector<std::uint64_t>& at_ns, std::uint64_t window_ns) {
  LogWindow window{};
  std::vector<WindowRow> rows;
  for (const auto at : at_ns) {
    if (!window.add(io_at(at), window_ns)) continue;
    rows.push_back(window.sums);
    window.begin_next(window_ns);
  }
  return rows;
}

TEST(LogWindow, ClosesAtTheFirstCompletionAfterItsTime) {
  const auto rows = rows_of({5 * kMs, 19'999'999, 24 * kMs, 39 * kMs, 40 * kMs, 59 * kMs}, 20 * kMs);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].until_ns, 24 * kMs);
  EXPECT_EQ(rows[0].ios, 3u);
  EXPECT_EQ(rows[0].bytes, 3u * 4096);
  EXPECT_EQ(rows[1].from_ns, 24 * kMs);
  EXPECT_EQ(rows[1].until_ns, 40 * kMs) << "the mark is 20 ms, not 24";
  EXPECT_EQ(rows[1].ios, 2u);
}

TEST(LogWindow, AGapWithoutIoIsOneLongWindow) {
  const auto rows = rows_of({10 * kMs, 95 * kMs, 99 * kMs, 100 * kMs}, 10 * kMs);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].from_ns, 10 * kMs);
  EXPECT_EQ(rows[1].until_ns, 95 * kMs);
  EXPECT_EQ(rows[2].until_ns, 100 * kMs) << "the mark was 90 ms";
}

TEST(LogWindow, SumsAndMaximaCoverTheIosOfTheWindow) {
  LogWindow window{};
  window.add(io_at(1 * kMs, 300), 10 * kMs);
  window.add(io_at(2 * kMs, 500), 10 * kMs);
  ASSERT_TRUE(window.add(io_at(10 * kMs, 100), 10 * kMs));
  const auto& clat = window.sums.latency[std::size_t(LatencyKind::clat)];
  EXPECT_EQ(clat.ios, 3u);
  EXPECT_EQ(clat.sum_ns, 900u);
  EXPECT_EQ(clat.max_ns, 500u);
  EXPECT_EQ(window.sums.latency[std::size_t(LatencyKind::lat)].max_ns, 510u);
  EXPECT_EQ(window.sums.latency[std::size_t(LatencyKind::slat)].ios, 0u);
  EXPECT_EQ(window.sums.dir, io::Dir::write);
}

TEST(HistogramMark, IntervalsCountFromTheFirstCompletion) {
  HistogramMark mark{};
  std::vector<std::uint64_t> closed;
  for (const std::uint64_t at : {2'500'000ul, 51 * kMs, 52 * kMs, 101 * kMs, 102 * kMs, 400 * kMs, 449 * kMs})
    if (mark.add(io_at(at), 50 * kMs)) closed.push_back(at);
  EXPECT_EQ(closed, (std::vector<std::uint64_t>{52 * kMs, 102 * kMs, 400 * kMs}));
}

}  // namespace
}  // namespace fathom::run::logs
