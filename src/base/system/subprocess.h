// A user's command: forked, held until its observers are ready, let go, waited for. It has the caller's descriptors,
// environment and terminal. Its arguments go to exec unchanged, without a shell. An event that exec enables does not
// count fathom's own work: before exec, the child only reads one byte.
// Source: fork(2), execvp(3), pidfd_open(2), wait4(2). Thread rule: one thread.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/fd.h"

namespace fathom::base::system {

inline constexpr int kNotStarted = 127, kBySignal = 128;  // exit statuses, as a shell has them

struct Ended {
  int status = 0;  // 0 to 255, kBySignal + the signal that ended it
  double user_s = 0, system_s = 0;
};

class Subprocess {
 public:
  // The action on a running child when its owner ends. A child that was never let go ends in any case.
  enum class Orphan { killed, goes_on };

  // Creates the child, which waits. in_child: called in the child before exec. SIGPIPE and SIGXFSZ get their default
  // actions. Errors: no arguments; fork and pipe.
  static Expected<Subprocess> hold(const std::vector<std::string>& args, Orphan orphan, void (*in_child)() = nullptr);
  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&&) = delete;
  ~Subprocess();

  pid_t pid() const { return pid_; }
  // Starts the command. Returns 0, or the errno of exec (the child has then ended), or an errno that means that the
  // child no longer existed.
  int let_go();
  // Waits until the child ends, a signal arrives or the timeout expires (0: no wait, below 0: no limit). nullopt: it
  // still runs. Later calls return the same result.
  std::optional<Ended> wait(int timeout_ms);
  void send(int signal) const;

 private:
  Subprocess(pid_t pid, Orphan orphan, UniqueFd process, UniqueFd go, UniqueFd failed);
  pid_t pid_ = -1;  // above 0: not yet waited for
  Orphan orphan_;
  bool runs_ = false;
  std::optional<Ended> ended_;
  UniqueFd process_, go_, failed_;
};

}  // namespace fathom::base::system
