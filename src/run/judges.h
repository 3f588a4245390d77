// What the parent judges of a stage's jobs while they run, from counters that their workers keep anyway: whether a
// steady state is attained (of a job, or of all that are reported as one), which ends them; whether least rates are
// kept, which ends a job with an error. On a beat of its own, made of the intervals that the jobs ask for. The workers
// pay nothing for it. Thread rule: the parent's.
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
  // entry: of each member the first of those that it is reported with.
  Judges(Workers& workers, const std::vector<std::size_t>& entry);
  // When to look next (CLOCK_MONOTONIC), UINT64_MAX: never.
  std::uint64_t next_ns() const { return next_ns_; }
  void look(std::uint64_t now_ns);
  // Of the entry that begins with this member; none: it was not asked for.
  std::optional<result::SteadyState> steady(std::size_t entry) const;

 private:
  struct Sums {
    std::uint64_t ios = 0, bytes = 0, clat_ns = 0, clat_ios = 0;
  };
  struct SteadyEntry {
    std::vector<std::size_t> members;
    job::fields::Steady rule;
    watch::SteadyState state;
    std::uint64_t last_ns = 0;  // 0: the measured part or its ramp goes on
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
