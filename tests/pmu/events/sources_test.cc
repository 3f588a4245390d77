// Event sources from recorded sysfs trees, one a PMU family.
#include "pmu/events/sources.h"

#include <gtest/gtest.h>

#include "host/temp_tree.h"
#include "pmu/recorded.h"

namespace fathom::pmu::events {
namespace {

using testing::recorded;

struct Family {
  const char* folder;
  const char* pmu;
  std::uint32_t type;
  std::size_t events, formats;
  std::vector<int> cpumask;
};

TEST(EventSources, ReadEveryRecordedFamily) {
  const Family families[] = {
      {"pcie_bdf", "pcie_bdf_200", 60, 22, 3, {0}},
      {"dwc_rootport", "dwc_rootport_3018", 71, 43, 3, {0}},
      {"hisi_pcie", "hisi_pcie0_core0", 80, 18, 8, {0}},
      {"uncore_iio_free_running", "uncore_iio_free_running_1", 31, 9, 2, {0, 28}},
      {"uncore_iio", "uncore_iio_2", 42, 0, 7, {0, 28}},
      {"amd_df", "amd_df", 14, 0, 2, {0}},
      {"nvidia_pcie_pmu", "nvidia_pcie_pmu_0", 25, 15, 2, {0}},
      {"mrvl_pcie_rc_pmu", "mrvl_pcie_rc_pmu_87e0a0000000", 33, 18, 1, {0}},
      {"arm_cmn", "arm_cmn_0", 22, 6, 7, {0}},
      {"msr", "msr", 9, 2, 1, {}},
      {"power", "power", 11, 1, 1, {0}},
  };
  for (const auto& family : families) {
    const auto sources = recorded(family.folder);
    const Source* source = sources.find(family.pmu);
    ASSERT_NE(source, nullptr) << family.pmu;
    EXPECT_EQ(source->type, family.type) << family.pmu;
    EXPECT_EQ(source->events.size(), family.events)
        << family.pmu << ": .scale, .unit, .per-pkg, .snapshot are no events";
    EXPECT_EQ(source->formats.size(), family.formats) << family.pmu;
    EXPECT_EQ(source->cpumask, family.cpumask) << family.pmu;
    EXPECT_EQ(source->has_cpumask, !family.cpumask.empty()) << family.pmu;
  }
}

TEST(EventSources, ScaleAndUnitBelongToTheirEvent) {
  const auto sources = recorded("power");
  const NamedEvent* energy = sources.find("power")->find("energy-pkg");
  ASSERT_NE(energy, nullptr);
  EXPECT_DOUBLE_EQ(energy->scale, 0x1p-32);
  EXPECT_EQ(energy->unit, "Joules");
  const auto iio = recorded("uncore_iio_free_running");
  EXPECT_EQ(iio.find("uncore_iio_free_running_0")->find("ioclk")->scale, 1);
  EXPECT_NEAR(iio.find("uncore_iio_free_running_0")->find("bw_in_port0")->scale * (1 << 20), 4, 1e-6);
}

TEST(EventSources, CpusOfACorePmuIsNotTakenAsItsCpumask) {
  host::testing::TempTree tree;
  tree.file("/sys/bus/event_source/devices/cpu_atom/type", "10\n");
  tree.file("/sys/bus/event_source/devices/cpu_atom/cpus", "16-23\n");
  const EventSources sources(tree.root());
  EXPECT_EQ(sources.find("cpu_atom")->cpumask.size(), 8u);
  EXPECT_FALSE(sources.find("cpu_atom")->has_cpumask) << "it counts tasks";
  EXPECT_TRUE(sources.find("cpu_atom")->core);
}

TEST(EventSources, AMissingTypeIsNotType0) {
  EXPECT_FALSE(recorded("notype").find("notype")->type);
  host::testing::TempTree tree;
  tree.file("/sys/bus/event_source/devices/large/type", "4294967296\n");
  tree.file("/sys/bus/event_source/devices/zero/type", "0\n");
  const EventSources sources(tree.root());
  EXPECT_FALSE(sources.find("large")->type) << "it has 32 bits";
  EXPECT_EQ(sources.find("zero")->type, 0u);
}

TEST(EventSources, MalformedFilesOfADriverAreSkipped) {
  host::testing::TempTree tree;
  const std::string pmu = "/sys/bus/event_source/devices/odd";
  tree.file(pmu + "/type", "77\n");
  tree.file(pmu + "/format/good", "config:0-3\n");
  tree.file(pmu + "/format/bad", "config9:0-3\n");
  tree.file(pmu + "/events/empty", "\n");
  tree.file(pmu + "/events/fine", "good=1\n");
  tree.file(pmu + "/events/fine.scale", "much\n");
  const EventSources sources(tree.root());
  const Source* odd = sources.find("odd");
  ASSERT_NE(odd, nullptr);
  EXPECT_EQ(odd->formats.size(), 1u);
  ASSERT_EQ(odd->events.size(), 1u);
  EXPECT_EQ(odd->events[0].scale, 1);
}

TEST(EventSources, AreEmptyWithoutSysfs) { EXPECT_TRUE(EventSources("/nonexistent").all().empty()); }

}  // namespace
}  // namespace fathom::pmu::events
