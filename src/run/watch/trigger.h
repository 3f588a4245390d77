// --trigger-file=, --trigger-timeout=, --trigger=: what ends a run from outside, so that what it has written can be
// verified afterwards. When the file is there (it is removed) or the time is over, the states of all jobs are saved as
// they are at that moment, all jobs are asked to end, and when they have, the command is run by the shell. As in fio the
// exit status does not tell. Thread rule: the parent's.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "result/result.h"

namespace fathom::run::watch {

struct TriggerWishes {
  std::string file;              // empty: none
  std::uint64_t timeout_ns = 0;  // since the start; 0: none
  std::string command;           // for the shell; empty: none
};

class Trigger {
 public:
  // fire: saves states and asks the jobs to end.
  Trigger(const TriggerWishes& wishes, std::function<void()> fire);
  // now_ns: CLOCK_MONOTONIC, as the others.
  void begin(std::uint64_t now_ns);
  std::uint64_t next_ns() const { return next_ns_; }  // when to look next; UINT64_MAX: never
  void look(std::uint64_t now_ns);
  // When all jobs have ended: the command, if it has fired.
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
