// A directory a size, hugepages-2048kB, and a file a number.
#include "host/machine/huge_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::host::machine {
namespace {

constexpr const char* kPoolsFolder = "/sys/kernel/mm/hugepages/";
constexpr std::string_view kPoolName = "hugepages-";

std::uint64_t count_in(const std::string& path) { return std::strtoull(proc::read_line(path).c_str(), nullptr, 10); }

}  // namespace

std::string huge_pages_folder(std::uint64_t page_bytes) {
  return fmt::format("{}{}{}kB/", kPoolsFolder, kPoolName, page_bytes >> 10);
}

std::vector<HugePages> huge_pages(const std::string& prefix) {
  std::vector<HugePages> pools;
  for (const auto& name : proc::list_names(prefix + kPoolsFolder)) {
    if (!name.starts_with(kPoolName)) continue;
    HugePages pool;
    pool.page_bytes = std::strtoull(name.c_str() + kPoolName.size(), nullptr, 10) << 10;
    const std::string folder = prefix + huge_pages_folder(pool.page_bytes);
    pool.total = count_in(folder + "nr_hugepages");
    pool.free = count_in(folder + "free_hugepages");
    pool.promised = count_in(folder + "resv_hugepages");
    if (pool.page_bytes > 0) pools.push_back(pool);
  }
  std::sort(pools.begin(), pools.end(), [](const auto& a, const auto& b) { return a.page_bytes < b.page_bytes; });
  return pools;
}

std::string thp_setting(const std::string& file, const std::string& prefix) {
  return proc::chosen(proc::read_line(prefix + kThpFolder + file));
}

}  // namespace fathom::host::machine
