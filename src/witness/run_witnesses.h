// Cross-checks of a run: begun before the first worker starts, read periodically, ended after the last worker has ended
// (witness_thread.h), and passed to the audit. Thread rule: the main thread.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "job/command.h"
#include "result/result.h"
#include "run/files/targets.h"
#include "run/records/process_io.h"
#include "witness/witness_list.h"
#include "witness/witness_thread.h"

namespace fathom::witness {

class RunWitnesses {
 public:
  // The plans must outlive this object.
  RunWitnesses(const job::Command& command, const std::vector<run::files::Plan>& plans,
               host::placement::Placements& placements);
  RunWitnesses(const RunWitnesses&) = delete;

  void watch_idle();                // --settle: traffic while nothing runs, for one second
  void begin();                     // returns when all have begun
  void end() { watch_.end(); }      // returns when all have ended
  void complete(result::Run& run);  // compares their counts with the result; call after waiting for all workers
  // Keep these until the report is written: closing tracepoints takes long.
  Witnesses ended() { return std::move(ended_); }

 private:
  void take(WitnessThread& from);

  const bool asked_;
  const std::vector<run::files::Plan>& plans_;
  WitnessList list_;
  WitnessThread watch_;
  Witnesses ended_;
  std::vector<result::Count> counts_;
  run::records::ProcessIoCounts whole_process_{};
};

}  // namespace fathom::witness
