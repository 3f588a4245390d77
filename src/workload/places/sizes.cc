// Selects random block sizes. As in fio, a size is smallest + uniform[0, largest), rounded down to the unit and limited
// to the largest. If the largest is a multiple of the unit, the multiples have equal probability.
#include "workload/places/sizes.h"

#include <algorithm>
#include <limits>

namespace fathom::workload::places {
namespace {
constexpr std::uint64_t kMaxDraw = std::numeric_limits<std::uint64_t>::max();
constexpr int kRedraws = 64;
}  // namespace

Sizes::Sizes(const job::Job& job, io::Dir dir)
    : min_(static_cast<std::uint32_t>(std::max<std::uint64_t>(job.bs_min[io::index(dir)], 1))),
      max_(static_cast<std::uint32_t>(std::max<std::uint64_t>(job.bs_max[io::index(dir)], min_))),
      unaligned_(job.bs_unaligned) {
  if (!job.bssplit[io::index(dir)].empty()) take_split(job, dir);
  reciprocal_ = ((static_cast<unsigned __int128>(1) << 64) + min_ - 1) / min_;
}

void Sizes::take_split(const job::Job& job, io::Dir dir) {
  const auto& entries = job.bssplit[io::index(dir)];
  double total = 0, sum = 0;
  min_ = std::numeric_limits<std::uint32_t>::max();
  max_ = 0;
  for (const auto& entry : entries) {
    if (entry.percent <= 0) continue;
    total += entry.percent;
    min_ = std::min(min_, static_cast<std::uint32_t>(entry.bytes));
    max_ = std::max(max_, static_cast<std::uint32_t>(entry.bytes));
  }
  for (const auto& entry : entries) {
    if (entry.percent <= 0) continue;
    sum += entry.percent;
    const auto bytes = static_cast<std::uint32_t>(unaligned_ ? entry.bytes : entry.bytes / min_ * min_);
    const long double share = static_cast<long double>(sum) / total;
    split_.push_back({share >= 1 ? kMaxDraw : static_cast<std::uint64_t>(share * 0x1p64L), bytes});
  }
  if (split_.empty()) split_.push_back({kMaxDraw, min_ = max_ = 4096});
  split_.back().last_draw = kMaxDraw;
}

std::uint32_t Sizes::draw(base::Prng& prng, std::uint64_t room) const {
  if (fixed()) return min_;
  for (int redraw = 0; redraw < kRedraws; ++redraw) {
    const std::uint32_t bytes = draw_any(prng);
    if (bytes <= room) return bytes;
  }
  return min_;
}

}  // namespace fathom::workload::places
