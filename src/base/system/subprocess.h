// A command of the user's: forked, held until those who watch it are ready, let go, waited for. It has the caller's
// descriptors, environment and terminal, its words go to exec as they are, and no shell is between. An event that is
// enabled by exec counts nothing of ours, because the child does nothing but read one byte before.
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
  // What becomes of one that runs when its owner ends. One that was never let go ends in any case.
  enum class Orphan { killed, goes_on };

  // The child exists and waits. in_child: called in it before exec; SIGPIPE and SIGXFSZ are what they are at first. Errors: no words;
  // fork and pipe.
  static Expected<Subprocess> hold(const std::vector<std::string>& args, Orphan orphan, void (*in_child)() = nullptr);
  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&&) = delete;
  ~Subprocess();

  pid_t pid() const { return pid_; }
  // Lets it run: 0, or the errno with which it could not be executed (it has ended then), or with which it was not
  // there any more.
  int let_go();
  // Until it ends, a signal comes or the time is over (0: does not wait, below 0: has no limit); nothing: it still
  // runs. Who asks again is told again.
  std::optional<Ended> wait(int timeout_ms);
  void send(int signal) const;

 private:
  Subprocess(pid_t pid, Orphan orphan, UniqueFd process, UniqueFd go, UniqueFd failed);
  pid_t pid_ = -1;  // above 0: it has not been waited for
  Orphan orphan_;
  bool runs_ = false;
  std::optional<Ended> ended_;
  UniqueFd process_, go_, failed_;
};

}  // namespace fathom::base::system
