// Which PMU counts for which port, in what unit: recorded trees of each family of PMUs, and the arithmetic around them.
#include "pmu/pcie/pcie.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "host/pci_recording.h"
#include "pmu/pcie/csv.h"
#include "pmu/scaling.h"

namespace fathom::pmu::pcie {
namespace {

using host::pci::parse_pci_address;
using ::testing::HasSubstr;
using Tree = host::testing::PciRecording;

constexpr const char* kSkylake = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n";
constexpr const char* kIceLake = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\n";
constexpr const char* kGenoa = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n";
constexpr const char* kMilan = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n";

std::string pmu_folder(const std::string& name) { return "/sys/bus/event_source/devices/" + name; }

void add_iio(const Tree& tree) {
  const std::string folder = pmu_folder("uncore_iio_free_running_0");
  tree.file(folder + "/type", "30\n");
  tree.file(folder + "/cpumask", "0,28\n");
  tree.file(folder + "/format/event", "config:0-7\n");
  tree.file(folder + "/format/umask", "config:8-15\n");
  for (const std::string port : {"0", "1"}) {
    tree.file(folder + "/events/bw_in_port" + port, "event=0xff,umask=0x2" + port + "\n");
    tree.file(folder + "/events/bw_in_port" + port + ".scale", "3.814697266e-6\n");
    tree.file(folder + "/events/bw_in_port" + port + ".unit", "MiB\n");
  }
  tree.file(folder + "/events/ioclk", "event=0xff,umask=0x10\n");
}

const PciePmu* find(const std::vector<PciePmu>& pmus, std::string_view name) {
  for (const auto& pmu : pmus) {
    if (pmu.pmu == name) return &pmu;
  }
  return nullptr;
}

TEST(PcieRules, TheEmbeddedTableIsComplete) {
  const auto parsed = parse_pcie_rules(event_file("pcie_bandwidth.csv"));
  ASSERT_TRUE(parsed) << parsed.error().what;
  EXPECT_GE(parsed->size(), 30u);
  EXPECT_EQ(pcie_rules().size(), parsed->size());
  std::set<std::string> directions;
  for (const auto& rule : *parsed) {
    EXPECT_FALSE(rule.remark.empty()) << rule.pmu;
    directions.insert(rule.pmu + (rule.direction == Direction::to_memory ? " in" : " out"));
  }
  for (const auto& rule : *parsed) {
    EXPECT_EQ(directions.count(rule.pmu + " in") + directions.count(rule.pmu + " out"), 2u) << rule.pmu;
  }
}

TEST(PcieRules, NoRuleIsMarkedVerified) {
  for (const auto& rule : pcie_rules()) EXPECT_FALSE(rule.verified) << rule.pmu;
}

TEST(PcieRules, ParseErrorsNameTheirLine) {
  const std::string head = "pmu,event,unit_bytes,direction,scope,terms,cpus,counters,width_bits,verified,remark\n";
  const auto why = [&](const std::string& row) {
    const auto parsed = parse_pcie_rules(head + row);
    return parsed ? std::string("read") : parsed.error().what;
  };
  EXPECT_EQ(why("a,b,16,to_memory,port,,,1,64,no,x\n"), "read");
  EXPECT_THAT(why("a,b,x,to_memory,port,,,1,64,no,x\n"), HasSubstr("line 2: unit_bytes"));
  EXPECT_THAT(why("a,b,16,inwards,port,,,1,64,no,x\n"), HasSubstr("line 2: direction"));
  EXPECT_THAT(why("a,b,16,to_memory,slot,,,1,64,no,x\n"), HasSubstr("line 2: scope"));
  EXPECT_THAT(why("a,b,16,to_memory,port,,,0,64,no,x\n"), HasSubstr("line 2: counters"));
  EXPECT_EQ(why("a,b,16,to_memory,port,,,cpuid or 4,64,no,x\n"), "read");
  EXPECT_THAT(why("a,b,16,to_memory,port,,,cpuid or,64,no,x\n"), HasSubstr("line 2: counters"));
  EXPECT_THAT(why("a,b,16,to_memory,port,,,1,65,no,x\n"), HasSubstr("line 2: width_bits"));
  EXPECT_THAT(why("a,b,16,to_memory,port,,,1,64,maybe,x\n"), HasSubstr("line 2: verified"));
  EXPECT_THAT(why("a,b,16,to_memory,port,,,1,64,no\n"), HasSubstr("line 2: 10 fields"));
}

TEST(PcieRules, SentenceNamesUnitPatternDirectionAndNotVerified) {
  EXPECT_EQ(pcie_rules().front().sentence(),
            "raw x 16 bytes (pcie_bdf_*: Rx_PCIe_TLP_Data_Payload is to memory; not verified)");
}

TEST(PciePmuOf, FindsThePcieBdfPmuOfEachPort) {
  const Tree tree;
  host::testing::add_article_server(tree);
  const events::EventSources sources(tree.root());
  for (const auto& [port, pmu] : {std::pair{"00:00.0", "pcie_bdf_0"},
                                  {"00:02.0", "pcie_bdf_200"},
                                  {"10:00.0", "pcie_bdf_100000"},
                                  {"30:03.0", "pcie_bdf_300300"},
                                  {"b0:00.0", "pcie_bdf_b00000"}}) {
    const auto found = pcie_pmu_of(*parse_pci_address(port), sources);
    ASSERT_TRUE(found) << port;
    EXPECT_EQ(found->pmu, pmu);
    EXPECT_EQ(found->port, std::string("0000:") + port);
    EXPECT_EQ(found->scope, "port");
    EXPECT_EQ(found->rules.size(), 2u);
  }
  EXPECT_FALSE(pcie_pmu_of(*parse_pci_address("00:04.0"), sources));
  EXPECT_FALSE(pcie_pmu_of(*parse_pci_address("0001:00:02.0"), sources));
  EXPECT_EQ(pcie_pmus(sources).size(), 18u);
}

TEST(PciePmuOf, FindsTheDwcRootportPmuWithAUnitOfOneByte) {
  const Tree tree;
  tree.payload_pmu("dwc_rootport_3018", 40);
  tree.payload_pmu("dwc_rootport_10008", 41);
  const events::EventSources sources(tree.root());
  const auto found = pcie_pmu_of(*parse_pci_address("30:03.0"), sources);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pmu, "dwc_rootport_3018");
  for (const auto& rule : found->rules) EXPECT_EQ(rule.unit_bytes, 1);
  const auto second = pcie_pmu_of(*parse_pci_address("0001:00:01.0"), sources);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->pmu, "dwc_rootport_10008");
  EXPECT_FALSE(pcie_pmu_of(*parse_pci_address("00:18.0"), sources));
  tree.payload_pmu("dwc_rootport_b9", 42);
  EXPECT_TRUE(pcie_pmu_of(*parse_pci_address("00:17.1"), events::EventSources(tree.root())));
}

