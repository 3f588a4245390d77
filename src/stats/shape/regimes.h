// Where a series of rates or latencies changes from one level to another and stays there: a burst credit that is used up,
// a cache that is full, a limit that was changed.
//
// Problem: rates of neighbouring intervals differ by noise, by single stalls, and by noise that lasts (a flush); none of
// these is a change of the level. Choice: a running median takes the stalls away and keeps edges; the series' logarithms
// are divided into the parts of least squares, with a price for each part (its noise is estimated from neighbours, which a
// change of level does not touch); and an edge is kept only where the medians differ by kLeastChange and nearly every
// value on one side is larger than nearly every one on the other (the Mann-Whitney statistic). Pure.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace fathom::stats::shape {

inline constexpr double kLeastChange = 1.25;  // of the medians of neighbouring parts
inline constexpr double kLeastApart = 0.90;   // of all pairs across an edge, in the edge's order
inline constexpr double kLeastOfTheMean = 0.05;
inline constexpr std::size_t kFewestOfAPart = 5;    // points
inline constexpr std::size_t kFewestToJudge = 10;   // points of a series
inline constexpr std::size_t kFewestForBegin = 16;  // the same, to tell a begin from chance

struct Regime {
  std::size_t begin = 0, end = 0;  // points: [begin, end)
  double median = 0;
};

// The parts of a series of positive values at equal distances, in order; one: it does not change, or is too short.
std::vector<Regime> regimes(std::span<const double> values);

// A begin that differs from all that follows, and moves the mean of all by kLeastOfTheMean: at most a third of the series, and shorter than a part may be. Nothing: the
// series begins as it goes on.
std::optional<Regime> warm_up(std::span<const double> values);

}  // namespace fathom::stats::shape
