// The metrics that runs are compared by, by name: `iops`, `bw`; for a latency its mean or a percentile, `clat_p99`,
// `lat_mean`, `intended_lat_p99.9`; for `fathom paging` `accesses_per_s`, `access_mean`, `major_p99`. intended_lat is
// the headline latency of paced jobs. If some jobs of a run are not paced, their I/Os count from submission. Pure.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::compare {

enum class Kind { jobs, paging };

struct Metric {
  std::string name;
  std::string latency;               // "clat", "access"; empty: a rate
  std::optional<double> percentile;  // of the latency; nullopt: its mean
  bool more_is_better() const { return latency.empty(); }
  std::string unit() const;  // "1/s", "bytes/s", "ns"
};

// Errors: usage, with the nearest name.
base::Expected<Metric> metric_named(std::string_view name);
bool is_of(const Metric& metric, Kind kind);

// The metrics compared by default, the most informative first.
std::span<const std::string_view> usual_metrics(Kind kind);

// "clat_p99>+5%": fails if the interval shows a change beyond this limit.
struct FailIf {
  std::string written;
  Metric metric;
  bool above = true;
  double percent = 0;
};
base::Expected<FailIf> fail_if(std::string_view text);

}  // namespace fathom::compare
