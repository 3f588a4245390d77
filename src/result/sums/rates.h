// The rate of one direction, or of several together: all I/Os and bytes over the time from the first begin to the last
// end. Directions with an unknown begin (fio's results, older files) count as begun together. fio's own fields and its
// READ and WRITE lines divide by the longest run time instead (report/parts/derived.h). Pure.
#pragma once
#include <cstdint>
#include <optional>

#include "result/result.h"

namespace fathom::result::sums {

class RateSum {
 public:
  void add(const Direction& direction);
  // fsync and similar calls, over the time of the job's directions, or over the time of a job without directions.
  void add_syncs(const Job& job);
  // nullopt: no time was measured, or a log of fio has only the other quantity, or only latencies.
  std::optional<double> iops() const {
    return ios_ == 0 && (bytes_ > 0 || only_latencies_) ? std::nullopt : per_second(ios_);
  }
  std::optional<double> bytes_per_s() const {
    return bytes_ == 0 && (data_ios_ > 0 || only_latencies_) ? std::nullopt : per_second(bytes_);
  }
  std::uint64_t ios() const { return ios_; }
  std::uint64_t time_ns() const;
  std::uint64_t longest_ns() const { return longest_ns_; }  // of one direction: fio's time

 private:
  std::optional<double> per_second(std::uint64_t count) const;

  std::uint64_t ios_ = 0, data_ios_ = 0, bytes_ = 0, longest_ns_ = 0;
  std::uint64_t begin_ns_ = ~std::uint64_t{0}, end_ns_ = 0;
  bool begins_known_ = true, only_latencies_ = false;
};

// The rate of one direction, which may be a sum of jobs.
RateSum rate_of(const Direction& direction);
// Sets the times of `into` to those of the sum of both.
void merge_times(Direction& into, const Direction& from);

}  // namespace fathom::result::sums
