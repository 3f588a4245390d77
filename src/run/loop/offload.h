// io_submit_mode=offload: a job is done by iodepth lanes, threads of its worker, each with an engine of its own and one
// I/O at a time, as fio's workers. What goes out next is decided in one place (run/loop/lane_requests.h). A lane runs the loop
// that a job of its engine runs at iodepth=1, over a context of its own; its record is memory shared with the parent.
// The worker's own thread does no I/O: it starts the lanes together, tells them to stop, and keeps the job's record the
// sum of theirs (run/records/sum_records.h), so that all who look at a job see one record. One lane that fails ends the others.
#pragma once
#include <span>

#include "base/error.h"
#include "run/loop/context.h"
#include "workload/bytes/contents.h"

namespace fathom::run::loop {

// What the lanes need beside the context of the job.
struct OffloadParts {
  std::span<records::WorkerRecord> records;             // one a lane
  Claims* claims = nullptr;                             // null: none of its I/Os waits for another's
  std::size_t first_place = 0;                          // of the lanes among the claims
  const workload::bytes::Contents* contents = nullptr;  // null: writes carry what their buffers have, stamped
  std::uint64_t seed = 0;                               // of the contents
};

// In the place of the loop: opens an engine a lane, reports ready, runs, drains, closes.
base::Expected<void> run_offloaded(LoopFunction loop, LoopContext& job, const OffloadParts& parts);

}  // namespace fathom::run::loop
