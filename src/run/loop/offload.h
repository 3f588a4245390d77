// io_submit_mode=offload: iodepth lanes do the job. A lane is a thread of the worker with a separate engine and one I/O
// at a time, as fio's workers. One place decides the next request (run/loop/lane_requests.h).
// A lane runs the loop of its engine for iodepth=1 with a separate context. The parent shares the memory of its record.
// The worker's own thread does no I/O. It starts the lanes together and stops them. It keeps the job's record equal to
// the sum of theirs (run/records/sum_records.h), so that every reader sees one record. A lane that fails ends the
// others.
#pragma once
#include <span>

#include "base/error.h"
#include "run/gates/claims.h"
#include "run/loop/context.h"
#include "workload/bytes/contents.h"

namespace fathom::run::loop {

// Data for the lanes, in addition to the job's context.
struct OffloadParts {
  std::span<records::WorkerRecord> records;             // one per lane
  gates::Claims* claims = nullptr;                      // null: no I/O waits for another
  std::size_t first_place = 0;                          // of the lanes in the table of claims
  const workload::bytes::Contents* contents = nullptr;  // null: writes carry the content of their buffers, stamped
  std::uint64_t seed = 0;                               // of the contents
};

// Replaces the loop: opens an engine per lane, reports ready, runs, drains, closes.
base::Expected<void> run_offloaded(LoopFunction loop, LoopContext& job, const OffloadParts& parts);

}  // namespace fathom::run::loop
