// The witnesses beside a run: begun before the first worker starts, looked at now and then, ended after the last one
// has ended, and handed to the audit. One thread does all of it, and sleeps nearly always. Thread rule: constructed,
// begun, ended and destroyed by the main thread.
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/probe_list.h"
#include "job/command.h"
#include "result/result.h"
#include "run/process_io.h"
#include "run/targets.h"

namespace fathom::cli {

class RunProbes {
 public:
  // The plans outlive this.
  RunProbes(const job::Command& command, const std::vector<run::Plan>& plans);
  ~RunProbes();
  RunProbes(const RunProbes&) = delete;

  void watch_idle();                // --settle: what passes when nothing runs, for a second
  void begin();                     // returns when all have begun
  void end();                       // returns when all have ended
  void complete(result::Run& run);  // what they said, held against the result; all workers have been waited for
  // To be kept until the report is written: closing tracepoints takes long.
  Probes ended() { return std::move(ended_); }

 private:
  void work();
  void begin_all(Probes& probes);
  void end_all();

  const bool asked_;
  const std::vector<run::Plan>& plans_;
  ProbeList list_;
  Probes running_, ended_;
  std::vector<result::Count> counts_;
  run::ProcessIoCounts whole_process_{};
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool begun_ = false, stop_ = false;
};

}  // namespace fathom::cli
