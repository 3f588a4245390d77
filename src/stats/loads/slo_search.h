// Searches the highest load that meets a latency limit. The result is bounds: the lower one shown to meet the limit,
// the upper one to miss it.
//
// Problem: latency as a function of load is steep where it matters, and every run scatters. The first load that breaks
// the limit on the way up is therefore a weak result: the next day it is a different one. Choice, in three stages:
//
// - Explore: one run per load. The means of all loads, made to rise (isotonic regression), cross the limit between two
//   loads. The next run is between them, until they are close. Then runs follow at both sides of the crossing, and a
//   line of log(latency) over log(load) through the runs near it, until its root is known to a fraction of the width.
// - Confirm: the ends are at both sides of the root. Only new runs count at an end, the same number at both, in random
//   order: the runs that made the search choose a load are not evidence for it. An end is shown when the mean of its
//   runs is on its side of the limit by Student's t, with the scatter of both ends. The test is made after 3, 5, 8, 12,
//   18, 26 and 36 runs per end, at the level that makes seven tests equal to one at 2.5 % (Pocock).
// - Move: an end that is shown to be on the other side becomes the other end, and a new one is set next to it. An end
//   that cannot be shown moves outward. The bounds are then wider than requested, which the report shows.
//
// The search stays within the range: if all of it meets or misses, the end of the range is confirmed like any other
// end.
//
// Sources: Pocock, "Group sequential methods in the design and analysis of clinical trials", 1977; Barlow et al.,
// "Statistical inference under order restrictions", 1972 (pool adjacent violators). Pure. The same results always give
// the same runs, so that a search continues from its history.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/prng.h"

namespace fathom::stats::loads {

inline constexpr unsigned kFewestConfirmed = 3;

struct SloRange {
  double low = 0, high = 0;  // loads, above 0
  double width = 0.03;       // of the bounds, relative to the load
  bool whole = false;        // loads are whole numbers
  double resolution = 0;     // relative, of the latency; lower limit of the scatter of runs
};

struct SloEnd {
  double load = 0;
  bool shown = false;
  std::vector<double> over;  // ln(latency / limit) of its new runs
};

struct SloBracket {
  std::optional<SloEnd> meets, misses;  // nullopt: the range has no such load
  bool ended = false;                   // no further runs
  bool narrow() const { return meets && misses && meets->shown && misses->shown; }
};

class SloSearch {
 public:
  enum class Stage { explore, confirm };
  struct Run {
    double load = 0;
    Stage stage = Stage::explore;
  };

  SloSearch(const SloRange& range, std::uint64_t seed);
  // A result that is known before the search begins.
  void know(double load, double over);
  // The next run, unchanged until add() gets its result; nullopt: the search is over.
  std::optional<Run> next();
  void add(double over);  // ln(latency / limit); below 0 meets it
  SloBracket bracket() const;
  std::size_t runs() const { return runs_; }

 private:
  struct Seen {
    double at = 0, over = 0;  // ln(load)
  };
  struct Crossing {
    double below = 0, above = 0, root = 0;  // ln(load)
    bool all_meet = false, all_miss = false;
  };
  struct Line {
    double root = 0, error = 0;
    bool good = false;
  };
  Crossing crossing() const;
  Line line_near(double root) const;
  std::optional<Run> explore();
  std::optional<Run> confirm();
  void put_ends(double root);
  void judge();
  void move_low(double from);   // a lower end below `from`
  void move_high(double from);  // an upper end above it
  double fitting(double load, bool down) const;
  Run give(double load, Stage stage);

  SloRange range_;
  base::Prng random_;
  std::vector<Seen> seen_;
  std::optional<SloEnd> low_, high_;
  std::optional<Run> given_;
  bool confirms_ = false, ended_ = false, low_first_ = false;
  bool to_low_ = false;  // the current run belongs to the lower end
  unsigned moves_ = 0;
  std::size_t runs_ = 0, near_ = 0;
};

}  // namespace fathom::stats::loads
