// The embedded tables of the DesignWare events are whole: every group of the article, every number once.
#include "pmu/pcie/pcie_dwc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "pmu/pcie/csv.h"
#include "pmu/recorded.h"

namespace fathom::pmu::pcie {
namespace {

using ::testing::HasSubstr;

TEST(DwcEvents, TheEmbeddedTablesAreComplete) {
  const auto events = parse_dwc_events(event_file("dwc_pcie.csv"));
  ASSERT_TRUE(events) << events.error().what;
  const auto groups = parse_dwc_groups(event_file("dwc_pcie_groups.csv"));
  ASSERT_TRUE(groups) << groups.error().what;
  EXPECT_EQ(groups->size(), 10u);
  std::map<std::pair<bool, unsigned>, int> sizes;
  std::set<std::tuple<unsigned, unsigned>> ids;
  for (const auto& e : *events) {
    ++sizes[{e.time_based, e.group}];
    EXPECT_TRUE(ids.insert({e.type, e.eventid}).second) << e.name;
    EXPECT_EQ(e.type, e.time_based ? 0u : 1u) << e.name;
    unsigned number = e.number + (e.time_based && e.group == 1 ? 0x20 : 0);
    if (e.time_based && (number == 8 || number == 9)) number = 17 - number;  // the kernel's driver has them swapped
    EXPECT_EQ(e.eventid, e.time_based ? number : e.group << 8 | number) << e.name;
  }
  const std::map<std::pair<bool, unsigned>, int> article = {
      {{true, 0}, 9},  {{true, 1}, 4},  {{false, 0}, 11}, {{false, 1}, 11}, {{false, 2}, 8},
      {{false, 3}, 6}, {{false, 4}, 2}, {{false, 5}, 15}, {{false, 6}, 7},  {{false, 7}, 24}};
  EXPECT_EQ(sizes, article);
}

TEST(DwcEvents, AreFoundByTheTermsInSysfs) {
  const auto* rx = dwc_event_of({"Rx_PCIe_TLP_Data_Payload", "eventid=0x21,type=0x0", 1, ""});
  ASSERT_NE(rx, nullptr);
  EXPECT_EQ(rx->name, "Rx PCIe TLP Data Payload");
  EXPECT_EQ(rx->unit_bytes, 16);
  EXPECT_EQ(group_of(*rx).counter_bits, 64u);
  const auto* write = dwc_event_of({"rx_memory_write_lane1", "eventid=0x70b,type=0x1,lane=0x1", 1, ""});
  ASSERT_NE(write, nullptr);
  EXPECT_EQ(write->alias, "rx_memory_write");
  EXPECT_EQ(dwc_event_of({"one_cycle", "eventid=0x0,type=0x0", 1, ""}), nullptr);
  EXPECT_EQ(dwc_event_of({"tsc", "event=0x00", 1, ""}), nullptr);
}

TEST(DwcEvents, AreFoundByNameWhenTheEventIdContradicts) {
  for (const char* terms : {"eventid=0x8,type=0x0", "eventid=0x9,type=0x0", "eventid=0x8, type=0x1"}) {
    const auto* both = dwc_event_of({"TX_RX_L0S", terms, 1, ""});
    const auto* aux = dwc_event_of({"L1_AUX", terms, 1, ""});
    ASSERT_TRUE(both != nullptr && aux != nullptr);
    EXPECT_EQ(both->what, "both directions are in L0s") << terms;
    EXPECT_THAT(aux->what, HasSubstr("L1 while the power management controller")) << terms;
  }
  const auto* nameless = dwc_event_of({"state_8", "eventid=0x8,type=0x0", 1, ""});
  ASSERT_NE(nameless, nullptr);
  EXPECT_EQ(nameless->alias, "TX_RX_L0S") << "by its number it is the kernel's";
}

TEST(DwcEvents, EveryEventOfThePcieBdfDriverIsFound) {
  const auto sources = testing::recorded("pcie_bdf");
  const events::Source* port = sources.find("pcie_bdf_200");
  ASSERT_NE(port, nullptr);
  for (const auto& event : port->events) {
    const auto* dwc = dwc_event_of(event);
    if (event.name == "one_cycle") {
      EXPECT_EQ(dwc, nullptr);
      continue;
    }
    ASSERT_NE(dwc, nullptr) << event.name;
    EXPECT_EQ(dwc->time_based, event.terms.find("lane") == std::string::npos) << event.name;
  }
  EXPECT_EQ(dwc_event_of({"bad", "eventid=0x200, type=0x2, lane=0x0", 1, ""})->name, "BAD TLP");
  EXPECT_EQ(counter_type_of(*port), 2u);
  EXPECT_EQ(counter_type_of(*testing::recorded("dwc_rootport").find("dwc_rootport_10")), 1u);
}

TEST(DwcEvents, ContradictionsOfTheDocumentationAreReported) {
  const auto* swapped = dwc_event_of({"L1_AUX", "eventid=0x9,type=0x0", 1, ""});
  ASSERT_NE(swapped, nullptr);
  EXPECT_THAT(swapped->contradiction, HasSubstr("swap 0x08/0x09"));
  EXPECT_THAT(group_of(*swapped).contradiction, HasSubstr("64 bits wide, its table 32"));
  EXPECT_THAT(dwc_groups()[1].contradiction, HasSubstr("0x22,type=0x1"));
}

TEST(DwcEvents, ParseErrorsNameTheirLine) {
  const std::string head =
      "kind,group,counter_width_desc,event_hex,event_name,note,unit_bytes,mainline_config_eventid,"
      "mainline_config_type,mainline_alias,remark,what\n";
  const auto why = [&](const std::string& row) {
    const auto parsed = parse_dwc_events(head + row + "\n");
    return parsed ? std::string("read") : parsed.error().what;
  };
  EXPECT_EQ(why("time_based,1,x,0x01,Rx,,16,0x21,0,Rx,,bytes"), "read");
  EXPECT_THAT(why("timebased,1,x,0x01,Rx,,16,0x21,0,Rx,,bytes"), HasSubstr("line 2: kind"));
  EXPECT_THAT(why("time_based,9,x,0x01,Rx,,16,0x21,0,Rx,,bytes"), HasSubstr("line 2: group"));
  EXPECT_THAT(why("time_based,1,x,1x,Rx,,16,0x21,0,Rx,,bytes"), HasSubstr("line 2: event_hex"));
  EXPECT_THAT(why("time_based,1,x,0x01,Rx,,16,0x21,0,Rx,,"), HasSubstr("line 2: what"));
}

}  // namespace
}  // namespace fathom::pmu::pcie
