// --trigger-file=, --trigger-timeout=, --trigger=: end a run on an external event, so that its writes can be verified
// afterwards. When the file exists (it is then removed) or the time has passed, the trigger saves the current states of
// all jobs and requests all jobs to end. After they have ended, the shell runs the command. As in fio, the exit status
// does not show it. Thread rule: the parent's thread.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "result/result.h"

namespace fathom::run::watch {

struct TriggerWishes {
  std::string file;              // empty: none
  std::uint64_t timeout_ns = 0;  // since the start; 0: no timeout
  std::string command;           // for the shell; empty: none
};

class Trigger {
 public:
  // fire: saves states and requests the jobs to end.
  Trigger(const TriggerWishes& wishes, std::function<void()> fire);
  // now_ns: CLOCK_MONOTONIC, as in the other functions.
  void begin(std::uint64_t now_ns);
  std::uint64_t next_ns() const { return next_ns_; }  // time of the next look(); UINT64_MAX: never
  void look(std::uint64_t now_ns);
  // Call when all jobs have ended: runs the command if the trigger has fired.
  void run_command();
  const std::vector<result::Finding>& findings() const { return findings_; }

 private:
  static constexpr std::uint64_t kBeat_ns = 50'000'000;
  bool is_due(std::uint64_t now_ns);

  const TriggerWishes& wishes_;
  const std::function<void()> fire_;
  std::uint64_t end_ns_ = UINT64_MAX, next_ns_ = UINT64_MAX;
  bool fired_ = false;
  std::vector<result::Finding> findings_;
};

}  // namespace fathom::run::watch
