// Progress of a job at an instant, read from outside while it runs: completed I/Os, the CPU time of the job's tasks,
// the latencies so far. The workers' records (run/records/record.h) also advance in the ramp, in every job and every
// loop, so this adds nothing to the I/O path. A worker's CPU time excludes threads that do its work
// (io_submit_mode=offload in a thread, the kernel's own threads). It includes io_uring's workers if the worker is a
// process. Thread rule: one thread; the records are read while the workers write them.
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
  // dir: the direction to count; nullopt: all I/Os.
  JobMeter(run::WorkerViews workers, std::optional<io::Dir> dir);
  stats::SliceReading read();
  stats::SliceReading operator()() { return read(); }
  bool any_began() const;  // a worker has completed an I/O

 private:
  std::uint64_t ios(std::optional<io::Dir> dir) const;
  void read_cpu(stats::SliceReading& into);
  void read_latencies(stats::SliceReading& into) const;

  run::WorkerViews workers_;
  std::optional<io::Dir> dir_;
  std::vector<CpuTime> cpu_;  // by worker
};

}  // namespace fathom::witness::cost
