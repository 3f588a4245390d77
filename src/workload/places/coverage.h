// norandommap=0: a random job visits every block of its window once before it visits any block twice. fio keeps one bit
// per block and searches for a free one. Here the order is a keyed permutation, so a job with one block size needs no
// memory and never searches. (Several block sizes: tiling.h.) Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>

#include "pattern/permutation.h"

namespace fathom::workload::places {

class Coverage {
 public:
  Coverage() = default;
  explicit Coverage(std::uint64_t blocks) : blocks_(blocks), order_(blocks, 0) {}

  // Marks all blocks as unvisited, in the order of `key`.
  void begin(std::uint64_t key) {
    at_ = 0;
    order_ = pattern::Permutation(blocks_, key);
  }

  // The next unvisited block in the order; false if all are visited.
  bool next(std::uint64_t& block) {
    if (at_ >= blocks_) return false;
    block = order_(at_++);
    return true;
  }
  // Passes the next n blocks to take(i, block), in order; n is at most left().
  template <class Take>
  void next_many(std::size_t n, Take take) {
    const pattern::Permutation order = order_;
    for (std::size_t i = 0; i < n; ++i) take(i, order(at_ + i));
    at_ += n;
  }
  std::uint64_t left() const { return blocks_ - at_; }

 private:
  std::uint64_t blocks_ = 0, at_ = 0;
  pattern::Permutation order_;
};

}  // namespace fathom::workload::places
