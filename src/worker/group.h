// The workers of one measurement, each a forked process or a thread of this process: starts them, receives their
// messages, and detects their ends of any kind.
//
// fio's default is one process per job, and a thread with thread=1; pmbench forks too. A process is what users expect
// (its memory map and descriptors are separate, and it can be killed alone). A thread is cheaper and shares both. Both
// run the same function. All measurements are in memory that outlives the worker (base/system/shared_memory.h), so a
// killed process loses nothing. Its messages use a Channel. Its end is detected twice: its last act is a message, which
// wakes the parent; and waitpid(2) reports it, also for a process that could not send any more. The parent waits for
// each child by pid: waitpid(-1) would also reap the commands that jobs start.
//
// When the parent dies, its processes die too (prctl(2), PR_SET_PDEATHSIG). Only the parent handles the signals that
// end a run: processes ignore them, threads block them. Thread rule: only the thread that created the group.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/system/shared_memory.h"
#include "worker/channel.h"
#include "worker/steps.h"

namespace fathom::worker {

struct Start {
  bool thread = false;
  std::function<int(const Voice&)> body;  // returns the exit status
  // For a process, called with its pid before its body begins. If it fails, this worker does not exist.
  std::function<base::Expected<void>(pid_t)> admit = {};
};

struct End {
  std::size_t worker = 0;
  bool whole = false;       // its body returned; false: it was killed, or exited inside the body
  int status = 0;           // returned by the body; or the status of waitpid(2)
  bool by_us = false;       // kill()
  int signal() const;       // 0: no signal
  std::string how() const;  // "was killed by signal 9 (Killed)", "ended with status 3"
};

struct Heard {
  std::vector<Message> messages;
  std::vector<End> ends;
};

class Group {
 public:
  explicit Group(std::size_t workers);
  ~Group();  // waits for all except those that kill_all() gave up
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  std::size_t size() const { return members_.size(); }
  // Errors: of fork(2) or the thread start, with its errno; those of admit().
  base::Expected<void> start(std::size_t worker, Start how);
  // Waits up to timeout_ms for an event. The messages of a worker come before its end.
  Heard look(int timeout_ms);
  // True: a thread has not reported its end, or a process has not been reaped.
  bool living(std::size_t worker) const { return members_[worker].pid > 0 || members_[worker].thread.joinable(); }
  std::size_t living() const;
  bool is_process(std::size_t worker) const { return members_[worker].pid > 0; }
  // Sends SIGKILL to a living process. A thread cannot be ended by others.
  void kill(std::size_t worker);
  // Kills all processes, and waits at most patience_ns: a process that hangs in the kernel is left behind.
  Heard kill_all(std::uint64_t patience_ns);

 private:
  struct Member {
    pid_t pid = 0;  // 0: thread, not started, or reaped
    std::thread thread;
    bool told_end = false, killed = false, left = false;
  };
  base::Expected<void> fork_one(std::size_t worker, const Start& how);
  base::Expected<void> start_thread(std::size_t worker, Start how);
  [[noreturn]] void be_child(std::size_t worker, const Start& how, pid_t parent, const void* mask);
  void hear(Heard& heard);
  void reap(Heard& heard);

  std::vector<Member> members_;
  base::system::SharedArray<Steps> admitted_;
  Channel channel_;
};

}  // namespace fathom::worker
