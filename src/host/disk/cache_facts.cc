// One directory per cache, index0 to indexN. A size is written as "32K". Values that cannot be read stay 0.
#include "host/disk/cache_facts.h"

#include <cstdlib>

#include "host/proc/text_file.h"

namespace fathom::host::disk {
namespace {

std::uint64_t number(const std::string& path) { return std::strtoull(proc::read_line(path).c_str(), nullptr, 10); }

std::uint64_t kib(const std::string& path) {
  const auto text = proc::read_line(path);
  char* unit = nullptr;
  const std::uint64_t size = std::strtoull(text.c_str(), &unit, 10);
  return *unit == 'M' ? size << 10 : *unit == 'K' ? size : size >> 10;
}

}  // namespace

std::vector<result::PagingCache> cache_facts(const std::string& prefix) {
  const std::string folder = prefix + "/sys/devices/system/cpu/cpu0/cache/";
  std::vector<result::PagingCache> caches;
  for (const auto& name : proc::list_names(folder)) {
    if (!name.starts_with("index")) continue;
    const auto cache = folder + name + "/";
    caches.push_back({proc::read_line(cache + "type"), number(cache + "level"), kib(cache + "size"),
                      number(cache + "number_of_sets"), number(cache + "coherency_line_size"),
                      number(cache + "physical_line_partition"), number(cache + "ways_of_associativity")});
  }
  return caches;
}

}  // namespace fathom::host::disk
