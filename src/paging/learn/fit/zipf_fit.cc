// The likelihood of page counts under a binomial mixture over ranks; see zipf_fit.h. The error comes from the observed
// information (the curvature of the likelihood at its maximum). If chi square per degree of freedom is above 1, the
// error is multiplied by its square root. The Particle Data Group scales its averages in this way.
#include "paging/learn/fit/zipf_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "paging/learn/fit/rank_grid.h"
#include "paging/learn/fit/simplex.h"

namespace fathom::paging::learn::fit {
namespace {

constexpr std::uint64_t kFewestSeenPages = 50;

struct Law {
  double theta, log_rate, pages;
  double rate(double rank) const { return std::exp(log_rate - theta * (std::log(rank / pages) + 1)); }
};

// P(k) for k = 0..K.
std::vector<double> distribution(const Law& law, const std::vector<RankNode>& grid, const std::vector<double>& choose) {
  const std::size_t most = choose.size() - 1;
  std::vector<double> p(most + 1, 0.0);
  for (const RankNode& node : grid) {
    const double rate = std::min(law.rate(node.rank), 600.0);
    const double hidden = -rate, shown = std::log(-std::expm1(-rate));  // logarithms of the two probabilities
    if (!std::isfinite(shown)) {
      p[0] += node.weight;
      continue;
    }
    for (std::size_t k = 0; k <= most; ++k) {
      const double exponent = choose[k] + static_cast<double>(k) * shown + static_cast<double>(most - k) * hidden;
      if (exponent > -40) p[k] += node.weight * std::exp(exponent);
    }
  }
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= sum;
  return p;
}

std::vector<double> log_choose(std::size_t n) {
  std::vector<double> out(n + 1);
  const auto fact = [](std::size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  for (std::size_t k = 0; k <= n; ++k) out[k] = fact(n) - fact(k) - fact(n - k);
  return out;
}

struct Likelihood {
  const SeenCounts& counts;
  std::vector<double> choose;
  std::vector<RankNode> grid;
  double pages;

  Law law(const std::array<double, 2>& x) const { return {std::fabs(x[0]), x[1], pages}; }
  double operator()(const std::array<double, 2>& x) const {
    if (std::fabs(x[0]) > kMostTheta) return 1e300;
    const auto p = distribution(law(x), grid, choose);
    const double any = 1 - p[0];
    if (any < 1e-12) return 1e300;
    double sum = 0;
    for (std::size_t k = 1; k < counts.size(); ++k)
      if (counts[k] > 0) sum -= static_cast<double>(counts[k]) * std::log(std::max(p[k], 1e-300) / any);
    return sum;
  }
};

// Variance of theta from the inverse of the matrix of second differences.
double theta_variance(const Likelihood& f, const std::array<double, 2>& x) {
  constexpr double kStep = 0.02;
  const double theta = std::max(std::fabs(x[0]), kStep);  // the likelihood is symmetric around 0: stay on one side
  const auto at = [&](double a, double b) { return f({theta + a * kStep, x[1] + b * kStep}); };
  const double middle = at(0, 0);
  const double tt = (at(1, 0) - 2 * middle + at(-1, 0)) / (kStep * kStep);
  const double rr = (at(0, 1) - 2 * middle + at(0, -1)) / (kStep * kStep);
  const double tr = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * kStep * kStep);
  const double determinant = tt * rr - tr * tr;
  return determinant > 0 && rr > 0 ? rr / determinant : 1;
}

double least_without_slope(const Likelihood& f, double log_rate) {
  const auto flat = [&](const std::array<double, 1>& x) { return f({0, x[0]}); };
  return flat(least<1>(flat, {log_rate}, {0.2}));
}

struct Agreement {
  double chi_square_over_freedom = 1, distance = 0;
};
Agreement agreement(const SeenCounts& counts, const std::vector<double>& p) {
  const double seen = static_cast<double>(std::accumulate(counts.begin() + 1, counts.end(), std::uint64_t{0}));
  double chi = 0, expected = 0, observed = 0, sum_expected = 0, sum_observed = 0;
  int cells = 0;
  Agreement out;
  for (std::size_t k = 1; k < counts.size(); ++k) {
    expected += seen * p[k] / (1 - p[0]);
    observed += static_cast<double>(counts[k]);
    out.distance = std::max(out.distance, std::fabs(sum_expected + expected - sum_observed - observed) / seen);
    if (expected < 5 && k + 1 < counts.size()) continue;
    if (expected > 0) chi += (observed - expected) * (observed - expected) / expected, ++cells;
    sum_expected += expected, sum_observed += observed;
    expected = observed = 0;
  }
  if (cells > 3) out.chi_square_over_freedom = chi / (cells - 3);
  return out;
}

}  // namespace

ZipfFit fit_zipf(const SeenCounts& counts, unsigned windows) {
  ZipfFit fit;
  if (counts.size() < 3 || windows == 0) return fit;
  fit.seen = std::accumulate(counts.begin() + 1, counts.end(), std::uint64_t{0});
  if (fit.seen > 0) fit.saturated_share = static_cast<double>(counts.back()) / static_cast<double>(fit.seen);
  if (fit.seen < kFewestSeenPages || fit.saturated_share > 0.98) return fit;
  Likelihood f{counts, log_choose(counts.size() - 1), {}, std::max(2.0, static_cast<double>(fit.seen) / windows)};
  double shown = 0;
  for (std::size_t k = 1; k < counts.size(); ++k) shown += static_cast<double>(k * counts[k]);
  const double share = shown / (static_cast<double>(fit.seen) * static_cast<double>(counts.size() - 1));
  std::array<double, 2> best{0.7, std::log(-std::log1p(-std::min(share, 0.99)))};
  // The number of ranks matters only to the first of them, so two rounds are sufficient.
  for (int round = 0; round < 2; ++round) {
    f.grid = rank_grid(f.pages);
    best = least<2>(f, best, {0.2, 0.3});
    const double missed = distribution(f.law(best), f.grid, f.choose)[0];
    if (round == 0) f.pages = static_cast<double>(fit.seen) / windows / std::max(1 - missed, 1e-3);
  }
  const auto p = distribution(f.law(best), f.grid, f.choose);
  const Agreement agree = agreement(counts, p);
  fit.theta = std::fabs(best[0]);
  fit.log_rate = best[1];
  fit.pages = f.pages;
  fit.misfit = agree.distance;
  // Near 0 the curvature says too little, because the likelihood depends on the square of theta. So the error also uses
  // how much worse theta = 0 is.
  const double above_zero = std::max(1e-6, 2 * (least_without_slope(f, best[1]) - f(best)));
  const double error = std::max(std::sqrt(theta_variance(f, best)), fit.theta / std::sqrt(above_zero));
  fit.error = error * std::sqrt(std::max(1.0, agree.chi_square_over_freedom));
  fit.valid = true;
  return fit;
}

double page_rate(const ZipfFit& fit, double rank) { return Law{fit.theta, fit.log_rate, fit.pages}.rate(rank); }

double expected_pages(const ZipfFit& fit, double factor) {
  double sum = 0;
  for (const RankNode& node : rank_grid(fit.pages))
    sum -= node.weight * std::expm1(-factor * page_rate(fit, node.rank));
  return sum;
}

}  // namespace fathom::paging::learn::fit
