// Finds where a series of runs changed to another level: one number per run, oldest first.
//
// Problem: runs of one job differ by noise, single runs are far off, and the place of a change is unknown. A comparison
// of two runs, or with a fixed limit, then reports changes that are noise, and misses small ones.
//
// Choice: E-divisive, in the form of Hunter and Apache Otava. A series is split where the energy statistic of both
// sides is largest, and the split stays if Student's t-test finds the sides different. The t-test replaces the
// permutation test of the original: it needs no random numbers, so that the answer for a series is always the same. A
// window of kWindow runs moves over the series in half steps. Its splits need only kWeaker times the required p. Then
// the weakest splits are removed, one after another, and their neighbors are tested again on the whole parts. In a
// window, a split is tested on the two parts that gave its energy, and not on all that follows it: otherwise a level
// that came and went is found in 17 % of the series of the test, instead of 99 %.
//
// Three additions. The values are logarithms, since a change is a factor. A run far from the runs before it and from
// those after it is omitted: one such run would otherwise hide a change, or be one. And p is multiplied by the number
// of places that were searched, kFewestOfAPart runs apart: of 1,000 flat series of 40 runs, about 20 have a split with
// an uncorrected p of 0.001. The method divides a drift into steps.
//
// Sources: Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data",
// 2014; Fleming, Kolaczkowski et al., "Hunter: Using Change Point Detection to Hunt for Performance Regressions",
// 2023; the limit for outliers: Hampel, "The influence curve and its role in robust estimation", 1974; the correction:
// Bonferroni's inequality. Pure.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace fathom::stats::changes {

inline constexpr double kMostP = 0.001;
inline constexpr std::size_t kWindow = 50;        // runs
inline constexpr double kWeaker = 10;             // the p of a split in a window, relative to the required one
inline constexpr std::size_t kFewestOfAPart = 4;  // runs
inline constexpr std::size_t kFewestToJudge = 8;  // runs of a series
inline constexpr std::size_t kNeighbors = 5;      // before a run, and after it
inline constexpr double kOutlier = 3;             // standard deviations from the median of either

struct Criteria {
  double most_p = kMostP;
  double least_change = 0;  // relative: 0.01 is 1 %; a smaller change is none
};

struct ChangePoint {
  std::size_t begin = 0, at = 0, end = 0;  // the levels before, [begin, at), and after, [at, end)
  double before = 0, after = 0;            // medians of the values
  double t = 0, degrees = 0;               // Student's, of logarithms without outliers; t > 0: more
  double p = 1;                            // corrected for the search
  double change() const { return after / before - 1; }
};

// The changes of a series of positive values, in order. Empty: no change, or fewer than kFewestToJudge values.
std::vector<ChangePoint> change_points(std::span<const double> values, const Criteria& criteria = {});

double median_of(std::span<const double> values);  // 0: no values

}  // namespace fathom::stats::changes
