// `fathom paging learn`: observes how an existing process (or a command) uses its memory. Describes the use by a few
// numbers that a pattern can play: exponent of page frequency by rank, working set, share of reads, movement of the hot
// set. No kernel reports these directly. Each method (methods.h) sees bits of pages in intervals, which saturate: a
// page touched a thousand times in an interval shows once. fit/ turns bits into rates and computes their uncertainty.
// Thread rule: the main thread; learn() makes no threads.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "paging/sources/profile.h"
#include "result/finding.h"

namespace fathom::paging::learn {

struct LearnPlan {
  pid_t pid = 0;  // observed; for a command started by fathom: its pid
  // pid is a command's first process. The process with the most memory of all that it starts is observed, chosen again
  // until the observation has begun. The observation ends when pid ends.
  bool whole_command = false;
  std::string command;         // for the profile; empty: /proc/PID/cmdline
  double duration_s = 10;      // maximum; the process may end earlier. 0: until it ends or stop
  double interval_ms = 0;      // of an observation; 0: chosen so that bits neither saturate nor stay empty
  std::string method;          // "": the best that works here; otherwise a name of methods()
  std::size_t most_pages = 0;  // followed one by one, of more a random part; 0: the method's maximum
  std::uint64_t seed = 1;      // of that sample
};

struct LearnProgress {
  enum class Phase { settling, choosing, observing, fitting } phase = Phase::settling;
  double elapsed_s = 0;
  std::uint64_t pages = 0;   // resident or swapped out
  double touched_share = 0;  // of them, in the last interval
};

struct Learnt {
  sources::Profile profile;
  std::vector<result::Finding> findings;
  std::vector<std::pair<std::string, std::string>> evidence;  // "method" -> "soft-dirty: ...", "interval" -> "20 ms"
};

// Checks that change nothing and start nothing; call undo_left_damon() first. Errors: as learn().
base::Expected<void> check_learn(const LearnPlan& plan);

// stop > 0: ends the observation; the profile covers the time until then. Errors: usage (no such process, a kernel
// thread, unknown method, interval or duration out of range), privilege, io (the process ended before anything was
// seen, or touched nothing).
base::Expected<Learnt> learn(const LearnPlan& plan, std::atomic<std::uint32_t>* stop = nullptr,
                             const std::function<void(const LearnProgress&)>& progress = {});

// An observation method, and whether this user can use it on this kernel. methods(): best first.
struct MethodState {
  std::string name;  // as in Profile::method
  bool available = false;
  std::string cause;  // why not
  std::string tells, cannot_tell;
};
std::vector<MethodState> methods();

}  // namespace fathom::paging::learn
