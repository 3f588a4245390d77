// The verify states of a run's jobs (verify_state_save), on the parent's side. It creates a state before the job
// starts, in memory shared with the worker and backed by a file next to the state. It saves the states when the stage
// has ended, so that no fsync delays the parent's intervals; a trigger saves the states of all running jobs. A state
// left by a killed worker is saved too. A job that did not name its state file does not fail without a writable
// directory: a finding reports it. Thread rule: the parent's thread.
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
// The path of the saved state. index: the job's index among all jobs.
std::string state_name(const files::Plan& plan, std::size_t index);

class VerifyStates {
 public:
  // Call before the job starts. Null: the job keeps no state.
  verify::state::LiveState* begin(const files::Plan& plan, std::size_t index);
  // Saves the current states of the running jobs.
  void save_running(const std::vector<Worker>& members);
  // Saves the states of ended jobs, each once. failed: called for a job that fails because of it; its results remain.
  void save_ended(std::vector<Worker>& members, std::size_t first, std::size_t last,
                  const std::function<void(Worker&, base::Error)>& failed);
  const std::vector<result::Finding>& findings() const { return findings_; }

 private:
  struct Kept {
    verify::state::LiveState live;
    std::string path;
    bool shared;  // another live run keeps a state of this name
  };
  verify::state::LiveState* keep(std::size_t index, Kept kept);
  static base::Expected<void> save(const Kept& kept);
  // left_in: the file that still contains the state; empty: no file.
  void tell(const files::Plan& plan, const std::string& left_in, const base::Error& error);

  std::map<std::size_t, Kept> kept_;  // by member
  std::vector<result::Finding> findings_;
};

}  // namespace fathom::run
