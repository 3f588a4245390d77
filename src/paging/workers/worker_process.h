// A measuring process from its start to its end: makes sources and threads, locks its pages, maps and fills the region,
// and keeps the threads in step with the parent. In the child only.
#pragma once
#include <span>

#include "paging/workers/worker_state.h"
#include "worker/channel.h"

namespace fathom::paging::workers {

struct WorkerProcess {
  const Plan& plan;
  const WorkerInputs& inputs;
  SharedState& state;
  ProcessRecord& record;
  std::span<sources::ThreadRecord> threads;
  unsigned first_worker = 0, workers = 1;  // number of its first thread; threads of all processes
  const worker::Voice& voice;
};
// Returns the exit status.
int run_worker_process(const WorkerProcess& process);

}  // namespace fathom::paging::workers
