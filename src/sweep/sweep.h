// A sweep, run by run: next() returns the run to make, add() takes its outcome. Pure.
// The same outcomes always give the same runs. A stopped sweep continues after its history is added again.
//
// Order. Each round runs every point once, in random order. The drift of a machine then affects all points alike, and
// no load is always next to its neighbor. At the very end the first point of all runs once more, which shows the
// drift. If a rate is a share of the rate without a limit, that rate is measured first. Then the grid is refined around
// the best load of each curve, and the search for the limit follows (stats/loads/slo_search.h).
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "compare/metrics.h"
#include "stats/loads/knee.h"
#include "stats/loads/slo_search.h"
#include "sweep/axis.h"

namespace fathom::sweep {

struct Slo {
  std::string written;
  compare::Metric metric;
  double limit_ns = 0;
};
// "lat_p99<500us". Errors: usage.
base::Expected<Slo> slo_of(std::string_view text);

struct Asked {
  std::vector<Axis> axes;
  std::optional<std::size_t> load;  // index of the axis that is the load
  bool open_loop = false;
  std::vector<compare::Metric> metrics;  // latency first, then the others shown for each point
  std::optional<Slo> slo;
  unsigned repeat = 3, refine = 2;
  double width = 0.03;  // of the limit's bounds, relative to the load
  std::uint64_t seed = 1;
};

using Setting = std::vector<std::pair<std::string, std::string>>;  // option and value
std::string text_of(const Setting& setting);                       // "iodepth=8 bs=4k"

enum class Stage { most, grid, refined, search, confirm, again };
constexpr const char* name(Stage stage) {
  constexpr const char* names[] = {"most", "grid", "refined", "search", "confirmed", "again"};
  return names[static_cast<int>(stage)];
}

struct Step {
  Stage stage = Stage::grid;
  std::size_t curve = 0;
  std::optional<double> load;
  Setting setting;
};

// The outcome of a run.
struct Outcome {
  std::string failure;  // empty: it has numbers
  std::string results;  // the directory with its result
  double iops = 0, bytes_per_s = 0;
  std::uint64_t streams = 1;                   // that each have their own rate: jobs times directions
  std::vector<std::optional<double>> numbers;  // one per metric of Asked
  std::optional<double> delivered_percent;
  std::uint64_t ios = 0;
  double written_bytes = 0;
  std::optional<bool> steady;                                 // nullopt: no job requested a steady state
  std::vector<std::pair<std::string, std::string>> findings;  // id and evidence
  std::vector<std::string> failed_by;                         // why its checks failed; empty: they did not fail
};

struct Done {
  Step step;
  Outcome outcome;
};

class Sweep {
 public:
  explicit Sweep(Asked asked);
  std::optional<Step> next();  // unchanged until add(); nullopt: the sweep is over
  void add(Outcome outcome);
  // The estimated number of runs still to come.
  std::size_t runs_left() const;

  const Asked& asked() const { return asked_; }
  const std::vector<Done>& history() const { return history_; }
  std::size_t curves() const { return curves_.size(); }
  const Setting& setting_of(std::size_t curve) const { return curves_[curve].setting; }
  const stats::loads::SloSearch* search_of(std::size_t curve) const {
    return curves_[curve].search ? &*curves_[curve].search : nullptr;
  }

 private:
  struct Value {
    std::string text;
    std::optional<double> load;
  };
  struct Curve {
    Setting setting;  // the options that are not the load
    std::vector<Value> values;
    std::optional<stats::loads::SloSearch> search;
    bool search_failed = false;
  };
  void plan_most();
  void plan_grid();
  void plan_refined();
  void plan_rounds(const std::vector<Step>& points);
  std::vector<double> between(std::size_t curve) const;
  std::optional<Step> search_step();
  void begin_search(Curve& curve, std::size_t index);
  Step step_at(Stage stage, std::size_t curve, const Value& value) const;
  void take_most(const Done& done);
  void take_search(const Done& done);

  Asked asked_;
  base::Prng random_;
  std::vector<Curve> curves_;
  std::vector<Done> history_;
  std::vector<Step> planned_;  // in run order
  std::size_t at_ = 0;
  unsigned refined_ = 0;
  bool has_grid_ = false, has_again_ = false;
  std::optional<Step> given_;
  unsigned failed_in_search_ = 0;
};

// The numbers of a curve's runs, by load. Failed runs are omitted.
struct AtLoad {
  bool searched = false;                // only the search for the limit ran this load
  std::vector<double> log_power, over;  // ln(rate / latency), ln(latency / limit)
};
std::map<double, AtLoad> loads_of(const Sweep& sweep, std::size_t curve);
// The knee of the curve and its load. Only grid loads (with refinements) count: they are far enough apart. Among many
// close loads, chance decides which is best.
std::pair<stats::loads::Knee, double> knee_of(const Sweep& sweep, std::size_t curve);

}  // namespace fathom::sweep
