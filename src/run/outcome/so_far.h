// The measurements of a running job, for a report during the run (--status-interval, SIGUSR1). The memory of the
// worker's record has one writer, which does not wait. The report is computed from a copy.
// The worker writes during the copy. Related counters may therefore differ by the I/Os completed in that time (some
// microseconds). For a latency, this is corrected: its moments are scaled to the number of samples in its histogram.
// Between counters of I/Os, bytes and latencies, the difference remains. The final report has no such difference.
#pragma once
#include <cstdint>
#include <memory>

#include "result/result.h"
#include "run/records/record.h"
#include "run/workers.h"

namespace fathom::run::outcome {

// A copy, as if the job had ended at now_ns (CLOCK_MONOTONIC). A ramp is not measured, so its counts are omitted.
std::unique_ptr<records::WorkerRecord> record_so_far(const records::WorkerRecord& running, std::uint64_t now_ns);

// Scales moments to `samples` samples with the same mean and deviation. If either number of samples is 0, the moments
// become empty.
void bring_to(stats::Moments& moments, std::uint64_t samples);

// The result of a member's job so far. If it has ended or has not begun: the same as in the final report.
result::Job job_so_far(const Worker& member, std::uint32_t index, const result::ClockFacts& clock,
                       const std::string& program, std::uint64_t now_ns);

// When the next report during the run is due.
class StatusBeat {
 public:
  StatusBeat(std::uint64_t interval_ns, std::uint64_t begin_ns)
      : interval_ns_(interval_ns), next_ns_(interval_ns == 0 ? ~0ull : begin_ns + interval_ns) {}
  std::uint64_t next_ns() const { return next_ns_; }
  // Skips reports that were missed.
  bool due(std::uint64_t now_ns) {
    if (now_ns < next_ns_) return false;
    next_ns_ += ((now_ns - next_ns_) / interval_ns_ + 1) * interval_ns_;
    return true;
  }

 private:
  std::uint64_t interval_ns_, next_ns_;
};

}  // namespace fathom::run::outcome
