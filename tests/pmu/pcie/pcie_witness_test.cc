// The PCIe counter as a witness, over a counter in software: exact alone, an interval in turns, and every way in which
// a counter can be missing or go away.
#include "pmu/pcie/pcie_witness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <thread>

#include "base/attempts.h"
#include "host/pci_recording.h"
#include "pmu/one_counter_pmu.h"
#include "pmu/pcie/pcie_watch.h"
#include "pmu/recorded.h"

namespace fathom::pmu::pcie {
namespace {

using ::testing::HasSubstr;
using Tree = host::testing::PciRecording;

constexpr std::uint64_t kRx = 0x21, kTx = 0x20, kBadTlp = 0x10200;
constexpr const char* kEvents = "/sys/bus/event_source/devices/pcie_bdf_200/events/";

double units_per_ns(std::uint64_t config) {
  switch (config) {
    case kRx:
      return 1e-2;
    case kTx:
      return 3e-2;
    case kBadTlp:
      return 2e-7;
    default:
      return 0;
  }
}
double load(std::uint64_t config, double from_ns, double to_ns) { return units_per_ns(config) * (to_ns - from_ns); }

class PcieWitnessReport : public ::testing::Test {
 protected:
  void SetUp() override {
    tree_.payload_pmu("pcie_bdf_200", 60);
    tree_.file(std::string(kEvents) + "bad_tlp", "eventid=0x200,type=0x1\n");
    tree_.file(std::string(kEvents) + "speed_change", "eventid=0x50c,type=0x1\n");
    tree_.file(std::string(kEvents) + "tx_ack_dllp", "eventid=0x600,type=0x1\n");
    sources_.emplace(tree_.root());
  }
  PcieWitnessOptions options(bool reads, bool writes) {
    const auto pmu = pcie_pmu_of(*host::pci::parse_pci_address("00:02.0"), *sources_);
    EXPECT_TRUE(pmu);
    PcieWitnessOptions how;
    how.pmu = *pmu;
    how.sources = &*sources_;
    how.reads = reads;
    how.writes = writes;
    how.calls = &OneCounterPmu::calls();
    how.seed = 11;
    return how;
  }
  // Begins, waits, ends; what was counted in `window_ns_`.
  result::WitnessReport counted(const PcieWitnessOptions& how, double wait_ms, bool vanish = false) {
    const auto witness = make_pcie_witness(how);
    EXPECT_EQ(witness->name(), "PCIe PMU pcie_bdf_200");
    const double begin = pmu_.now_ns();
    const auto begun = witness->begin();
    EXPECT_TRUE(begun);
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(wait_ms));
    witness->tick();
    if (vanish) pmu_.vanish();
    if (vanish) std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(wait_ms));
    witness->tick();
    auto report = witness->end();
    window_ns_ = pmu_.now_ns() - begin;
    return report;
  }
  static const result::Finding* find(const result::WitnessReport& report, const std::string& id) {
    for (const auto& finding : report.findings)
      if (finding.id == id) return &finding;
    return nullptr;
  }

  Tree tree_;
  std::optional<events::EventSources> sources_;
  OneCounterPmu pmu_{load};
  double window_ns_ = 0;
};

TEST_F(PcieWitnessReport, TimedAReadOnlyJobCountsOneExactEvent) {
  steady::attempts([&] {
    const auto report = counted(options(true, false), 50);
    EXPECT_EQ(pmu_.most_at_once(), 1);
    EXPECT_TRUE(pmu_.opened_pinned());
    EXPECT_TRUE(report.findings.empty());
    ASSERT_EQ(report.counts.size(), 1u);
    const auto& count = report.counts[0];
    EXPECT_EQ(count.source, "pcie_pmu");
    EXPECT_EQ(count.subject, "pcie_bdf_200");
    EXPECT_EQ(count.name, "Rx_PCIe_TLP_Data_Payload");
    EXPECT_EQ(count.direction, "read");
    EXPECT_EQ(count.unit, "bytes");
    EXPECT_EQ(count.unit_bytes, 16);
    EXPECT_DOUBLE_EQ(count.value, 16 * count.raw);
    EXPECT_EQ(count.low, count.value);
    EXPECT_EQ(count.high, count.value);
    EXPECT_EQ(count.confidence, 0);
    EXPECT_THAT(count.rule, HasSubstr("16"));
    EXPECT_FALSE(count.lost_at_s);
    EXPECT_NEAR(count.raw, load(kRx, 0, count.window_s * 1e9), 0.1 * count.raw);
    EXPECT_LE(count.window_s * 1e9, window_ns_);
    EXPECT_EQ(pmu_.open_now(), 0);
  });
}

