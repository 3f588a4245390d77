// Where a load-latency curve bends: the load with the most rate for its latency.
//
// Problem: "how much load is sensible" is answered by eye, at another place by everybody. Choice: Kleinrock's power, rate
// over latency, which grows while more load costs less than its share of latency, and falls after that; its maximum needs
// no limit that somebody has to choose. Of an M/M/1 queue it lies at half of what the server can do.
//
// Its interval: loads whose power, as runs scatter, cannot be told from the best are as good as that; the maximum of a
// curve that rises and then falls lies between the load before the first of them and the load after the last. How runs
// scatter (logarithms) is taken from the loads between the two that are held against each other, ends included: beyond the
// knee they scatter many times more than below it. Where the interval reaches the edge of what was run, it is open on that
// side, and where the best itself is at the edge, none is seen.
//
// Source: Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer communications",
// 1979. Pure.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace fathom::stats::loads {

struct LoadPower {
  double load = 0;
  std::vector<double> log_power;  // ln(rate / latency), one a run
};

struct Knee {
  enum class Seen { no_points, at_lowest, at_highest, yes };
  Seen seen = Seen::no_points;
  std::size_t at = 0;  // of the points
  double low = 0, high = 0;
  bool open_below = false, open_above = false;  // no load was run there
  bool scatter_known = false;                   // some load was run more than once
};

// Points by load, ascending, each with a run at least.
Knee knee_of(std::span<const LoadPower> points);

}  // namespace fathom::stats::loads
