// What fathom itself spends on an I/O, on this machine, now: the real loop of a job's kind is run over an engine that
// does nothing, and the shortest of a few passes counts. About a millisecond a kind, so it is done after the workers
// have ended and only for runs that are long against it. Thread rule: one thread; forks nothing, opens nothing.
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
  // The loop over an engine that does nothing; nullptr: nothing is measured.
  explicit OwnCosts(LoopFunction idle_loop) : idle_loop_(idle_loop) {}
  // Of a job like this one, stamped by this clock; measured once a kind (depth, batches, stamps, order and sizes of
  // requests), for the first few kinds of a run. synchronous: its I/Os are over when their call returns. None: not
  // measured.
  std::optional<result::OwnCost> of(const job::Job& job, bool synchronous,
                                    const clock::sources::Calibration& calibration);

 private:
  std::optional<double> loop_ns_per_io(const job::Job& idle, const clock::sources::Calibration& calibration) const;

  LoopFunction idle_loop_;
  std::optional<double> record_ns_;
  std::map<std::string, std::optional<result::OwnCost>> known_;  // by kind
};

// One latency into moments and histogram.
double record_cost_ns();
// A tenth of a millisecond of reading the source in a row, timed by itself.
process::SourceCost source_cost(const clock::sources::Calibration& calibration);

}  // namespace fathom::run::loop
