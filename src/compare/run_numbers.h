// The compared numbers of a run: one per metric, for the whole run and each job's directions, and a histogram. A run's
// result may have megabytes, and a comparison may have a thousand runs. Only these numbers are kept. Pure.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/metrics.h"
#include "result/result.h"

namespace fathom::compare {

struct Number {
  double value = 0;
  double resolution = 0;  // relative: a smaller difference from another run is not visible
};

// The whole run, or one direction of a job (all of its clones together).
struct Part {
  std::string of;                              // "read", "job2 write"; empty: the whole run
  std::string key;                             // by position; equal in runs of the same jobs
  std::string job, direction;                  // empty: the whole run, which has several of them
  std::vector<std::optional<Number>> numbers;  // one per metric
};

struct RunNumbers {
  std::uint64_t time_epoch_ms = 0;  // time of the run; 0: unknown
  bool paced = false;
  std::vector<Part> parts;   // the first is the whole run
  std::string histogram_of;  // "clat"; empty: no histogram
  stats::Histogram histogram_ns;
};

Kind kind_of(const result::Run& run);
bool is_breakdown(const result::Run& run);  // of several swaps: its runs are not repetitions of one
// Why the run cannot be compared; empty: it can.
std::string unfit(const result::Run& run);
RunNumbers numbers_of(const result::Run& run, std::span<const Metric> metrics);

}  // namespace fathom::compare
