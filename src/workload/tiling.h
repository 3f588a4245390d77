// The random map of a job with several block sizes (bsrange, bssplit): every block of the window once, in random order,
// in the sizes that were asked for.
//
// fio draws a place, then a size, and cuts the I/O where it meets a block that was visited: towards the end of a pass
// only gaps are left, and what is delivered is half the mean size that was declared. Here the window is laid out in
// tiles before the pass begins: sizes are drawn one after the other, each tile beginning where the last one ends, and
// the tiles are then visited in the order of a keyed permutation. The delivered sizes are the drawn ones, but for the
// last tile, which is cut at the end of the window.
//
// A bit a smallest block marks where tiles begin. What a tile is (its size, and whose) is not kept: it is drawn again
// from a generator that is seeded by the tile's place. A pass looks at each unit once for each of the directions that
// draw from mixes of their own (lanes): a tile belongs to one of them, by the shares of the job's mix, and its visitor
// takes another's only when none of its own is left. Thread rule: one owner.
#pragma once
#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "pattern/permutation.h"
#include "workload/sizes.h"

namespace fathom::workload {

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
  Tiling(std::uint64_t window_bytes, std::vector<Lane> lanes);
  bool used() const { return !lanes_.empty(); }

  // Lays the window out anew, nothing visited. Costs a draw a tile.
  void begin(std::uint64_t key);
  // The next tile of a lane, or of another when it has none left; false: every tile was visited.
  bool next(std::size_t lane, Tile& out);

 private:
  bool next_of(std::size_t lane, Tile& out);
  Tile tile_at(std::uint64_t unit) const;
  bool begins_at(std::uint64_t unit) const { return begins_[unit / 64] >> unit % 64 & 1; }

  std::uint64_t window_bytes_ = 0, unit_bytes_ = 1, units_ = 0, key_ = 0;
  std::vector<Lane> lanes_;
  std::vector<std::uint64_t> last_draws_;  // of each lane but the last: the tiles whose draw is no larger are its own
  std::vector<std::uint64_t> at_;          // of each lane: how far it has come in the order
  pattern::Permutation order_;
  std::vector<std::uint64_t> begins_;  // bits
};

}  // namespace fathom::workload
