// Huge pages of the machine: reserved ones of each size, and the settings of transparent ones.
// Source: admin-guide/mm/hugetlbpage.rst, admin-guide/mm/transhuge.rst. Thread-safe.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::host::machine {

struct HugePages {
  std::uint64_t page_bytes = 0;
  std::uint64_t total = 0, free = 0;
  std::uint64_t promised = 0;  // of the free ones: reserved for mappings that exist
  std::uint64_t available() const { return free - (promised < free ? promised : free); }
  bool operator==(const HugePages&) const = default;
};

// The sizes in rising order; empty: a kernel without them. `prefix` precedes /sys, for tests.
std::vector<HugePages> huge_pages(const std::string& prefix = "");
// The directory of that size: its files `nr_hugepages` and `free_hugepages`.
std::string huge_pages_folder(std::uint64_t page_bytes);

inline constexpr const char* kThpFolder = "/sys/kernel/mm/transparent_hugepage/";
// The chosen word of `file` in that folder: "always", "madvise", "never"; empty: a kernel without them.
std::string thp_setting(const std::string& file, const std::string& prefix = "");

}  // namespace fathom::host::machine
