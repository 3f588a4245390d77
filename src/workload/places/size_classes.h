// The block sizes that a job declares, as classes with the requested share of I/Os. An entry of bssplit= is one class;
// a range is cut into at most sixteen classes of similar width. The achieved I/Os are counted by class. Pure functions.
#pragma once
#include <cstdint>
#include <vector>

#include "io/request.h"
#include "job/job.h"

namespace fathom::workload::places {

struct SizeClass {
  std::uint32_t low_bytes = 0, high_bytes = 0;  // both included
  double share = 0;                             // of the direction's I/Os; the sum of all classes is 1
};
inline constexpr std::size_t kMostSizeClasses = 64;

// In order of size. Empty: the direction has one size, is not used, or has more entries than kMostSizeClasses; or the
// job replays a trace, which has its own sizes.
std::vector<SizeClass> size_classes(const job::Job& job, io::Dir dir);

// The class of this size; classes.size(): no class.
inline std::size_t class_of(const std::vector<SizeClass>& classes, std::uint32_t bytes) {
  std::size_t low = 0, high = classes.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (classes[middle].high_bytes < bytes)
      low = middle + 1;
    else
      high = middle;
  }
  return low < classes.size() && classes[low].low_bytes <= bytes ? low : classes.size();
}

}  // namespace fathom::workload::places
