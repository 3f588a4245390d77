// A ratio of two sums over groups (a part's time over the whole's, slice by slice), and an interval that holds it in 95
// of 100 such experiments. The group is the unit of statistics, not what lies in it: I/Os of one slice of time share its
// weather, and a stall is in all of them or in none. Jackknife: the ratio without each group in turn, whose scatter is
// the estimate's own; Student's t by the number of groups. Source: Efron and Stein, "The jackknife estimate of
// variance", 1981; Cochran, "Sampling Techniques", chapter 6. Pure.
#pragma once
#include <cstddef>
#include <span>

namespace fathom::stats {

struct RatioGroup {
  double part = 0, whole = 0;
};
struct Ratio {
  double value = 0;
  double half_width = -1;  // of the 95 % interval; negative: fewer than three groups have a whole, and none is known
  std::size_t groups = 0;  // that have a whole
};
Ratio jackknife_ratio(std::span<const RatioGroup> groups);

}  // namespace fathom::stats
