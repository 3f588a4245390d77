// Least squares of the logarithm of touched pages over the curve; see growth_fit.h. Points of one curve depend on each
// other, because a touched page stays touched. So the error comes from leaving out whole curves, and from the theta
// range without a visibly worse fit.
#include "paging/learn/fit/growth_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "paging/learn/fit/rank_grid.h"
#include "paging/learn/fit/simplex.h"

namespace fathom::paging::learn::fit {
namespace {

constexpr std::size_t kFewestPoints = 5, kFewestCurves = 4, kGroups = 8;
constexpr double kLeastPages = 50;

double touched(double theta, double accesses, const std::vector<RankNode>& grid) {
  double norm = 0, sum = 0;
  for (const RankNode& node : grid) norm += node.weight * std::pow(node.rank, -theta);
  for (const RankNode& node : grid) sum -= node.weight * std::expm1(-accesses * std::pow(node.rank, -theta) / norm);
  return sum;
}

// The mean of the curves with a number that is not `without` modulo the number of groups.
GrowthCurve mean(const std::vector<GrowthCurve>& curves, std::optional<std::size_t> without) {
  GrowthCurve out(curves.front().size());
  double count = 0;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    if (without && c % kGroups == *without) continue;
    ++count;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].time_s += curves[c][i].time_s;
      out[i].pages += curves[c][i].pages;
    }
  }
  for (GrowthPoint& point : out) point.time_s /= count, point.pages /= count;
  return out;
}

// theta, ln accesses per second, ln pages, offset of all times (as a share of the first point's time). Marking takes
// time itself, and a page still in a TLB was marked only when the TLB was emptied.
using Start = std::array<double, 4>;
constexpr double kMostLate = 0.9;
constexpr double kLateWeight = 1e-5;  // keeps it at 0 if the curve does not depend on it

// A small number of pages has its square root as error. A large number has what the law omits, about 2 %.
double weight(const GrowthPoint& point) {
  constexpr double kModel = 0.02 * 0.02;
  return kModel / (kModel + 1 / std::max(point.pages, 1.0));
}

struct Squares {
  const GrowthCurve& curve;
  double resident;
  double operator()(const Start& x) const {
    const double pages = std::exp(x[2]), late_s = x[3] * curve.front().time_s;
    if (std::fabs(x[0]) > kMostTheta || pages < 2 || pages > resident * 1.02) return 1e300;
    const auto grid = rank_grid(pages);
    if (std::fabs(x[3]) > kMostLate) return 1e300;
    double sum = x[3] * x[3] * kLateWeight;
    for (const GrowthPoint& point : curve) {
      const double model = touched(std::fabs(x[0]), std::exp(x[1]) * (point.time_s + late_s), grid);
      const double distance = std::log(std::max(point.pages, 1.0) / std::max(model, 1e-9));
      sum += distance * distance * weight(point);
    }
    return sum;
  }
};

GrowthFit fit_once(const GrowthCurve& curve, double resident, const std::vector<Start>& starts) {
  const Squares squares{curve, resident};
  GrowthFit best;
  double least_squares = 1e299;
  for (const Start& start : starts) {
    const auto x = least<4>(squares, start, {0.2, 0.5, -0.05, 0.1}, 1500);
    const double y = squares(x);
    if (y >= least_squares) continue;
    least_squares = y;
    best.theta = std::fabs(x[0]);
    best.accesses_per_s = std::exp(x[1]);
    best.pages = std::exp(x[2]);
    best.late = x[3];
    best.misfit = std::sqrt(y / static_cast<double>(curve.size()));
  }
  return best;
}

// The minimum is in a long, narrow valley, so the search starts from both ends.
std::vector<Start> starts_for(const GrowthCurve& curve, double resident) {
  const double most = curve.back().pages, rate = std::log(1.5 * curve.front().pages / curve.front().time_s);
  std::vector<Start> out;
  for (const double theta : {0.1, 0.9})
    for (const double pages : {most, (most + resident) / 2}) out.push_back({theta, rate, std::log(pages), 0});
  return out;
}

// How far theta can go, with the other values fitted again, until the squares have grown by one point's variance.
double reach(const GrowthCurve& curve, double resident, const Start& best) {
  const Squares squares{curve, resident};
  const double freedom = std::max(1.0, static_cast<double>(curve.size()) - static_cast<double>(best.size()));
  const double allowed = squares(best) * (1 + 1 / freedom);
  double reached = 0.02;
  for (; reached < 1; reached *= 1.6) {
    const auto worse = [&](double theta) {
      const auto rest = [&](const std::array<double, 3>& x) { return squares({theta, x[0], x[1], x[2]}); };
      return theta < 0 || rest(least<3>(rest, {best[1], best[2], best[3]}, {0.3, -0.05, 0.1}, 500)) > allowed;
    };
    if (worse(best[0] - reached) && worse(best[0] + reached)) break;
  }
  return reached;
}

}  // namespace

GrowthFit fit_growth(const std::vector<GrowthCurve>& curves, double resident_pages) {
  if (curves.size() < kFewestCurves || curves.front().size() < kFewestPoints) return {};
  const GrowthCurve all = mean(curves, {});
  // A curve that is flat from its first point does not show how it rose.
  if (all.back().pages < kLeastPages || all.front().pages > 0.85 * all.back().pages) return {};
  const double resident = std::max(resident_pages, all.back().pages);
  GrowthFit fit = fit_once(all, resident, starts_for(all, resident));
  const Start near{fit.theta, std::log(fit.accesses_per_s), std::log(fit.pages), fit.late};
  const std::size_t groups = std::min(kGroups, curves.size());
  double sum = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    const double other = fit_once(mean(curves, g), resident, {near}).theta;
    sum += (other - fit.theta) * (other - fit.theta);
  }
  fit.error = std::hypot(std::sqrt(sum * static_cast<double>(groups - 1) / static_cast<double>(groups)),
                         reach(all, resident, near));
  fit.valid = true;
  return fit;
}

}  // namespace fathom::paging::learn::fit
