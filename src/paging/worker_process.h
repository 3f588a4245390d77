// What a measuring process does between its fork and its end: makes sources and threads, locks its pages, maps and
// fills the region, and holds the threads to the parent's steps. Signals that end a run are the parent's matter: here
// they are ignored, and if the parent dies, so does this (prctl(2), PR_SET_PDEATHSIG).
#pragma once
#include <span>
#include <string_view>

#include "paging/worker_state.h"

namespace fathom::paging {

struct WorkerProcess {
  const Plan& plan;
  const WorkerInputs& inputs;
  SharedState& state;
  ProcessRecord& record;
  std::span<ThreadRecord> threads;
  unsigned first_worker = 0, workers = 1;  // its threads' numbers over all processes
  int parent = 0;                          // pid: gone if getppid() says another
  int joined_fd = -1;                      // a byte: the parent has put this process into the cgroup
  int message_fd = -1;                     // worker_message.h
};
// Returns the exit status. In the child only.
int run_worker_process(const WorkerProcess& process);

}  // namespace fathom::paging
