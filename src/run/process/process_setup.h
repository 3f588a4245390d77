// What a job sets for the process or thread that runs it: CPUs, NUMA, locked memory, priorities, cgroup, scheduler,
// name, identity. One table of steps, ordered so that each is still permitted: steps that need a privilege come before
// uid= gives it up. (fio changes its identity first, so that nice=-5 with uid=65534 fails.) The worker calls it before
// it opens its files.
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
  ~ProcessSetup();  // releases the locked memory

  // Takes all steps that the job needs. The error is that of the first step that the kernel refuses.
  base::Expected<void> apply(const files::Plan& plan);

 private:
  friend base::Expected<void> lock_memory(const files::Plan& plan, ProcessSetup& setup);
  void* locked_ = nullptr;
  std::size_t locked_bytes_ = 0;
};

// Deviations from the requested options, and side effects. Each becomes a finding. Any thread.
std::vector<std::string> process_notes(const files::Plan& plan);

// ioscheduler=: writes it to the file and reads it back. Errors: io.
base::Expected<void> switch_scheduler(const std::string& file, const std::string& scheduler);
// The scheduler file of the disk that `path` is or is stored on; empty: no such file. `prefix` is put before /sys, for
// tests.
std::string scheduler_file(const std::string& path, const std::string& prefix = "");

}  // namespace fathom::run::process
