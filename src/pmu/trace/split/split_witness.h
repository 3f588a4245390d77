// The latency split while a run goes on: a thread that takes the stamps of single I/Os from their rings, reads the
// block layer's tracepoints, and divides each I/O that it looks at (docs/breakdown.md). It knows no job and no engine:
// whoever stamps I/Os can use it. Nothing grows with the length of a run. Errors of begin(): nothing to follow, no
// tracefs, no permission; the breakdown then carries the cause. Thread rule: begin, end, breakdown and destruction by
// one thread. The tracepoints stay open until destruction, because closing them costs some 40 ms.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/spsc_ring.h"
#include "clock/sources/source.h"
#include "host/placement/placement.h"
#include "result/breakdown.h"
#include "result/io_stamp.h"
#include "result/witness.h"

namespace fathom::pmu::trace::split {

// One writer of stamps.
struct SplitWorker {
  base::RingReader<result::IoStamp> stamps;
  clock::sources::Source clock = clock::sources::Source::cpu;
  std::size_t job = 0;                                   // index among the jobs
  std::vector<host::placement::Placement> targets = {};  // by IoStamp::target
  bool direct = false;                                   // direct=1: the page cache answers nothing
  bool sync_writes = false;  // sync=: a write returns when the device's cache was emptied, too
};

// What is reported as one.
struct SplitJob {
  std::string name;
  int number = 0;
};

class SplitWitness : public result::Witness {
 public:
  SplitWitness(std::vector<SplitJob> jobs, std::vector<SplitWorker> workers);
  ~SplitWitness() override;
  std::string name() const override { return "latency split"; }
  base::Expected<void> begin() override;
  result::WitnessReport end() override;
  // After end(), or after a begin() that failed.
  const result::Breakdown& breakdown() const { return breakdown_; }

 private:
  struct State;
  base::Expected<void> prepare();
  static void describe(const State& s, std::size_t job, std::size_t dir, result::BreakdownClass& to);
  void run();

  std::unique_ptr<State> state_;
  std::thread reader_;
  std::atomic<bool> stop_{false};
  result::Breakdown breakdown_;
};

}  // namespace fathom::pmu::trace::split
