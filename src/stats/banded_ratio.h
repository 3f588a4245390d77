// A part's share of the time of a job that was watched in slices of time, put together from bands of latency. Problem:
// what was watched is a tenth of the job's time, and one slice more or less with a stall in it changes the shares by
// more than everything else does, while how much time the stalls took in all is known exactly: the job's histogram has
// every I/O, watched or not.
//
// Choice: a ratio estimate in each band (a part's time over the whole's, over all slices), weighted by what share of the
// job's time the band holds. That is poststratification, and assumes that within a band unwatched I/Os were like
// watched ones. A band that hardly any slice has seen has no ratio: its weight is left out, so that shares add up to
// less than 1, and by how much is told. The interval is a jackknife over slices of the whole weighted sum: slices, not
// I/Os, are what was drawn. Few of them may have seen the band that the doubt comes from, so Student's t is taken by
// how many slices carry the scatter (a band seen in ten slices of a thousand has nine degrees of freedom, not a
// thousand). Source: Cochran, "Sampling Techniques", chapters 5A and 6; Satterthwaite, 1946. Pure.
#pragma once
#include <span>

#include "stats/latency_bands.h"
#include "stats/ratio.h"

namespace fathom::stats {

// Of one slice.
struct BandedGroup {
  Banded part{}, whole{};
};
// The fewest slices that must have seen a band.
inline constexpr std::size_t kFewestInBand = 10;

struct BandedRatio {
  double value = 0;
  double half_width = -1;  // of the 95 % interval; negative: no band has a ratio
};
// weights: of the bands that have a ratio their shares of the time, of others 0.
BandedRatio jackknife_banded(std::span<const BandedGroup> groups, const Banded& weights);
// One band alone.
Ratio jackknife_band(std::span<const BandedGroup> groups, std::size_t band);

}  // namespace fathom::stats