TEST(PciePmuOf, OmitsTheRuleOfAMissingEvent) {
  const Tree tree;
  tree.payload_pmu("pcie_bdf_200", 40);
  std::filesystem::remove(tree.path(pmu_folder("pcie_bdf_200") + "/events/Tx_PCIe_TLP_Data_Payload"));
  const auto found = pcie_pmu_of(*parse_pci_address("00:02.0"), events::EventSources(tree.root()));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->rules.size(), 1u);
  EXPECT_EQ(found->rules[0].direction, Direction::to_memory);
}

TEST(PciePmuOf, FindsTheHisiPmuByBusAndFiltersByPort) {
  const Tree tree;
  const std::string folder = pmu_folder("hisi_pcie1_core0");
  tree.file(folder + "/type", "50\n");
  tree.file(folder + "/bus", "0x40\n");
  tree.file(folder + "/cpumask", "0\n");
  tree.file(folder + "/format/event", "config:0-16\n");
  tree.file(folder + "/format/port", "config1:0-15\n");
  tree.file(folder + "/format/len_mode", "config1:48-49\n");
  tree.file(folder + "/events/rx_mwr_flux", "event=0x104\n");
  tree.file(folder + "/events/tx_cpl_flux", "event=0x1005\n");
  const events::EventSources sources(tree.root());
  EXPECT_FALSE(pcie_pmu_of(*parse_pci_address("00:04.0"), sources));
  const auto found = pcie_pmu_of(*parse_pci_address("40:04.0"), sources);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->rules.size(), 2u);
  EXPECT_EQ(found->rules[0].terms, "port=0x100,len_mode=0x1");
  const auto unknown = event_of(found->rules[0], *found, sources);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().help, HasSubstr("--unit-bytes"));
  PcieRule given = found->rules[0];
  given.unit_bytes = 4;
  const auto event = event_of(given, *found, sources);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->config[0], 0x104u);
  EXPECT_EQ(event->config[1], 0x100u | std::uint64_t{1} << 48);
  EXPECT_EQ(event->scale, 4);
}

