// A ratio of two sums over groups (a part's time over the total time, slice by slice), and its 95 % interval. The group
// is the unit of statistics, not its content: I/Os of one slice of time share its conditions, and a stall is in all of
// them or in none. Jackknife: the ratio is computed without each group in turn, and the scatter of these ratios is the
// estimate's own; Student's t by the number of groups. Source: Efron and Stein, "The jackknife estimate of variance",
// 1981; Cochran, "Sampling Techniques", chapter 6. Pure.
#pragma once
#include <cstddef>
#include <span>

namespace fathom::stats {

struct RatioGroup {
  double part = 0, whole = 0;
};
struct Ratio {
  double value = 0;
  double half_width = -1;  // of the 95 % interval; negative: unknown, since fewer than three groups have a whole
  std::size_t groups = 0;  // groups with a whole
};
Ratio jackknife_ratio(std::span<const RatioGroup> groups);

}  // namespace fathom::stats
