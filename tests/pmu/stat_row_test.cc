// Rows of `fathom pmu stat`: bytes by rule, one window, lanes summed, residency, means.
#include "pmu/stat_row.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pmu/recorded.h"

namespace fathom::pmu {
namespace {

using testing::recorded;

events::EventCount counted(std::uint64_t value, std::uint64_t enabled_ns = 1'000'000'000,
                           std::uint64_t running_ns = 1'000'000'000) {
  events::EventCount count;
  count.state = running_ns > 0 ? events::CountState::counted : events::CountState::not_counted;
  count.raw = value;
  count.enabled_ns = count.window_ns = enabled_ns;
  count.running_ns = running_ns;
  count.running_share = static_cast<double>(running_ns) / static_cast<double>(enabled_ns);
  count.scaled = running_ns > 0 ? static_cast<double>(value) / count.running_share : 0;
  return count;
}

struct Named {
  std::vector<events::Event> events;
  std::vector<StatEvent> named;
};
Named named(const char* text, const events::EventSources& sources, double unit_bytes = 0) {
  Named out;
  out.events = *parse_events(text, sources);
  out.named = stat_events(out.events, sources, unit_bytes);
  return out;
}

TEST(StatRows, PcieBdfReadsAreScaledBy16Bytes) {
  const auto sources = recorded("pcie_bdf");
  const auto n = named("pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/", sources);
  ASSERT_TRUE(n.named[0].bytes);
  EXPECT_EQ(n.named[0].bytes->unit_bytes, 16);
  EXPECT_EQ(n.named[0].bytes->direction, pcie::Direction::to_memory);
  const events::EventCount counts[] = {counted(536'910'432, 15'854'000'000, 15'854'000'000)};
  const auto rows = stat_rows(n.named, counts);
  EXPECT_EQ(rows[0].bytes, 8'590'566'912.0);
  EXPECT_NEAR(rows[0].mb_per_s, 541.9, 0.1);
}

TEST(StatRows, DwcRootportPayloadIsInBytes) {
  const auto sources = recorded("dwc_rootport");
  const auto n = named("dwc_rootport_10/Rx_PCIe_TLP_Data_Payload/,dwc_rootport_10/eventid=0x20,type=0/", sources);
  ASSERT_TRUE(n.named[0].bytes && n.named[1].bytes) << "raw terms are recognised by their bits";
  EXPECT_EQ(n.named[0].bytes->unit_bytes, 1);
  EXPECT_EQ(n.named[1].bytes->direction, pcie::Direction::from_memory);
  EXPECT_EQ(named("dwc_rootport_10/Rx_PCIe_TLP_Data_Payload/", sources, 64).named[0].bytes->unit_bytes, 64);
}

TEST(StatRows, AnUnknownUnitIsReportedWithTheTablesRemark) {
  const auto sources = recorded("hisi_pcie");
  std::string text;
  for (const auto& source : sources.all())
    if (source.find("rx_mwr_flux") != nullptr) text = source.name + "/rx_mwr_flux/";
  ASSERT_FALSE(text.empty());
  const auto n = named(text.c_str(), sources);
  ASSERT_TRUE(n.named[0].bytes);
  EXPECT_EQ(n.named[0].bytes->unit_bytes, 0);
  EXPECT_NE(n.named[0].bytes->sentence.find("the unit is not documented"), std::string::npos)
      << n.named[0].bytes->sentence;
  EXPECT_EQ(n.named[0].bytes->sentence.find('{'), std::string::npos) << n.named[0].bytes->sentence;
  EXPECT_EQ(named(text.c_str(), sources, 4).named[0].bytes->unit_bytes, 4) << "the user's own";
}

TEST(StatRows, RatesOfOneTableUseOneWindow) {
  const auto sources = recorded("pcie_bdf");
  const auto n = named("pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/,pcie_bdf_200/Tx_PCIe_TLP_Data_Payload/", sources);
  const events::EventCount counts[] = {counted(1000, 1'000'000'000, 500'000'000),
                                       counted(1000, 2'000'000'000, 1'000'000'000)};
  const auto rows = stat_rows(n.named, counts);
  EXPECT_DOUBLE_EQ(rows[0].mb_per_s, rows[1].mb_per_s);
  EXPECT_DOUBLE_EQ(rows[0].mb_per_s, 2000 * 16 / 1e6 / 2);
  const events::EventCount longer_first[] = {counts[1], counts[0]};
  EXPECT_DOUBLE_EQ(stat_rows(n.named, longer_first)[1].mb_per_s, rows[0].mb_per_s);
}

TEST(StatRows, LanesAreSummedUnderOneName) {
  const auto sources = recorded("dwc_rootport");
  const auto n = named("dwc_rootport_10/rx_memory_write,lane=*/,cs", sources);
  ASSERT_EQ(n.named.size(), 2u);
  ASSERT_EQ(n.named[0].parts.size(), 16u);
  std::vector<events::EventCount> counts(17, counted(3));
  EXPECT_EQ(stat_rows(n.named, counts)[0].value, 48);
}

TEST(StatRows, ASaturatedCounterIsReported) {
  const auto sources = recorded("dwc_rootport");
  const auto n =
      named("dwc_rootport_10/eventid=0x200,type=1,lane=0/,dwc_rootport_10/eventid=0x1,type=1,lane=*/", sources);
  ASSERT_EQ(n.named.size(), 2u);
  EXPECT_EQ(n.named[0].saturating_bits, 8u) << "BAD TLP";
  EXPECT_EQ(n.named[1].saturating_bits, 4u) << "EBUF under-run, of a lane";
  std::vector<events::EventCount> counts(17, counted(3));
  for (const auto& row : stat_rows(n.named, counts)) EXPECT_FALSE(row.saturated);
  counts[0] = counted(255);
  counts[5] = counted(15);
  for (const auto& row : stat_rows(n.named, counts)) EXPECT_TRUE(row.saturated);
  counts[0] = counted(15);
  EXPECT_FALSE(stat_rows(n.named, counts)[0].saturated) << "15 of 255";
  const std::vector<std::vector<StatRow>> runs(2, stat_rows(n.named, counts));
  EXPECT_TRUE(mean_rows(runs)[1].saturated);
}

TEST(StatRows, ACounterOf32BitsIsPolledAndOneOf64IsNot) {
  const auto sources = recorded("dwc_rootport");
  const auto n = named(
      "dwc_rootport_10/rx_memory_write,lane=0/,dwc_rootport_10/eventid=0x70b,type=1,lane=0/,dwc_rootport_10/L0/,"
      "dwc_rootport_10/eventid=0x200,type=1,lane=0/,cs",
      sources);
  EXPECT_EQ(n.events[0].width_bits, 32u);
  EXPECT_EQ(n.events[1].width_bits, 32u);
  EXPECT_EQ(n.events[2].width_bits, 64u);
  EXPECT_EQ(n.events[3].width_bits, 64u) << "it stands still and does not begin anew";
  EXPECT_EQ(n.events[4].width_bits, 64u);
  for (const auto& one : n.named) EXPECT_EQ(one.saturating_bits, one.parts.front() == 3 ? 8u : 0u);
}

TEST(StatRows, LinkStateTimeIsAPercentageOfTheWindow) {
  const auto sources = recorded("dwc_rootport");
  auto events = *parse_events("dwc_rootport_10/L0/,cs", sources);
  const auto notes = add_windows(events, sources);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[2].alias, "one_cycle");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("one_cycle"), std::string::npos);
  const auto stat = stat_events(events, sources, 0);
  const events::EventCount counts[] = {counted(300), counted(1), counted(400)};
  const auto rows = stat_rows(stat, counts);
  ASSERT_TRUE(rows[0].window_percent);
  EXPECT_DOUBLE_EQ(*rows[0].window_percent, 75);
  EXPECT_FALSE(rows[1].window_percent);
  EXPECT_TRUE(add_windows(events, sources).empty()) << "it is there already";
}

TEST(StatRows, LinkStateTimeOfASeparatePassIsAShareOfThatPass) {
  const auto sources = recorded("dwc_rootport");
  auto events = *parse_events("dwc_rootport_10/L0/", sources);
  const auto notes = add_windows(events, sources, true);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("a separate run"), std::string::npos) << notes[0];
  EXPECT_EQ(notes[0].find("share"), std::string::npos) << notes[0];
  const auto stat = stat_events(events, sources, 0);
  // 300 of 400 cycles of a second in L0; the other run took two seconds.
  const events::EventCount counts[] = {counted(300), counted(800, 2'000'000'000, 2'000'000'000)};
  const auto rows = stat_rows(stat, counts);
  ASSERT_TRUE(rows[0].window_percent);
  EXPECT_DOUBLE_EQ(*rows[0].window_percent, 75);
}

TEST(StatRows, HisiFluxHasADirectionButNoKnownUnit) {
  const auto sources = recorded("hisi_pcie");
  const auto n = named("hisi_pcie0_core0/rx_mwr_flux,port=0x1/", sources);
  ASSERT_TRUE(n.named[0].bytes);
  EXPECT_EQ(n.named[0].bytes->unit_bytes, 0);
  EXPECT_EQ(n.named[0].bytes->direction, pcie::Direction::to_memory);
  const events::EventCount counts[] = {counted(1000)};
  EXPECT_EQ(stat_rows(n.named, counts)[0].bytes, 0);
  EXPECT_EQ(stat_rows(named("hisi_pcie0_core0/rx_mwr_flux,port=0x1/", sources, 32).named, counts)[0].bytes, 32'000);
}

TEST(StatRows, AMissingWindowEventIsANote) {
  std::vector<events::Event> events(1);
  events[0].pmu = "dwc_rootport_99";
  events[0].alias = "L0";
  const auto notes = add_windows(events, recorded("dwc_rootport"));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("no per cent of the window"), std::string::npos);
  EXPECT_EQ(events.size(), 1u);
}

TEST(MeanRows, DeviationIsThatOfTheMean) {
  std::vector<std::vector<StatRow>> runs(4, std::vector<StatRow>(1));
  const double values[] = {10, 12, 8, 10};
  for (std::size_t i = 0; i < 4; ++i) {
    runs[i][0].value = values[i];
    runs[i][0].count = counted(static_cast<std::uint64_t>(values[i]));
  }
  const auto mean = mean_rows(runs);
  EXPECT_DOUBLE_EQ(mean[0].value, 10);
  EXPECT_NEAR(mean[0].deviation_percent, 100 * std::sqrt(8.0 / 3 / 4) / 10, 1e-9);
  EXPECT_EQ(mean[0].count.running_ns, 1'000'000'000u);
  runs[2][0].count = counted(0, 10, 0);
  EXPECT_EQ(mean_rows(runs)[0].count.state, events::CountState::not_counted) << "it was not in every run";
}

}  // namespace
}  // namespace fathom::pmu
