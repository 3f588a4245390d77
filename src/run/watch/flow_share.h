// flow=: jobs of one flow_id share their I/Os out by their weights, as fio does: a job that has done more than its share
// of what all have done waits. The counts lie in memory that the workers share; each job counts its own beside the
// flow's, and takes both its I/Os and its weight out when it ends, so that those that remain share out what remains.
// Any process or thread; the parent makes it and takes out whoever died.
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

// Whether a job with `own` of the flow's `all` I/Os is ahead of its weight's share.
constexpr bool ahead_of_share(std::uint64_t own, std::uint64_t all, std::uint64_t weight, std::uint64_t weights) {
  return static_cast<unsigned __int128>(own) * weights > static_cast<unsigned __int128>(all) * weight;
}

// Of one flow; `ios` begins with 1, as fio's.
struct FlowSum {
  std::atomic<std::uint64_t> ios, weights;
};
// Of one job.
struct FlowPart {
  std::atomic<std::uint64_t> ios, weight;  // weight 0: it is not in the flow, or has left
};

// What a worker's loop asks before each I/O.
class FlowTurn {
 public:
  FlowTurn(FlowSum& all, FlowPart& own, std::uint64_t sleep_ns) : all_(all), own_(own), sleep_ns_(sleep_ns) {}
  // It may do an I/O, which is counted.
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
      ::sched_yield();  // who is to go next may need this CPU for it
  }
  // Once more than once does no harm.
  void leave() {
    all_.weights.fetch_sub(own_.weight.exchange(0));
    all_.ios.fetch_sub(own_.ios.exchange(0));
  }

 private:
  FlowSum& all_;
  FlowPart& own_;
  std::uint64_t sleep_ns_;
};

// Of a run: a part a job, a sum a flow_id.
class Flows {
 public:
  explicit Flows(const std::vector<const job::fields::Flow*>& jobs);
  // Its weight counts from now on.
  void join(std::size_t job);
  void leave(std::size_t job);
  // Null: the job is in no flow.
  std::unique_ptr<FlowTurn> turn(std::size_t job);

 private:
  std::vector<job::fields::Flow> jobs_;
  std::map<std::int32_t, std::size_t> sum_of_;
  base::system::SharedArray<FlowPart> parts_;
  base::system::SharedArray<FlowSum> sums_;
};

}  // namespace fathom::run::watch
