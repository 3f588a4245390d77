// Plans the next run. Loads that the sweep chooses are whole numbers with three digits, as a person would write them.
// Loads of a search are whole numbers.
#include "sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/parse.h"

namespace fathom::sweep {
namespace {

constexpr double kCloseEnough = 1.1;   // ratio of two loads: below it no load is added between them
constexpr double kBucket = 1.0 / 128;  // a histogram's bucket, as a share of its value
constexpr unsigned kMostFailures = 3;

double three_digits(double value) {
  if (value < 1000) return std::round(value);
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  return std::round(value / unit) * unit;
}

template <class T>
void shuffle(std::vector<T>& values, base::Prng& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

base::Error no_limit(std::string_view text, std::string cause) {
  base::Error error;
  error.what = fmt::format("--slo: `{}` is not a latency limit", text);
  error.cause = std::move(cause);
  error.help = "write a latency's percentile or mean, `<` and a time: 'lat_p99<500us'";
  return error;
}

}  // namespace

base::Expected<Slo> slo_of(std::string_view text) {
  const auto sign = text.find('<');
  if (sign == text.npos) return no_limit(text, "`<` is missing");
  auto metric = compare::metric_named(base::text::trim(text.substr(0, sign)));
  if (!metric) return metric.error();
  if (metric->latency.empty() || !compare::is_of(*metric, compare::Kind::jobs))
    return no_limit(text, "not a latency of a job");
  auto limit = base::text::trim(text.substr(sign + 1));
  if (limit.starts_with('=')) limit.remove_prefix(1);
  const bool bare = limit.find_first_not_of("0123456789.") == limit.npos;
  const auto ns = base::text::parse_duration_ns(base::text::trim(limit), 1);
  if (bare || !ns || *ns == 0) return no_limit(text, "the limit is not a time with a unit");
  return Slo{std::string(text), std::move(*metric), static_cast<double>(*ns)};
}

std::string text_of(const Setting& setting) {
  std::string text;
  for (const auto& [option, value] : setting) text += fmt::format("{}{}={}", text.empty() ? "" : " ", option, value);
  return text;
}

Sweep::Sweep(Asked asked) : asked_(std::move(asked)), random_(asked_.seed) {
  curves_.emplace_back();
  for (std::size_t i = 0; i < asked_.axes.size(); ++i) {
    if (i == asked_.load) continue;
    const auto& axis = asked_.axes[i];
    std::vector<Curve> more;
    for (const auto& curve : curves_)
      for (const auto& value : axis.values) {
        more.push_back(curve);
        more.back().setting.emplace_back(axis.option, value);
      }
    curves_ = std::move(more);
  }
  for (auto& curve : curves_) {
    if (!asked_.load) {
      curve.values = {{}};
      continue;
    }
    const auto& axis = asked_.axes[*asked_.load];
    for (std::size_t i = 0; i < axis.values.size(); ++i) curve.values.push_back({axis.values[i], axis.numbers[i]});
  }
  if (asked_.load && asked_.axes[*asked_.load].shares)
    plan_most();
  else
    plan_grid();
}

Step Sweep::step_at(Stage stage, std::size_t curve, const Value& value) const {
  Step step{stage, curve, value.load, curves_[curve].setting};
  if (asked_.load && !value.text.empty()) step.setting.emplace_back(asked_.axes[*asked_.load].option, value.text);
  return step;
}

// Each curve once, without a rate.
void Sweep::plan_most() {
  for (std::size_t i = 0; i < curves_.size(); ++i) planned_.push_back(step_at(Stage::most, i, {}));
  shuffle(planned_, random_);
}

void Sweep::plan_grid() {
  has_grid_ = true;
  std::vector<Step> points;
  for (std::size_t i = 0; i < curves_.size(); ++i)
    for (const auto& value : curves_[i].values) points.push_back(step_at(Stage::grid, i, value));
  plan_rounds(points);
}

void Sweep::plan_rounds(const std::vector<Step>& points) {
  for (unsigned round = 0; round < asked_.repeat; ++round) {
    auto order = points;
    shuffle(order, random_);
    planned_.insert(planned_.end(), order.begin(), order.end());
  }
}

std::map<double, AtLoad> loads_of(const Sweep& sweep, std::size_t curve) {
  std::map<double, AtLoad> loads;
  for (const auto& [step, outcome] : sweep.history()) {
    const bool is_point = step.stage != Stage::most && step.stage != Stage::again && step.load;
    if (!is_point || step.curve != curve || !outcome.failure.empty()) continue;
    const auto& latency = outcome.numbers[0];
    if (!latency || outcome.iops <= 0) continue;
    const bool searched = step.stage == Stage::search || step.stage == Stage::confirm;
    auto& at = loads.try_emplace(*step.load, AtLoad{true, {}, {}}).first->second;
    at.searched = at.searched && searched;
    at.log_power.push_back(std::log(outcome.iops / *latency));
    if (sweep.asked().slo) at.over.push_back(std::log(*latency / sweep.asked().slo->limit_ns));
  }
  return loads;
}

std::pair<stats::loads::Knee, double> knee_of(const Sweep& sweep, std::size_t curve) {
  std::vector<stats::loads::LoadPower> points;
  for (const auto& [load, at] : loads_of(sweep, curve))
    if (!at.searched) points.push_back({load, at.log_power});
  const auto knee = stats::loads::knee_of(points);
  return {knee, points.empty() ? 0 : points[knee.at].load};
}

// Loads next to the best load of a curve, if there is room.
std::vector<double> Sweep::between(std::size_t curve) const {
  const auto [knee, best] = knee_of(*this, curve);
  if (knee.seen != stats::loads::Knee::Seen::yes) return {};
  std::vector<double> loads;
  for (const auto& [load, at] : loads_of(*this, curve)) loads.push_back(load);
  const auto at = static_cast<std::size_t>(std::find(loads.begin(), loads.end(), best) - loads.begin());
  std::vector<double> out;
  for (const std::size_t low : {at - 1, at}) {
    const double a = loads[low], b = loads[low + 1];
    const double middle = three_digits(std::sqrt(a * b));
    if (b > a * kCloseEnough && middle > a && middle < b) out.push_back(middle);
  }
  return out;
}

void Sweep::plan_refined() {
  std::vector<Step> points;
  for (std::size_t i = 0; i < curves_.size(); ++i)
    for (const double load : asked_.load ? between(i) : std::vector<double>())
      points.push_back(step_at(Stage::refined, i, {fmt::format("{:.0f}", load), load}));
  plan_rounds(points);
}

std::optional<Step> Sweep::next() {
  if (given_) return given_;
  while (at_ == planned_.size()) {
    if (!has_grid_) {
      plan_grid();
    } else if (refined_ < asked_.refine) {
      ++refined_;
      plan_refined();
    } else if (auto step = search_step()) {
      return given_ = std::move(step);
    } else if (!has_again_ && history_.size() > 1) {
      has_again_ = true;
      const auto first = std::find_if(history_.begin(), history_.end(),
                                      [](const Done& done) { return done.step.stage == Stage::grid; });
      if (first == history_.end()) return std::nullopt;
      planned_.push_back(first->step), planned_.back().stage = Stage::again;
    } else {
      return std::nullopt;
    }
  }
  return given_ = planned_[at_];
}

void Sweep::add(Outcome outcome) {
  if (!given_) return;
  history_.push_back({*given_, std::move(outcome)});
  given_.reset();
  const auto& done = history_.back();
  if (done.step.stage == Stage::search || done.step.stage == Stage::confirm) return take_search(done);
  ++at_;
  if (done.step.stage == Stage::most) take_most(done);
}

// Percentages become rates, per job and direction: shares of the rate that the run achieved.
void Sweep::take_most(const Done& done) {
  auto& curve = curves_[done.step.curve];
  const bool of_bytes = asked_.axes[*asked_.load].option == "rate";
  const double most = of_bytes ? done.outcome.bytes_per_s : done.outcome.iops;
  const double each = most / static_cast<double>(std::max<std::uint64_t>(done.outcome.streams, 1));
  std::vector<Value> values;
  for (const auto& value : curve.values) {
    const double load = std::max(1.0, three_digits(each * *value.load / 100));
    if (values.empty() || load != *values.back().load) values.push_back({fmt::format("{:.0f}", load), load});
  }
  curve.values = done.outcome.failure.empty() ? std::move(values) : std::vector<Value>();
}

void Sweep::begin_search(Curve& curve, std::size_t index) {
  const auto loads = loads_of(*this, index);
  if (loads.empty()) return;
  const bool percentile = asked_.slo->metric.percentile.has_value();
  stats::loads::SloRange range{loads.begin()->first, loads.rbegin()->first, asked_.width, true,
                               percentile ? kBucket : 0};
  curve.search.emplace(range, asked_.seed + index);
  for (const auto& [load, at] : loads)
    for (const double over : at.over) curve.search->know(load, over);
}

std::optional<Step> Sweep::search_step() {
  if (!asked_.slo || !asked_.load) return std::nullopt;
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    auto& curve = curves_[i];
    if (!curve.search) begin_search(curve, i);
    if (!curve.search || curve.search_failed) continue;
    const auto run = curve.search->next();
    if (!run) continue;
    const bool confirms = run->stage == stats::loads::SloSearch::Stage::confirm;
    return step_at(confirms ? Stage::confirm : Stage::search, i, {fmt::format("{:.0f}", run->load), run->load});
  }
  return std::nullopt;
}

// A failed run is repeated a few times.
void Sweep::take_search(const Done& done) {
  auto& curve = curves_[done.step.curve];
  const auto& latency = done.outcome.failure.empty() ? done.outcome.numbers[0] : std::nullopt;
  if (latency) {
    failed_in_search_ = 0;
    curve.search->add(std::log(*latency / asked_.slo->limit_ns));
  } else if (++failed_in_search_ >= kMostFailures) {
    failed_in_search_ = 0;
    curve.search_failed = true;
  }
}

std::size_t Sweep::runs_left() const {
  constexpr std::size_t kUsualSearch = 24;
  std::size_t left = planned_.size() - at_ + (has_again_ ? 0 : 1);
  if (!has_grid_)
    for (const auto& curve : curves_) left += curve.values.size() * asked_.repeat;
  if (!asked_.load) return left;
  left += std::size_t{2} * asked_.repeat * (asked_.refine - refined_) * curves_.size();
  if (!asked_.slo) return left;
  for (const auto& curve : curves_) {
    const std::size_t done = curve.search ? curve.search->runs() : 0;
    const bool over = curve.search_failed || (curve.search && curve.search->bracket().ended);
    left += over ? 0 : done < kUsualSearch ? kUsualSearch - done : 4;
  }
  return left;
}

}  // namespace fathom::sweep
