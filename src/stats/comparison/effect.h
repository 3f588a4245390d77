// How much runs of B differ from runs of A, and what may be said of it.
//
// Problem: a run's I/Os share its weather, so a run is one number, and few runs are all there is. Their spreads differ,
// times and rates lean to one side, and all of A is often measured before all of B, so that whatever went up or down
// meanwhile looks like a difference.
//
// Choice: Welch's t on the logarithms, which compares typical values (geometric means) as a factor. Where the sides were
// not measured in turn, the same difference is estimated once more at the same place in the order, by a line with one
// slope for both sides through the runs of each (analysis of covariance), and the interval is stretched until it holds
// both: what the runs say as they are, and what they say if the trend inside the sides went on between them. Places are
// counted, not seconds: a machine that rests for a day between the sides does not go on drifting. A spread below that of
// the quantisation (a histogram's bucket, the clock's step) is the quantisation's: w/sqrt(12) of a step w.
//
// Several numbers of the same runs are corrected by Holm's method, intervals by the same step.
//
// Sources: Welch, "The generalization of Student's problem when several different population variances are involved",
// 1947; Holm, "A simple sequentially rejective multiple test procedure", 1979; Cochran, "Analysis of covariance", 1957;
// the interval inside a margin as proof of no change: Schuirmann, "A comparison of the two one-sided tests procedure",
// 1987. Pure.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace fathom::stats::comparison {

inline constexpr double kConfidence = 0.95;
inline constexpr unsigned kMostNeeded = 1000;  // runs a side that anybody is asked for

// A number a run, all above 0, and each run's place in the order in which the runs of both sides were made, from 0.
struct Runs {
  std::span<const double> values;
  std::span<const double> places;
};

struct Estimate {  // of the logarithm of B over A
  double difference = 0, error = 0, degrees = 0;
  double t() const;
  double p() const;
};

struct Effect {
  std::size_t fewest = 0;                   // runs of the side that has fewer
  Estimate plain;                           // Welch's
  bool in_turn = true;                      // else `at_one_place` counts too
  Estimate at_one_place;                    // with the trend taken away; no degrees: too few runs for it
  double trend = 0;                         // of the logarithm, a run
  double deviation_a = 0, deviation_b = 0;  // of the logarithms, at least the quantisation's
  double resolution = 0;                    // of the logarithm: a smaller difference is not to be seen
};

// Of the mean place of B from that of A, at most so much of what it is where all of A comes first.
inline constexpr double kInTurn = 0.5;
bool in_turn(std::span<const double> places_a, std::span<const double> places_b);

// resolution: relative, the smallest difference that two runs can show.
Effect effect_of(const Runs& a, const Runs& b, double resolution);

struct Interval {
  double low = 0, high = 0;
};
Interval interval_of(const Effect& effect, double confidence);
// That of the estimate that says less.
double p_of(const Effect& effect);

// In the order of what is given: p, multiplied as Holm does, and the confidence at which an interval says the same.
struct Corrected {
  double p = 1, confidence = kConfidence;
};
std::vector<Corrected> holm(std::span<const double> p);

enum class Told {
  too_few,        // runs: fewer than three a side
  too_fine,       // for what measured it
  not_yet,        // the interval holds no difference and one that matters
  within_margin,  // it holds none that matters
  more,           // B is more
  less,
};
// margin: relative; both ways it is the same factor.
Told told_by(const Effect& effect, const Interval& interval, double margin);

// Runs a side at which these spreads and this difference would be told, about; 0: more than kMostNeeded, or never.
unsigned runs_needed(const Effect& effect, double margin, double confidence = kConfidence);

}  // namespace fathom::stats::comparison
