// A sweep, run by run: next() says what to run, add() takes what came of it. Pure, and the same answers give the same
// questions: a sweep that was stopped goes on by being told its history.
//
// Order. Each round runs every point once, in drawn order, so that the drift of a machine is in all of them alike and none
// stands beside its neighbour; the first point of all is run once more at the very end, which shows the drift. Where a rate
// is a share of what the job does without one, that is measured first. Then the grid is refined around the best load of
// each curve, and the limit is searched for (stats/loads/slo_search.h).
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
  std::optional<std::size_t> load;  // which of them
  bool open_loop = false;
  std::vector<compare::Metric> metrics;  // latency first, then what is shown of each point
  std::optional<Slo> slo;
  unsigned repeat = 3, refine = 2;
  double width = 0.03;  // of the limit's bracket
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

// What came of a run.
struct Outcome {
  std::string failure;  // empty: it has numbers
  std::string results;  // the folder that its result lies in
  double iops = 0, bytes_per_s = 0;
  std::uint64_t streams = 1;                   // that each are given a rate: jobs times directions
  std::vector<std::optional<double>> numbers;  // one a metric of Asked
  std::optional<double> delivered_percent;
  std::uint64_t ios = 0;
  double written_bytes = 0;
  std::optional<bool> steady;                                 // none: it was not asked for
  std::vector<std::pair<std::string, std::string>> findings;  // id and evidence
  std::vector<std::string> failed_by;                         // what its checks failed by; empty: they did not
};

struct Done {
  Step step;
  Outcome outcome;
};

class Sweep {
 public:
  explicit Sweep(Asked asked);
  std::optional<Step> next();  // the same until add(); nothing: it is over
  void add(Outcome outcome);
  // So many runs are still to come, as far as that is known.
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
    Setting setting;  // of what is no load
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
  std::vector<Step> planned_;  // in the order in which they are run
  std::size_t at_ = 0;
  unsigned refined_ = 0;
  bool has_grid_ = false, has_again_ = false;
  std::optional<Step> given_;
  unsigned failed_in_search_ = 0;
};

// The numbers of a curve's runs at each load, the latency first; those of failed runs are left out.
struct AtLoad {
  bool searched = false;                // for the limit, and for nothing else
  std::vector<double> log_power, over;  // ln(rate / latency), ln(latency / limit)
};
std::map<double, AtLoad> loads_of(const Sweep& sweep, std::size_t curve);
// Of its grid, whose loads stand apart: of many that are close together one is the best by chance. And its load.
std::pair<stats::loads::Knee, double> knee_of(const Sweep& sweep, std::size_t curve);

}  // namespace fathom::sweep
