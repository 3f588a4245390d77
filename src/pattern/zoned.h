// zoned and zoned_abs: the range is cut into zones from its start on; each zone gets its share of the I/Os, spread
// evenly inside. A share is compared as a 64-bit threshold, so a sample costs one scan over the few zones and one
// multiplication. Thread rule: immutable, share freely.
#pragma once
#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "pattern/spec.h"

namespace fathom::pattern {

class Zoned {
 public:
  // block_bytes turns zoned_abs's sizes into blocks. Shares are taken relative to their sum. A zone that reaches past
  // the range is cut; one that holds no whole block, or begins past the range, is served by the block where it begins
  // or the last one.
  Zoned(const Spec& spec, std::uint64_t n, std::uint64_t block_bytes);
  std::uint64_t operator()(base::Prng& prng) const {
    const std::uint64_t draw = prng.next();
    const Zone* zone = zones_.data();
    while (draw > zone->last_draw) ++zone;
    return zone->start + prng.below(zone->count);
  }

 private:
  struct Zone {
    std::uint64_t last_draw;  // draws up to and including this one belong here, unless to a zone before
    std::uint64_t start, count;
  };
  std::vector<Zone> zones_;  // never empty; the last one's last_draw is the largest draw
};

}  // namespace fathom::pattern
