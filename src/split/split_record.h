// The sums of one worker over its I/Os (--breakdown=all, =slices), in memory shared with its parent. All-zero bytes are
// a valid, empty record, and pages are touched only when used.
// Thread rule: one writer (the worker); read after it ended.
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
  // no breakdown for any other reason: each I/O is in one of whole, uncovered, rest and others
  PartRecord rest;
  PartRecord others;  // not traced
  BandTable bands;    // I/Os with a breakdown
};

// slice: the slice of I/Os that begin now; 0: they are not traced. given_up: in slices up to this number, the programs
// were detached before all of the slice's I/Os were over. One writer, the parent.
struct Control {
  std::atomic<std::uint32_t> slice, given_up;
};

struct SplitRecord {
  double clock_error_ns;
  DirectionSplit dirs[4];  // io::Dir
};

}  // namespace fathom::split
