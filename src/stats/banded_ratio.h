// Estimates a part's share of a job's time, for a job that was traced in slices of time, from bands of latency.
// Problem: the slices cover a tenth of the job's time, and one slice more or less with a stall changes the shares by
// more than anything else. Yet the total time of the stalls is known exactly: the job's histogram has every I/O, traced
// or not.
//
// Choice: a ratio estimate in each band (a part's time over the total time, over all slices), weighted by the band's
// share of the job's time. This is poststratification. It assumes that untraced I/Os of a band were like traced ones. A
// band that hardly any slice has seen has no ratio: its weight is omitted. The shares then add up to less than 1, and
// the report shows the difference. The interval is a jackknife over slices of the whole weighted sum, since slices, not
// I/Os, are the random sample. Few of them may have seen the band that causes the uncertainty. Student's t therefore
// takes its degrees of freedom from the number of slices that carry the scatter (a band seen in ten slices of a
// thousand has nine, not a thousand). Source: Cochran, "Sampling Techniques", chapters 5A and 6; Satterthwaite, 1946.
// Pure.
#pragma once
#include <span>

#include "stats/latency_bands.h"
#include "stats/ratio.h"

namespace fathom::stats {

// Sums of one slice.
struct BandedGroup {
  Banded part{}, whole{};
};
// Minimum number of slices that must have seen a band.
inline constexpr std::size_t kFewestInBand = 10;

struct BandedRatio {
  double value = 0;
  double half_width = -1;  // of the 95 % interval; negative: no band has a ratio
};
// weights: the band's share of the time; 0 for a band without a ratio.
BandedRatio jackknife_banded(std::span<const BandedGroup> groups, const Banded& weights);
// One band alone.
Ratio jackknife_band(std::span<const BandedGroup> groups, std::size_t band);

}  // namespace fathom::stats
