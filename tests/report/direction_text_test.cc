// The text of a direction, line by line, against what fio printed for the same numbers.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "files.h"
#include "report/normal_latency.h"
#include "report/normal_parts.h"
#include "report/parts/derived.h"
#include "report/parts/numbers.h"

namespace fathom::report {
namespace {

using Json = nlohmann::json;

std::vector<Json> observed() {
  std::vector<Json> rows;
  std::istringstream lines(read_text(test_path("observed/direction_blocks.jsonl")));
  for (std::string line; std::getline(lines, line);) rows.push_back(Json::parse(line));
  EXPECT_GT(rows.size(), 60u);
  return rows;
}

LatencySummary summary(const Json& row, const char* key) {
  const auto& four = row.at(key);
  return {row.at("ios"), four[0], four[1], four[2], four[3]};
}

stats::Histogram histogram(const Json& row) {
  stats::Histogram h;
  for (const auto& [value, count] : row.at("bins").items()) h.add(std::stoull(value), count);
  return h;
}

struct Table {
  std::vector<double> percentiles;
  std::vector<std::uint64_t> values;
};
Table table(const Json& row) {
  Table t;
  for (const auto& [p, value] : row.at("percentile").items()) t.percentiles.push_back(std::stod(p));
  std::sort(t.percentiles.begin(), t.percentiles.end());
  for (double p : t.percentiles) t.values.push_back(row.at("percentile").at(fmt::format("{:f}", p)));
  return t;
}

TEST(DirectionText, LinesAndTablesMatchFios) {
  for (const auto& row : observed()) {
    result::Direction dir;
    dir.bytes = row.at("bytes");
    dir.ios = row.at("ios");
    dir.runtime_ms = row.at("runtime_ms");
    EXPECT_EQ(parts::bytes_per_s(dir), row.at("bw_bytes").get<std::uint64_t>());
    EXPECT_NEAR(parts::ios_per_s(dir), row.at("iops").get<double>(), 1e-6);
    const Table t = table(row);
    std::string text =
        fmt::format("  read: IOPS={}, BW={}({}/{}msec)\n",
                    parts::scaled(static_cast<std::uint64_t>(parts::ios_per_s(dir)), 4, parts::Base::k1000),
                    parts::bandwidth(parts::bytes_per_s(dir)), parts::scaled(dir.bytes, 4, parts::Base::k1024, "B"),
                    dir.runtime_ms);
    text += latency_line("clat", summary(row, "clat")) + latency_line("lat", summary(row, "lat")) +
            percentile_table("clat", t.values, t.percentiles);
    const std::string fio = row.at("text");
    EXPECT_EQ(text, fio.substr(0, text.size()));
  }
}

TEST(DirectionText, PercentilesMatchFios) {
  for (const auto& row : observed()) {
    const Table t = table(row);
    EXPECT_EQ(histogram(row).percentiles(t.percentiles), t.values);
  }
}

// fio counts the coarse distribution exactly; ours comes from the histogram, so a label may differ by the samples of
// the one bucket that lies across its edge.
TEST(DirectionText, DistributionDiffersFromFiosByOneBucketAtMost) {
  const auto check = [](const Json& row, const Json& fio, const auto& labels, const auto& shares, double unit_ns) {
    const auto bins = histogram(row);
    double ours = 0, theirs = 0;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      ours += shares[i];
      theirs += fio.value(std::to_string(labels[i]), 0.0);
      const auto edge = static_cast<std::uint64_t>(labels[i] * unit_ns);
      const double straddling = bins.count_up_to(stats::bucket_value(stats::bucket_of(edge))) -
                                static_cast<double>(bins.count_up_to(stats::bucket_begin(stats::bucket_of(edge)) - 1));
      EXPECT_NEAR(ours, theirs, 100.0 * straddling / static_cast<double>(bins.total()) + 0.2) << labels[i];
    }
  };
  for (const auto& row : observed()) {
    result::Job job;
    job.dirs[0].clat.histogram_ns = histogram(row);
    const parts::LatencyShares shares = parts::latency_shares(job);
    check(row, row.at("shares").at("latency_ns"), parts::kNsLabels, shares.ns, 1);
    check(row, row.at("shares").at("latency_us"), parts::kUsLabels, shares.us, 1e3);
    check(row, row.at("shares").at("latency_ms"), parts::kMsLabels, shares.ms, 1e6);
  }
}

TEST(DirectionText, PercentilesHaveTheDecimalsOfTheList) {
  const std::vector<std::uint64_t> values = {652, 15'296};
  EXPECT_EQ(percentile_table("clat", values, std::vector<double>{50, 99}),
            "    clat percentiles (nsec):\n     |  50th=[  652],  99th=[15296]\n");
  EXPECT_EQ(percentile_table("lat", values, std::vector<double>{50, 99.12345}),
            "    lat percentiles (nsec):\n     | 50.00000th=[  652], 99.12345th=[15296]\n");
  EXPECT_EQ(percentile_table("lat", {}, {}), "");
}

}  // namespace
}  // namespace fathom::report