TEST_F(PcieWitnessReport, AWriteOnlyJobCountsTheTxEvent) {
  const auto report = counted(options(false, true), 20);
  ASSERT_EQ(report.counts.size(), 1u);
  EXPECT_EQ(report.counts[0].name, "Tx_PCIe_TLP_Data_Payload");
  EXPECT_EQ(report.counts[0].direction, "write");
}

TEST_F(PcieWitnessReport, TimedReadsAndWritesInTurnsOnOneCounterHaveAnInterval) {
  steady::attempts([&] {
    const auto report = counted(options(true, true), 600);
    EXPECT_EQ(pmu_.most_at_once(), 1);
    ASSERT_EQ(report.counts.size(), 2u);
    const double per_ns[] = {units_per_ns(kRx), units_per_ns(kTx)};
    for (int i = 0; i < 2; ++i) {
      const auto& count = report.counts[i];
      const double truth = 16 * per_ns[i] * count.window_s * 1e9;
      EXPECT_EQ(count.confidence, 0.99);
      EXPECT_LT(count.low, count.value);
      EXPECT_GT(count.high, count.value);
      EXPECT_NEAR(count.value, truth, 0.02 * truth);
      EXPECT_LE(count.low, 1.001 * truth);
      EXPECT_GE(count.high, 0.999 * truth);
      EXPECT_LT(count.raw * 16, 0.9 * truth);  // not all of it was seen
      EXPECT_FALSE(count.aliased);
    }
    EXPECT_TRUE(report.findings.empty());
  });
}

TEST_F(PcieWitnessReport, TimedTwoCountersCountBothDirectionsExactly) {
  steady::attempts([&] {
    auto how = options(true, true);
    for (auto& rule : how.pmu.rules) rule.counters = 2;
    OneCounterPmu two(load, 2);
    const auto report = counted(how, 30);
    EXPECT_EQ(two.most_at_once(), 2);
    ASSERT_EQ(report.counts.size(), 2u);
    for (const auto& count : report.counts) EXPECT_EQ(count.confidence, 0);
    EXPECT_NEAR(report.counts[1].value, 3 * report.counts[0].value, 0.1 * report.counts[1].value);
  });
}

const result::Count* link_count(const result::WitnessReport& report, const std::string& name) {
  for (const auto& count : report.counts)
    if (count.source == "link_pmu" && count.name == name) return &count;
  return nullptr;
}

TEST_F(PcieWitnessReport, TimedLinkEventsAreCountedOnlyWhenAskedAndOnTheirOwnCounter) {
  steady::attempts([&] {
    OneCounterPmu two(load, 2);  // one for the payload, one for the events
    auto how = options(true, false);
    how.link_events = true;
    const auto report = counted(how, 3000);  // slots enough for 23 events in turn, on a busy machine too
    ASSERT_GE(report.counts.size(), 1u);
    EXPECT_EQ(report.counts[0].source, "pcie_pmu");
    EXPECT_EQ(report.counts[0].confidence, 0) << "the bytes stay exact";
    EXPECT_EQ(two.most_at_once(), 2);
    const auto* bad = link_count(report, "bad_tlp");
    ASSERT_NE(bad, nullptr);
    EXPECT_EQ(bad->unit, "count");
    EXPECT_EQ(bad->direction, "");
    EXPECT_GT(bad->value, 0);
    EXPECT_LE(bad->low, load(kBadTlp, 0, bad->window_s * 1e9));
    EXPECT_GE(bad->high, load(kBadTlp, 0, bad->window_s * 1e9));
    const auto* speed = link_count(report, "speed_change");
    ASSERT_NE(speed, nullptr);
    EXPECT_EQ(speed->raw, 0);
    EXPECT_GT(speed->high, 0);  // not seen is not known to be none
    EXPECT_EQ(link_count(report, "tx_ack_dllp"), nullptr) << "an acknowledgement is no error";
  });
}

