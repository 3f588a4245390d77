// Laying tiles, and finding them again.
#include "workload/tiling.h"

#include <algorithm>

namespace fathom::workload {

Tiling::Tiling(std::uint64_t window_bytes, std::vector<Lane> lanes)
    : window_bytes_(window_bytes),
      unit_bytes_(lanes.front().sizes.min()),
      units_(window_bytes / unit_bytes_),
      lanes_(std::move(lanes)),
      at_(lanes_.size()),
      begins_(units_ / 64 + 1) {
  double total = 0, sum = 0;
  for (const Lane& lane : lanes_) total += lane.share;
  for (std::size_t i = 0; i + 1 < lanes_.size(); ++i) {
    sum += lanes_[i].share;
    last_draws_.push_back(sum >= total ? ~0ull : static_cast<std::uint64_t>(sum / total * 0x1p64L));
  }
}

Tiling::Tile Tiling::tile_at(std::uint64_t unit) const {
  base::Prng prng(key_ + unit * 0xd1342543de82ef95ull);
  std::uint32_t lane = 0;
  if (!last_draws_.empty()) {
    const std::uint64_t draw = prng.next();
    while (lane < last_draws_.size() && draw > last_draws_[lane]) ++lane;
  }
  // The last tile is cut. Drawing it again until it fits, as for the end of a file, would fill the rest with the smallest.
  const std::uint64_t offset = unit * unit_bytes_, room = (units_ - unit) * unit_bytes_;
  return {offset, static_cast<std::uint32_t>(std::min<std::uint64_t>(lanes_[lane].sizes.draw(prng, ~0ull), room)), lane};
}

void Tiling::begin(std::uint64_t key) {
  key_ = key;
  order_ = pattern::Permutation(units_, key);
  std::fill(at_.begin(), at_.end(), 0);
  std::fill(begins_.begin(), begins_.end(), 0);
  for (std::uint64_t unit = 0; unit < units_;) {
    begins_[unit / 64] |= 1ull << unit % 64;
    unit += lanes_.front().sizes.units(tile_at(unit).length);
  }
}

bool Tiling::next_of(std::size_t lane, Tile& out) {
  while (at_[lane] < units_) {
    const std::uint64_t unit = order_(at_[lane]++);
    if (!begins_at(unit)) continue;
    out = tile_at(unit);
    if (out.lane == lane) return true;
  }
  return false;
}

bool Tiling::next(std::size_t lane, Tile& out) {
  if (next_of(lane, out)) return true;
  for (std::size_t other = 0; other < lanes_.size(); ++other)
    if (other != lane && next_of(other, out)) return true;
  return false;
}

}  // namespace fathom::workload
