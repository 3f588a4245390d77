// Scaled counts are doubles: the product of two 64-bit numbers does not fit into 64 bits. The count of unobserved time
// is an estimate anyway. If a counter ran all the time, `raw` is exact.
#include "pmu/scaling.h"

#include <algorithm>
#include <cmath>

namespace fathom::pmu {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// The state of all parts together: the most severe one; "counted" if at least one part counted.
events::CountState state_of(std::span<const events::EventCount> parts) {
  const auto any = [&](events::CountState state) {
    return std::any_of(parts.begin(), parts.end(), [&](const auto& part) { return part.state == state; });
  };
  for (const auto state : {events::CountState::lost, events::CountState::taken, events::CountState::counted,
                           events::CountState::not_counted})
    if (any(state)) return state;
  return parts.empty() ? events::CountState::not_counted : events::CountState::not_supported;
}

}  // namespace

double longest_gap_s(unsigned width_bits, double increments_per_s) {
  return increments_per_s <= 0 ? HUGE_VAL : std::ldexp(0.5, static_cast<int>(width_bits)) / increments_per_s;
}

events::EventCount scale(const events::Reading& grown_by) {
  events::EventCount count;
  count.raw = grown_by.value;
  count.enabled_ns = count.window_ns = grown_by.enabled_ns;
  count.running_ns = grown_by.running_ns;
  count.running_share = ratio(grown_by.running_ns, grown_by.enabled_ns);
  if (grown_by.running_ns == 0) return count;
  count.state = events::CountState::counted;
  const bool shared = grown_by.running_ns < grown_by.enabled_ns;
  count.scaled = static_cast<double>(grown_by.value) * (shared ? ratio(grown_by.enabled_ns, grown_by.running_ns) : 1);
  return count;
}

events::EventCount sum(std::span<const events::EventCount> parts) {
  events::EventCount total;
  total.state = state_of(parts);
  bool one_never_ran = false;
  for (const auto& part : parts) {
    total.raw += part.raw;
    total.scaled += part.scaled;
    total.enabled_ns += part.enabled_ns;
    total.running_ns += part.running_ns;
    total.window_ns = std::max(total.window_ns, part.window_ns);
    one_never_ran |= part.enabled_ns > 0 && part.running_ns == 0;
  }
  total.running_share = ratio(total.running_ns, total.enabled_ns);
  if (one_never_ran && total.running_ns > 0) total.scaled = static_cast<double>(total.raw) / total.running_share;
  return total;
}

events::EventCount since(const events::EventCount& earlier, const events::EventCount& later) {
  events::Reading grown_by;
  grown_by.value = later.raw - earlier.raw;
  grown_by.enabled_ns = later.enabled_ns - earlier.enabled_ns;
  grown_by.running_ns = later.running_ns - earlier.running_ns;
  events::EventCount count = scale(grown_by);
  count.window_ns = later.window_ns - earlier.window_ns;
  if (later.state != events::CountState::counted && later.state != events::CountState::not_counted)
    count.state = later.state;
  return count;
}

double mb_per_s(double bytes, std::uint64_t window_ns) {
  return window_ns == 0 ? 0 : bytes * 1e3 / static_cast<double>(window_ns);
}

}  // namespace fathom::pmu
