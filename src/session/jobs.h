// A command's jobs, in two steps. prepare() plans them and refuses what must not run; execute() runs them as often as the
// command says, with the cross-checks, and returns a result that is complete: devices and errors come from run/; disks,
// breakdown, audit, facts of the machine and findings are added to each repetition before it is copied or shown; program,
// run id and time zone are added to the whole, once. Neither prints or asks: a listener gets what happens in between. This
// header names types of other modules without including them. Thread rule: the main thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace fathom::audit::machine {
struct BuildFacts;
}
namespace fathom::host {
struct SettleProgress;
}
namespace fathom::job {
struct Command;
}
namespace fathom::result {
struct Program;
struct Run;
}  // namespace fathom::result
namespace fathom::run {
struct Progress;
}
namespace fathom::run::files {
struct LayoutProgress;
struct Plan;
}  // namespace fathom::run::files
namespace fathom::run::process {
struct ClockTools;
}
namespace fathom::run::records {
class StampLogs;
}

namespace fathom::session {

// Reads the timestamps of each I/O during a run (--debug=io).
class StampReader {
 public:
  virtual ~StampReader() = default;
  virtual run::records::StampLogs* stamps() = 0;  // that the workers write to
  virtual void begin() = 0;
  virtual void end() = 0;
};

// What happens while jobs run. All are called on the main thread; those that may be empty say so.
struct Listener {
  std::string name;                                                  // of the program, as messages begin with it
  std::function<void(const host::SettleProgress&)> on_settle;        // may be empty
  std::function<void(const run::Progress&)> on_progress;             // may be empty
  std::function<void(const run::Progress&)> on_second;               // may be empty
  std::function<void(const run::files::LayoutProgress&)> on_layout;  // may be empty
  std::function<void(const base::Error&)> on_error;                  // a job that cannot be set up
  std::function<void(const std::string&)> on_line;                   // in fio's words; may be empty
  std::function<void(const std::string&)> on_announcement;           // an engine's, of a job that begins
  std::function<bool()> status_asked;                                // whether a report is wanted now
  std::function<void(const result::Run&)> on_status;                 // a report in mid-run, complete
  std::function<void()> on_measured;                                 // one run is over, its report is still to come
  std::function<std::unique_ptr<StampReader>(std::span<const run::files::Plan>)> read_stamps;  // may be empty
};

// What runs, and for which program. All outlive the prepared jobs.
struct JobsRequest {
  const job::Command& command;
  const result::Program& program;
  const audit::machine::BuildFacts& build;
  bool fio_mode = false;
  const run::process::ClockTools* clocks = nullptr;  // nullptr: those of this machine
};

// Jobs that may run. What planning and running have opened closes with it.
class PreparedJobs {
 public:
  struct State;  // session/jobs_session.h
  explicit PreparedJobs(std::unique_ptr<State> state);
  PreparedJobs(PreparedJobs&& other) noexcept;
  ~PreparedJobs();
  const std::vector<run::files::Plan>& plans() const;
  std::string closing_text() const;  // after the report; profile=act: the hours and their verdict, else empty
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// Errors: a job that no engine can run; no job has a target; a write that would destroy data that the user did not name.
base::Expected<PreparedJobs> prepare(const JobsRequest& request);

// Validates the clock, then runs. --repeat: all raw results are kept; the median repetition is the one reported in full,
// and has the failures of the others. stop: shared memory; 1: end and report, 2: leave at once.
result::Run execute(PreparedJobs& prepared, const Listener& listener, std::atomic<std::uint32_t>& stop);

}  // namespace fathom::session
