// norandommap=0: a random job visits every block of its window once before any block twice. fio keeps a bit a block and
// searches for a free one; here the order is a keyed permutation, so a job with one block size needs no memory and
// never searches.
//
// Mixed block sizes (bsrange, bssplit) need to know what a longer block has covered: then there is one bit a smallest
// block, made at construction. Units are tried in permuted order, each once, so a whole pass costs one look at each; a
// block that would run into a visited unit is cut before it, as fio does. Thread rule: one owner.
#pragma once
#include <cstdint>
#include <vector>

#include "pattern/permutation.h"

namespace fathom::workload {

class Coverage {
 public:
  Coverage() = default;
  // units: smallest blocks in the window. mixed: blocks may be longer than one unit.
  Coverage(std::uint64_t units, bool mixed);

  // Everything unvisited again, in the order of `key`.
  void begin(std::uint64_t key);

  // The next unvisited unit in the order; false if there is none. one-unit blocks: it is visited by that.
  bool next(std::uint64_t& unit) {
    while (at_ < units_) {
      unit = order_(at_++);
      if (visited_.empty() || !is_visited(unit)) return true;
    }
    return false;
  }
  // One-unit blocks: n of them, no more than left(), handed to take(i, unit) in order.
  template <class Take>
  void next_many(std::size_t n, Take take) {
    const pattern::Permutation order = order_;
    for (std::size_t i = 0; i < n; ++i) take(i, order(at_ + i));
    at_ += n;
  }
  bool mixed() const { return !visited_.empty(); }
  // One-unit blocks: how many are left.
  std::uint64_t left() const { return units_ - at_; }
  // Mixed blocks: visits up to `wanted` units from `unit` on, stopping before a visited one; how many were visited now.
  std::uint32_t visit(std::uint64_t unit, std::uint32_t wanted) {
    std::uint32_t count = 0;
    while (count < wanted && unit + count < units_ && !is_visited(unit + count)) {
      visited_[(unit + count) / 64] |= 1ull << (unit + count) % 64;
      ++count;
    }
    return count;
  }

 private:
  bool is_visited(std::uint64_t unit) const { return visited_[unit / 64] >> unit % 64 & 1; }

  std::uint64_t units_ = 0, at_ = 0;
  pattern::Permutation order_;
  std::vector<std::uint64_t> visited_;
};

}  // namespace fathom::workload
