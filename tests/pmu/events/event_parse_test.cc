// Names of events against recorded PMUs: every bit of what is right, place and remedy of what is wrong.
#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include "host/temp_tree.h"
#include "pmu/events/sources.h"
#include "pmu/recorded.h"

namespace fathom::pmu::events {
namespace {

using host::testing::TempTree;
using testing::recorded;

struct Good {
  const char* family;
  const char* text;
  const char* name;
  std::uint32_t type;
  std::uint64_t config, config1, config2;
};
constexpr Good kGood[] = {
    {"pcie_bdf", "pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/", "pcie_bdf_200/Rx_PCIe_TLP_Data_Payload/", 60, 0x10021, 0, 0},
    {"pcie_bdf", "pcie_bdf_b00000/eventid=33,type=1/", "pcie_bdf_b00000/eventid=33,type=1/", 61, 0x10021, 0, 0},
    {"dwc_rootport", "dwc_rootport_3018/rx_memory_write,lane=3/", "dwc_rootport_3018/rx_memory_write,lane=3/", 71,
     0x31070b, 0, 0},
    {"dwc_rootport", "dwc_rootport_10/lane=2,tx_memory_read/", "dwc_rootport_10/lane=2,tx_memory_read/", 70, 0x210701,
     0, 0},
    {"dwc_rootport", "dwc_rootport_10/Rx_PCIe_TLP_Data_Payload,type=2,name=rx/", "rx", 70, 0x20021, 0, 0},
    {"hisi_pcie", "hisi_pcie0_core0/rx_mwr_flux,port=0x1,len_mode=1/",
     "hisi_pcie0_core0/rx_mwr_flux,port=0x1,len_mode=1/", 80, 0x104, 0x400, 0x1},
    {"amd_df", "amd_df/event=0x81f,umask=0x7fe/", "amd_df/event=0x81f,umask=0x7fe/", 14, 0x80700fe1f, 0, 0},
    {"nvidia_pcie_pmu", "nvidia_pcie_pmu_0/wr_bytes_loc,root_port=0x3/",
     "nvidia_pcie_pmu_0/wr_bytes_loc,root_port=0x3/", 25, 2, 3, 0},
    {"mrvl_pcie_rc_pmu", "mrvl_pcie_rc_pmu_87e0a0000000/ib_tlp_dwords_pr/",
     "mrvl_pcie_rc_pmu_87e0a0000000/ib_tlp_dwords_pr/", 33, 4, 0, 0},
    {"arm_cmn", "arm_cmn_0/rnid_s0_rdata_beats,bynodeid,nodeid=0x68,config1=7/",
     "arm_cmn_0/rnid_s0_rdata_beats,bynodeid,nodeid=0x68,config1=7/", 22, 0x68'8001'000a, 7, 0},
    {"msr", "msr//", "msr//", 9, 0, 0, 0},
    {"msr", " msr/tsc/ ", "msr/tsc/", 9, 0, 0, 0},
    {"msr", "cs", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 0, 0},
    {"msr", "faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0},
    {"msr", "cycles", "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0},
    {"msr", "LLC-store-misses", "LLC-store-misses", PERF_TYPE_HW_CACHE, 0x10102, 0, 0},
    {"msr", "r1a8", "r1a8", PERF_TYPE_RAW, 0x1a8, 0, 0},
};

TEST(ParseEvents, PlacesEveryTermInItsConfigBits) {
  for (const auto& good : kGood) {
    const auto sources = recorded(good.family);
    const auto events = parse_events(good.text, sources);
    ASSERT_TRUE(events) << good.text << ": " << events.error().what;
    ASSERT_EQ(events->size(), 1u) << good.text;
    const Event& event = events->front();
    EXPECT_EQ(event.name, good.name);
    EXPECT_EQ(event.type, good.type) << good.text;
    EXPECT_EQ(event.config[0], good.config) << good.text;
    EXPECT_EQ(event.config[1], good.config1) << good.text;
    EXPECT_EQ(event.config[2], good.config2) << good.text;
  }
}

struct Bad {
  const char* family;
  const char* text;
  int column;
  const char* what;
  const char* help;
};
constexpr Bad kBad[] = {
    {"msr", "", 1, "missing", ""},
    {"msr", "cs,,cs", 4, "missing", "one comma"},
    {"msr", "cs,", 3, "missing", ""},
    {"msr", "mrs/tsc/", 1, "no PMU `mrs`", "`msr`"},
    {"msr", "msr/tcs/", 5, "no event or term `tcs`", "`tsc`"},
    {"msr", "cs,msr/event=x/", 14, "not a number", "0x1f"},
    {"msr", "msr/tsc", 1, "closing `/`", ""},
    {"msr", "{cs,cs", 1, "closing `}`", ""},
    {"msr", "{cs,{cs}}", 5, "group inside a group", ""},
    {"msr", "{}", 1, "no events", ""},
    {"msr", "page-fault", 1, "no event", "`page-faults`"},
    {"msr", "page-falts", 1, "no event", "`page-faults`"},
    {"msr", "cs:q", 4, "no modifier `q`", "pinned"},
    {"msr", "msr/tsc,period=1/", 9, "sampling", ""},
    {"msr", "msr/tsc,smi/", 9, "two events", ""},
    {"msr", "msr/tsc,,event=1/", 9, "a term is missing", ""},
    {"dwc_rootport", "dwc_rootport_10/rx_memory_write/", 17, "needs a value for `lane`", "lane=*"},
    {"dwc_rootport", "dwc_rootport_10/rx_memory_write,lane=?/", 38, "not a number", ""},
    {"dwc_rootport", "dwc_rootport_10/rx_memory_write,lane=256/", 38, "8 bits", "0xff"},
    {"dwc_rootport", "dwc_rootport_10/rx_mem_write,lane=0/", 17, "rx_mem_write", "`rx_memory_write`"},
    {"dwc_rootport", "dwc_rootport_10/eventid=*/", 25, "at most 8 bits", "lane=*"},
    {"hexname", "cpum/CPU_CYCLES/", 1, "no PMU `cpum`", "`fathom pmu list`"},
    {"hexname", "amd/event=1/", 1, "no PMU `amd`", "`fathom pmu list`"},
    {"biglittle", "armv8_cortex/cpu_cycles/", 1, "no PMU", "`armv8_cortex_a53`"},
    {"notype", "notype/x/", 8, "no readable type", "dmesg"},
    {"notype", "x", 1, "no readable type", "dmesg"},
    {"uncore_imc", "free_running/data_read/", 1, "no PMU", ""},
    {"pcie_bdf", "pcie_bdf_300/Rx_PCIe_TLP_Data_Payload/", 1, "no PMU", "`pcie_bdf_200`"},
    {"pcie_bdf", "pcie_bdf_200/rx_pcie_tlp_data_paylod/", 14, "no event or term", "`Rx_PCIe_TLP_Data_Payload`"},
};

TEST(ParseEvents, ErrorsHavePlaceCauseAndSuggestion) {
  for (const auto& bad : kBad) {
    const auto sources = recorded(bad.family);
    const auto events = parse_events(bad.text, sources);
    ASSERT_FALSE(events) << bad.text;
    const auto& error = events.error();
    EXPECT_EQ(error.kind, base::ErrorKind::usage) << bad.text;
    EXPECT_NE(error.what.find(bad.what), std::string::npos) << bad.text << ": " << error.what;
    EXPECT_NE(error.help.find(bad.help), std::string::npos) << bad.text << ": " << error.help;
    ASSERT_TRUE(error.place) << bad.text;
    EXPECT_EQ(error.place->column, bad.column) << bad.text;
    EXPECT_EQ(error.place->line_text, bad.text);
  }
}

TEST(ParseEvents, ModifiersExcludeTheOtherModes) {
  const auto sources = recorded("msr");
  const auto events = parse_events("cs:u,cs:k,cs:uk,msr/tsc/D,msr/tsc/:h", sources);
  ASSERT_TRUE(events);
  const auto excluded = [&](std::size_t i) {
    return std::vector<bool>{(*events)[i].exclude_user, (*events)[i].exclude_kernel, (*events)[i].exclude_hv};
  };
  EXPECT_EQ(excluded(0), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(excluded(1), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(excluded(2), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(excluded(3), (std::vector<bool>{false, false, false}));
  EXPECT_TRUE((*events)[3].pinned);
  EXPECT_EQ((*events)[0].shown(), "cs:u");
  EXPECT_EQ((*events)[3].shown(), "msr/tsc/D");
}

TEST(ParseEvents, AGroupsModifiersAreAddedToItsMembers) {
  const auto events = parse_events("{cs:u,page-faults}:k,{cs:k}:D", recorded("msr"));
  ASSERT_TRUE(events);
  const auto& both = (*events)[0];
  EXPECT_FALSE(both.exclude_user || both.exclude_kernel) << "user and kernel, not neither";
  EXPECT_TRUE(both.exclude_hv);
  EXPECT_EQ(both.shown(), "cs:uk");
  EXPECT_TRUE((*events)[1].exclude_user);
  EXPECT_FALSE((*events)[1].exclude_kernel);
  EXPECT_TRUE((*events)[2].pinned && (*events)[2].exclude_user);
}

TEST(ParseEvents, MembersOfAGroupShareItsNumber) {
  const auto sources = recorded("msr");
  const auto events = parse_events("cs,{cs,faults}:u,{msr/tsc/,cs}", sources);
  ASSERT_TRUE(events);
  std::vector<int> groups, mentions;
  for (const auto& event : *events) groups.push_back(event.group), mentions.push_back(event.mention);
  EXPECT_EQ(groups, (std::vector<int>{-1, 0, 0, 1, 1}));
  EXPECT_EQ(mentions, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_TRUE((*events)[2].exclude_kernel) << "a group's modifiers are its members'";
  EXPECT_FALSE((*events)[3].exclude_kernel);
}

TEST(ParseEvents, AnUncorePmuCountsOnItsCpumask) {
  const auto sources = recorded("uncore_iio_free_running");
  const auto events = parse_events("uncore_iio_free_running_0/bw_in_port0/,cs", sources);
  ASSERT_TRUE(events);
  EXPECT_EQ((*events)[0].reach, Reach::system);
  EXPECT_EQ((*events)[0].cpus, (std::vector<int>{0, 28}));
  EXPECT_EQ((*events)[0].unit, "MiB");
  EXPECT_EQ((*events)[1].reach, Reach::task);
}

TEST(ParseEvents, APmuNameWithoutANumberMeansAllInstances) {
  const auto sources = recorded("uncore_iio");
  const auto events = parse_events("uncore_iio/event=0x83,umask=0x1,ch_mask=0x1,fc_mask=0x7/", sources);
  ASSERT_TRUE(events) << events.error().what;
  ASSERT_EQ(events->size(), 3u) << "and not the free running one";
  EXPECT_EQ((*events)[2].pmu, "uncore_iio_2");
  EXPECT_EQ((*events)[0].config[0], 0x701000000183u);
  EXPECT_EQ((*events)[2].mention, 0) << "they are summed under one name";
  EXPECT_EQ(parse_events("uncore_iio*/ioclk/", sources)->size(), 1u) << "PMUs without the event are passed over";
}

std::vector<std::string> pmus_of(const char* family, const char* text) {
  const auto events = parse_events(text, recorded(family));
  if (!events) return {events.error().what};
  std::vector<std::string> pmus;
  for (const auto& event : *events) {
    pmus.push_back(event.pmu);
    EXPECT_EQ(event.mention, 0) << text << ": they are summed under one name";
    EXPECT_EQ(event.name, text);
  }
  return pmus;
}

TEST(ParseEvents, UncoreMayBeLeftOutOfAPmusName) {
  const std::vector<std::string> both = {"uncore_imc_0", "uncore_imc_1"};
  for (const auto* text :
       {"uncore_imc/cas_count_read/", "imc/cas_count_read/", "imc_*/cas_count_read/", "cas_count_read"})
    EXPECT_EQ(pmus_of("uncore_imc", text), both) << text;
  EXPECT_EQ(pmus_of("uncore_imc", "imc_1/cas_count_read/"), std::vector{both[1]});
  EXPECT_EQ(pmus_of("uncore_imc", "imc_free_running/data_read/"),
            std::vector{std::string("uncore_imc_free_running_0")});
}

TEST(ParseEvents, APmuIsFoundByTheSecondNameOfItsDriver) {
  const std::vector<std::string> cha = {"uncore_cha_2"};
  for (const auto* text : {"uncore_type_0_2/event=1/", "type_0_2/event=1/", "uncore_type_0/event=1/"})
    EXPECT_EQ(pmus_of("uncore_imc", text), cha) << text;
}

TEST(ParseEvents, AnEventOfAPmuMayStandAlone) {
  const auto events = parse_events("cas_count_read:D,data_read", recorded("uncore_imc"));
  ASSERT_TRUE(events) << events.error().what;
  ASSERT_EQ(events->size(), 3u);
  EXPECT_EQ((*events)[1].shown(), "cas_count_read:D");
  EXPECT_EQ((*events)[1].type, 21u);
  EXPECT_EQ((*events)[1].config[0], 0x304u);
  EXPECT_EQ((*events)[1].unit, "MiB");
  EXPECT_EQ((*events)[2].mention, 1);
}

TEST(ParseEvents, ATermMayFillConfig4) {
  const auto events = parse_events("arm_spe_0/inv_data_src_filter=0xf0,config3=2/", recorded("uncore_imc"));
  ASSERT_TRUE(events) << events.error().what;
  EXPECT_EQ(events->front().config[4], 0xf0u);
  EXPECT_EQ(events->front().config[3], 2u);
}

TEST(ParseEvents, OnAHybridProcessorAnEventIsOneOfEachKindOfCore) {
  const auto events = parse_events("cycles:u,LLC-loads,r1a8,cs,mem-loads", recorded("hybrid"));
  ASSERT_TRUE(events) << events.error().what;
  std::vector<std::string> names;
  for (const auto& event : *events) names.push_back(event.shown());
  EXPECT_EQ(names, (std::vector<std::string>{"cpu_atom/cycles/u", "cpu_core/cycles/u", "cpu_atom/LLC-loads/",
                                             "cpu_core/LLC-loads/", "cpu_atom/r1a8/", "cpu_core/r1a8/", "cs",
                                             "cpu_atom/mem-loads/", "cpu_core/mem-loads/"}));
  const Event &atom = (*events)[0], &core = (*events)[1];
  EXPECT_EQ(atom.type, static_cast<std::uint32_t>(PERF_TYPE_HARDWARE));
  EXPECT_EQ(atom.config[0], 0xa'0000'0000u);
  EXPECT_EQ(core.config[0], 0x4'0000'0000u);
  EXPECT_EQ(core.reach, Reach::task);
  EXPECT_EQ(core.cpus, std::vector<int>{0});
  EXPECT_NE(atom.mention, core.mention) << "each has its own line";
  EXPECT_EQ((*events)[2].config[0], 0xa'0000'0002u);
  EXPECT_EQ((*events)[4].type, 10u);
  EXPECT_EQ((*events)[4].config[0], 0x1a8u);
  EXPECT_EQ((*events)[7].config[0], 0xd0u);
  EXPECT_EQ(parse_events("cycles", recorded("biglittle"))->size(), 2u);
  EXPECT_EQ(parse_events("cycles", recorded("hexname"))->size(), 1u);
}

TEST(ParseEvents, AGenericNameMayStandBetweenTheSlashesOfACore) {
  const auto events = parse_events("cpu_core/cycles/u,cpu_atom/LLC-loads/", recorded("hybrid"));
  ASSERT_TRUE(events) << events.error().what;
  EXPECT_EQ((*events)[0].type, static_cast<std::uint32_t>(PERF_TYPE_HARDWARE));
  EXPECT_EQ((*events)[0].config[0], 0x4'0000'0000u);
  EXPECT_EQ((*events)[0].shown(), "cpu_core/cycles/u");
  EXPECT_EQ((*events)[1].type, static_cast<std::uint32_t>(PERF_TYPE_HW_CACHE));
  EXPECT_EQ((*events)[1].config[0], 0xa'0000'0002u);
  EXPECT_FALSE(parse_events("cpu_core/cs/", recorded("hybrid"))) << "the kernel's own event is of no PMU";
  EXPECT_EQ(parse_events("cpum_cf/instructions/", recorded("hexname")).ok(), false);
}

TEST(ParseEvents, AGroupOfAHybridProcessorIsAGroupOfEachKindOfCore) {
  const auto events = parse_events("{cycles,instructions,cpu_core/slots/,cs},{cycles}", recorded("hybrid"));
  ASSERT_TRUE(events) << events.error().what;
  std::vector<int> groups;
  for (const auto& event : *events) groups.push_back(event.group);
  EXPECT_EQ(groups, (std::vector<int>{1, 2, 1, 2, 2, 0, 4, 5}));
}

TEST(ParseEvents, LaneWildcardCoversThePortsLinkWidth) {
  TempTree tree;
  std::filesystem::copy(testing::recorded_prefix("dwc_rootport"), tree.root(),
                        std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  tree.file("/sys/bus/pci/devices/0000:30:03.0/max_link_width", "4\n");
  const EventSources sources(tree.root());
  const auto narrow = parse_events("dwc_rootport_3018/rx_memory_write,lane=*/", sources);
  ASSERT_TRUE(narrow);
  ASSERT_EQ(narrow->size(), 4u);
  EXPECT_EQ((*narrow)[3].config[0], 0x31070bu);
  EXPECT_EQ((*narrow)[3].lane, 3);
  EXPECT_EQ((*narrow)[0].mention, (*narrow)[3].mention);
  EXPECT_EQ(parse_events("dwc_rootport_10/rx_memory_write,lane=*/", sources)->size(), 16u) << "unknown: the most";
}

TEST(ParseEvents, TracepointIdsAreReadFromTracefs) {
  TempTree tree;
  const std::string events_folder = "/sys/kernel/tracing/events/";
  tree.file(events_folder + "block/block_rq_issue/id", "1234\n");
  tree.file(events_folder + "block/block_rq_complete/id", "1235\n");
  tree.file(events_folder + "block/enable", "0\n");
  const EventSources sources(tree.root());
  const auto one = parse_events("block:block_rq_issue:k", sources);
  ASSERT_TRUE(one) << one.error().what;
  EXPECT_EQ(one->front().type, static_cast<std::uint32_t>(PERF_TYPE_TRACEPOINT));
  EXPECT_EQ(one->front().config[0], 1234u);
  EXPECT_EQ(one->front().shown(), "block:block_rq_issue:k");
  const auto all = parse_events("block:*", sources);
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_NE((*all)[0].mention, (*all)[1].mention) << "each has its own line";
  EXPECT_NE(parse_events("blok:x", sources).error().help.find("`block`"), std::string::npos);
  EXPECT_NE(parse_events("block:block_rq_isue", sources).error().help.find("`block_rq_issue`"), std::string::npos);
  EXPECT_FALSE(parse_events("block:../../x", sources));
}

TEST(ParseEvents, WithoutTracefsTheErrorSaysHowToMountIt) {
  TempTree tree;
  tree.folder("/sys/bus/event_source/devices");
  const EventSources sources(tree.root());
  const auto events = parse_events("block:block_rq_issue", sources);
  ASSERT_FALSE(events);
  EXPECT_EQ(events.error().kind, base::ErrorKind::privilege);
  EXPECT_NE(events.error().help.find("mount -t tracefs"), std::string::npos);
  EXPECT_TRUE(events.error().place);
}

}  // namespace
}  // namespace fathom::pmu::events
