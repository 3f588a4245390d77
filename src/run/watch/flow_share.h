// flow=: jobs of one flow_id share their I/Os by their weights, as in fio: a job waits while it is ahead of its share
// of the flow's I/Os. The counts are in memory shared by the workers. Each job counts its own I/Os in addition to the
// flow's. When it ends, it removes its I/Os and its weight, so that the remaining jobs share the rest. Any process or
// thread may call this; the parent creates it and removes workers that died.
#pragma once
#include <sched.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/system/shared_memory.h"
#include "base/time.h"
#include "job/fields/flow.h"

namespace fathom::run::watch {

// True if a job with `own` of the flow's `all` I/Os is ahead of the share that its weight gives.
constexpr bool ahead_of_share(std::uint64_t own, std::uint64_t all, std::uint64_t weight, std::uint64_t weights) {
  return static_cast<unsigned __int128>(own) * weights > static_cast<unsigned __int128>(all) * weight;
}

// Sums of one flow; `ios` begins with 1, as in fio.
struct FlowSum {
  std::atomic<std::uint64_t> ios, weights;
};
// Counts of one job.
struct FlowPart {
  std::atomic<std::uint64_t> ios, weight;  // weight 0: not in the flow, or has left it
};

// Used by a worker's loop before each I/O.
class FlowTurn {
 public:
  FlowTurn(FlowSum& all, FlowPart& own, std::uint64_t sleep_ns) : all_(all), own_(own), sleep_ns_(sleep_ns) {}
  // True: the job may do an I/O, which is counted.
  bool take() {
    if (ahead_of_share(own_.ios.load(), all_.ios.load(), own_.weight.load(), all_.weights.load())) return false;
    own_.ios.fetch_add(1);
    all_.ios.fetch_add(1);
    return true;
  }
  void wait() const {
    if (sleep_ns_ != 0)
      base::sleep_ns(sleep_ns_);
    else
      ::sched_yield();  // the next job may need this CPU
  }
  // Repeated calls are harmless.
  void leave() {
    all_.weights.fetch_sub(own_.weight.exchange(0));
    all_.ios.fetch_sub(own_.ios.exchange(0));
  }

 private:
  FlowSum& all_;
  FlowPart& own_;
  std::uint64_t sleep_ns_;
};

// All flows of a run: one part per job, one sum per flow_id.
class Flows {
 public:
  explicit Flows(const std::vector<const job::fields::Flow*>& jobs);
  // From now on the job's weight counts.
  void join(std::size_t job);
  void leave(std::size_t job);
  // Null: the job has no flow.
  std::unique_ptr<FlowTurn> turn(std::size_t job);

 private:
  std::vector<job::fields::Flow> jobs_;
  std::map<std::int32_t, std::size_t> sum_of_;
  base::system::SharedArray<FlowPart> parts_;
  base::system::SharedArray<FlowSum> sums_;
};

}  // namespace fathom::run::watch
