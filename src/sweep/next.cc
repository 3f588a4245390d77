// A limit that all loads meet lies above them, one that all miss below. The knee is asked where no limit is.
#include "sweep/next.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fathom::sweep {
namespace {

struct Loads {
  double low = 0, high = 0;
  bool longer = false;
};

Loads above(double load, bool open_loop) {
  constexpr double kFurther = 8, kFurtherRate = 2;  // a rate is near what the device can do already
  return {load, load * (open_loop ? kFurtherRate : kFurther), false};
}

Loads below(double load) {
  constexpr double kFurther = 16;
  return {std::max(1.0, std::floor(load / kFurther)), load, false};
}

std::optional<Loads> all_loads(const result::SweptCurve& curve) {
  std::optional<Loads> range;
  for (const auto& point : curve.points) {
    if (!point.load || point.runs == 0) continue;
    if (!range) range = Loads{*point.load, *point.load, true};
    range->low = std::min(range->low, *point.load), range->high = std::max(range->high, *point.load);
  }
  return range;
}

std::optional<Loads> loads_of(const result::Sweep& sweep, const result::SweptCurve& curve) {
  if (curve.bracket) {
    const auto& [meets, misses, ended, width] = *curve.bracket;
    const bool met = meets && meets->shown, missed = misses && misses->shown;
    if (!ended || (met && missed)) return std::nullopt;
    if (met) return above(meets->load, sweep.open_loop);
    if (missed) return below(misses->load);
    return all_loads(curve);
  }
  if (!curve.knee) return std::nullopt;
  if (curve.knee->seen == "at the highest load") return above(curve.knee->load, sweep.open_loop);
  if (curve.knee->seen == "at the lowest load") return below(curve.knee->load);
  return std::nullopt;
}

std::optional<double> number_of(const result::SweptPoint& point, std::string_view name) {
  for (const auto& number : point.numbers)
    if (number.name == name) return number.typical;
  return std::nullopt;
}

std::string rates_text(const std::string& option, double low, double high) {
  constexpr double kSteps = 8;
  return fmt::format("{}={:.0f}..{:.0f}+{:.0f}", option, low, high, std::max(1.0, std::ceil((high - low) / kSteps)));
}

// The least depth is too much load for the limit: a rate makes less. In numbers, since the job may have one already.
std::string lower_rates(const result::Sweep& sweep) {
  double iops = 0;
  for (const auto& curve : sweep.curves)
    for (const auto& point : curve.points)
      if (point.load && *point.load <= 1) iops = std::max(iops, number_of(point, "iops").value_or(0));
  if (iops <= 1) return "rate_iops";
  const auto range = below(iops);
  return rates_text("rate_iops", range.low, std::ceil(range.high));
}

std::string over_text(const result::Sweep& sweep, const Loads& range) {
  if (sweep.open_loop) return rates_text(sweep.load, range.low, range.high);
  if (range.high <= 1) return lower_rates(sweep);
  return fmt::format("{}={:.0f}..{:.0f}", sweep.load, range.low, range.high);
}

// All loads meet the limit, and a higher load does not raise the rate.
bool lacks_load(const result::Sweep& sweep, const result::SweptCurve& curve) {
  if (curve.knee && (curve.knee->seen == "no effect" || curve.knee->seen == "flat")) return true;
  if (sweep.open_loop || !curve.bracket || !rate_stays(curve)) return false;
  const auto& [meets, misses, ended, width] = *curve.bracket;
  return ended && meets && meets->shown && !(misses && misses->shown);
}

}  // namespace

std::pair<CurveEnd, CurveEnd> ends_of(const result::SweptCurve& curve, std::string_view name) {
  CurveEnd least, most;
  for (const auto& point : curve.points) {
    const auto number = number_of(point, name);
    if (!point.load || point.runs == 0 || !number) continue;
    if (least.load == 0 || *point.load < least.load) least = {*point.load, *number};
    if (*point.load > most.load) most = {*point.load, *number};
  }
  return {least, most};
}

bool rate_stays(const result::SweptCurve& curve) {
  constexpr double kMoreLoad = 2, kSameRate = 1.1;
  const auto [least, most] = ends_of(curve, "iops");
  return least.load > 0 && most.load >= kMoreLoad * least.load && most.number <= kSameRate * least.number;
}

std::optional<Next> next_of(const result::Sweep& sweep) {
  if (sweep.interrupted) return std::nullopt;
  if (std::any_of(sweep.curves.begin(), sweep.curves.end(),
                  [&](const auto& curve) { return lacks_load(sweep, curve); })) {
    const auto is_jobs = [](const auto& option) { return option.name == "numjobs"; };
    if (std::any_of(sweep.over.begin(), sweep.over.end(), is_jobs)) return std::nullopt;
    return Next{"numjobs", false};
  }
  std::optional<Loads> all;
  for (const auto& curve : sweep.curves) {
    const auto range = loads_of(sweep, curve);
    if (!range || range->high < range->low) continue;
    if (!all)
      all = range;
    else
      all = Loads{std::min(all->low, range->low), std::max(all->high, range->high), all->longer || range->longer};
  }
  if (!all) return std::nullopt;
  return Next{over_text(sweep, *all), all->longer};
}

}  // namespace fathom::sweep
