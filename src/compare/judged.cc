// A metric is judged if every run of every side has it. Bandwidth that is a fixed multiple of the rate adds no
// information. Each further metric makes a verdict on all others harder, because of the correction for their number.
#include "compare/judged.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "stats/comparison/effect.h"
#include "stats/repeat.h"

namespace fathom::compare {
namespace {

namespace arithmetic = stats::comparison;
using result::Change;
using result::ComparedMetric;

// One metric of one part on all sides.
struct Row {
  ComparedMetric shown;
  std::vector<double> resolutions;  // one per side
  std::vector<arithmetic::Effect> effects;
};

const Part* part_of(const SideRun& run, const std::string& key) {
  for (const auto& part : run.numbers.parts)
    if (part.key == key) return &part;
  return nullptr;
}

// False: a run lacks this number.
bool take_values(const Side& side, const std::string& key, std::size_t metric, Row& row) {
  result::MetricOfSide values;
  values.side = side.name;
  double resolution = 0, logs = 0;
  for (const auto& run : side.runs) {
    const auto* part = part_of(run, key);
    if (!part || !part->numbers[metric]) return false;
    values.values.push_back(part->numbers[metric]->value);
    resolution = std::max(resolution, part->numbers[metric]->resolution);
    logs += std::log(values.values.back());
  }
  const double mean = logs / static_cast<double>(values.values.size());
  double squares = 0;
  for (const double value : values.values) squares += (std::log(value) - mean) * (std::log(value) - mean);
  values.typical = std::exp(mean);
  if (values.values.size() > 1)
    values.spread_percent = 100 * std::expm1(std::sqrt(squares / static_cast<double>(values.values.size() - 1)));
  row.resolutions.push_back(resolution);
  row.shown.sides.push_back(std::move(values));
  return true;
}

std::vector<Row> rows_of(const std::vector<Metric>& metrics, const std::vector<Side*>& sides) {
  std::vector<Row> rows;
  for (const auto& part : sides[0]->runs[0].numbers.parts)
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      Row row;
      row.shown.of = part.of, row.shown.name = metrics[m].name, row.shown.unit = metrics[m].unit();
      row.shown.more_is_better = metrics[m].more_is_better();
      const bool all = std::all_of(sides.begin(), sides.end(),
                                   [&](const Side* side) { return take_values(*side, part.key, m, row); });
      if (all) rows.push_back(std::move(row));
    }
  return rows;
}

const Row* row_named(const std::vector<Row>& rows, const std::string& of, std::string_view name) {
  for (const auto& row : rows)
    if (row.shown.of == of && row.shown.name == name) return &row;
  return nullptr;
}

bool same_up_to_a_factor(const Row& a, const Row& b) {
  constexpr double kRounding = 1e-3;  // fio rounds its numbers
  const double factor = a.shown.sides[0].typical / b.shown.sides[0].typical;
  for (std::size_t s = 0; s < a.shown.sides.size(); ++s)
    for (std::size_t i = 0; i < a.shown.sides[s].values.size(); ++i)
      if (std::fabs(a.shown.sides[s].values[i] / b.shown.sides[s].values[i] / factor - 1) > kRounding) return false;
  return true;
}

// True: the metric was requested by its name.
bool is_asked(const Asked& asked, const std::string& name) {
  return std::any_of(asked.metric.begin(), asked.metric.end(), [&](const auto& m) { return m.name == name; }) ||
         std::any_of(asked.fail_if.begin(), asked.fail_if.end(), [&](const auto& c) { return c.metric.name == name; });
}

// Drops rows that repeat another row, unless they were requested.
void drop_repeated(const Asked& asked, std::vector<Row>& rows) {
  const std::set<std::string> of_parts{"iops", "lat_mean", "clat_p99", "intended_lat_p99", "access_mean"};
  const auto repeated = [&](const Row& row) {
    const auto& [of, name] = std::pair(row.shown.of, row.shown.name);
    if (is_asked(asked, name)) return false;
    if (!of.empty() && !of_parts.contains(name)) return true;
    if (name == "bw")
      if (const auto* iops = row_named(rows, of, "iops"); iops && same_up_to_a_factor(row, *iops)) return true;
    return name.starts_with("lat_p") && row_named(rows, of, "c" + name) != nullptr;
  };
  std::vector<bool> drop;
  drop.reserve(rows.size());
  for (const auto& row : rows) drop.push_back(repeated(row));
  std::vector<Row> kept;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!drop[i]) kept.push_back(std::move(rows[i]));
  rows = std::move(kept);
}

// In a paced job the rate is given, so its latency is the result.
std::vector<std::string> by_kind(Kind kind, const std::vector<Side*>& sides) {
  if (kind == Kind::paging) return {"access_mean", "accesses_per_s"};
  bool paced = false;
  for (const auto* side : sides)
    for (const auto& run : side->runs) paced = paced || run.numbers.paced;
  if (paced) return {"intended_lat_p99", "clat_p99", "lat_p99", "iops"};
  return {"iops", "clat_p99", "lat_p99", "lat_mean"};
}

