// Judges a stage's jobs while they run, from counters that their workers update anyway. An attained steady state (of a
// job, or of all jobs that are reported as one) ends the jobs. A minimum rate that is not kept ends its job with an
// error. The parent looks at a separate interval, derived from the intervals that the jobs request. The workers have
// no cost. Thread rule: the parent's thread.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "run/watch/least_rate.h"
#include "run/watch/steady_state.h"
#include "run/workers.h"

namespace fathom::run {

class Judges {
 public:
  // entry: for each member, the first of the members that it is reported with.
  Judges(Workers& workers, const std::vector<std::size_t>& entry);
  // Time of the next look() (CLOCK_MONOTONIC); UINT64_MAX: never.
  std::uint64_t next_ns() const { return next_ns_; }
  void look(std::uint64_t now_ns);
  // For the entry that begins with this member; empty: not requested.
  std::optional<result::SteadyState> steady(std::size_t entry) const;

 private:
  struct Sums {
    std::uint64_t ios = 0, bytes = 0, clat_ns = 0, clat_ios = 0;
  };
  struct SteadyEntry {
    std::vector<std::size_t> members;
    job::fields::Steady rule;
    watch::SteadyState state;
    std::uint64_t last_ns = 0;  // 0: the measured part has not begun, or its ramp continues
    Sums last;
  };
  struct Floor {
    std::size_t member;
    watch::LeastRateWatch watch;
    std::uint64_t cycle_ns;
  };
  Sums sums_of(const SteadyEntry& entry) const;
  bool may_begin(const SteadyEntry& entry, std::uint64_t now_ns) const;
  void look_at(SteadyEntry& entry, std::uint64_t now_ns);
  void look_at(Floor& floor, std::uint64_t now_ns);

  Workers& workers_;
  std::vector<SteadyEntry> steady_;
  std::vector<Floor> floors_;
  std::uint64_t next_ns_ = UINT64_MAX, beat_ns_ = UINT64_MAX;
};

}  // namespace fathom::run
