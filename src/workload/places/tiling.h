// The random map of a job with several block sizes (bsrange, bssplit): every block of the window once, in random order,
// in the requested sizes.
//
// fio draws a position, then a size, and cuts the I/O at a block that was already visited. Towards the end of a pass
// only gaps remain, and the achieved mean size is half the declared one. Here the window is divided into tiles before
// the job begins: sizes are drawn one after the other, and each tile begins at the end of the previous one. The tiles
// are then visited in the order of a keyed permutation of their numbers, a different one in each pass. The achieved
// sizes are the drawn ones, except for the last tile, which is cut at the end of the window.
//
// One bit per smallest block marks the start of a tile. At most 1 MiB of samples, the position of every 2^n-th tile,
// gives the start of the search for a tile by its number (select by samples: Clark, "Compact Pat Trees", 1996, in one
// level). The size and lane of a tile are not stored: they are drawn again from a generator seeded with its position.
// Directions with different mixes of sizes are lanes: a tile belongs to one of them, by the shares of the job's mix.
// Each lane goes through the whole order for its tiles, and takes another lane's tiles only when its own are used up.
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
  // Divides the window: one draw per tile, some five nanoseconds each.
  Tiling(std::uint64_t window_bytes, std::vector<Lane> lanes, std::uint64_t key);
  bool used() const { return !lanes_.empty(); }

  // Marks all tiles as unvisited, in the order of `key`.
  void begin(std::uint64_t key);
  // The next tile of a lane, or of another lane if its own are used up; false: every tile was visited.
  bool next(std::size_t lane, Tile& out);

 private:
  void lay();
  void sample(std::uint64_t unit);
  bool next_of(std::size_t lane, Tile& out);
  Tile tile_at(std::uint64_t unit) const;
  std::uint64_t unit_of(std::uint64_t tile) const;

  std::uint64_t unit_bytes_ = 1, units_ = 0, tiles_ = 0, key_ = 0;
  std::vector<Lane> lanes_;
  std::vector<std::uint64_t> last_draws_;  // by lane, without the last: it owns the tiles with a draw up to this
  std::vector<std::uint64_t> at_;          // by lane: its position in the order
  pattern::Permutation order_;
  std::vector<std::uint64_t> begins_;   // one bit per unit
  std::vector<std::uint64_t> samples_;  // the units at which tiles 0, 2^shift_, 2 * 2^shift_ ... begin
  unsigned shift_ = 0;
};

}  // namespace fathom::workload::places
