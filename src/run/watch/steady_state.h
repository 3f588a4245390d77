// steadystate=: whether the last values of a job or of a group have stopped changing. A value is what was done in one
// interval (I/Os or bytes a second, or the mean completion latency); as many as make up the duration are looked at. The
// largest deviation from their mean, or the slope of the least squares' line through them (over 0, 1, 2, ...; by its
// size, whichever way it goes), as it is or in percent of the mean, has to be below the limit. Pure arithmetic; who
// counts is the parent (run/judges.h).
#pragma once
#include <cstdint>
#include <vector>

#include "job/fields/steady.h"
#include "result/result.h"

namespace fathom::run::watch {

double mean_of(const std::vector<double>& values);
double largest_deviation(const std::vector<double>& values);
double slope_of(const std::vector<double>& values);

// What was done in one interval.
struct SteadyInterval {
  double iops = 0, bytes_per_s = 0, lat_ns = 0;
};

class SteadyState {
 public:
  explicit SteadyState(const job::fields::Steady& rule);
  // The next interval is over. True: attained, now or before.
  bool add(const SteadyInterval& interval);
  bool attained() const { return attained_; }
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
