// One directory per size below transparent_hugepage, one file per counter.
#include "paging/memory/mthp.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "host/proc/text_file.h"

namespace fathom::paging::memory {
namespace {

constexpr const char* kCounters[] = {"anon_fault_alloc", "shmem_alloc", "swpin", "swpout", "split", "zswpout"};

}  // namespace

std::map<std::string, std::uint64_t> read_mthp(const std::string& prefix) {
  constexpr std::string_view kFolder = "hugepages-";
  const std::string top = prefix + "/sys/kernel/mm/transparent_hugepage";
  const std::uint64_t pmd_bytes = std::strtoull(host::proc::read_line(top + "/hpage_pmd_size").c_str(), nullptr, 10);
  std::map<std::string, std::uint64_t> counts;
  std::error_code none;
  for (const auto& folder : std::filesystem::directory_iterator(top, none)) {
    const std::string name = folder.path().filename();
    if (!name.starts_with(kFolder)) continue;
    const std::string size = name.substr(kFolder.size());
    if (std::strtoull(size.c_str(), nullptr, 10) << 10 == pmd_bytes) continue;
    for (const char* counter : kCounters) {
      const std::string text = host::proc::read_line(folder.path().string() + "/stats/" + counter);
      if (!text.empty()) counts[size + "." + counter] = std::strtoull(text.c_str(), nullptr, 10);
    }
  }
  return counts;
}

}  // namespace fathom::paging::memory
