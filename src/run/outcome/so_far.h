// What a job has measured while it goes on, for a report in mid-run (--status-interval, SIGUSR1). The worker's record is
// memory with one writer who does not wait: it is copied, and computed from the copy. The worker writes meanwhile, so
// counters that belong together may be apart by the I/Os that were completed during the copy (some microseconds): of a
// latency that is put right, in that its moments are brought to the number of samples that its histogram has; between
// counters of I/Os, bytes and latencies it stays. The report at the end has none of it.
#pragma once
#include <cstdint>
#include <memory>

#include "result/result.h"
#include "run/records/record.h"
#include "run/workers.h"

namespace fathom::run::outcome {

// As if it had ended at now_ns (CLOCK_MONOTONIC). What a ramp counts is not measured, and not in it.
std::unique_ptr<records::WorkerRecord> record_so_far(const records::WorkerRecord& running, std::uint64_t now_ns);

// Moments of so many samples with the same mean and deviation. No sample was read of them, or none is left: both are
// empty.
void bring_to(stats::Moments& moments, std::uint64_t samples);

// What a member's job has done. One that has ended, or has not begun, is as at the end.
result::Job job_so_far(const Worker& member, std::uint32_t index, const result::ClockFacts& clock,
                       const std::string& program, std::uint64_t now_ns);

// When the next report in mid-run is due.
class StatusBeat {
 public:
  StatusBeat(std::uint64_t interval_ns, std::uint64_t begin_ns)
      : interval_ns_(interval_ns), next_ns_(interval_ns == 0 ? ~0ull : begin_ns + interval_ns) {}
  std::uint64_t next_ns() const { return next_ns_; }
  // Those that were missed are left out.
  bool due(std::uint64_t now_ns) {
    if (now_ns < next_ns_) return false;
    next_ns_ += ((now_ns - next_ns_) / interval_ns_ + 1) * interval_ns_;
    return true;
  }

 private:
  std::uint64_t interval_ns_, next_ns_;
};

}  // namespace fathom::run::outcome
