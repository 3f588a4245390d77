// Computes the range of rates that a set of brackets allows. Intervals on a line have a common point if every two of
// them do (Helly). The range is therefore the intersection over all pairs.
#include "clock/sources/bracket.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fathom::clock::sources {
namespace {

// In nanoseconds per tick.
struct Period {
  double low = 0;
  double high = std::numeric_limits<double>::infinity();
  bool empty() const { return low > high; }
};

double signed_difference(std::uint64_t from, std::uint64_t to) {
  return static_cast<double>(static_cast<std::int64_t>(to - from));
}

// The step of a clock, from consecutive reads: the greatest common divisor of their differences. If the clock did not
// move between two reads, its steps are longer than a read. Then the result is the smallest step plus 1, because steps
// may differ by fractions of a tick.
class Grain {
 public:
  void add(std::uint64_t reading) {
    const auto step = seen_++ == 0 || reading < last_ ? 0 : reading - last_;
    stood_ = stood_ || (seen_ > 1 && reading == last_);
    if (step > 0) smallest_ = std::min(smallest_, step);
    divisor_ = std::gcd(divisor_, step);
    last_ = reading;
  }
  double get() const {
    if (divisor_ == 0) return 1;
    return static_cast<double>(stood_ ? smallest_ + 1 : divisor_);
  }

 private:
  std::uint64_t last_ = 0, divisor_ = 0, smallest_ = UINT64_MAX, seen_ = 0;
  bool stood_ = false;
};

// Both clocks are rounded down to their grain. The error of a difference of two reads is therefore at most ± one grain.
struct Grains {
  double reference_ns = 1, ticks = 1;
};

Grains grains_of(std::span<const Bracket> brackets) {
  Grain reference, counter;
  for (const auto& b : brackets) {
    reference.add(b.before_ns);
    reference.add(b.after_ns);
    counter.add(b.ticks);
  }
  return {reference.get(), counter.get()};
}

Period period_of(const Bracket& a, const Bracket& b, const Grains& grains) {
  const double shortest_ns = signed_difference(a.after_ns, b.before_ns) - grains.reference_ns;
  const double longest_ns = signed_difference(a.before_ns, b.after_ns) + grains.reference_ns;
  const double ticks = signed_difference(a.ticks, b.ticks);
  if (ticks < 0) return {1, 0};
  Period period{std::max(0.0, shortest_ns / (ticks + grains.ticks))};
  if (ticks > grains.ticks) period.high = longest_ns / (ticks - grains.ticks);
  return period;
}

// The typical period of a pair: the median of the middles.
double common_period(std::span<const Bracket> brackets, const Grains& grains) {
  std::vector<double> middles;
  for (std::size_t i = 0; i < brackets.size(); ++i)
    for (std::size_t j = i + 1; j < brackets.size(); ++j) {
      const auto p = period_of(brackets[i], brackets[j], grains);
      if (!p.empty() && p.low > 0 && std::isfinite(p.high)) middles.push_back((p.low + p.high) / 2);
    }
  if (middles.empty()) return 0;
  const auto middle = middles.begin() + static_cast<std::ptrdiff_t>(middles.size() / 2);
  std::nth_element(middles.begin(), middle, middles.end());
  return *middle;
}

std::vector<Bracket> without_outliers(std::span<const Bracket> brackets, const Grains& grains) {
  const double period = common_period(brackets, grains);
  std::vector<Bracket> kept;
  for (std::size_t i = 0; i < brackets.size(); ++i) {
    std::size_t against = 0;
    for (std::size_t j = 0; j < brackets.size(); ++j) {
      if (i == j) continue;
      const auto p = period_of(brackets[std::min(i, j)], brackets[std::max(i, j)], grains);
      if (period < p.low || period > p.high) ++against;
    }
    if (2 * against < brackets.size()) kept.push_back(brackets[i]);
  }
  return kept;
}

Period common_range(std::span<const Bracket> brackets, const Grains& grains) {
  Period range;
  for (std::size_t i = 0; i < brackets.size(); ++i)
    for (std::size_t j = i + 1; j < brackets.size(); ++j) {
      const auto p = period_of(brackets[i], brackets[j], grains);
      range.low = std::max(range.low, p.low);
      range.high = std::min(range.high, p.high);
    }
  return range;
}

}  // namespace

double RateRange::error_ppm(double hz) const {
  return std::max(std::abs(hz / low_hz - 1), std::abs(hz / high_hz - 1)) * 1e6;
}

std::optional<RateRange> rate_of(std::span<const Bracket> brackets) {
  const auto grains = grains_of(brackets);
  auto range = common_range(brackets, grains);
  std::vector<Bracket> kept;
  if (range.empty()) {
    kept = without_outliers(brackets, grains);
    if (4 * kept.size() < 3 * brackets.size()) return std::nullopt;
    range = common_range(kept, grains);
  }
  if (range.empty() || range.low <= 0 || !std::isfinite(range.high)) return std::nullopt;
  const auto used = static_cast<unsigned>(kept.empty() ? brackets.size() : kept.size());
  return RateRange{1e9 / range.high, 1e9 / range.low, used, static_cast<unsigned>(brackets.size()) - used};
}

std::uint64_t read_reference_ns(HeldAgainst reference) {
  return reference == HeldAgainst::monotonic ? MonotonicClock::now().v : MonotonicRawClock::now().v;
}

Bracket read_bracket(Source source, HeldAgainst reference) {
  const std::uint64_t before = read_reference_ns(reference);
  std::uint64_t ticks = 0;
  switch (source) {
    case Source::cpu:
      ticks = OrderedCpuClock::now().v;
      break;
    case Source::clock_gettime:
      ticks = MonotonicClock::now().v;
      break;
    case Source::gettimeofday:
      ticks = GettimeofdayClock::now().v;
      break;
  }
  const std::uint64_t after = read_reference_ns(reference);
  return {before, ticks, after};
}

std::vector<Bracket> read_brackets(unsigned count, Source source) {
  std::vector<Bracket> brackets(count);
  for (auto& b : brackets) b = read_bracket(source);
  return brackets;
}

}  // namespace fathom::clock::sources
