// fathom's overhead per I/O, on this machine, now. The loop of the job's kind runs over an engine that does nothing,
// and the shortest of a few passes counts. This takes about a millisecond per kind, so it runs after the workers have
// ended, and only for runs that are long compared with it. Thread rule: one thread; forks nothing, opens nothing.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "clock/sources/calibration.h"
#include "job/job.h"
#include "result/result.h"
#include "run/loop/context.h"
#include "run/process/clock_choice.h"

namespace fathom::run::loop {

inline constexpr std::uint64_t kShortestCostedRun_ns = 100'000'000;

class OwnCosts {
 public:
  // idle_loop: the loop over an engine that does nothing; nullptr: nothing is measured.
  explicit OwnCosts(LoopFunction idle_loop) : idle_loop_(idle_loop) {}
  // The overhead for such a job with this clock. It is measured once per kind (depth, batches, stamps, order and sizes
  // of requests), for the first few kinds of a run. synchronous: an I/O is complete when its call returns. nullopt: not
  // measured.
  std::optional<result::OwnCost> of(const job::Job& job, bool synchronous,
                                    const clock::sources::Calibration& calibration);

 private:
  std::optional<double> loop_ns_per_io(const job::Job& idle, const clock::sources::Calibration& calibration) const;

  LoopFunction idle_loop_;
  std::optional<double> record_ns_;
  std::map<std::string, std::optional<result::OwnCost>> known_;  // by kind
};

// Time to add one latency to moments and histogram.
double record_cost_ns();
// Measured in about 0.1 ms of consecutive reads of the source, timed by the source itself.
process::SourceCost source_cost(const clock::sources::Calibration& calibration);

}  // namespace fathom::run::loop
