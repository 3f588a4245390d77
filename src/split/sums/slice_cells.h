// The increments of a job's cells (band_table.h), slice by slice. Only changed cells are kept, since the band edges are
// known only when the run is over. A run of days has more slices than needed. Beyond two thousand, neighbors are
// merged, repeatedly. The memory then has a limit (some MiB per class), and the jackknife uses longer groups.
// Thread rule: one thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "split/band_table.h"

namespace fathom::split::sums {

// Sums of one slice, or of several neighboring slices.
struct SliceCells {
  std::vector<std::uint16_t> at;  // rising
  std::vector<BandCell> cells;
  void add(const SliceCells& other);
};

class SliceLedger {
 public:
  explicit SliceLedger(std::size_t most_groups = 2048) : most_(most_groups) {}
  // now: all kCells cells at the end of a slice. A slice without an increment does not count.
  void take(std::span<const BandCell> now);
  std::span<const SliceCells> groups() const { return groups_; }
  std::uint64_t slices() const { return slices_; }

 private:
  void put_together();

  std::vector<BandCell> before_;
  std::vector<SliceCells> groups_;
  std::size_t most_;
  std::uint64_t slices_ = 0, in_last_ = 0, per_group_ = 1;
};

}  // namespace fathom::split::sums
