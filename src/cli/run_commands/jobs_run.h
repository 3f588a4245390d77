// A command's jobs, run as often as it asks, with the witnesses beside them. What comes back is complete: devices and
// errors are run/'s, and here each run is given its disks, its split, its audit, the machine's facts and every finding,
// before it is copied or shown; what belongs to the command (program, run id, zone) stands once, in the whole. Thread
// rule: the main thread.
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audit/act_hours.h"
#include "cli/run_commands/output.h"
#include "cli/run_commands/status.h"
#include "host/guards/guard.h"
#include "job/command.h"
#include "result/result.h"
#include "run/process/clock_choice.h"
#include "run/runner.h"
#include "witness/run_split.h"
#include "witness/run_witnesses.h"

namespace fathom::cli::run_commands {

// What takes long to close, and so stays open until the report is written; or until the next repetition begins, for
// each of several would hold a descriptor for every event and CPU.
struct OpenUntilReported {
  std::unique_ptr<witness::RunSplit> split;  // none without --breakdown
  witness::Witnesses witnesses;
};

struct JobsSession {
  const job::Command& command;
  bool fio_mode;
  std::span<const std::string> called_with;
  const std::vector<run::files::Plan>& plans;
  const run::process::RunClocks& clocks;
  const host::guards::WriteGuard& guard;
  StatusPrinter& status;
  Output& output;  // reports in mid-run
  std::atomic<std::uint32_t>& stop;
  OpenUntilReported open = {};
  std::optional<audit::ActHours> act = {};  // profile=act
};

// --repeat: all raw results are kept; the median repetition is the one reported in full, and says what failed in the
// others.
result::Run run_as_asked(JobsSession& session);

// That messages begin with, as scripts that read fio's expect.
std::string program_name(bool fio_mode);

}  // namespace fathom::cli::run_commands
