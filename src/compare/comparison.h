// Stored results held against each other: add() takes of each run what is compared and lets the rest go, finish() makes
// of it what `fathom compare` reports. Pure; the arithmetic is in stats/comparison/.
//
// The unit is the run: a result of --repeat=N is N of them. The first side that has runs is what the others are held
// against. One metric is the primary one, chosen before anybody looks at the numbers: it is judged at 95 % by itself.
// All others are corrected among each other, since of twenty numbers of the same runs one is beyond its 95 % by chance;
// so is the primary one where there are more than two sides.
#pragma once
#include <cstdint>
#include <deque>
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
  std::vector<Metric> metric;  // one, or none: by what the results are of
  std::vector<FailIf> fail_if;
};

// A run of a side, in the order in which it was given.
struct SideRun {
  RunNumbers numbers;
  std::uint64_t invocation = 0;
  std::vector<std::string> failed_by;  // what its checks failed by; empty: they did not
  double place = 0;                    // among the runs of a pair of sides, by time
};
struct Side {
  std::string name, files;
  std::vector<SideRun> runs;
  std::uint64_t invocations = 0, of_pmbench = 0;
  std::vector<std::string> ids;  // of results, to know one that is given twice
  std::set<std::string> notes;   // what its files cannot say
  Setup setup;
};

class Comparison {
 public:
  Comparison(Asked asked, std::vector<std::string> sides);  // as they were written, each

  void add(std::size_t side, const std::string& file, const result::Run& run);
  // What the caller could not read, and has said so.
  void leave_out(std::string file, std::string what, std::string cause);
  // Errors: usage: fewer than two sides have a run, or a metric that was asked for is not in every run. Once.
  base::Expected<result::Compare> finish(std::string program);
  // What was read and is left out, to be said whatever comes of the rest; known when it is finished.
  const std::vector<base::Error>& unfit_files() const { return unfit_; }

 private:
  // Jobs and accesses of memory have no unit in common: what more sides have is compared.
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