TEST_F(PcieWitnessReport, LinkEventsThatCannotBeCountedAreANoteAndBytesStay) {
  tree_.file("/sys/bus/event_source/devices/pcie_bdf_200/format/eventid", "config:0-3\n");
  tree_.file(std::string(kEvents) + "Rx_PCIe_TLP_Data_Payload", "config=0x21\n");
  sources_.emplace(tree_.root());
  auto how = options(true, false);
  how.link_events = true;
  const auto report = counted(how, 10);
  EXPECT_EQ(report.counts.size(), 1u);
  ASSERT_NE(find(report, "pcie_pmu.no_event"), nullptr);
  EXPECT_THAT(find(report, "pcie_pmu.no_event")->evidence, HasSubstr("errors of the link"));
}

TEST_F(PcieWitnessReport, ManyLinkEventsWithoutSlotsAreOneFinding) {
  OneCounterPmu two(load, 2);
  auto how = options(true, false);
  how.link_events = true;
  const auto report = counted(how, 20);
  EXPECT_EQ(std::count_if(report.findings.begin(), report.findings.end(),
                          [](const auto& f) { return f.id == "pcie_pmu.not_counted"; }),
            1);
}

// The drivers that are known name no event of the link: it is opened by its terms, whose type each driver numbers anew.
TEST(PcieWatchedEvents, LinkEventsAreOpenedByTheirTerms) {
  struct Case {
    const char *family, *pmu;
    std::uint64_t type;
  };
  for (const Case& c : {Case{"dwc_rootport", "dwc_rootport_10", 1}, Case{"pcie_bdf", "pcie_bdf_200", 2}}) {
    const auto sources = testing::recorded(c.family);
    const auto pmu = pcie_pmu_of(*host::pci::parse_pci_address("00:02.0"), sources);
    ASSERT_TRUE(pmu) << c.family;
    WatchOptions how;
    how.reads = false;
    how.link_events = true;
    const auto found = watch(*pmu, sources, how);
    ASSERT_TRUE(found) << c.family << ": " << found.error().what;
    EXPECT_TRUE(found->missing.empty());
    std::map<std::string, std::uint64_t> config;
    for (const auto& row : found->rows) config[row.count.name] = found->events[row.events[0]].config[0];
    EXPECT_EQ(config.size(), 6u + 8 + 6 + 3) << c.family;
    EXPECT_EQ(config["BAD_TLP"], 0x200u | c.type << 16) << c.family;
    EXPECT_EQ(config["LCRC_Error"], 0x201u | c.type << 16) << c.family;
    EXPECT_EQ(config["L0_to_Recovery_Entry"], 0x500u | c.type << 16) << c.family;
    EXPECT_EQ(config.count("L1_to_Recovery_Entry"), 0u) << "a wake-up is no trouble";
  }
}

TEST(PcieWatchedEvents, ANamedSysfsEventIsOpenedWithItsLane) {
  Tree tree;
  tree.payload_pmu("pcie_bdf_200", 60);
  tree.file(std::string(kEvents) + "bad_tlp", "eventid=0x200,type=0x1,lane=?\n");
  const events::EventSources sources(tree.root());
  WatchOptions how;
  how.reads = false;
  how.link_events = true;
  const auto found = watch(*pcie_pmu_of(*host::pci::parse_pci_address("00:02.0"), sources), sources, how);
  ASSERT_TRUE(found) << found.error().what;
  const auto named = [](const WatchedRow& row) { return row.count.name == "bad_tlp"; };
  EXPECT_EQ(std::count_if(found->rows.begin(), found->rows.end(), named), 1);
}

TEST_F(PcieWitnessReport, UnitBytesOptionReplacesTheRulesUnit) {
  auto how = options(true, false);
  how.unit_bytes = 4;
  const auto report = counted(how, 10);
  ASSERT_EQ(report.counts.size(), 1u);
  EXPECT_EQ(report.counts[0].unit_bytes, 4);
  EXPECT_DOUBLE_EQ(report.counts[0].value, 4 * report.counts[0].raw);
  EXPECT_EQ(report.counts[0].rule, "raw x 4 bytes (--unit-bytes)");
}

TEST_F(PcieWitnessReport, AnIdleWindowIsASeparateSourceWithoutLinkEvents) {
  auto how = options(true, false);
  how.idle = how.link_events = true;
  const auto report = counted(how, 10);
  ASSERT_EQ(report.counts.size(), 1u);
  EXPECT_EQ(report.counts[0].source, "idle_pcie");
  EXPECT_EQ(report.counts[0].confidence, 0);
}

