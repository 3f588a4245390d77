// Where the time of four bands of latency went, from what the loops added up by how long an I/O took. Where each I/O was
// watched the bands are counted out. Of slices the parts' shares are those of what was watched in each band, weighted by
// the time that the job's whole histogram, watched or not, has there (stats/banded_ratio.h); that unwatched I/Os were like
// watched ones of the same band is the assumption. Watching makes I/Os longer, the short ones by much: that is taken off
// before an I/O is given a band, else the band of the watched half of a fast job would be another than that of the rest.
//
// A band has shares where ten slices and a hundred I/Os have seen it (where each I/O was watched: one I/O), and where nine
// tenths of the time of its watched I/Os could be divided; else only the time that it holds is told. Where no band has
// any (a run of less than five seconds), nothing is weighted, and the intervals are those of what was watched. Pure.
#pragma once
#include <span>

#include "result/breakdown.h"
#include "split/band_table.h"
#include "split/sums/slice_cells.h"
#include "stats/histogram.h"

namespace fathom::split::sums {

struct BandInput {
  std::span<const BandCell> cells;     // of all that were divided, kCells
  std::span<const SliceCells> slices;  // the same, slice by slice
  bool sliced = false;
  bool held_is_handed = false;  // nothing limits I/O: what a thread of the kernel queued was handed to it, not held
  stats::Histogram rest;        // of watched I/Os that were not divided and are not in `uncovered`
};
// From the latencies of the class (whole, others, uncovered), and what watching adds to an I/O: its bands, and of slices the shares.
void give_bands(const BandInput& in, result::BreakdownClass& to);

// What watching adds to an I/O: the median of the differences of the deciles, never below 0. One of them alone may lie
// between two sizes of I/O, and the mean follows the stalls. 0 where either has fewer than a hundred.
double added_ns(const stats::Histogram& watched, const stats::Histogram& others);

}  // namespace fathom::split::sums
