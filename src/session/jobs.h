// A command's jobs, in two steps. prepare() plans the jobs and refuses those that must not run.
// execute() runs them as often as the command requests, with the cross-checks. It returns a complete result:
//   devices and errors come from run/
//   each repetition gets disks, breakdown, audit, machine facts and findings, before it is copied or shown
//   the whole gets program, run id and time zone, once
// Neither prints nor asks the user. A listener receives the events in between.
// This header names types of other modules without including them.
// Thread rule: the main thread.
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
  // The rings that the workers write to.
  virtual run::records::StampLogs* stamps() = 0;
  virtual void begin() = 0;
  virtual void end() = 0;
};

// Callbacks for events during a run. All run on the main thread. Only those marked "may be empty" may be empty.
struct Listener {
  // Program name, the prefix of messages.
  std::string name;
  std::function<void(const host::SettleProgress&)> on_settle;        // may be empty
  std::function<void(const run::Progress&)> on_progress;             // may be empty
  std::function<void(const run::Progress&)> on_second;               // may be empty
  std::function<void(const run::files::LayoutProgress&)> on_layout;  // may be empty
  std::function<void(const base::Error&)> on_error;                  // a job that cannot be set up
  std::function<void(const std::string&)> on_line;                   // a line in fio's format; may be empty
  std::function<void(const std::string&)> on_announcement;           // an engine's text about a job that begins
  std::function<bool()> status_asked;                                // true: send a report now
  std::function<void(const result::Run&)> on_status;                 // a report in mid-run, complete
  // One run has ended. Its report follows later.
  std::function<void()> on_measured;
  std::function<std::unique_ptr<StampReader>(std::span<const run::files::Plan>)> read_stamps;  // may be empty
};

// The jobs to run, and the program name. Every referenced object must outlive the prepared jobs.
struct JobsRequest {
  const job::Command& command;
  const result::Program& program;
  const audit::machine::BuildFacts& build;
  bool fio_mode = false;
  const run::process::ClockTools* clocks = nullptr;  // nullptr: the clocks of this machine
};

// Jobs that may run. The destructor closes what planning and running opened.
class PreparedJobs {
 public:
  struct State;  // session/jobs_session.h
  explicit PreparedJobs(std::unique_ptr<State> state);
  PreparedJobs(PreparedJobs&& other) noexcept;
  ~PreparedJobs();
  const std::vector<run::files::Plan>& plans() const;
  // Text to print after the report. profile=act: the hours and their verdict; otherwise empty.
  std::string closing_text() const;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// Plans the jobs and checks whether they may run.
// Errors: no engine can run a job; no job has a target; a write would destroy data that the user did not name.
base::Expected<PreparedJobs> prepare(const JobsRequest& request);

// Validates the clock, then runs.
// --repeat: the result has all raw results. It reports the median repetition in full, with the failures of the others.
// stop: in shared memory. 1: end and report; 2: leave at once.
result::Run execute(PreparedJobs& prepared, const Listener& listener, std::atomic<std::uint32_t>& stop);

}  // namespace fathom::session
