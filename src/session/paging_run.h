// One measurement of `fathom paging` from a machine at rest to a machine at rest: settle, set pressure up, measure with
// the witnesses beside it, put everything back, audit. Thread rule: the main thread.
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

// What there is to say as the work goes; all are called on the main thread. which: "zram:2G, 2 of 3: ", or nothing.
struct PagingListener {
  std::function<void(const std::string& which, const host::SettleProgress&)> on_settle;
  std::function<void(const std::string& state)> on_state;  // "setting up"
  std::function<void()> on_measured;                       // it is over: what stood there goes away
  std::function<void(const base::Error&)> on_error;        // what ended a repetition after others were measured
  // What paging::measure() tells its progress to.
  std::function<std::function<void(const paging::Progress&)>(double duration_s, const std::string& which)> progress;
};

// What is the same for all repetitions.
struct PagingSession {
  clocks::PagingClock clock;
  const PagingListener& listener;
  std::atomic<std::uint32_t>& stop;
  witness::WitnessThread::Witnesses open;          // closing tracepoints takes long: only when the report is written
  std::vector<result::WatcherCost> watching = {};  // --cost
};

// What can be said before anything is changed: the pattern, the sizes against memory and swap, whether the swap can be
// made. Takes the set's size
// from a profile where the user gave none.
base::Expected<void> check_paging(paging_job::Request& options);

// What repetition `i` (from 0) is asked: the next seed each time, so that an interval over repetitions holds the luck
// of the draw too.
paging_job::Request repetition_of(const paging_job::Request& options, unsigned i);

// The machine that one measurement is made on: set up, measured on, restored, in this order.
class UnderPressure {
 public:
  // All outlive this. which: before the status line.
  UnderPressure(const paging_job::Request& options, PagingSession& session, const std::string& which)
      : options_(options), session_(session), which_(which) {}
  // Errors, a stop among them: nothing stands, and there is nothing to restore.
  base::Expected<void> set_up(std::vector<result::Finding>& findings);
  result::PagingPressure facts();  // as it is now
  // how: who is told of the window.
  base::Expected<paging::Measured> measure(paging::MeasureOptions how);
  std::vector<result::Finding> restore();

 private:
  const paging_job::Request& options_;
  PagingSession& session_;
  const std::string& which_;
  std::unique_ptr<paging::pressure::Pressure> pressure_;
};
base::Error interrupted();
// A stop before the measurement that left nothing behind: the end of a command, and no failure of its repetition.
bool is_interruption(const base::Error& error);
// An error has no findings beside it: what could not be restored is told with it.
base::Error with_what_stays(base::Error error, const std::vector<result::Finding>& restored);

// which: before the status line. Errors leave nothing behind; what was measured is in the result even if restoring
// failed, and that is a finding.
base::Expected<result::Run> measure_once(const paging_job::Request& options, PagingSession& session,
                                         const std::string& which);

// An Error that ended a repetition after others were measured: it is shown, and stands in the result whole. which:
// "repetition 2".
result::IoError failed_repetition(const std::string& which, const base::Error& error);
result::Finding finding_of(const result::IoError& failed);

// A run whose workers all lived to its end: what ended early is reported, and enters no mean.
bool ran_to_its_end(const result::Run& run);

// Each finding that `to` has not yet, under the name of whose it is; doubts once, whatever the number of runs that have
// them: those keep all of theirs.
void add_findings(std::vector<result::Finding>& to, const std::vector<result::Finding>& from, const std::string& whose);

// The repetition that is shown (the median by its score) with all of them in it, the score over all, and what is wrong
// with the others.
result::Run summarize_paging(std::vector<result::Run> runs);

// All repetitions that are asked for, summarized. Errors: of the first one; a later one's goes to the listener and into the result.
base::Expected<result::Run> measure_repeated(const paging_job::Request& options, PagingSession& session);

}  // namespace fathom::session
