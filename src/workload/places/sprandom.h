// sprandom: a random preconditioning that needs one pass. A drive in the steady state of random writes holds, beside all
// of its data, stale blocks in its over-provisioned space, and the older what was written the more of it is stale. To
// get there random writes have to fill a drive several times; here what will be stale is written on purpose.
//
// All that the flash holds, blocks * (1 + over-provisioning) writes, is dealt out over regions of one size, in the order
// of time. Each region writes new blocks, in the order of a shift register, and once more those of the region before
// that were chosen to become stale there. The stale share falls in a line from the first region to none in the last, and
// is such that the last new block is the last write. fio draws each block with the share's probability, and takes the
// share from an estimate of write amplification (0.5 / op + 0.7): of the same shape, but not closed, so that its last
// region ends early. Here the shares are exact counts, and the draw is only which blocks.
//
// spr_cs: so many bytes of new blocks come between a block and its second write, where a region has as many: what lies
// in a drive's cache would be written once, for both.
// Source: the manual of fio 3.41. All memory is there before the run. Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "pattern/lfsr.h"

namespace fathom::workload::places {

// How many writes a window of so many blocks gets.
std::uint64_t spread_writes(std::uint64_t blocks, double over_provisioning);
// Of `writes` in all, those of region r of n; of `stale` in all, those of region r of n.
std::uint64_t region_writes(std::uint64_t writes, std::uint64_t r, std::uint64_t n);
std::uint64_t region_stale(std::uint64_t stale, std::uint64_t r, std::uint64_t n);

class SpreadWrites {
 public:
  struct Shape {
    double over_provisioning = 0;
    std::uint64_t regions = 1;
    std::uint64_t cache_blocks = 0;
  };
  SpreadWrites(std::uint64_t blocks, const Shape& shape);

  // From the first region again, in another order for another key.
  void begin(std::uint64_t key);
  // False: all writes were made.
  bool next(std::uint64_t& block);

 private:
  void begin_region();
  void choose(std::uint64_t block);

  std::uint64_t regions_, cache_blocks_, writes_, stale_;
  pattern::Lfsr fresh_;
  base::Prng draws_;
  std::vector<std::uint64_t> again_, next_again_;  // of the region before, and of this one
  std::size_t at_ = 0;                             // in again_
  std::uint64_t region_ = 0;
  std::uint64_t left_ = 0, to_choose_ = 0,
                held_back_ = 0;  // of this region; held back: new ones before any second write
};

}  // namespace fathom::workload::places
