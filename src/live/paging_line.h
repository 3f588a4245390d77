// The status line of `fathom paging`: rate of accesses, faults, percentiles so far. Pure: the caller prints it.
#pragma once
#include <cstdint>
#include <string>

namespace fathom::live {

struct PagingSnapshot {
  std::string phase;  // "mapping", "filling", "warming up", "measuring"
  double done_share = 0;
  double elapsed_s = 0, accesses_per_s = 0, minor_per_s = 0, major_per_s = 0;
  std::uint64_t ns_p50 = 0, ns_p99 = 0;
  std::uint64_t eta_s = 0;
};
std::string paging_line(const PagingSnapshot& s);

}  // namespace fathom::live
