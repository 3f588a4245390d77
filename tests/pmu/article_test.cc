// The PCIe PMU article's five runs (six byte counts) recomputed with the rule and the arithmetic that a run here uses,
// from the raw counts it prints and the I/Os that fio issued, of 1 MiB each. docs/dev/validation.md shows the same table.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "pmu/pcie/pcie.h"
#include "source_dir.h"
#include "stats/unit_factor.h"

namespace fathom::pmu {
namespace {

struct Row {
  const char* section;
  pcie::Direction direction;
  double raw, mib;
  double percent;         // ours, four digits
  double article_mb;      // as printed: whole MB
  double article_fio_mb;  // fio's own rounding
};
constexpr double kMib = 1 << 20;
constexpr Row kRows[] = {
    {"4.1", pcie::Direction::to_memory, 536910432, 8192, 0.0074, 8590, 8590},
    {"4.2", pcie::Direction::to_memory, 6777637176, 103411, 0.0073, 108442, 108000},
    {"4.3.1", pcie::Direction::to_memory, 681297119, 10395, 0.0074, 10900, 10900},
    {"4.3.2", pcie::Direction::from_memory, 288016854, 4393, 0.0407, 4608, 4606},
    {"4.4", pcie::Direction::to_memory, 211517354, 3249, -0.6618, 3384, 3407},
    {"4.4", pcie::Direction::from_memory, 221219025, 3393, -0.5148, 3539, 3558},
};

const pcie::PcieRule& rule_for(pcie::Direction direction) {
  for (const auto& rule : pcie::pcie_rules()) {
    if (rule.pmu == "pcie_bdf_*" && rule.direction == direction) return rule;
  }
  throw std::runtime_error("no rule");
}

double counted_bytes(const Row& row) { return row.raw * rule_for(row.direction).unit_bytes; }

TEST(PciePmuArticle, CountedBytesDeviateFromFiosByTheStatedPercent) {
  for (const auto& row : kRows) {
    EXPECT_NEAR(pcie::percent_off(counted_bytes(row), row.mib * kMib), row.percent, 5e-5) << row.section;
    EXPECT_EQ(std::floor(counted_bytes(row) / 1e6), row.article_mb) << row.section << ", cut off to MB as it does";
    EXPECT_FALSE(stats::unit_factor(counted_bytes(row), row.mib * kMib)) << row.section;
  }
}

TEST(PciePmuArticle, ItsPercentagesFollowFromItsRoundedMegabytes) {
  EXPECT_EQ(std::floor((1 - kRows[4].article_mb / kRows[4].article_fio_mb) * 1e4), 67);
  EXPECT_EQ(std::floor((1 - kRows[5].article_mb / kRows[5].article_fio_mb) * 1e4), 53);
}

TEST(PciePmuArticle, ASecondRunCountsPastThirtyTwoBits) { EXPECT_GT(kRows[1].raw, 4294967296.0); }

TEST(PciePmuArticle, AhciOverheadExplainsReadsWithin6BytesAnIo) {
  for (const auto& row : kRows) {
    if (row.percent < 0) continue;  // shared in turns: the error of that is larger
    const auto ios = static_cast<std::uint64_t>(row.mib);
    const auto extra = pcie::ahci_overhead(ios, ios << 20);
    const double added = row.direction == pcie::Direction::to_memory ? extra.to_memory_bytes : extra.from_memory_bytes;
    const double left = (counted_bytes(row) - row.mib * kMib - added) / row.mib;
    EXPECT_GE(left, -1) << row.section;
    EXPECT_LE(left, row.direction == pcie::Direction::to_memory ? 1 : 80) << row.section;
  }
}

TEST(PciePmuArticle, ItsBandwidthIsDividedByALongerTimeThanFios) {
  constexpr double kItsSeconds = 20.6, kFioSeconds = 20.231;
  const double its[] = {164.27, 171.79}, ours[] = {167.3, 175.0}, fio[] = {168.4, 175.9};
  for (int i = 0; i < 2; ++i) {
    const Row& row = kRows[4 + i];
    EXPECT_EQ(std::floor(row.article_mb / kItsSeconds * 100) / 100, its[i]);
    EXPECT_NEAR(counted_bytes(row) / 1e6 / kFioSeconds, ours[i], 0.05);
    EXPECT_NEAR(row.mib * kMib / 1e6 / kFioSeconds, fio[i], 0.05);
    EXPECT_LT(pcie::percent_off(its[i], fio[i]), -2.3) << "four times the error of the bytes";
  }
}

TEST(PciePmuArticle, ValidationMdShowsTheSameTable) {
  std::ifstream file(in_source("docs/dev/validation.md"));
  std::stringstream text;
  text << file.rdbuf();
  for (const auto& row : kRows) {
    const std::string line =
        fmt::format("| {} {} | {:.0f} | {:.0f} | {:.0f} | {:+.4f} % |", row.section,
                    row.direction == pcie::Direction::to_memory ? "Rx" : "Tx", row.raw, counted_bytes(row),
                    row.mib * kMib, pcie::percent_off(counted_bytes(row), row.mib * kMib));
    EXPECT_THAT(text.str(), ::testing::HasSubstr(line));
  }
}

}  // namespace
}  // namespace fathom::pmu
