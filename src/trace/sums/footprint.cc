// Counts distinct blocks.
#include "trace/sums/footprint.h"

#include <algorithm>
#include <utility>

namespace fathom::trace::sums {
namespace {

// The finalizer of splitmix64 (Vigna): a bijection, so different blocks of one file never collide.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

bool Footprint::add(std::uint32_t file, std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  if (length_bytes == 0) return true;
  if (length_bytes > kLargest_bytes) return false;
  const auto first = offset_bytes / kBlock_bytes, last = (offset_bytes + length_bytes - 1) / kBlock_bytes;
  for (auto block = first; block <= last; ++block) {
    const auto hash = mixed(block + mixed(file + 1));
    if (zero_bits_ == 0 || hash >> (64 - zero_bits_) == 0) insert(std::max<std::uint64_t>(hash, 1));
  }
  return true;
}

void Footprint::insert(std::uint64_t hash) {
  const auto mask = slots_.size() - 1;
  auto at = hash & mask;
  while (slots_[at] != 0) {
    if (slots_[at] == hash) return;
    at = (at + 1) & mask;
  }
  slots_[at] = hash;
  ++count_;
  if (count_ == kMost) {
    ++zero_bits_;
    rebuild(slots_.size());
  } else if (count_ * 2 > slots_.size()) {
    rebuild(slots_.size() * 2);
  }
}

void Footprint::rebuild(std::size_t slots) {
  const auto old = std::exchange(slots_, std::vector<std::uint64_t>(slots));
  count_ = 0;
  for (const auto hash : old) {
    if (hash == 0 || (zero_bits_ > 0 && hash >> (64 - zero_bits_) != 0)) continue;
    auto at = hash & (slots - 1);
    while (slots_[at] != 0) at = (at + 1) & (slots - 1);
    slots_[at] = hash;
    ++count_;
  }
}

}  // namespace fathom::trace::sums
