// What a job asks of the process or thread that runs it: CPUs, NUMA, locked memory, priorities, cgroup, scheduler, name,
// identity. One table of steps, in an order in which each may still be done: what needs a privilege comes before uid=
// gives it up (fio changes its identity first, so that nice=-5 with uid=65534 fails there). Called in the worker before
// its files open.
// Source: sched_setaffinity(2), set_mempolicy(2), mlock(2), setpriority(2), ioprio_set(2), credentials(7), prctl(2),
// Documentation/block/switching-sched.rst. Thread rule: the worker's.
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "job/job.h"
#include "run/files/targets.h"

namespace fathom::run::process {

class ProcessSetup {
 public:
  ProcessSetup() = default;
  ProcessSetup(const ProcessSetup&) = delete;
  ProcessSetup& operator=(const ProcessSetup&) = delete;
  ~ProcessSetup();  // lets the locked memory go

  // All steps that the job asks for; the first that the kernel refuses is the error.
  base::Expected<void> apply(const files::Plan& plan);

 private:
  friend base::Expected<void> lock_memory(const files::Plan& plan, ProcessSetup& setup);
  void* locked_ = nullptr;
  std::size_t locked_bytes_ = 0;
};

// What will be done otherwise than it was asked for: each becomes a finding. Any thread.
std::vector<std::string> process_notes(const files::Plan& plan);

// ioscheduler=: writes it to the file and reads it back. Errors: io.
base::Expected<void> switch_scheduler(const std::string& file, const std::string& scheduler);
// The file of the disk that a path is, or lies on; empty: there is none. `prefix` stands before /sys, for tests.
std::string scheduler_file(const std::string& path, const std::string& prefix = "");

}  // namespace fathom::run::process
