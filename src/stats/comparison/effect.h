// How much runs of B differ from runs of A, and which conclusion the difference supports.
//
// Problem: a run's I/Os share its conditions, so a run is one number, and there are few runs. Their spreads differ,
// times and rates are skewed, and often all of A is measured before all of B. Anything that rises or falls in that time
// then looks like a difference.
//
// Choice: Welch's t on the logarithms, which compares typical values (geometric means) as a factor. If the sides did
// not alternate, the same difference is estimated a second time, at the same place in the order: a line through the
// runs of each side, with one slope for both sides (analysis of covariance). The interval is then extended to include
// both estimates: the runs as they are, and the runs if the trend within the sides continued between them. Places are
// counted, not seconds: a machine that rests for a day between the sides does not continue to drift. A spread below
// that of the quantization (a histogram's bucket, the resolution of the clock) is replaced by it: w/sqrt(12) for a step
// w.
//
// Holm's method corrects several numbers of the same runs, and the intervals by the same step.
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
inline constexpr unsigned kMostNeeded = 1000;  // runs per side: the highest number that is ever suggested

// One number per run, all above 0, and each run's place, from 0, in the order in which the runs of both sides were
// made.
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
  bool in_turn = true;                      // false: `at_one_place` counts too
  Estimate at_one_place;                    // with the trend removed; degrees 0: too few runs for it
  double trend = 0;                         // of the logarithm, per run
  double deviation_a = 0, deviation_b = 0;  // of the logarithms, at least that of the quantization
  double resolution = 0;                    // of the logarithm: a smaller difference is not visible
};

// The sides alternate if the distance between their mean places is at most this share of its maximum (all of A first).
inline constexpr double kInTurn = 0.5;
bool in_turn(std::span<const double> places_a, std::span<const double> places_b);

// resolution: relative; the smallest difference that two runs can show.
Effect effect_of(const Runs& a, const Runs& b, double resolution);

struct Interval {
  double low = 0, high = 0;
};
Interval interval_of(const Effect& effect, double confidence);
// p of the estimate that is less conclusive.
double p_of(const Effect& effect);

// In input order: p multiplied by Holm's factor, and the confidence at which an interval is equivalent.
struct Corrected {
  double p = 1, confidence = kConfidence;
};
std::vector<Corrected> holm(std::span<const double> p);

enum class Told {
  too_few,        // fewer than three runs per side
  too_fine,       // below the resolution of the measurement
  not_yet,        // the interval contains both no difference and one that matters
  within_margin,  // the interval contains no difference that matters
  more,           // B is more
  less,
};
// margin: relative; the same factor in both directions.
Told told_by(const Effect& effect, const Interval& interval, double margin);

// The approximate number of runs per side at which these spreads and this difference allow a conclusion; 0: more than
// kMostNeeded, or never.
unsigned runs_needed(const Effect& effect, double margin, double confidence = kConfidence);

}  // namespace fathom::stats::comparison
