// Counters of huge pages by size, from a tree of files.
#include "paging/memory/mthp.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace fathom::paging::memory {
namespace {

TEST(ReadMthp, ReadsCountersOfEachSizeButPmd) {
  char name[] = "/tmp/fathom-mthp-XXXXXX";
  const std::string prefix = ::mkdtemp(name);
  const std::filesystem::path top = prefix + "/sys/kernel/mm/transparent_hugepage";
  const auto put = [&](const std::string& file, const char* text) {
    std::filesystem::create_directories((top / file).parent_path());
    std::ofstream(top / file) << text;
  };
  put("hpage_pmd_size", "2097152\n");
  put("hugepages-64kB/stats/anon_fault_alloc", "120\n");
  put("hugepages-64kB/stats/swpout", "30\n");
  put("hugepages-64kB/stats/anon_fault_fallback", "7\n");
  put("hugepages-16kB/stats/split", "0\n");
  put("hugepages-2048kB/stats/anon_fault_alloc", "9\n");
  put("khugepaged/pages_to_scan", "4096\n");
  using Counts = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(read_mthp(prefix), (Counts{{"16kB.split", 0}, {"64kB.anon_fault_alloc", 120}, {"64kB.swpout", 30}}));
  std::filesystem::remove_all(prefix);
  EXPECT_TRUE(read_mthp(prefix).empty()) << "a kernel without them";
}

}  // namespace
}  // namespace fathom::paging::memory
