// The random map of a job with several block sizes (bsrange, bssplit): every block of the window once, in random order,
// in the sizes that were asked for.
//
// fio draws a place, then a size, and cuts the I/O where it meets a block that was visited: towards the end of a pass
// only gaps are left, and what is delivered is half the mean size that was declared. Here the window is laid out in
// tiles before the job begins: sizes are drawn one after the other, each tile beginning where the last one ends, and
// the tiles are then visited in the order of a keyed permutation of their numbers, another in each pass. The delivered
// sizes are the drawn ones, but for the last tile, which is cut at the end of the window.
//
// A bit a smallest block marks where tiles begin; at most a MiB of samples, the place of every 2^n-th tile, is where
// the search for a tile by its number starts (select by samples: Clark, "Compact Pat Trees", 1996, in one level). What
// a tile is (its size, and whose) is not kept: it is drawn again from a generator that is seeded by the tile's place.
// Directions that draw from mixes of their own are lanes: a tile belongs to one of them, by the shares of the job's
// mix, each lane goes through the whole order for its own, and takes another's tiles only when none of its own is left.
// Thread rule: one owner.
#pragma once
#include <cstdint>
#include <vector>

#include "pattern/permutation.h"
#include "workload/places/sizes.h"

namespace fathom::workload::places {

class Tiling {
 public:
  struct Lane {
    Sizes sizes;  // the smallest of all lanes is the unit
    double share = 1;
  };
  struct Tile {
    std::uint64_t offset = 0;  // bytes from the start of the window
    std::uint32_t length = 0;
    std::uint32_t lane = 0;
  };

  Tiling() = default;
  // Lays the window out: a draw a tile, some five nanoseconds each.
  Tiling(std::uint64_t window_bytes, std::vector<Lane> lanes, std::uint64_t key);
  bool used() const { return !lanes_.empty(); }

  // Nothing visited, in the order of `key`.
  void begin(std::uint64_t key);
  // The next tile of a lane, or of another when it has none left; false: every tile was visited.
  bool next(std::size_t lane, Tile& out);

 private:
  void lay();
  void sample(std::uint64_t unit);
  bool next_of(std::size_t lane, Tile& out);
  Tile tile_at(std::uint64_t unit) const;
  std::uint64_t unit_of(std::uint64_t tile) const;

  std::uint64_t unit_bytes_ = 1, units_ = 0, tiles_ = 0, key_ = 0;
  std::vector<Lane> lanes_;
  std::vector<std::uint64_t> last_draws_;  // of each lane but the last: the tiles whose draw is no larger are its own
  std::vector<std::uint64_t> at_;          // of each lane: how far it has come in the order
  pattern::Permutation order_;
  std::vector<std::uint64_t> begins_;   // a bit a unit
  std::vector<std::uint64_t> samples_;  // the units where tiles 0, 2^shift_, 2 * 2^shift_ ... begin
  unsigned shift_ = 0;
};

}  // namespace fathom::workload::places
