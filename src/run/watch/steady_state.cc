// Decides whether the steady state is attained.
#include "run/watch/steady_state.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fathom::run::watch {

double mean_of(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double largest_deviation(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v - mean));
  return most;
}

double slope_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<double>(i);
    x_sum += x;
    xx_sum += x * x;
    y_sum += values[i];
    xy_sum += x * values[i];
  }
  const double spread = xx_sum - x_sum * x_sum / n;
  return values.size() < 2 ? 0 : (xy_sum - x_sum * y_sum / n) / spread;
}

SteadyState::SteadyState(const job::fields::Steady& rule)
    : rule_(rule), most_(static_cast<std::size_t>(rule.duration_ns / rule.interval_ns)) {}

std::vector<double> SteadyState::judged() const {
  std::vector<double> values;
  for (const auto& interval : last_)
    values.push_back(rule_.of == job::fields::SteadyOf::iops ? interval.iops
                     : rule_.of == job::fields::SteadyOf::bw ? interval.bytes_per_s
                                                             : interval.lat_ns);
  return values;
}

bool SteadyState::add(const SteadyInterval& interval) {
  if (attained_) return true;
  if (last_.size() == most_) last_.erase(last_.begin());
  last_.push_back(interval);
  if (last_.size() < most_) return false;
  const auto values = judged();
  const double mean = mean_of(values);
  (rule_.slope ? slope_ : deviation_) = rule_.slope ? slope_of(values) : largest_deviation(values);
  const double found = rule_.slope ? slope_ : deviation_;
  criterion_ = rule_.percent ? (mean == 0 ? 0 : 100 * found / mean) : found;
  return attained_ = mean > 0 && std::abs(criterion_) < rule_.limit;
}

result::SteadyState SteadyState::result() const {
  static constexpr const char* kNames[] = {"iops", "bw", "lat"};
  result::SteadyState out;
  out.criterion = kNames[static_cast<std::size_t>(rule_.of)];
  out.slope = rule_.slope;
  out.limit = rule_.limit;
  out.percent = rule_.percent;
  out.duration_s = rule_.duration_ns / 1'000'000'000;
  out.attained = attained_;
  out.value = criterion_;
  out.max_deviation = deviation_;
  out.slope_value = slope_;
  for (const auto& interval : last_) {
    out.iops.push_back(interval.iops);
    out.bytes_per_s.push_back(interval.bytes_per_s);
    if (rule_.of == job::fields::SteadyOf::lat) out.lat_ns.push_back(interval.lat_ns);
  }
  out.iops.resize(most_);
  out.bytes_per_s.resize(most_);
  if (rule_.of == job::fields::SteadyOf::lat) out.lat_ns.resize(most_);
  return out;
}

}  // namespace fathom::run::watch