TEST(PcieRulesByPmu, IntelIioUnitFollowsTheCpuModel) {
  const Tree tree;
  add_iio(tree);
  tree.file(pmu_folder("uncore_iio_free_running_0") + "/bus", "0\n");
  tree.file("/proc/cpuinfo", kIceLake);
  const events::EventSources sources(tree.root());
  const auto pmus = pcie_pmus(sources);
  ASSERT_EQ(pmus.size(), 1u);
  EXPECT_EQ(pmus[0].scope, "socket");
  EXPECT_EQ(pmus[0].port, "");
  ASSERT_EQ(pmus[0].rules.size(), 2u) << "a rule each for the two ports, the clock left out";
  EXPECT_EQ(pmus[0].rules[1].event, "bw_in_port1");
  EXPECT_EQ(pmus[0].rules[1].unit_bytes, 32);
  EXPECT_FALSE(pcie_pmu_of(*parse_pci_address("00:02.0"), sources)) << "cannot isolate a port";

  EXPECT_EQ(pmus[0].rules[0].width_bits, 48u);

  tree.file("/proc/cpuinfo", kSkylake);
  const auto skylake = pcie_pmus(events::EventSources(tree.root()));
  EXPECT_EQ(skylake[0].rules[0].unit_bytes, 4);
  const auto narrow = event_of(skylake[0].rules[0], skylake[0], sources);
  ASSERT_TRUE(narrow);
  EXPECT_EQ(narrow->width_bits, 36u) << "Skylake and Cascade Lake: the programmable ones have 48";
  EXPECT_EQ(grown((std::uint64_t{1} << 36) - 5, 7, narrow->width_bits), 12u) << "it wraps after 256 GiB";
  tree.file("/proc/cpuinfo", "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 207\n");
  EXPECT_EQ(pcie_pmus(sources)[0].rules[0].unit_bytes, 32) << "Emerald Rapids";
  tree.file("/proc/cpuinfo", "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 200\n");
  const auto other = pcie_pmus(sources);
  EXPECT_EQ(other[0].rules[0].unit_bytes, 0);
  const auto event = event_of(other[0].rules[0], other[0], sources);
  ASSERT_TRUE(event);
  EXPECT_NEAR(event->scale, 4, 1e-6) << "the kernel's own scale, in MiB";
  EXPECT_EQ(event->unit, "bytes");
  EXPECT_EQ(event->width_bits, 48u);
}

TEST(PcieRulesByPmu, AmdDfEventsApplyOnlyToTheirCpuModels) {
  const Tree tree;
  tree.file(pmu_folder("amd_df") + "/type", "60\n");
  tree.file(pmu_folder("amd_df") + "/cpumask", "0\n");
  tree.file(pmu_folder("amd_df") + "/format/event", "config:0-7,32-37\n");
  tree.file(pmu_folder("amd_df") + "/format/umask", "config:8-15,24-27\n");
  tree.file("/proc/cpuinfo", kMilan);
  EXPECT_TRUE(pcie_pmus(events::EventSources(tree.root())).empty());
  tree.file("/proc/cpuinfo", kGenoa);
  const events::EventSources sources(tree.root());
  const auto pmus = pcie_pmus(sources);
  ASSERT_EQ(pmus.size(), 1u);
  EXPECT_EQ(pmus[0].rules.size(), 16u);
  EXPECT_EQ(pmus[0].scope, "die");
  const auto event = event_of(pmus[0].rules[0], pmus[0], sources);
  ASSERT_TRUE(event) << event.error().what;
  EXPECT_EQ(event->config[0], 0x1fu | std::uint64_t{8} << 32 | std::uint64_t{0xff} << 8 | std::uint64_t{7} << 24);
  EXPECT_EQ(event->scale, 64);
}

