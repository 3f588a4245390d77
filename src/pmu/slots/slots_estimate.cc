// The estimate and its interval. Each round is a stratum with a separate rate r (count per time). So a slow change of
// the load does not count as spread. The scatter of the load is a slot's deviation from r x its length, squared and
// divided by the length. The error of the unobserved part of the round follows from this. Degrees of freedom are by
// Satterthwaite, corrected for estimated variances with one degree (Johnson and Rust 1992). If a few slots have nearly
// all counts, these slots are treated as binomial. A burst that was seen or missed by chance has more weight than the
// spread shows. Zero seen is not zero.
#include <algorithm>
#include <cmath>
#include <limits>

#include "pmu/slots/slots.h"
#include "stats/repeat.h"

namespace fathom::pmu::slots {
namespace {

constexpr double kFewBursts = 12;        // below it, the binomial bounds apply too
constexpr std::size_t kFewestSlots = 6;  // below it there is no estimate: one or two slots may have seen only a pause

// A part of the measured interval, and the event's slots in it.
struct Stratum {
  double begin_ns = 0;
  std::size_t first = 0, end = 0;  // in Sample::slots
};

struct Sample {
  std::vector<Slot> slots;
  std::vector<Stratum> strata;  // each with two slots or more; a single stratum may have fewer
};

// Rounds with fewer than two slots of the event (usually the last one) join a neighbor.
Sample sample_of(std::span<const Slot> slots, std::uint32_t event) {
  Sample sample;
  sample.strata.push_back({});
  std::uint32_t round = slots.empty() ? 0 : slots.front().round;
  for (const auto& slot : slots) {
    if (slot.round != round && sample.slots.size() >= sample.strata.back().first + 2)
      sample.strata.push_back({slot.start_ns, sample.slots.size(), 0});
    round = slot.round;
    if (slot.event != event || slot.length_ns <= 0) continue;
    sample.slots.push_back(slot);
    sample.strata.back().end = sample.slots.size();
  }
  if (sample.strata.size() > 1 && sample.slots.size() < sample.strata.back().first + 2) {
    sample.strata.pop_back();
    sample.strata.back().end = sample.slots.size();
  }
  return sample;
}

// The contribution of one part: its estimate, the variance of the estimate, and the uncertainty of that variance.
struct Part {
  double total = 0, variance = 0, doubt = 0;
};

Part part_of(std::span<const Slot> slots, double duration_ns) {
  double seen_ns = 0, count = 0, scatter = 0;
  for (const auto& slot : slots) seen_ns += slot.length_ns, count += slot.count;
  duration_ns = std::max(duration_ns, seen_ns);
  const double rate = count / seen_ns;
  for (const auto& slot : slots) {
    const double beyond = slot.count - rate * slot.length_ns;
    scatter += beyond * beyond / slot.length_ns;
  }
  const double degrees = static_cast<double>(slots.size() - 1);
  const double variance = scatter / degrees * (duration_ns - seen_ns) * duration_ns / seen_ns;
  return {rate * duration_ns, variance, variance * variance / (degrees + 2)};
}

unsigned degrees_of(double variance, double doubt) {
  if (variance <= 0) return 1;
  return static_cast<unsigned>(std::clamp(variance * variance / doubt - 2, 1.0, 1e6));
}

// P(at most k of n), if each is seen with probability `share`.
double at_most(unsigned k, unsigned n, double share) {
  double term = std::pow(1 - share, n), sum = term;
  for (unsigned i = 0; i < k && i < n; ++i) sum += term *= share / (1 - share) * (n - i) / (i + 1);
  return std::min(sum, 1.0);
}

// The most and the fewest that existed if `seen` of them were seen (inverted bounds by Clopper and Pearson).
unsigned most(unsigned seen, double share, double tail) {
  unsigned n = seen;
  while (at_most(seen, n + 1, share) > tail) ++n;
  return n;
}
unsigned fewest(unsigned seen, double share, double tail) {
  unsigned n = seen;
  while (n > 0 && seen > 0 && 1 - at_most(seen - 1, n, share) < tail) ++n;
  return n;
}

// Widens the interval if a few slots have all counts.
void widen_for_few(Estimate& estimate, std::span<const Slot> slots) {
  double count = 0, squares = 0;
  for (const auto& slot : slots) count += slot.count, squares += slot.count * slot.count;
  const double bursts = count > 0 ? count * count / squares : 0;
  if (bursts >= kFewBursts || estimate.share >= 0.999) return;
  estimate.few = true;
  const double tail = (1 - estimate.confidence) / 2, size = count > 0 ? count / bursts : 1;
  estimate.high = std::max(estimate.high, size * most(static_cast<unsigned>(std::ceil(bursts)), estimate.share, tail));
  estimate.low = std::min(estimate.low, size * fewest(static_cast<unsigned>(bursts), estimate.share, tail));
}

}  // namespace

Estimate estimate(std::span<const Slot> slots, std::uint32_t event, double window_ns, double confidence) {
  const Sample sample = sample_of(slots, event);
  Estimate result;
  result.confidence = confidence;
  result.slots = sample.slots.size();
  double seen_ns = 0, count = 0, edges_ns = 0, variance = 0, doubt = 0;
  for (const auto& slot : sample.slots) seen_ns += slot.length_ns, count += slot.count, edges_ns += slot.edge_ns;
  result.share = window_ns > 0 ? std::min(1.0, seen_ns / window_ns) : 0;
  if (sample.slots.size() < kFewestSlots) {
    result.total = seen_ns > 0 ? count / seen_ns * std::max(window_ns, seen_ns) : 0;
    result.low = count;
    result.high = std::numeric_limits<double>::infinity();
    result.confidence = 0;
    return result;
  }
  for (std::size_t i = 0; i < sample.strata.size(); ++i) {
    const auto& stratum = sample.strata[i];
    const double end_ns = i + 1 < sample.strata.size() ? sample.strata[i + 1].begin_ns : window_ns;
    const Part part =
        part_of(std::span(sample.slots).subspan(stratum.first, stratum.end - stratum.first), end_ns - stratum.begin_ns);
    result.total += part.total, variance += part.variance, doubt += part.doubt;
  }
  const double half = stats::t_quantile(confidence, degrees_of(variance, doubt)) * std::sqrt(variance) +
                      result.total * edges_ns / seen_ns;
  result.low = result.total - half;
  result.high = result.total + half;
  widen_for_few(result, sample.slots);
  result.low = std::max(result.low, count);  // this number was counted
  return result;
}

}  // namespace fathom::pmu::slots
