// Lists of nodes as the kernel writes them, where pages lie on this machine, and what is said of a placement. Two nodes
// are there in the guest (tests/guest/paging/placement.py).
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>

#include <filesystem>
#include <fstream>

#include "paging/memory/numa.h"
#include "paging/memory/region.h"

namespace fathom::paging::memory {
namespace {

namespace fs = std::filesystem;

TEST(Numa, memory_nodes_and_node_cpus_are_read_from_sysfs) {
  const fs::path root = fs::path(::testing::TempDir()) / "fathom-numa";
  const fs::path nodes = root / "sys/devices/system/node";
  fs::create_directories(nodes / "node1");
  std::ofstream(nodes / "has_memory") << "0-1\n";
  std::ofstream(nodes / "node1/cpulist") << "\n";
  EXPECT_EQ(memory_nodes(root), (std::vector{0, 1}));
  EXPECT_TRUE(node_cpus(1, root).empty());  // a node of memory only
  EXPECT_TRUE(memory_nodes(root / "none").empty());
  fs::remove_all(root);
}

TEST(Numa, a_node_that_does_not_exist_is_refused) {
  if (memory_nodes().empty()) GTEST_SKIP() << "a kernel without NUMA";
  for (const bool initial : {false, true}) {
    RegionPlan plan;
    if (initial) plan.initial_node = 999;
    if (!initial) plan.memory_nodes = {999};
    std::vector<result::Finding> findings;
    const auto region = Region::map(plan, findings);
    ASSERT_FALSE(region.ok());
    EXPECT_EQ(region.error().kind, base::ErrorKind::usage);
    EXPECT_NE(region.error().cause.find("nodes with memory: 0"), std::string::npos) << region.error().cause;
  }
}

using Counts = std::vector<std::pair<int, std::uint64_t>>;
constexpr std::uint64_t kSet_bytes = 4 << 20, kSetPages = kSet_bytes / 4096;

RegionPlan four_mib() {
  RegionPlan plan;
  plan.map_bytes = 2 * kSet_bytes;
  plan.set_bytes = kSet_bytes;
  plan.thp = Thp::never;
  return plan;
}

Region filled(const RegionPlan& plan) {
  std::vector<result::Finding> findings;
  auto region = Region::map(plan, findings);
  EXPECT_TRUE(region.ok() && findings.empty());
  EXPECT_TRUE(region->fill(plan, [] { return false; }).empty());
  return std::move(region).value();
}

// Throws the set's pages away and touches them anew.
void touch_again(const Region& region) {
  ASSERT_EQ(::madvise(region.data(), kSet_bytes, MADV_DONTNEED), 0);
  for (std::uint64_t at = 0; at < kSet_bytes; at += 4096)
    const_cast<volatile std::byte&>(region.data()[at]) = std::byte{1};
}

TEST(Numa, pages_bound_to_a_node_are_counted_on_it) {
  if (memory_nodes().empty()) GTEST_SKIP() << "a kernel without NUMA";
  for (const int node : memory_nodes()) {
    RegionPlan plan = four_mib();
    plan.memory_nodes = {node};
    plan.fill = Fill::random;
    const Region region = filled(plan);
    EXPECT_EQ(pages_by_node(region.data(), plan.map_bytes, 100000), (Counts{{-1, kSetPages}, {node, kSetPages}}));
    EXPECT_EQ(pages_by_node(region.data(), plan.map_bytes, 10), (Counts{{-1, 5}, {node, 5}}));
  }
}

TEST(Numa, initial_node_places_the_first_touch_only) {
  if (memory_nodes().empty()) GTEST_SKIP() << "a kernel without NUMA";
  for (const int node : memory_nodes()) {
    RegionPlan plan = four_mib();
    plan.initial_node = node;  // and no fill: the pages are touched all the same
    const Region region = filled(plan);
    EXPECT_EQ(pages_by_node(region.data(), kSet_bytes, 100000), (Counts{{node, kSetPages}}));
    touch_again(region);
    unsigned local = 0;
    ASSERT_EQ(::getcpu(nullptr, &local), 0);
    EXPECT_EQ(pages_by_node(region.data(), kSet_bytes, 100000), (Counts{{static_cast<int>(local), kSetPages}}));
  }
}

TEST(Numa, membind_applies_after_the_initial_placement) {
  const auto nodes = memory_nodes();
  if (nodes.size() < 2) GTEST_SKIP() << "one node";
  RegionPlan plan = four_mib();
  plan.initial_node = nodes[0];
  plan.memory_nodes = {nodes[1]};
  const Region region = filled(plan);
  EXPECT_EQ(pages_by_node(region.data(), kSet_bytes, 100000), (Counts{{nodes[0], kSetPages}}));
  touch_again(region);
  EXPECT_EQ(pages_by_node(region.data(), kSet_bytes, 100000), (Counts{{nodes[1], kSetPages}}));
}

TEST(Numa, placement_findings_count_resident_pages_only) {
  RegionPlan plan;
  EXPECT_TRUE(placement_findings(plan, {{0, 100}}).empty());
  plan.memory_nodes = {1};
  EXPECT_TRUE(placement_findings(plan, {{-1, 500}}).empty());
  auto found = placement_findings(plan, {{-1, 500}, {0, 1}, {1, 99}});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].severity, result::Severity::note);
  EXPECT_NE(found[0].evidence.find("99 of 100"), std::string::npos) << found[0].evidence;
  found = placement_findings(plan, {{0, 10}, {1, 90}});
  EXPECT_EQ(found[0].severity, result::Severity::warning);
  EXPECT_FALSE(found[0].remedy.empty());
  plan.initial_node = 0;  // where pages begin counts, not where they may go
  EXPECT_EQ(placement_findings(plan, {{0, 100}})[0].severity, result::Severity::note);
}

}  // namespace
}  // namespace fathom::paging::memory
