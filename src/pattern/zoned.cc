// Zones become (threshold, start, count) triples once, at the start of a job.
#include "pattern/zoned.h"

#include <algorithm>
#include <limits>

namespace fathom::pattern {
namespace {

std::uint64_t blocks_at(const Spec& spec, double percent, std::uint64_t bytes, std::uint64_t n, std::uint64_t block) {
  if (spec.kind == Kind::zoned_abs) return std::min(bytes / block, n);
  return std::min(static_cast<std::uint64_t>(static_cast<long double>(n) * percent / 100), n);
}

}  // namespace

Zoned::Zoned(const Spec& spec, std::uint64_t n, std::uint64_t block_bytes) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  n = std::max<std::uint64_t>(n, 1);
  double total = 0;
  for (const auto& zone : spec.zones) total += zone.access_percent;

  double access = 0, percent = 0;
  std::uint64_t bytes = 0;
  for (const auto& zone : spec.zones) {
    const std::uint64_t start = std::min(blocks_at(spec, percent, bytes, n, block_bytes), n - 1);
    percent += zone.size_percent;
    bytes += zone.size_bytes;
    const std::uint64_t end = blocks_at(spec, percent, bytes, n, block_bytes);
    if (zone.access_percent <= 0) continue;
    access += zone.access_percent;
    const long double share = static_cast<long double>(access) / total;
    const auto last_draw = share >= 1 ? kMax : static_cast<std::uint64_t>(share * 0x1p64L);
    zones_.push_back({last_draw, start, end > start ? end - start : 1});
  }
  if (zones_.empty()) zones_.push_back({kMax, 0, n});
  zones_.back().last_draw = kMax;
}

}  // namespace fathom::pattern
