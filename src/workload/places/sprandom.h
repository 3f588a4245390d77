// sprandom: random preconditioning in one pass. A drive in the steady state of random writes contains, in addition to
// all of its data, stale blocks in its over-provisioned space; the older the data, the larger their stale share. Random
// writes reach this state only after they have filled a drive several times. sprandom writes the blocks that shall
// become stale on purpose.
//
// The total that the flash holds, blocks * (1 + over-provisioning) writes, is divided among regions of equal size, in
// the order of time. Each region writes new blocks, in the order of a shift register, and again the blocks of the
// previous region that were chosen to become stale. The stale share falls linearly from the first region to zero in the
// last, so that the last new block is the last write. fio draws each block with the share's probability, and takes the
// share from an estimate of write amplification (0.5 / op + 0.7). Its shape is the same, but the sum does not match, so
// its last region ends early. Here the shares are exact counts, and only the choice of blocks is random.
//
// spr_cs: minimum bytes of new blocks between a block and its second write, if a region has that many; otherwise a
// drive's cache could merge both writes.
// Source: the manual of fio 3.41. All memory is allocated before the run. Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "pattern/lfsr.h"

namespace fathom::workload::places {

// Number of writes for a window of `blocks` blocks.
std::uint64_t spread_writes(std::uint64_t blocks, double over_provisioning);
// Share of region r of n in all `writes`, and in all `stale`.
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

  // Restarts with the first region; another key gives another order.
  void begin(std::uint64_t key);
  // False: all writes are done.
  bool next(std::uint64_t& block);

 private:
  void begin_region();
  void choose(std::uint64_t block);

  std::uint64_t regions_, cache_blocks_, writes_, stale_;
  pattern::Lfsr fresh_;
  base::Prng draws_;
  std::vector<std::uint64_t> again_, next_again_;  // for this region (chosen in the previous one), and for the next
  std::size_t at_ = 0;                             // index in again_
  std::uint64_t region_ = 0;
  std::uint64_t left_ = 0, to_choose_ = 0,
                held_back_ = 0;  // of this region; held back: new writes before any second write
};

}  // namespace fathom::workload::places
