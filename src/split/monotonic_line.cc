// The slope is the calibration's until two moments are 50 ms apart. From then on it is that of the last 0.2 s or more.
// A moment is known to some 20 ns, which is 0.1 ppm of 0.2 s. After 5 ms, the line is therefore wrong by 0.5 ns.
#include "split/monotonic_line.h"

#include <cmath>

#include "clock/sources/bracket.h"

namespace fathom::split {
namespace {

constexpr double kFirstSpan_s = 1e-3, kSpan_s = 5e-3;
constexpr std::uint64_t kFirstBase_ns = 50'000'000, kBase_ns = 200'000'000;
constexpr int kReadings = 4;

}  // namespace

MonotonicLine::MonotonicLine(clock::sources::Source source, double ticks_per_second, std::int64_t offset_ns)
    : source_(source),
      same_(source == clock::sources::Source::clock_gettime),
      offset_ns_(offset_ns),
      ns_per_tick_(1e9 / ticks_per_second),
      span_ticks_(static_cast<std::uint64_t>(kFirstSpan_s * ticks_per_second)) {
  if (!same_) last_ = base_ = moment();
}

MonotonicLine::Moment MonotonicLine::moment() {
  clock::sources::Bracket best{0, 0, ~0ull};
  for (int i = 0; i < kReadings; ++i) {
    const auto one = clock::sources::read_bracket(source_, clock::sources::HeldAgainst::monotonic);
    if (one.after_ns - one.before_ns < best.after_ns - best.before_ns) best = one;
  }
  half_width_ns_ = std::max(half_width_ns_, static_cast<double>(best.after_ns - best.before_ns) / 2);
  const std::uint64_t middle = best.before_ns + (best.after_ns - best.before_ns) / 2;
  return {best.ticks, middle - static_cast<std::uint64_t>(offset_ns_)};
}

void MonotonicLine::hold_now() {
  const Moment now = moment();
  const double miss = static_cast<double>(static_cast<std::int64_t>(at(now.ticks) - now.ns));
  // A pause of the job is no error of the line, because the job took no timestamp during it.
  const bool paused = now.ticks - last_.ticks >= 4 * span_ticks_;
  if (steady_ ? !paused : now.ns - base_.ns < kFirstBase_ns) miss_ns_ = std::max(miss_ns_, std::fabs(miss));
  last_ = now;
  const std::uint64_t since = now.ns - base_.ns;
  if (since < (steady_ ? kBase_ns : kFirstBase_ns)) return;
  ns_per_tick_ = static_cast<double>(since) / static_cast<double>(now.ticks - base_.ticks);
  span_ticks_ = static_cast<std::uint64_t>(kSpan_s * 1e9 / ns_per_tick_);
  steady_ = true;
  base_ = now;
}

}  // namespace fathom::split
