// Also part of builds without BPF.
#include <algorithm>

#include "pmu/trace/programs/device_time_programs.h"

namespace fathom::pmu::trace::programs {

std::vector<SectorRange> joined(std::vector<SectorRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::vector<SectorRange> out;
  for (const auto& range : ranges) {
    if (!out.empty() && range.begin <= out.back().end)
      out.back().end = std::max(out.back().end, range.end);
    else
      out.push_back(range);
  }
  return out;
}

}  // namespace fathom::pmu::trace::programs
