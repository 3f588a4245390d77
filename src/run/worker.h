// One worker's whole life, the same in a forked process and in a thread: pin, open, prepare, wait for the start, run
// its engine's loop, sync, clean up. Everything that it has to say lies in its WorkerRecord.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>

#include "clock/calibration.h"
#include "run/context.h"
#include "run/record.h"
#include "run/targets.h"
#include "verify/state_live.h"

namespace fathom::run {

// What a worker tells its parent through a pipe, so that the parent can sleep. Smaller than PIPE_BUF: written whole.
struct Event {
  std::uint32_t worker;
  enum Kind : std::uint32_t { ready, done } kind;
};

struct WorkerSetup {
  const Plan* plan = nullptr;
  std::uint32_t index = 0;  // in the run: enters the seed
  WorkerRecord* record = nullptr;
  const std::atomic<std::uint32_t>* stop = nullptr;
  int event_fd = -1;  // write end of the event pipe
  int go_fd = -1;     // read end: end of file is the start signal
  clock::Calibration calibration;
  LoopFunction loop = nullptr;
  StampLogs* stamps = nullptr;                // null: single I/Os are not written down
  const DescriptorLook* may_write = nullptr;  // null: not asked
  LogRings* logs = nullptr;                   // null: no job has logs
  Flows* flows = nullptr;
  std::span<WorkerRecord> lanes = {};  // io_submit_mode=offload: a record each; else none
  Claims* claims = nullptr;            // null: no I/O of the job waits for one of somebody else
  std::size_t first_place = 0;         // of the job among them
  verify::LiveState* live = nullptr;   // null: no state of its writes is kept
};

// Sends `done` as its last act.
void run_worker(const WorkerSetup& setup);

}  // namespace fathom::run
