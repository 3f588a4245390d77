// See pace.h. Each page seen in a trial of four intervals shows in a quarter of them or more. If most show in a
// quarter, they are rarely touched; if most show in all, they are always touched. The exponent is most precise in
// between.
#include "paging/learn/pace.h"

#include <algorithm>
#include <cmath>

namespace fathom::paging::learn {
namespace {

constexpr double kWindows = 24;        // number of windows to aim for
constexpr double kFirstPoint = 0.35;   // as a share of the curve's last point
constexpr double kLookShare = 0.5;     // of an interval, for marking and reading
constexpr double kMostIntervals = 32;  // per window

struct Step {
  double share_below;  // mean share of intervals in which a seen page showed
  double factor;
};
constexpr Step kSteps[] = {{0.31, 2.5}, {0.55, 1}, {0.75, 0.5}, {0.9, 0.25}, {1.1, 0.1}};

double showing_share(const observe::Counts& counts) {
  double shown = 0, pages = 0;
  for (const std::uint16_t count : counts.pages)
    if (count > 0) shown += count, ++pages;
  return pages == 0 ? 0 : shown / pages / counts.intervals;
}

double factor_for(const observe::Window& trial) {
  if (!trial.growth.empty()) {
    const double first = trial.growth[trial.growth.size() > 1].pages / std::max(trial.growth.back().pages, 1.0);
    return first > kFirstPoint ? (first > 0.7 ? 0.25 : 0.5) : first < 0.03 ? 2.5 : 1;
  }
  const observe::Counts& counts = trial.touched.intervals > 0 ? trial.touched : trial.written;
  const double share = counts.intervals > 0 ? showing_share(counts) : 0;
  for (const Step& step : kSteps)
    if (share < step.share_below) return step.factor;
  return 1;
}

unsigned looks(const observe::Window& trial) {
  return std::max<unsigned>(
      {1, trial.touched.intervals, trial.written.intervals, static_cast<unsigned>(trial.growth.size())});
}

}  // namespace

double better_interval(const observe::Window& trial, double interval_s, PaceBounds bounds) {
  const double share = trial.growth.empty() ? kLookShare : 1;  // later points of a curve are further apart
  // One slow look on a busy machine must not reduce the run to a handful of windows.
  const double least = std::max(bounds.least_s, std::min(trial.look_s / looks(trial) / share, 3 * bounds.most_s));
  return std::clamp(interval_s * factor_for(trial), least, std::max(least, bounds.most_s));
}

unsigned intervals_a_window(double left_s, double interval_s, unsigned least) {
  return static_cast<unsigned>(std::clamp<double>(left_s / interval_s / kWindows, least, kMostIntervals));
}

}  // namespace fathom::paging::learn
