// Minimizes a smooth function of one to four variables, without derivatives: J. A. Nelder, R. Mead, "A simplex method
// for function minimization", The Computer Journal 7 (1965). The function values here are sums over thousands of pages.
// Some hundred calls cost little compared with the observation. Pure.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace fathom::paging::learn::fit {

template <std::size_t N, class F>
std::array<double, N> least(const F& f, const std::array<double, N>& start, const std::array<double, N>& step,
                            int most_calls = 600) {
  using Point = std::array<double, N>;
  struct Corner {
    Point x;
    double y;
  };
  std::array<Corner, N + 1> corners;
  int calls = 0;
  const auto value = [&](const Point& x) {
    ++calls;
    const double y = f(x);
    return std::isfinite(y) ? y : 1e300;
  };
  for (std::size_t i = 0; i <= N; ++i) {
    corners[i].x = start;
    if (i > 0) corners[i].x[i - 1] += step[i - 1];
    corners[i].y = value(corners[i].x);
  }
  const auto order = [&] { std::sort(corners.begin(), corners.end(), [](auto& a, auto& b) { return a.y < b.y; }); };
  for (order(); calls < most_calls && corners[N].y - corners[0].y > 1e-9 * (std::fabs(corners[0].y) + 1e-9); order()) {
    Point centre{};
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t d = 0; d < N; ++d) centre[d] += corners[i].x[d] / N;
    // A point on the line from the worst corner through the middle of the others.
    const auto along = [&](double t) {
      Corner c;
      for (std::size_t d = 0; d < N; ++d) c.x[d] = centre[d] + t * (corners[N].x[d] - centre[d]);
      c.y = value(c.x);
      return c;
    };
    const Corner reflected = along(-1);
    if (reflected.y < corners[0].y) {
      const Corner further = along(-2);
      corners[N] = further.y < reflected.y ? further : reflected;
    } else if (reflected.y < corners[N - 1].y) {
      corners[N] = reflected;
    } else {
      const Corner nearer = along(reflected.y < corners[N].y ? -0.5 : 0.5);
      if (nearer.y < std::min(reflected.y, corners[N].y)) {
        corners[N] = nearer;
        continue;
      }
      for (std::size_t i = 1; i <= N; ++i) {
        for (std::size_t d = 0; d < N; ++d) corners[i].x[d] = (corners[i].x[d] + corners[0].x[d]) / 2;
        corners[i].y = value(corners[i].x);
      }
    }
  }
  return corners[0].x;
}

}  // namespace fathom::paging::learn::fit