base::Error no_such(const std::string& name, const char* option, const std::vector<Row>& rows) {
  std::set<std::string> there;
  for (const auto& row : rows)
    if (row.shown.of.empty()) there.insert(row.shown.name);
  base::Error error;
  error.what = fmt::format("{}: not every run has `{}`", option, name);
  error.cause = fmt::format("metrics of all runs: {}", fmt::join(there, ", "));
  error.help = "use results with histograms for percentiles that were not stored: fathom's JSON, or fio's json+";
  return error;
}

base::Expected<std::string> primary_of(const Asked& asked, Kind kind, const std::vector<Side*>& sides,
                                       const std::vector<Row>& rows) {
  for (const auto& metric : asked.metric) {
    if (row_named(rows, "", metric.name)) return metric.name;
    return no_such(metric.name, "--metric", rows);
  }
  for (const auto& name : by_kind(kind, sides))
    if (row_named(rows, "", name)) return name;
  base::Error error;
  error.what = "no metric exists in every run of every side";
  return error;
}

void estimate(const std::vector<Side*>& sides, Row& row) {
  for (std::size_t s = 1; s < sides.size(); ++s) {
    place_by_time(*sides[0], *sides[s]);
    std::vector<double> places_a, places_b;
    for (const auto& run : sides[0]->runs) places_a.push_back(run.place);
    for (const auto& run : sides[s]->runs) places_b.push_back(run.place);
    const double resolution = std::max(row.resolutions[0], row.resolutions[s]);
    row.effects.push_back(arithmetic::effect_of({row.shown.sides[0].values, places_a},
                                                {row.shown.sides[s].values, places_b}, resolution));
  }
}

std::string reason_of(arithmetic::Told told, const arithmetic::Effect& effect, const Change& change, const Row& row,
                      std::size_t side) {
  using arithmetic::Told;
  const auto runs = [&](std::size_t s) { return row.shown.sides[s].values.size(); };
  switch (told) {
    case Told::too_few:
      return fmt::format("at least three runs per side are needed; {} has {}, {} has {}", row.shown.sides[0].side,
                         runs(0), change.side, runs(side));
    case Told::too_fine:
      return fmt::format("differences below {:.2g}% are smaller than one step of the histogram or the clock",
                         change.resolution_percent);
    case Told::not_yet: {
      const auto needed = change.runs_needed > 0 ? fmt::format("about {} runs per side", change.runs_needed)
                                                 : fmt::format("not even {} runs per side", arithmetic::kMostNeeded);
      return fmt::format("{}{} would be enough", needed, effect.in_turn ? "" : ", measured in turn,");
    }
    default:
      return "";
  }
}

result::Told word_of(arithmetic::Told told, bool more_is_better) {
  switch (told) {
    case arithmetic::Told::more:
      return more_is_better ? result::Told::faster : result::Told::slower;
    case arithmetic::Told::less:
      return more_is_better ? result::Told::slower : result::Told::faster;
    case arithmetic::Told::within_margin:
      return result::Told::no_change;
    default:
      return result::Told::cannot_tell;
  }
}

std::optional<double> percent_of(double logarithm) {
  const double percent = 100 * std::expm1(logarithm);
  return std::isfinite(percent) ? std::optional(percent) : std::nullopt;
}

Change change_of(const Row& row, std::size_t at, const arithmetic::Corrected& corrected, double margin) {
  const auto& effect = row.effects[at];
  const auto interval = arithmetic::interval_of(effect, corrected.confidence);
  const auto told = arithmetic::told_by(effect, interval, margin);
  Change change;
  change.side = row.shown.sides[at + 1].side;
  change.told = word_of(told, row.shown.more_is_better);
  change.percent = percent_of(effect.plain.difference);
  if (std::isfinite(interval.low) && std::isfinite(interval.high)) {
    change.low_percent = percent_of(interval.low), change.high_percent = percent_of(interval.high);
    change.confidence = corrected.confidence;
  }
  change.p = arithmetic::p_of(effect), change.p_corrected = corrected.p;
  change.t = std::isfinite(effect.plain.t()) ? effect.plain.t() : 0, change.degrees = effect.plain.degrees;
  change.resolution_percent = 100 * std::expm1(effect.resolution);
  if (!effect.in_turn) change.trend_percent = percent_of(effect.trend);
  if (told == arithmetic::Told::not_yet)
    change.runs_needed = arithmetic::runs_needed(effect, margin, corrected.confidence);
  change.reason = reason_of(told, effect, change, row, at + 1);
  return change;
}

// The changes of a family are corrected together.
void tell(const std::vector<Row*>& family, double margin) {
  std::vector<double> p;
  for (const auto* row : family)
    for (const auto& effect : row->effects) p.push_back(arithmetic::p_of(effect));
  const auto corrected = arithmetic::holm(p);
  std::size_t next = 0;
  for (auto* row : family)
    for (std::size_t i = 0; i < row->effects.size(); ++i)
      row->shown.changes.push_back(change_of(*row, i, corrected[next++], margin));
}

std::string signed_percent(double percent) { return fmt::format("{:+.3g}%", percent); }

