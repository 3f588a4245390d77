// Finds the knee of a load-latency curve: the load with the highest rate for its latency.
//
// Problem: "how much load is sensible" is usually judged by eye, with a different answer each time. Choice: Kleinrock's
// power, rate over latency. It grows while more load adds proportionally less latency, and falls after that. Its
// maximum needs no chosen limit. For an M/M/1 queue, the maximum is at half of the server's capacity.
//
// Its interval: given the scatter of the runs, the power of some loads does not differ from the best. These are
// equivalent to the best. The maximum of a curve that rises and then falls is between the load before the first of them
// and the load after the last. The scatter of runs (logarithms) comes from the loads between the two that are compared,
// ends included: beyond the knee, runs scatter many times more than below it. If the interval reaches the edge of the
// loads that were run, it is open on that side. If the best load itself is at the edge, no knee is seen.
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
  std::vector<double> log_power;  // ln(rate / latency), one per run
};

struct Knee {
  enum class Seen { no_points, at_lowest, at_highest, yes };
  Seen seen = Seen::no_points;
  std::size_t at = 0;  // index of the best point
  double low = 0, high = 0;
  bool open_below = false, open_above = false;  // no load was run there
  bool scatter_known = false;                   // some load was run more than once
};

// Points in rising order of load, each with at least one run.
Knee knee_of(std::span<const LoadPower> points);

}  // namespace fathom::stats::loads
