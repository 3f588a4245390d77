// What of a run is compared: one number of each metric, of the whole run and of each job's directions, and a histogram.
// A run's result may be megabytes, and a comparison may be of a thousand: this is what is kept. Pure.
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
  double resolution = 0;  // relative: a smaller difference from another run is not to be seen
};

// The whole run, or a direction of a job (of its clones together).
struct Part {
  std::string of;                              // "read", "job2 write"; of the whole empty
  std::string key;                             // by position, the same in runs of the same jobs
  std::vector<std::optional<Number>> numbers;  // one a metric
};

struct RunNumbers {
  std::uint64_t time_epoch_ms = 0;  // when it was made; 0: not known
  bool paced = false;
  std::vector<Part> parts;   // the first is the whole
  std::string histogram_of;  // "clat"; empty: it has none
  stats::Histogram histogram_ns;
};

Kind kind_of(const result::Run& run);
bool is_breakdown(const result::Run& run);  // of several swaps: its repetitions are no runs of one thing
// Why no number is taken of a run; empty: one is.
std::string unfit(const result::Run& run);
RunNumbers numbers_of(const result::Run& run, std::span<const Metric> metrics);

}  // namespace fathom::compare
