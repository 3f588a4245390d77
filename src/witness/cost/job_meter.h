// How far a job is, at an instant, from outside and while it runs: I/Os that are over, the CPU time of its own tasks, its
// latencies so far. The workers' records (run/records/record.h) move in the ramp as well, in every job and every loop,
// so nothing is added to the path of an I/O for it. Whoever a worker hands its work to (io_submit_mode=offload in a
// thread, the kernel's own threads) is not in its CPU time; io_uring's workers are, of a worker that is a process.
// Thread rule: one thread; the records are read while the workers write them.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "io/request.h"
#include "run/worker_view.h"
#include "stats/paired_slices.h"
#include "witness/cost/instant.h"

namespace fathom::witness::cost {

class JobMeter {
 public:
  // dir: of these the I/Os are counted; nothing: of all.
  JobMeter(run::WorkerViews workers, std::optional<io::Dir> dir);
  stats::SliceReading read();
  stats::SliceReading operator()() { return read(); }
  bool any_began() const;  // a worker has

 private:
  std::uint64_t ios(std::optional<io::Dir> dir) const;
  void read_cpu(stats::SliceReading& into);
  void read_latencies(stats::SliceReading& into) const;

  run::WorkerViews workers_;
  std::optional<io::Dir> dir_;
  std::vector<CpuTime> cpu_;  // by worker
};

}  // namespace fathom::witness::cost
