// What `fathom pmu list` prints, from a list that is made up: the whole, a pattern's, a device's.
#include "report/counters/pmu_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::report::counters {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

result::PcieRule made_rule() {
  result::PcieRule rule;
  rule.event = "Rx";
  rule.unit_bytes = 16;
  rule.scope = "port";
  rule.sentence = "raw x 16 bytes (not verified)";
  rule.counters_words = "1 counter of 64 bits";
  rule.remark = "a remark";
  return rule;
}

result::PmuList made() {
  result::PmuList list;
  result::PmuSource source;
  source.name = "pcie_bdf_200";
  source.type = 22;
  source.cpus = {0};
  source.terms = {{"eventid", "config:0-15"}};
  source.events = {{"Rx", "eventid=0x21", "", 1}};
  list.sources = {source};
  list.pcie = {{"pcie_bdf_200", "0000:00:02.0", "port", {made_rule()}}};
  result::ListedPort port;
  port.address = "0000:00:02.0";
  port.six_digits = "000200";
  port.speed_gts = 8, port.max_speed_gts = 32;
  port.lanes = port.max_lanes = 4;
  port.numa_node = 0;
  port.pmu = list.pcie[0];
  result::ListedFunction function;
  function.address = "0000:04:00.0";
  function.class_words = "NVMe controller";
  function.class_code = 0x010802;
  function.block_devices = {"nvme0n1"};
  port.behind = {function};
  list.ports = {port};
  list.software = {"page-faults"};
  list.no_tracepoints = "no tracefs; mount it";
  return list;
}

result::PmuList made_matches() {
  auto list = made();
  list.of_pattern = true;
  auto& matches = list.matches.emplace();
  matches.groups.resize(2);
  matches.groups[1].time_based = true;
  matches.groups[1].group = 1;
  matches.groups[1].title = "payload";
  result::ListedEvent event;
  event.name = "dwc_pcie/Rx/";
  event.pmu = "dwc_pcie";
  event.terms = "lane=?";
  event.here = false;
  event.dwc.emplace().of = 1;
  event.dwc->what = "payload of TLPs";
  event.rule = made_rule();
  matches.events = {event};
  return list;
}

TEST(PmuListText, ShowsPmusPortsAndTheKernelsOwn) {
  EXPECT_EQ(pmu_list_text(made()),
            "PMUs (1)\n"
            "  pcie_bdf_200\n"
            "    type 22, CPU 0, 1 named event\n"
            "      Rx\n"
            "\nPCIe bandwidth\n"
            "  pcie_bdf_200\n"
            "    one per root port\n"
            "    raw x 16 bytes (not verified); 1 counter of 64 bits\n"
            "\nRoot ports\n"
            "  000200  0000:00:02.0  x4 of x4    8 of 32 GT/s      NUMA 0    pcie_bdf_200\n"
            "          0000:04:00.0  NVMe controller          0000:0000  no driver    nvme0n1\n"
            "\nSoftware events (1)\n"
            "  page-faults\n"
            "\nTracepoints\n"
            "  no tracefs; mount it\n");
}

TEST(PmuListText, ExplainedItHasTermsAndEveryEvent) {
  auto list = made_matches();
  list.of_pattern = false;
  list.explain = true;
  EXPECT_THAT(pmu_list_text(list), AllOf(StartsWith("PMUs (1)"), HasSubstr("terms eventid=config:0-15"),
                                         HasSubstr("Time based, group 1: payload"), HasSubstr("payload of TLPs")));
}

TEST(PmuListText, OfAPatternItHasALineAnEvent) {
  EXPECT_EQ(
      pmu_list_text(made_matches()),
      "  dwc_pcie/Rx/                                     lane=?  [raw x 16 bytes (not verified)]  payload of TLPs\n"
      "\ndwc_pcie/.../: known from the data files; no PMU of this machine has these events\n");
}

TEST(PmuListText, OfADeviceItHasTheWay) {
  auto list = made();
  list.device = {"/dev/nvme0n1", "", {"nvme0n1"}, {"0000:04:00.0"}, {"0000:00:02.0"}, {"a step"}};
  EXPECT_EQ(pmu_list_text(list),
            "/dev/nvme0n1\n  a step\nroot port 0000:00:02.0: PMU pcie_bdf_200\n  raw x 16 bytes (not verified)\n");
}

TEST(PmuListJson, HoldsTheWholeOrWhatWasAskedFor) {
  EXPECT_THAT(pmu_list_json(made()),
              AllOf(HasSubstr("\"pcie_bandwidth\" : ["), HasSubstr("\"six_digits\" : \"000200\""),
                    HasSubstr("\"direction\" : \"to_memory\""), HasSubstr("\"counters_from\" : \"table\""),
                    HasSubstr("\"cause\" : \"no tracefs; mount it\""), Not(HasSubstr("\"device\" : {"))));
  EXPECT_THAT(pmu_list_json(made_matches()),
              AllOf(HasSubstr("\"explained\" : {"), HasSubstr("\"group_title\" : \"payload\""),
                    HasSubstr("\"here\" : false"), Not(HasSubstr("\"ports\""))));
  auto list = made();
  list.device.emplace().ports = {"a", "b"};
  EXPECT_THAT(pmu_list_json(list),
              AllOf(HasSubstr("\"ambiguous\" : true"), HasSubstr("\"ports\""), Not(HasSubstr("\"software_events\""))));
}

}  // namespace
}  // namespace fathom::report::counters
