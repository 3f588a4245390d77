// Finds where a series of rates or latencies changes to another level and stays there: a burst credit is used up, a
// cache is full, a limit was changed.
//
// Problem: rates of neighboring intervals differ by noise, by single stalls, and by noise that lasts (a flush). None of
// these is a change of the level. Choice: a running median removes the stalls and keeps edges. The series' logarithms
// are divided into the parts of least squares, with a penalty for each part. The noise for the penalty is estimated
// from neighbors, which a change of level does not affect. An edge is kept only if the medians differ by kLeastChange
// and nearly every value on one side is larger than nearly every one on the other (the Mann-Whitney statistic). Pure.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace fathom::stats::shape {

inline constexpr double kLeastChange = 1.25;  // of the medians of neighboring parts
inline constexpr double kLeastApart = 0.90;   // share of all pairs across an edge that are in the edge's order
inline constexpr double kLeastOfTheMean = 0.05;
inline constexpr std::size_t kFewestOfAPart = 5;    // points
inline constexpr std::size_t kFewestToJudge = 10;   // points of a series
inline constexpr std::size_t kFewestForBegin = 16;  // points of a series, to distinguish a warm-up from chance

struct Regime {
  std::size_t begin = 0, end = 0;  // points: [begin, end)
  double median = 0;
};

// The parts of a series of positive values at equal distances, in order; one part: no change, or too short a series.
std::vector<Regime> regimes(std::span<const double> values);

// A warm-up: a begin that differs from all that follows, and moves the mean of the series by kLeastOfTheMean. It is at
// most a third of the series, and shorter than the shortest part (kFewestOfAPart). nullopt: no warm-up.
std::optional<Regime> warm_up(std::span<const double> values);

}  // namespace fathom::stats::shape
