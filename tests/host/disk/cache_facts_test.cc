// A made-up CPU's caches, and a kernel that shows none.
#include "host/disk/cache_facts.h"

#include <gtest/gtest.h>

#include "host/temp_tree.h"

namespace fathom::host::disk {
namespace {

TEST(CacheFacts, ListsEachCpuCacheInTheKernelsOrder) {
  const testing::TempTree tree;
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/";
  const auto cache = [&](const std::string& name, const char* type, const char* level, const char* size) {
    tree.file(folder + name + "/type", std::string(type) + "\n");
    tree.file(folder + name + "/level", std::string(level) + "\n");
    tree.file(folder + name + "/size", std::string(size) + "\n");
    tree.file(folder + name + "/number_of_sets", "64\n");
    tree.file(folder + name + "/coherency_line_size", "64\n");
    tree.file(folder + name + "/physical_line_partition", "1\n");
    tree.file(folder + name + "/ways_of_associativity", "8\n");
  };
  cache("index0", "Data", "1", "32K");
  cache("index1", "Unified", "3", "16M");
  tree.file(folder + "uevent", "\n");
  const auto caches = cache_facts(tree.root());
  ASSERT_EQ(caches.size(), 2u);
  EXPECT_EQ(caches[0].type, "Data");
  EXPECT_EQ(caches[0].capacity_kib, 32u);
  EXPECT_EQ(caches[0].sets, 64u);
  EXPECT_EQ(caches[0].line_bytes, 64u);
  EXPECT_EQ(caches[0].partitions, 1u);
  EXPECT_EQ(caches[0].ways, 8u);
  EXPECT_EQ(caches[1].level, 3u);
  EXPECT_EQ(caches[1].capacity_kib, 16'384u);
}

TEST(CacheFacts, AreEmptyWithoutSysfs) {
  const testing::TempTree tree;
  EXPECT_TRUE(cache_facts(tree.root()).empty());
}

}  // namespace
}  // namespace fathom::host::disk
