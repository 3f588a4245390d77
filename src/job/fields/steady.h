// steadystate=: a job ends when its rate or latency is stable.
#pragma once
#include "job/job.h"

namespace fathom::job::fields {

enum class SteadyOf : std::uint8_t { iops, bw, lat };

struct Steady : OfJob {
  SteadyOf of = SteadyOf::iops;
  bool slope = false;   // slope of the least-squares line through the values; false: largest deviation from their mean
  double limit = 0.01;  // iops, bytes/s or ns, or percent of the mean; for a slope, per interval
  bool percent = true;
  std::uint64_t duration_ns = 0;  // period that is judged; 0: not requested
  std::uint64_t ramp_ns = 0;
  std::uint64_t interval_ns = 1'000'000'000;
  bool asked() const { return duration_ns != 0; }
  bool operator==(const Steady& o) const {
    return of == o.of && slope == o.slope && limit == o.limit && percent == o.percent && duration_ns == o.duration_ns &&
           ramp_ns == o.ramp_ns && interval_ns == o.interval_ns;
  }
};

}  // namespace fathom::job::fields
