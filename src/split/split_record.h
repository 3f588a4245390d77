// What one worker adds up of its own I/Os (--breakdown=all, =slices), in memory shared with its parent. All-zero bytes are a
// valid, empty record, and pages are touched only when used. Thread rule: one writer (the worker); read when it ended.
#pragma once
#include <atomic>
#include <cstdint>

#include "result/breakdown.h"
#include "split/band_table.h"
#include "stats/histogram.h"
#include "stats/moments.h"

namespace fathom::split {

struct PartRecord {
  stats::Moments moments;
  stats::RawHistogram counts;
  [[gnu::always_inline]] void add(std::uint64_t ns) {
    moments.add(ns);
    counts.add(ns);
  }
};

struct DirectionSplit {
  std::uint64_t ios, joined;
  result::BreakdownClass::Rest undivided[result::kUndivided];
  std::uint64_t flushes, fua, outside, outside_ns, outside_max_ns;
  PartRecord parts[result::kParts], whole, uncovered;
  PartRecord rest;    // not divided for any other reason: with these and `others` each I/O is in one
  PartRecord others;  // not watched
  BandTable bands;    // of those that were divided
};

// Whether I/Os that begin now are watched: the number of the slice, 0: they are not. Of slices up to `given_up` the
// programs were detached before all that had begun in them were over. One writer, the parent.
struct Control {
  std::atomic<std::uint32_t> slice, given_up;
};

struct SplitRecord {
  double clock_error_ns;
  DirectionSplit dirs[4];  // io::Dir
};

}  // namespace fathom::split
