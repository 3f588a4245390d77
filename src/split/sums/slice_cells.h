// What was added to a job's cells (band_table.h) slice by slice: only those that were, for where the edges of the bands
// lie is known when the run is over. A run of days has more slices than anybody needs: of the first two thousand on, two
// neighbours are put together, again and again, so that the memory has a bound (some MiB a class) and the jackknife over
// what is kept is one over longer groups. Thread rule: one thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "split/band_table.h"

namespace fathom::split::sums {

// Of one slice, or of some neighbours.
struct SliceCells {
  std::vector<std::uint16_t> at;  // rising
  std::vector<BandCell> cells;
  void add(const SliceCells& other);
};

class SliceLedger {
 public:
  explicit SliceLedger(std::size_t most_groups = 2048) : most_(most_groups) {}
  // now: all cells as they stand when a slice is over, kCells. One to which nothing came is none.
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
