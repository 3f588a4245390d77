// Lines, byte for byte as fio 3.42 wrote them, and the names of files.
#include "run/logs/log_text.h"

#include <gtest/gtest.h>

#include "run/logs/log_kinds.h"

namespace fathom::run::logs {
namespace {

std::string text_of(const LogLine& line, const LogColumns& columns = {}) {
  std::string text;
  append_line(line, columns, text);
  return text;
}

TEST(LogText, LinesHaveTheRequestedColumns) {
  LogLine line{0, 13380, 0, io::Dir::read, 0, 4096, 253952, 34251};
  EXPECT_EQ(text_of(line), "0, 13380, 0, 4096, 0\n");
  EXPECT_EQ(text_of(line, {.offset = true, .whole_prio = true}), "0, 13380, 0, 4096, 253952, 0x0000\n");
  EXPECT_EQ(text_of(line, {.offset = true, .issue_time = true}), "0, 13380, 0, 4096, 253952, 0, 34251\n");
  EXPECT_EQ(text_of({20, 4023, 5459, io::Dir::write}, {.maximum = true}), "20, 4023, 5459, 1, 0, 0\n");
}

TEST(LogText, ThePriorityColumnIsARealTimeFlagOrTheWholeValue) {
  LogLine line;
  line.prio = 1 << 13 | 3 << 3 | 4;
  EXPECT_EQ(text_of(line), "0, 0, 0, 0, 1\n");
  EXPECT_EQ(text_of(line, {.whole_prio = true}), "0, 0, 0, 0, 0x201c\n");
  line.prio = 2 << 13 | 4;
  EXPECT_EQ(text_of(line), "0, 0, 0, 0, 0\n");
}

TEST(LogText, TheLargestNumbersFit) {
  const std::uint64_t most = ~std::uint64_t{0};
  const LogLine line{most, most, most, io::Dir::trim, 0xffff, most, most, most};
  const std::string n = "18446744073709551615, ";
  EXPECT_EQ(text_of(line, {true, true, true, true}), n + n + n + "2, " + n + n + "0xffff, 18446744073709551615\n");
}

// effect: log_hist_coarseness
TEST(LogText, LogHistCoarsenessMergesNeighbouringBuckets) {
  std::vector<std::uint64_t> counts(stats::kFioBuckets);
  counts[0] = 1, counts[1] = 2, counts[63] = 4, counts[64] = 8, counts.back() = 16;
  const auto cells = [&](unsigned log_hist_coarseness) {
    std::string text;
    append_histogram_line(52, io::Dir::write, 4096, counts, log_hist_coarseness, text);
    return text;
  };
  EXPECT_EQ(cells(0).substr(0, 25), "52, 1, 4096, 1, 2, 0, 0, ");
  EXPECT_EQ(cells(6).substr(0, 22), "52, 1, 4096, 7, 8, 0, ");
  for (unsigned coarseness = 0; coarseness <= 6; ++coarseness) {
    const auto text = cells(coarseness);
    EXPECT_EQ(std::count(text.begin(), text.end(), ',') + 1, 3 + (1856 >> coarseness));
  }
  EXPECT_EQ(cells(6).substr(cells(6).rfind(' ')), " 16\n");
}

const LogKind& kind(std::string_view suffix) {
  for (const auto& k : log_kinds())
    if (k.suffix == suffix) return k;
  throw std::out_of_range(std::string(suffix));
}

TEST(LogKinds, AnIoHasAValueForEachLogKind) {
  const IoRow row{7'900'000, 8192, {120, 13'380, 13'500}, 4096, io::Dir::read, 0};
  const auto value = [&](std::string_view suffix) { return line_of(kind(suffix), row, 0)->value; };
  EXPECT_EQ(value("bw"), 306'128u) << "kB/s, of 1000 bytes";
  EXPECT_EQ(value("iops"), 1u);
  EXPECT_EQ(value("slat"), 120u);
  EXPECT_EQ(value("clat"), 13'380u);
  EXPECT_EQ(value("lat"), 13'500u);
  const auto line = *line_of(kind("clat"), row, 1'000);
  EXPECT_EQ(line.ms, 1'007u);
  EXPECT_EQ(line.issue_ns, 7'900'000u - 13'380);
  EXPECT_EQ(line_of(kind("lat"), row, 0)->issue_ns, 0u);
  EXPECT_EQ(line.offset_bytes, 8192u);
}

TEST(LogKinds, SynchronousIoHasNoSlatLine) {
  const IoRow row{0, 0, {kNoLatency, 0, 0}, 4096, io::Dir::read, 0};
  EXPECT_FALSE(line_of(kind("slat"), row, 0));
  EXPECT_EQ(line_of(kind("bw"), row, 0)->value, 0u) << "and no division by it";
}

TEST(LogKinds, AWindowHasAValueForEachLogKind) {
  WindowRow row{};
  row.from_ns = 20'000'000, row.until_ns = 44'500'000, row.ios = 50, row.bytes = 50 * 4096, row.dir = io::Dir::write;
  row.latency[std::size_t(LatencyKind::lat)] = {3, 302, 200};
  const auto line = [&](std::string_view suffix, job::fields::WindowValue value) {
    return *line_of(kind(suffix), row, value, 0);
  };
  using W = job::fields::WindowValue;
  EXPECT_EQ(line("bw", W::average).value, 8163u) << "KiB/s, of 1024 bytes";
  EXPECT_EQ(line("bw", W::maximum).value, 8163u);
  EXPECT_EQ(line("iops", W::average).value, 2040u);
  EXPECT_EQ(line("lat", W::average).value, 101u) << "100.67";
  EXPECT_EQ(line("lat", W::maximum).value, 200u);
  EXPECT_EQ(line("lat", W::both).value, 101u);
  EXPECT_EQ(line("lat", W::both).maximum, 200u);
  EXPECT_EQ(line("lat", W::both).ms, 44u);
  EXPECT_EQ(line("lat", W::both).length_bytes, 0u);
  EXPECT_FALSE(line_of(kind("slat"), row, W::average, 0)) << "nothing completed";
}

job::Job job_with(const job::fields::Logs& logs) {
  job::Job job;
  job.name = "j";
  job.own.get<job::fields::Logs>() = logs;
  return job;
}

// effect: per_job_logs
TEST(LogKinds, FileNamesCarryKindAndJobNumber) {
  job::fields::Logs logs;
  logs.bw = "", logs.lat = "d/p", logs.hist = "h";
  using Names = std::vector<std::string>;
  EXPECT_EQ(log_names(job_with(logs), 3),
            (Names{"j_bw.3.log", "d/p_slat.3.log", "d/p_clat.3.log", "d/p_lat.3.log", "h_clat_hist.3.log"}));
  logs.per_job = false;  // per_job_logs
  logs.store_compressed = true;
  auto job = job_with(logs);
  job.disable_slat = job.disable_clat = true;
  EXPECT_EQ(log_names(job, 3), (Names{"j_bw.log.fz", "d/p_lat.log.fz", "h_clat_hist.log"}));
  job.gtod_reduce = true;
  EXPECT_EQ(log_names(job, 3), (Names{"j_bw.log.fz", "h_clat_hist.log"}));
}

}  // namespace
}  // namespace fathom::run::logs
