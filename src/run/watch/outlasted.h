// Detects a worker that exceeds its time because its clock was set back. Pure.
#pragma once
#include <cstdint>

#include "job/job.h"
#include "run/records/record.h"

namespace fathom::run::watch {

// A worker with a clock that was set back continues until that clock has caught up. True: its time has ended by now_ns
// of CLOCK_MONOTONIC. The loop's clock does not end it, so the parent must.
inline bool outlasted(const job::Job& job, const records::WorkerRecord& record, std::uint64_t now_ns) {
  const auto phase = record.get_phase();
  const std::uint64_t start_ns = record.start_ns.load(std::memory_order_relaxed);
  const bool in_loop = phase == records::Phase::ramp || phase == records::Phase::running;
  if (!in_loop || start_ns == 0 || job.runtime_ns == 0) return false;
  if (record.flying_ns.load(std::memory_order_relaxed) != 0) return false;  // the loop has ended
  return now_ns > start_ns + job.runtime_ns + (phase == records::Phase::ramp ? job.ramp_ns : 0);
}

}  // namespace fathom::run::watch
