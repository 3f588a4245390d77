// Divides a window into tiles, and finds a tile by its number.
#include "workload/places/tiling.h"

#include <algorithm>
#include <bit>

#include "base/prng.h"

namespace fathom::workload::places {
namespace {

constexpr std::size_t kMostSamples = (1 << 20) / sizeof(std::uint64_t);

// The random numbers of one tile. Every tile has a generator, so the seed is its whole state.
class TileDraws {
 public:
  explicit TileDraws(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return base::splitmix64(state_); }
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
  }

 private:
  std::uint64_t state_;
};

}  // namespace

Tiling::Tiling(std::uint64_t window_bytes, std::vector<Lane> lanes, std::uint64_t key)
    : unit_bytes_(lanes.front().sizes.min()),
      units_(window_bytes / unit_bytes_),
      key_(key),
      lanes_(std::move(lanes)),
      at_(lanes_.size()),
      begins_(units_ / 64 + 1) {
  double total = 0, sum = 0;
  for (const Lane& lane : lanes_) total += lane.share;
  for (std::size_t i = 0; i + 1 < lanes_.size(); ++i) {
    sum += lanes_[i].share;
    last_draws_.push_back(sum >= total ? ~0ull : static_cast<std::uint64_t>(sum / total * 0x1p64L));
  }
  lay();
}

void Tiling::lay() {
  samples_.reserve(std::min<std::uint64_t>(units_, kMostSamples));
  for (std::uint64_t unit = 0; unit < units_; ++tiles_) {
    begins_[unit / 64] |= 1ull << unit % 64;
    sample(unit);
    unit += lanes_.front().sizes.units(tile_at(unit).length);
  }
}

// Samples tile tiles_. When the list is full, every other sample is removed.
void Tiling::sample(std::uint64_t unit) {
  if ((tiles_ & ((1ull << shift_) - 1)) != 0) return;
  if (samples_.size() == kMostSamples) {
    for (std::size_t i = 0; 2 * i < samples_.size(); ++i) samples_[i] = samples_[2 * i];
    samples_.resize(kMostSamples / 2);
    ++shift_;
  }
  samples_.push_back(unit);
}

Tiling::Tile Tiling::tile_at(std::uint64_t unit) const {
  TileDraws draws(key_ + unit * 0xd1342543de82ef95ull);
  std::uint32_t lane = 0;
  if (!last_draws_.empty()) {
    const std::uint64_t draw = draws.next();
    while (lane < last_draws_.size() && draw > last_draws_[lane]) ++lane;
  }
  // The last tile is truncated. At the end of a file, sizes are selected again until one fits. Here that would fill the
  // rest with the smallest size.
  const std::uint64_t offset = unit * unit_bytes_, room = (units_ - unit) * unit_bytes_;
  return {offset, static_cast<std::uint32_t>(std::min<std::uint64_t>(lanes_[lane].sizes.draw_any(draws), room)), lane};
}

std::uint64_t Tiling::unit_of(std::uint64_t tile) const {
  const std::uint64_t sampled = samples_[tile >> shift_];
  std::uint64_t left = tile & ((1ull << shift_) - 1);
  if (left == 0) return sampled;
  std::uint64_t word = sampled / 64;
  std::uint64_t bits = begins_[word] & (~1ull << sampled % 64);  // after the sample
  for (std::uint64_t n = 0; n = static_cast<std::uint64_t>(std::popcount(bits)), n < left; bits = begins_[++word])
    left -= n;
  for (; left > 1; --left) bits &= bits - 1;
  return word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
}

void Tiling::begin(std::uint64_t key) {
  order_ = pattern::Permutation(std::max<std::uint64_t>(tiles_, 1), key);
  std::fill(at_.begin(), at_.end(), 0);
}

bool Tiling::next_of(std::size_t lane, Tile& out) {
  while (at_[lane] < tiles_) {
    out = tile_at(unit_of(order_(at_[lane]++)));
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

}  // namespace fathom::workload::places
