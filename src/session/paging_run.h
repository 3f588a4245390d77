// One measurement of `fathom paging`, which begins and ends with a machine at rest: settle, set pressure up, measure
// with cross-checks, restore everything, audit. Thread rule: the main thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "host/settle.h"
#include "paging/measure.h"
#include "paging/pressure/pressure.h"
#include "paging_job/request.h"
#include "result/result.h"
#include "session/clocks/paging_clock.h"
#include "witness/witness_thread.h"

namespace fathom::session {

// Callbacks during the work; all run on the main thread. which: "zram:2G, 2 of 3: ", or empty.
struct PagingListener {
  std::function<void(const std::string& which, const host::SettleProgress&)> on_settle;
  std::function<void(const std::string& state)> on_state;  // "setting up"
  std::function<void()> on_measured;                       // measured: remove the progress display
  std::function<void(const base::Error&)> on_error;  // the error that ended a repetition after others were measured
  // Returns the progress callback for paging::measure().
  std::function<std::function<void(const paging::Progress&)>(double duration_s, const std::string& which)> progress;
};

// State that is the same for all repetitions.
struct PagingSession {
  clocks::PagingClock clock;
  const PagingListener& listener;
  std::atomic<std::uint32_t>& stop;
  witness::WitnessThread::Witnesses open;          // closed only for the report, because closing tracepoints takes long
  std::vector<result::WatcherCost> watching = {};  // --cost
};

// Checks before anything is changed: the pattern, the sizes against memory and swap, and that the swap can be created.
// Takes the size of the working set from a profile if the user gave none.
base::Expected<void> check_paging(paging_job::Request& options);

// The request of repetition `i` (from 0), with the next seed each time, so that an interval over repetitions includes
// the effect of the random choices.
paging_job::Request repetition_of(const paging_job::Request& options, unsigned i);

// The machine for one measurement: set up, measure, restore, in this order.
class UnderPressure {
 public:
  // All arguments must outlive this object. which: prefix of the status line.
  UnderPressure(const paging_job::Request& options, PagingSession& session, const std::string& which)
      : options_(options), session_(session), which_(which) {}
  // Errors, including a stop: no change remains, and there is nothing to restore.
  base::Expected<void> set_up(std::vector<result::Finding>& findings);
  result::PagingPressure facts();  // the current state
  // how: includes the callbacks for the measured interval.
  base::Expected<paging::Measured> measure(paging::MeasureOptions how);
  std::vector<result::Finding> restore();

 private:
  const paging_job::Request& options_;
  PagingSession& session_;
  const std::string& which_;
  std::unique_ptr<paging::pressure::Pressure> pressure_;
};
base::Error interrupted();
// A stop before the measurement that left no change: it ends the command, and is no failure of its repetition.
bool is_interruption(const base::Error& error);
// An error carries no findings, so it includes what could not be restored.
base::Error with_what_stays(base::Error error, const std::vector<result::Finding>& restored);

// which: prefix of the status line. After an error no change remains. If restoring fails, the result still has the
// measurement, and a finding reports the failure.
base::Expected<result::Run> measure_once(const paging_job::Request& options, PagingSession& session,
                                         const std::string& which);

// An Error that ended a repetition after others were measured; it is shown, and the result has it complete. which:
// "repetition 2".
result::IoError failed_repetition(const std::string& which, const base::Error& error);
result::Finding finding_of(const result::IoError& failed);

// True if all workers lived to the end of the run. Other runs are reported, but enter no mean.
bool ran_to_its_end(const result::Run& run);

// Adds each finding that `to` lacks, with the third argument as its job. A warning is added once, however many runs
// have it: these runs keep all of theirs.
void add_findings(std::vector<result::Finding>& to, const std::vector<result::Finding>& from, const std::string& whose);

// The repetition to show (the median by its score), with all repetitions in it, the score over all, and the problems of
// the others.
result::Run summarize_paging(std::vector<result::Run> runs);

// Measures all requested repetitions and summarizes them. Errors: of the first one; a later one's goes to the listener
// and into the result.
base::Expected<result::Run> measure_repeated(const paging_job::Request& options, PagingSession& session);

}  // namespace fathom::session
