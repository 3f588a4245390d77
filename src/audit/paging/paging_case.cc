// Sums over workers.
#include "audit/paging/paging_case.h"

#include <algorithm>

namespace fathom::audit::paging {

double PagingCase::named(const std::map<std::string, std::uint64_t>& counts, const std::string& name) {
  const auto at = counts.find(name);
  return at == counts.end() ? 0 : static_cast<double>(at->second);
}

PagingCase paging_case(const result::Run& run, const std::vector<result::Count>& counts) {
  const auto& paging = *run.paging;
  PagingCase c{run, paging, counts, {}, 0, 0, 0, 0, 0, false};
  for (const auto& w : paging.workers) {
    for (std::size_t k = 0; k < result::kAccessClasses; ++k)
      for (const auto& latency : w.latency[k]) c.classes[k] += static_cast<double>(latency.moments_ns.n);
    c.kernel_minor += static_cast<double>(w.kernel_minor);
    c.kernel_major += static_cast<double>(w.kernel_major);
    c.extra += static_cast<double>(w.extra_faults);
    c.own += static_cast<double>(w.own_faults);
    ++c.threads;
  }
  c.file_backed = paging.memory.starts_with("file");
  return c;
}

bool has_swap(const result::Paging& paging) {
  const auto& swaps = paging.pressure.swaps;
  return std::any_of(swaps.begin(), swaps.end(), [](const auto& swap) { return swap.kind != "none"; });
}

double waited_faults(const PagingCase& c) { return std::max(0.0, c.kernel_major - c.vmstat("pgmajfault")); }
double foreign_faults(const PagingCase& c) { return std::max(0.0, c.vmstat("pgmajfault") - c.kernel_major); }

}  // namespace fathom::audit::paging
