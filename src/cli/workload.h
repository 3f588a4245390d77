// The command that is counted: forked, held until its counters are open, started, waited for.
// Source: fork(2), pidfd_open(2), wait4(2). Thread rule: one thread.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fd.h"

namespace fathom::cli {

constexpr int kNotStarted = 127, kBySignal = 128;  // exit statuses, as a shell has them

struct Ended {
  int status = 0;  // 0 to 255, kBySignal + the signal that ended it
  double user_s = 0, system_s = 0;
};

class Workload {
 public:
  // The child exists and waits. Errors: fork and pipe.
  static base::Expected<Workload> hold(const std::vector<std::string>& command);
  Workload(Workload&& other) noexcept;
  Workload& operator=(Workload&&) = delete;
  ~Workload();  // kills a child that still lives

  pid_t pid() const { return pid_; }
  // Lets it run. ErrorKind::usage: it could not be executed (the child is gone then).
  base::Expected<void> start(const std::string& name);
  // Until it ends, a signal comes or the time is over; nothing: it still runs.
  std::optional<Ended> wait(int timeout_ms);
  void send(int signal) const;

 private:
  Workload(pid_t pid, base::UniqueFd process, base::UniqueFd go, base::UniqueFd failed);
  pid_t pid_ = -1;
  base::UniqueFd process_, go_, failed_;
};

}  // namespace fathom::cli
