// Closes windows when their time is over.
#include "run/sampling/windows.h"

namespace fathom::run::sampling {

void Windows::begin(std::uint64_t now_ns) {
  begin_ns_ = now_ns;
  before_ = {};
}

void Windows::look(const Totals& totals, std::uint64_t now_ns, double scale) {
  constexpr std::uint64_t kTolerance_ns = 1'000'000;
  if (!begun() || now_ns <= begin_ns_ || now_ns + kTolerance_ns < begin_ns_ + width_ns_) return;
  const double seconds = static_cast<double>(now_ns - begin_ns_) * 1e-9;
  for (std::size_t d = 0; d < totals.size(); ++d) {
    const std::uint64_t grown = totals[d] >= before_[d] ? totals[d] - before_[d] : 0;
    samples_[d].add(static_cast<double>(grown) * scale / seconds);
  }
  before_ = totals;
  begin_ns_ = now_ns;
}

}  // namespace fathom::run::sampling
