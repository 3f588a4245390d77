// How much load a limit of latency allows: a bracket, its lower end shown to meet the limit and its upper end to miss it.
//
// Problem: latency as a function of load is steep where it matters and every run scatters, so the step at which a limit is
// first broken on the way up says little: another day it is another one. Choice, in three stages:
//
// - Explore: one run a load. The means of all loads, made to rise (isotonic regression), cross the limit between two
//   loads; the next run is between them, until they are close. Then runs at both sides of the crossing, and a line of
//   log(latency) over log(load) through what was run near it, until its root is known to a fraction of the width.
// - Confirm: the ends are put at both sides of the root. Only fresh runs count at an end, the same number at both, in
//   drawn order: what made the search choose a load is not evidence for it. An end is shown when the mean of its runs is on
//   its side of the limit by Student's t with the scatter of both ends; looked at after 3, 5, 8, 12, 18, 26 and 36 runs an
//   end, at the level that makes seven looks one test at 2.5 % (Pocock).
// - Move: an end that is shown to lie on the other side is the other end, and a new one is put beside it; one that cannot
//   be shown is moved outward, and the bracket is wider than asked, which is told.
//
// The search does not leave the range: where all of it meets or misses, the end of the range is confirmed like any other.
//
// Sources: Pocock, "Group sequential methods in the design and analysis of clinical trials", 1977; Barlow et al.,
// "Statistical inference under order restrictions", 1972 (pool adjacent violators). Pure; the same answers give the same
// questions, so that a search goes on from its history.
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
  double width = 0.03;       // of the bracket, as a share of the load
  bool whole = false;        // loads are whole numbers
  double resolution = 0;     // relative, of the latency: runs scatter by no less
};

struct SloEnd {
  double load = 0;
  bool shown = false;
  std::vector<double> over;  // ln(latency / limit) of its fresh runs
};

struct SloBracket {
  std::optional<SloEnd> meets, misses;  // none: the range has none
  bool ended = false;                   // nothing more will be run
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
  // What is known before it begins.
  void know(double load, double over);
  // The next run, the same until add() has its answer; nothing: it is over.
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
  bool to_low_ = false;  // whose the run that was given is
  unsigned moves_ = 0;
  std::size_t runs_ = 0, near_ = 0;
};

}  // namespace fathom::stats::loads
