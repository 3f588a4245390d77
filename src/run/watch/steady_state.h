// steadystate=: detects that the last values of a job or group have stopped changing. A value belongs to one interval:
// I/Os or bytes per second, or the mean completion latency. It looks at as many values as fill the duration. Either the
// largest deviation from their mean, or the absolute slope of their least-squares line (over 0, 1, 2, ...), must be
// below the limit, as is or in percent of the mean. Pure arithmetic; the parent counts (run/judges.h).
#pragma once
#include <cstdint>
#include <vector>

#include "job/fields/steady.h"
#include "result/result.h"

namespace fathom::run::watch {

double mean_of(const std::vector<double>& values);
double largest_deviation(const std::vector<double>& values);
double slope_of(const std::vector<double>& values);

// The rates and the mean latency of one interval.
struct SteadyInterval {
  double iops = 0, bytes_per_s = 0, lat_ns = 0;
};

class SteadyState {
 public:
  explicit SteadyState(const job::fields::Steady& rule);
  // Call when the next interval has ended. True: steady state attained, now or before.
  bool add(const SteadyInterval& interval);
  bool attained() const { return attained_; }
  // The values of an interval that the run did not reach are 0, as in fio.
  result::SteadyState result() const;

 private:
  std::vector<double> judged() const;

  job::fields::Steady rule_;
  std::size_t most_;
  std::vector<SteadyInterval> last_;  // oldest first
  double deviation_ = 0, slope_ = 0, criterion_ = 0;
  bool attained_ = false;
};

}  // namespace fathom::run::watch