result::Condition held(const FailIf& asked, const ComparedMetric& metric, const Change& change) {
  result::Condition out{asked.written, change.side, metric.of, result::Outcome::unknown, ""};
  if (!change.low_percent || !change.high_percent || metric.sides[0].values.size() < stats::kFewestForInterval) {
    out.text = change.reason.empty() ? "no interval could be computed" : change.reason;
    return out;
  }
  const bool beyond = asked.above ? *change.low_percent > asked.percent : *change.high_percent < asked.percent;
  const bool short_of = asked.above ? *change.high_percent <= asked.percent : *change.low_percent >= asked.percent;
  const bool too_fine = std::fabs(change.percent.value_or(0)) <= change.resolution_percent;
  const bool few = std::any_of(metric.sides.begin(), metric.sides.end(), [&](const auto& side) {
    return side.side == change.side && side.values.size() < stats::kFewestForInterval;
  });
  if (beyond && !too_fine && !few) out.outcome = result::Outcome::failed;
  if (short_of && !few) out.outcome = result::Outcome::passed;
  out.text = few ? change.reason
                 : fmt::format("{} is {}, between {} and {}", metric.name, signed_percent(change.percent.value_or(0)),
                               signed_percent(*change.low_percent), signed_percent(*change.high_percent));
  return out;
}

// A number from runs with failed checks meets no condition.
void fail_where_checks_did(result::Compare& out) {
  for (auto& condition : out.conditions)
    for (const auto& side : out.sides) {
      if (side.failed_runs == 0 || (side.name != condition.side && &side != &out.sides.front())) continue;
      condition.outcome = result::Outcome::failed;
      condition.text = fmt::format("the checks of {} of {} runs of {} failed: {}", side.failed_runs, side.runs,
                                   side.name, fmt::join(side.failed_by, ", "));
    }
}

base::Expected<void> hold_conditions(const Asked& asked, const std::vector<Row>& rows, result::Compare& out) {
  for (const auto& condition : asked.fail_if) {
    const auto* row = row_named(rows, "", condition.metric.name);
    if (!row) return no_such(condition.metric.name, "--fail-if", rows);
    for (const auto& change : row->shown.changes) out.conditions.push_back(held(condition, row->shown, change));
  }
  return {};
}

void take_sides(const std::vector<Side*>& sides, result::Compare& out) {
  bool histograms = true;
  for (const auto* side : sides)
    for (const auto& run : side->runs)
      histograms = histograms && run.numbers.histogram_of == sides[0]->runs[0].numbers.histogram_of;
  if (histograms) out.histogram_of = sides[0]->runs[0].numbers.histogram_of;
  for (const auto* side : sides) {
    result::ComparedSide shown;
    shown.name = side->name, shown.files = side->files;
    shown.runs = side->runs.size(), shown.invocations = side->invocations;
    std::set<std::string> failed_by;
    for (const auto& run : side->runs) {
      shown.failed_runs += run.failed_by.empty() ? 0 : 1;
      failed_by.insert(run.failed_by.begin(), run.failed_by.end());
      const auto time = run.numbers.time_epoch_ms;
      if (time > 0 && (shown.first_epoch_ms == 0 || time < shown.first_epoch_ms)) shown.first_epoch_ms = time;
      shown.last_epoch_ms = std::max(shown.last_epoch_ms, time);
      if (!out.histogram_of.empty()) shown.histogram_ns.merge(run.numbers.histogram_ns);
    }
    shown.failed_by.assign(failed_by.begin(), failed_by.end());
    if (side->of_pmbench == side->invocations)
      shown.buckets = "pmbench";
    else if (side->of_pmbench > 0)
      shown.histogram_ns = {};  // counts of unequal buckets cannot be added
    out.sides.push_back(std::move(shown));
  }
}

}  // namespace

base::Expected<void> judge(const Asked& asked, Kind kind, const std::vector<Metric>& metrics,
                           const std::vector<Side*>& sides, result::Compare& out) {
  auto rows = rows_of(metrics, sides);
  const auto primary = primary_of(asked, kind, sides, rows);
  if (!primary) return primary.error();
  out.metric = *primary;
  drop_repeated(asked, rows);
  std::vector<Row*> first, others;
  for (auto& row : rows) {
    estimate(sides, row);
    row.shown.primary = row.shown.of.empty() && row.shown.name == out.metric;
    (row.shown.primary ? first : others).push_back(&row);
  }
  const double margin = asked.margin_percent / 100;
  tell(first, margin), tell(others, margin);
  if (auto ok = hold_conditions(asked, rows, out); !ok) return ok;
  take_sides(sides, out);
  fail_where_checks_did(out);
  std::vector<const Setup*> setups;
  setups.reserve(sides.size());
  for (const auto* side : sides) setups.push_back(&side->setup);
  out.differences = differences(setups);
  out.warnings = how_measured(sides);
  for (auto* row : first) out.metrics.push_back(std::move(row->shown));
  for (auto* row : others) out.metrics.push_back(std::move(row->shown));
  return {};
}

}  // namespace fathom::compare
