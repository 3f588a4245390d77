// The verify states of a run's jobs (verify_state_save), from the parent's side: made before a job starts, in memory that
// it shares with its worker and that lies in a file beside the state; saved when the stage is over, so that no fsync
// stands between the parent and its beats, or of all jobs that run, when a trigger asks. What a worker that was killed
// has left is saved like the rest. A job that did not ask for its state by name does not fail for the lack of a writable
// folder: a finding says it. Thread rule: the parent's.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "result/result.h"
#include "run/files/targets.h"
#include "run/records/record.h"
#include "verify/state/state_live.h"

namespace fathom::run {

struct Worker;

// verify_state_save=1 of a job that writes with verify=.
bool keeps_state(const files::Plan& plan);
// Where it is saved. index: of the job among all.
std::string state_name(const files::Plan& plan, std::size_t index);

class VerifyStates {
 public:
  // Before the job starts. Null: it keeps no state.
  verify::state::LiveState* begin(const files::Plan& plan, std::size_t index);
  // Of those that run, as they are now.
  void save_running(const std::vector<Worker>& members);
  // Of those that have ended: each once. failed: of a job that fails for it, its results stay.
  void save_ended(std::vector<Worker>& members, std::size_t first, std::size_t last,
                  const std::function<void(Worker&, base::Error)>& failed);
  const std::vector<result::Finding>& findings() const { return findings_; }

 private:
  struct Kept {
    verify::state::LiveState live;
    std::string path;
    bool shared;  // a run that lives keeps a state of this name
  };
  verify::state::LiveState* keep(std::size_t index, Kept kept);
  static base::Expected<void> save(const Kept& kept);
  // left_in: the file that still has it; empty: none.
  void tell(const files::Plan& plan, const std::string& left_in, const base::Error& error);

  std::map<std::size_t, Kept> kept_;  // by member
  std::vector<result::Finding> findings_;
};

}  // namespace fathom::run
