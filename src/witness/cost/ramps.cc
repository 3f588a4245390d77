// A worker stores its start time just before it reports that its ramp has begun.
#include "witness/cost/ramps.h"

#include <algorithm>

#include "base/time.h"

namespace fathom::witness::cost {
namespace {

using run::records::Phase;

std::uint64_t left_of(const Ramps::Of& of, std::uint64_t now_ns) {
  if (of.worker.record == nullptr) return 0;
  const Phase phase = of.worker.record->get_phase();
  if (phase < Phase::ramp) return of.ramp_ns;
  if (phase > Phase::ramp) return 0;
  const std::uint64_t end_ns = of.worker.record->start_ns.load(std::memory_order_relaxed) + of.ramp_ns;
  return end_ns > now_ns ? end_ns - now_ns : 0;
}

}  // namespace

std::uint64_t Ramps::left_ns() const { return left_ns(base::monotonic_ns()); }

std::uint64_t Ramps::left_ns(std::uint64_t now_ns) const {
  std::uint64_t least = workers_.empty() ? 0 : UINT64_MAX;
  for (const auto& worker : workers_) least = std::min(least, left_of(worker, now_ns));
  return least;
}

}  // namespace fathom::witness::cost
