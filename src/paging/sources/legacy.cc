// The same arithmetic as pmbench: in doubles, with truncation at the same places.
#include "paging/sources/legacy.h"

#include <cmath>

namespace fathom::paging::sources {

// Two steps of x -> ax + c are one step with a² and c(a + 1). So the number of steps is taken apart into powers of two.
void Lcg::skip(std::uint64_t numbers) {
  std::uint64_t factor = kFactor, term = kTerm;
  for (; numbers > 0; numbers >>= 1) {
    if (numbers & 1) state_ = state_ * factor + term;
    term *= factor + 1;
    factor *= factor;
  }
}

Uniform::Uniform(std::uint64_t n, double, unsigned thread) : random_(thread + 2), n_(n) {}

Normal::Normal(std::uint64_t n, double shape, unsigned thread)
    : random_(thread + 5), n_(n), deviation_(std::trunc(shape)) {}

std::uint64_t Normal::page_at(double deviations) const {
  const double page = deviations * deviation_ + std::floor(static_cast<double>(n_) / 2);
  // A value just below zero truncates to page 0.
  const bool inside = page > -1 && page < static_cast<double>(n_);
  return inside ? static_cast<std::uint64_t>(page) : n_ / 2;
}

std::uint64_t Normal::operator()() {
  if (has_second_) {
    has_second_ = false;
    return second_;
  }
  double x = 0, y = 0, square = 0;
  do {
    x = 2 * (random_.next() / kLcgLargest) - 1;
    y = 2 * (random_.next() / kLcgLargest) - 1;
    square = x * x + y * y;
  } while (square >= 1);
  const double scale = std::sqrt(-2 * std::log(square) / square);
  second_ = page_at(y * scale);
  has_second_ = true;
  return page_at(x * scale);
}

NormalIh::NormalIh(std::uint64_t n, double, unsigned thread)
    : random_(thread + 3),
      last_(static_cast<std::int64_t>(n) - 1),
      span_((last_ + 5) / 12 * 12),
      shift_((last_ - span_) >> 1) {}

std::uint64_t NormalIh::operator()() {
  for (;;) {
    std::int64_t sum = 0;
    for (int i = 0; i < 12; ++i) sum += random_.next() % span_;
    const std::int64_t page = sum / 12 + shift_;
    if (page >= 0 && page <= last_) return static_cast<std::uint64_t>(page);
  }
}

Pareto::Pareto(std::uint64_t n, double shape, unsigned thread)
    : random_(thread + 8), span_(1 - std::pow(1 / static_cast<double>(n), shape)), power_(-1 / shape) {}

std::uint64_t Pareto::operator()() {
  const double u = (random_.next() % 2147483647u) / kLcgLargest;
  return static_cast<std::uint64_t>(std::pow(1 - u * span_, power_)) - 1;
}

}  // namespace fathom::paging::sources