void add_fabric(const Tree& tree) {
  tree.file(pmu_folder("amd_df") + "/type", "60\n");
  tree.file(pmu_folder("amd_df") + "/cpumask", "0\n");
  tree.file(pmu_folder("amd_df") + "/format/event", "config:0-7,32-37\n");
  tree.file(pmu_folder("amd_df") + "/format/umask", "config:8-15,24-27\n");
}

std::string amd(int family, int model) {
  return "vendor_id : AuthenticAMD\ncpu family : " + std::to_string(family) + "\nmodel : " + std::to_string(model) +
         "\n";
}

TEST(PcieRulesByPmu, AmdZen5HasEightRootComplexesPerDirection) {
  const Tree tree;
  add_fabric(tree);
  for (const int model : {0x02, 0x11, 0x24, 0x44, 0x70}) {
    tree.file("/proc/cpuinfo", amd(26, model));
    const events::EventSources sources(tree.root());
    const auto pmus = pcie_pmus(sources);
    ASSERT_EQ(pmus.size(), 1u) << model;
    ASSERT_EQ(pmus[0].rules.size(), 16u) << model;
    std::set<std::uint64_t> configs;
    for (const auto& rule : pmus[0].rules) {
      const auto event = event_of(rule, pmus[0], sources);
      ASSERT_TRUE(event) << event.error().what;
      EXPECT_EQ(event->scale, 64);
      configs.insert(event->config[0]);
    }
    EXPECT_EQ(configs.size(), 16u);
    // 0x9df with umask 0x7fe: bits 0-7 and 32-37, 8-15 and 24-27
    EXPECT_EQ(configs.count(0xdfu | std::uint64_t{9} << 32 | 0xfeu << 8 | 7u << 24), 1u);
    EXPECT_EQ(configs.count(0x1fu | std::uint64_t{8} << 32 | 0xffu << 8 | 7u << 24), 1u);
  }
  tree.file("/proc/cpuinfo", amd(26, 0x50));
  EXPECT_TRUE(pcie_pmus(events::EventSources(tree.root())).empty()) << "family 1Ah, but Zen 6";
}

TEST(PcieRulesByPmu, AmdDfCounterNumberComesFromCpuid) {
  const Tree tree;
  add_fabric(tree);
  tree.file("/proc/cpuinfo", kGenoa);
  const auto rule_with = [&](clock::sources::CpuidRegisters highest, clock::sources::CpuidRegisters monitoring) {
    const events::EventSources sources(tree.root(), [=](std::uint32_t leaf) {
      return leaf == 0x80000000 ? highest : leaf == 0x80000022 ? monitoring : clock::sources::CpuidRegisters{};
    });
    return pcie_pmus(sources).at(0).rules.at(0);
  };
  const clock::sources::CpuidRegisters reaches{0x80000028, 0, 0, 0};
  // 6 of the core, 16 of the branch records, 16 of the fabric, 12 of the memory controllers
  const clock::sources::CpuidRegisters genoa{1, 6u | 16u << 4 | 16u << 10 | 12u << 16, 0, 0};
  const auto told = rule_with(reaches, genoa);
  EXPECT_EQ(told.counters, 16u);
  EXPECT_EQ(told.counters_text(), "16 counters (CPUID 0x80000022) of 48 bits");
  for (const auto& silent : {rule_with({0x80000021, 0, 0, 0}, genoa), rule_with(reaches, {0, genoa.ebx, 0, 0}),
                             rule_with(reaches, {1, 6, 0, 0})}) {
    EXPECT_EQ(silent.counters, 4u);
    EXPECT_EQ(silent.counters_text(), "4 counters (assumed) of 48 bits");
  }
  EXPECT_EQ(pcie_pmus(events::EventSources(tree.root())).at(0).rules.at(0).counters_text(),
            "4 counters (assumed) of 48 bits")
      << "a recorded tree is not of this processor";
  EXPECT_EQ(events::EventSources("").cpuid() ? 1 : 0, 1);
}

