// Computes the breakdown of four latency bands, from the loops' sums by I/O latency. If each I/O was traced, the bands
// are counted exactly. With slices, the parts' shares are those of the traced I/Os in each band, weighted by the band's
// time in the job's whole histogram, traced or not (stats/banded_ratio.h). This assumes that untraced I/Os were like
// traced ones of the same band. Tracing makes I/Os longer, short ones considerably. That overhead is subtracted before
// an I/O gets a band: otherwise the traced half of a fast job would have other bands than the rest.
//
// A band has shares if ten slices and a hundred I/Os have seen it (one I/O if each I/O was traced), and if nine tenths
// of the time of its traced I/Os could be attributed. Otherwise only the band's total time is reported. If no band has
// shares (a run of less than five seconds), there are no weights, and the intervals are those of the traced I/Os. Pure.
#pragma once
#include <span>

#include "result/breakdown.h"
#include "split/band_table.h"
#include "split/sums/slice_cells.h"
#include "stats/histogram.h"

namespace fathom::split::sums {

struct BandInput {
  std::span<const BandCell> cells;     // of all I/Os with a breakdown, kCells
  std::span<const SliceCells> slices;  // the same, by slice
  bool sliced = false;
  // no I/O limit is active: an I/O that a kernel thread queued was an async submit, not throttled
  bool held_is_handed = false;
  stats::Histogram rest;  // traced I/Os without a breakdown that are not in `uncovered`
};
// Computes the bands of a class from its latencies (whole, others, uncovered) and the probe overhead; with slices, the
// shares too.
void give_bands(const BandInput& in, result::BreakdownClass& to);

// The probe overhead per I/O: the median of the differences of the deciles, at least 0. A single decile may be between
// two sizes of I/O, and the mean follows the stalls. 0 if either histogram has fewer than a hundred I/Os.
double added_ns(const stats::Histogram& watched, const stats::Histogram& others);

}  // namespace fathom::split::sums
