// A command's jobs, run as often as it asks, with the witnesses beside them. What comes back is complete: devices and
// errors are run/'s, and here each run is given its disks, its split, its audit, the machine's facts and every finding,
// before it is copied or shown; what belongs to the command (program, run id, zone) stands once, in the whole. It prints
// nothing and asks nobody: what there is to say as the work goes it tells a listener. Thread rule: the main thread.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audit/act_hours.h"
#include "audit/machine/build_checks.h"
#include "host/guards/guard.h"
#include "host/placement/placement.h"
#include "host/settle.h"
#include "job/command.h"
#include "result/result.h"
#include "run/process/clock_choice.h"
#include "run/runner.h"
#include "witness/run_split.h"
#include "witness/run_witnesses.h"

namespace fathom::session {

// What takes long to close, and so stays open until the report is written; or until the next repetition begins, for
// each of several would hold a descriptor for every event and CPU.
struct OpenUntilReported {
  std::unique_ptr<witness::RunSplit> split;  // none without --breakdown
  witness::Witnesses witnesses;
};

// Whoever reads the stamps of each I/O while a run goes on (--debug=io).
class StampReader {
 public:
  virtual ~StampReader() = default;
  virtual run::records::StampLogs* stamps() = 0;  // that the workers write to
  virtual void begin() = 0;
  virtual void end() = 0;
};

// What there is to say while jobs run. All are called on the main thread; those that may be empty say so.
struct Listener {
  std::string name;                                         // of the program, as messages begin with it
  host::SettleListener on_settle;                           // may be empty
  std::function<void(const run::Progress&)> on_progress;    // may be empty
  std::function<void(const run::Progress&)> on_second;      // may be empty
  run::files::LayoutListener on_layout;                     // may be empty
  std::function<void(const base::Error&)> on_error;         // a job that cannot be set up
  std::function<void(const std::string&)> on_line;          // in fio's words; may be empty
  std::function<void(const std::string&)> on_announcement;  // an engine's, of a job that begins
  std::function<bool()> status_asked;                       // whether a report is wanted now
  std::function<void(const result::Run&)> on_status;        // a report in mid-run, complete
  std::function<void()> on_measured;                        // one run is over, its report is still to come
  std::function<std::unique_ptr<StampReader>(std::span<const run::files::Plan>)> read_stamps;  // may be empty
};

struct JobsSession {
  const job::Command& command;
  const result::Program& program;
  const audit::machine::BuildFacts& build;
  const std::vector<run::files::Plan>& plans;
  host::placement::Placements& placements;  // found out for the guard, and used by all who ask where a target lies
  const run::process::RunClocks& clocks;
  const host::guards::WriteGuard& guard;
  const Listener& listener;
  std::atomic<std::uint32_t>& stop;
  OpenUntilReported open = {};
  std::optional<audit::ActHours> act = {};         // profile=act
  std::vector<result::WatcherCost> watching = {};  // --cost
};

// --repeat: all raw results are kept; the median repetition is the one reported in full, and says what failed in the
// others.
result::Run run_as_asked(JobsSession& session);

}  // namespace fathom::session
