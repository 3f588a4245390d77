// Compares stored results. add() keeps only the compared numbers of each run. finish() produces the report of `fathom
// compare`. Pure; the arithmetic is in stats/comparison/.
//
// The unit is the run: a result of --repeat=N counts as N runs. The baseline is the first side that has runs. One
// metric is primary, and is chosen before anyone sees the numbers. It is judged at 95 % without a correction. All
// others are corrected for multiple comparisons, since of twenty numbers of the same runs one exceeds its 95 % by
// chance. With more than two sides, the primary metric is corrected too.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "compare/metrics.h"
#include "compare/run_numbers.h"
#include "compare/setup.h"
#include "result/commands/compare.h"

namespace fathom::compare {

struct Asked {
  double margin_percent = 2;
  std::vector<Metric> metric;  // one, or empty: chosen by the kind of the results
  std::vector<FailIf> fail_if;
};

// A run of a side, in the order in which it was given.
struct SideRun {
  RunNumbers numbers;
  std::uint64_t invocation = 0;
  std::vector<std::string> failed_by;  // why its checks failed; empty: they did not fail
  double place = 0;                    // rank by time among the runs of a pair of sides
};
struct Side {
  std::string name, files;
  std::vector<SideRun> runs;
  std::uint64_t invocations = 0, of_pmbench = 0;
  std::vector<std::string> ids;  // of results, to detect one that is given twice
  std::set<std::string> notes;   // data that its files lack
  // Ids of findings about the machine with a large effect, and the number of runs that have them.
  std::map<std::string, std::size_t> warnings;
  Setup setup;
};

class Comparison {
 public:
  Comparison(Asked asked, std::vector<std::string> sides);  // each side as the user wrote it

  void add(std::size_t side, const std::string& file, const result::Run& run);
  // Adds a file that the caller could not read. The caller has reported the error already.
  void leave_out(std::string file, std::string what, std::string cause);
  // ErrorKind::usage: fewer than two sides have a run, or a requested metric is missing in a run. Call once.
  base::Expected<result::Compare> finish(std::string program);
  // Files that were read but omitted: report them even if the rest fails. Complete after finish().
  const std::vector<base::Error>& unfit_files() const { return unfit_; }

 private:
  // Jobs and memory accesses have no common unit. The kind that more sides have is compared.
  struct OfKind {
    std::vector<Metric> metrics;
    std::deque<Side> sides;
    std::vector<std::string> files;
    std::size_t sides_with_runs() const;
  };
  static constexpr std::size_t kKinds = 2;
  void add_run(OfKind& of_kind, Side& side, const std::string& file, const result::Run& run, const result::Run& whole);
  Kind choose_kind();
  void drop(const std::string& file, const std::string& what, const std::string& cause);

  Asked asked_;
  OfKind kinds_[kKinds];
  std::vector<result::LeftOut> left_out_;
  std::vector<base::Error> unfit_;
};

}  // namespace fathom::compare