TEST_F(PcieWitnessReport, TimedAnotherUserSharingTheCounterGivesAnIntervalAndAFinding) {
  steady::attempts([&] {
    pmu_.set(Foreign::holds);
    const auto witness = make_pcie_witness(options(true, false));
    ASSERT_TRUE(witness->begin());
    pmu_.set(Foreign::shares);
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    const auto report = witness->end();
    ASSERT_NE(find(report, "pcie_pmu.shared"), nullptr);
    ASSERT_EQ(report.counts.size(), 1u);
    const auto& count = report.counts[0];
    const double truth = 16 * load(kRx, 0, count.window_s * 1e9);
    EXPECT_EQ(count.confidence, 0.99);
    EXPECT_NEAR(count.value, truth, 0.05 * truth);
    EXPECT_NEAR(count.raw * 16, truth / 2, 0.1 * truth);
  });
}

TEST_F(PcieWitnessReport, AnotherUserHoldingTheCounterGivesNoCountAndFindings) {
  pmu_.set(Foreign::holds);
  const auto report = counted(options(true, false), 60);
  EXPECT_TRUE(report.counts.empty());
  EXPECT_NE(find(report, "pcie_pmu.shared"), nullptr);
  ASSERT_NE(find(report, "pcie_pmu.not_counted"), nullptr);
  EXPECT_THAT(find(report, "pcie_pmu.not_counted")->evidence, HasSubstr("0 slots"));
}

TEST_F(PcieWitnessReport, AVanishedPmuKeepsItsCountUntilThen) {
  const auto report = counted(options(true, false), 50, true);
  ASSERT_EQ(report.counts.size(), 1u);
  const auto& count = report.counts[0];
  ASSERT_TRUE(count.lost_at_s);
  EXPECT_GT(*count.lost_at_s, 0.05);
  EXPECT_LE(*count.lost_at_s * 1e9, window_ns_);
  EXPECT_GE(count.raw, 0.9 * load(kRx, 0, 50e6));
  EXPECT_LE(count.raw, load(kRx, 0, *count.lost_at_s * 1e9));
  EXPECT_NE(find(report, "pcie_pmu.lost"), nullptr);
}

TEST_F(PcieWitnessReport, TimedAVanishedPmuKeepsItsCountsInSlotsToo) {
  steady::attempts([&] {
    const auto report = counted(options(true, true), 150, true);
    ASSERT_EQ(report.counts.size(), 2u);
    for (const auto& count : report.counts) {
      ASSERT_TRUE(count.lost_at_s);
      EXPECT_GT(*count.lost_at_s, 0.14);
      EXPECT_LE(*count.lost_at_s * 1e9, window_ns_);
      EXPECT_DOUBLE_EQ(count.window_s, *count.lost_at_s);
    }
    EXPECT_NE(find(report, "pcie_pmu.lost"), nullptr);
  });
}

TEST_F(PcieWitnessReport, ADirectionWithoutAnEventIsAFinding) {
  auto how = options(true, true);
  std::erase_if(how.pmu.rules, [](const PcieRule& rule) { return rule.direction == Direction::from_memory; });
  const auto report = counted(how, 10);
  ASSERT_EQ(report.counts.size(), 1u);
  EXPECT_EQ(report.counts[0].confidence, 0);  // the one that is left has the counter to itself
  ASSERT_NE(find(report, "pcie_pmu.no_event"), nullptr);
  EXPECT_THAT(find(report, "pcie_pmu.no_event")->evidence, HasSubstr("writes"));
  how.reads = false;
  auto begun = make_pcie_witness(how)->begin();
  ASSERT_FALSE(begun);
  EXPECT_THAT(begun.error().what, HasSubstr("pcie_bdf_200"));
}

TEST_F(PcieWitnessReport, SeveralEventsOfADirectionAreSummed) {
  auto how = options(true, false);
  how.pmu.rules.push_back(how.pmu.rules[0]);
  for (auto& rule : how.pmu.rules) {
    rule.direction = Direction::to_memory;
    rule.counters = 3;
  }
  OneCounterPmu three(load, 3);
  const auto report = counted(how, 20);
  ASSERT_EQ(report.counts.size(), 1u);
  EXPECT_THAT(report.counts[0].name, HasSubstr("+"));
  EXPECT_EQ(three.most_at_once(), 3);
}

}  // namespace
}  // namespace fathom::pmu::pcie