TEST(PcieRulesByPmu, APmuNameWithASuffixIsAnotherPmu) {
  const Tree tree;
  for (const char* name : {"nvidia_pcie_pmu_0", "nvidia_pcie_pmu_0_rc_4"}) {
    tree.file(pmu_folder(name) + "/type", "70\n");
    tree.file(pmu_folder(name) + "/format/event", "config:0-31\n");
    for (const char* event : {"rd_bytes_loc", "rd_bytes_rem", "wr_bytes_loc", "wr_bytes_rem", "rd_bytes", "wr_bytes"}) {
      tree.file(pmu_folder(name) + "/events/" + event, "event=0x1\n");
    }
  }
  const auto pmus = pcie_pmus(events::EventSources(tree.root()));
  ASSERT_EQ(pmus.size(), 2u);
  EXPECT_EQ(find(pmus, "nvidia_pcie_pmu_0")->rules.size(), 4u);
  EXPECT_EQ(find(pmus, "nvidia_pcie_pmu_0_rc_4")->rules.size(), 2u);
  EXPECT_EQ(find(pmus, "nvidia_pcie_pmu_0_rc_4")->scope, "complex");
}

TEST(PcieRulesByPmu, ArmCmnEventsOfAllPortsAreRules) {
  const Tree tree;
  tree.file(pmu_folder("arm_cmn_0") + "/type", "80\n");
  tree.file(pmu_folder("arm_cmn_0") + "/format/eventid", "config:16-26\n");
  for (const char* event : {"rnid_s0_rdata_beats", "rnid_s0_wdata_beats", "rnid_s2_wdata_beats", "hnf_mc_reqs"}) {
    tree.file(pmu_folder("arm_cmn_0") + "/events/" + event, "eventid=0x1\n");
  }
  const auto pmus = pcie_pmus(events::EventSources(tree.root()));
  ASSERT_EQ(pmus.size(), 1u);
  EXPECT_EQ(pmus[0].rules.size(), 3u);
}

TEST(EventOf, HasTypeConfigAndCpumaskForOpening) {
  const Tree tree;
  tree.payload_pmu("pcie_bdf_200", 22);
  const events::EventSources sources(tree.root());
  const auto pmu = pcie_pmu_of(*parse_pci_address("00:02.0"), sources);
  ASSERT_TRUE(pmu);
  const auto event = event_of(pmu->rules[0], *pmu, sources);
  ASSERT_TRUE(event) << event.error().what;
  EXPECT_EQ(event->type, 22u);
  EXPECT_EQ(event->config[0], 0x21u);
  EXPECT_EQ(event->scale, 16);
  EXPECT_EQ(event->reach, events::Reach::system);
  EXPECT_EQ(event->cpus, std::vector<int>{0});
}

TEST(CommandOverhead, NvmeAddsQueueEntriesPerCommand) {
  const auto reads = nvme_overhead(1000, 4096 * 1000, 0, 0);
  EXPECT_EQ(reads.to_memory_bytes, 20 * 1000);
  EXPECT_EQ(reads.from_memory_bytes, 72 * 1000);
  const auto writes = nvme_overhead(0, 0, 1000, 4096 * 1000);
  EXPECT_NEAR(writes.from_memory_bytes / (4096 * 1000) * 100, 1.76, 0.01);
  const auto two_pages = nvme_overhead(0, 0, 10, 8192 * 10);
  EXPECT_EQ(two_pages.from_memory_bytes, 720) << "the second page's address is in the command";
  const auto large = nvme_overhead(0, 0, 10, 131072 * 10);
  EXPECT_EQ(large.from_memory_bytes, 720 + 10 * 31 * 8);
  EXPECT_THAT(large.how, HasSubstr("2480 of PRP lists"));
  const auto none = nvme_overhead(0, 0, 0, 0);
  EXPECT_EQ(none.to_memory_bytes + none.from_memory_bytes, 0);
}

TEST(CommandOverhead, AhciAddsCommandTableAndFisPerCommand) {
  const auto read = ahci_overhead(8192, std::uint64_t{8192} << 20);
  EXPECT_EQ(read.to_memory_bytes, 77 * 8192);
  EXPECT_EQ(read.from_memory_bytes, 8192 * (96 + 16 * 16));
  EXPECT_EQ(ahci_overhead(10, 40960).from_memory_bytes, 10 * 112) << "at least one PRDT entry a command";
}

}  // namespace
}  // namespace fathom::pmu::pcie
