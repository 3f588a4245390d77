// Computes shares as counts, and selects without replacement (D. Knuth, The Art of Computer Programming, volume 2,
// 3.4.2, algorithm S).
#include "workload/places/sprandom.h"

#include <algorithm>
#include <utility>

namespace fathom::workload::places {
namespace {

using Wide = unsigned __int128;

// The stale blocks in the first r of n regions. The regions have the weights n - 1, n - 2, ..., 0.
std::uint64_t stale_before(std::uint64_t stale, std::uint64_t r, std::uint64_t n) {
  const Wide all = static_cast<Wide>(n) * (n - 1);
  const Wide rest = static_cast<Wide>(n - r) * (r < n ? n - r - 1 : 0);
  return static_cast<std::uint64_t>(static_cast<Wide>(stale) * (all - rest) / all);
}

}  // namespace

std::uint64_t spread_writes(std::uint64_t blocks, double over_provisioning) {
  return blocks + static_cast<std::uint64_t>(static_cast<long double>(blocks) * over_provisioning + 0.5L);
}

std::uint64_t region_writes(std::uint64_t writes, std::uint64_t r, std::uint64_t n) {
  const auto before = [&](std::uint64_t region) { return static_cast<std::uint64_t>(Wide{writes} * region / n); };
  return before(r + 1) - before(r);
}

std::uint64_t region_stale(std::uint64_t stale, std::uint64_t r, std::uint64_t n) {
  return n < 2 ? 0 : stale_before(stale, r + 1, n) - stale_before(stale, r, n);
}

SpreadWrites::SpreadWrites(std::uint64_t blocks, const Shape& shape)
    : regions_(std::max<std::uint64_t>(shape.regions, 1)),
      cache_blocks_(shape.cache_blocks),
      writes_(regions_ < 2 ? blocks : spread_writes(blocks, shape.over_provisioning)),
      stale_(writes_ - blocks),
      fresh_(blocks) {
  const std::size_t most = region_stale(stale_, 0, regions_) + 1;
  again_.reserve(most);
  next_again_.reserve(most);
  begin(1);
}

void SpreadWrites::begin(std::uint64_t key) {
  draws_ = base::Prng(key);
  fresh_.begin(key);
  again_.clear();
  next_again_.clear();
  region_ = 0;
  begin_region();
}

void SpreadWrites::begin_region() {
  std::swap(again_, next_again_);
  next_again_.clear();
  at_ = 0;
  left_ = region_writes(writes_, region_, regions_);
  to_choose_ = std::min(left_, region_stale(stale_, region_, regions_));
  const std::uint64_t fresh = left_ - std::min<std::uint64_t>(left_, again_.size());
  held_back_ = region_ == 0 ? 0 : std::min(cache_blocks_, fresh);
}

void SpreadWrites::choose(std::uint64_t block) {
  if (draws_.below(left_) >= to_choose_) return;
  next_again_.push_back(block);
  --to_choose_;
}

bool SpreadWrites::next(std::uint64_t& block) {
  while (left_ == 0) {
    if (region_ + 1 >= regions_) return false;
    ++region_;
    begin_region();
  }
  const bool once_more = at_ < again_.size() && (held_back_ == 0 || fresh_.left() == 0);
  if (once_more) {
    block = again_[at_++];
  } else {
    if (!fresh_.next(block)) return false;
    held_back_ -= held_back_ > 0 ? 1 : 0;
  }
  choose(block);
  --left_;
  return true;
}

}  // namespace fathom::workload::places
