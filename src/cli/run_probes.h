// The witnesses beside a run: begun before the first worker starts, looked at now and then, ended after the last one
// has ended (probe_thread.h), and handed to the audit. Thread rule: the main thread.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "cli/probe_list.h"
#include "cli/probe_thread.h"
#include "job/command.h"
#include "result/result.h"
#include "run/process_io.h"
#include "run/targets.h"

namespace fathom::cli {

class RunProbes {
 public:
  // The plans outlive this.
  RunProbes(const job::Command& command, const std::vector<run::Plan>& plans);
  RunProbes(const RunProbes&) = delete;

  void watch_idle();                // --settle: what passes when nothing runs, for a second
  void begin();                     // returns when all have begun
  void end() { watch_.end(); }      // returns when all have ended
  void complete(result::Run& run);  // what they said, held against the result; all workers have been waited for
  // To be kept until the report is written: closing tracepoints takes long.
  Probes ended() { return std::move(ended_); }

 private:
  void take(ProbeThread& from);

  const bool asked_;
  const std::vector<run::Plan>& plans_;
  ProbeList list_;
  ProbeThread watch_;
  Probes ended_;
  std::vector<result::Count> counts_;
  run::ProcessIoCounts whole_process_{};
};

}  // namespace fathom::cli
