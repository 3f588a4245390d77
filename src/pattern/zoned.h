// zoned and zoned_abs: the range is divided into zones, from its start on. Each zone gets its share of the I/Os,
// uniformly distributed inside. A share is a 64-bit threshold, so a sample costs one scan over the few zones and one
// multiplication.
// Thread rule: immutable, share freely.
#pragma once
#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "pattern/spec.h"

namespace fathom::pattern {

class Zoned {
 public:
  // block_bytes converts zoned_abs's sizes to blocks. Shares are relative to their sum. A zone that extends beyond the
  // range is cut. For a zone without a whole block, or one that begins beyond the range, the block at its start or the
  // last block is used.
  Zoned(const Spec& spec, std::uint64_t n, std::uint64_t block_bytes);
  std::uint64_t operator()(base::Prng& prng) const {
    const std::uint64_t draw = prng.next();
    const Zone* zone = zones_.data();
    while (draw > zone->last_draw) ++zone;
    return zone->start + prng.below(zone->count);
  }

 private:
  struct Zone {
    std::uint64_t last_draw;  // draws up to and including this one belong here, unless an earlier zone has them
    std::uint64_t start, count;
  };
  std::vector<Zone> zones_;  // never empty; the last one's last_draw is the largest draw
};

}  // namespace fathom::pattern
