// The block sizes that a job declares, as classes with the share of I/Os each was asked for: an entry of bssplit= is a
// class, a range is cut into at most sixteen of like width. What was delivered is counted by them. Pure functions.
#pragma once
#include <cstdint>
#include <vector>

#include "io/request.h"
#include "job/job.h"

namespace fathom::workload::places {

struct SizeClass {
  std::uint32_t low_bytes = 0, high_bytes = 0;  // both included
  double share = 0;                             // of the direction's I/Os; all together 1
};
inline constexpr std::size_t kMostSizeClasses = 64;

// In order of size; empty where the direction has one size, is not used, or has more entries than there may be classes.
std::vector<SizeClass> size_classes(const job::Job& job, io::Dir dir);

// Which of them; classes.size(): none.
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
