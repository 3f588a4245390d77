// The workers of one measurement, each a forked process or a thread of this one: starting them, hearing them, and their
// ends, however these come.
//
// fio's default is a process a job and a thread where thread=1 asks for it; pmbench forks too. A process is what users
// expect (own memory map, own descriptors, killed alone), a thread is cheaper and shares both. What a worker does is the
// same function either way. Whatever it measures lies in memory that outlives it (base/system/shared_memory.h), so a process
// that is killed loses nothing; what it has to say comes through a Channel; and its end is seen twice: it says so itself,
// as its last act, which wakes the parent, and the kernel says so to waitpid(2), which also sees those that could not
// speak any more. Children are waited for by number: waitpid(-1) would take the commands that jobs start.
//
// When the parent dies, so do its processes (prctl(2), PR_SET_PDEATHSIG). Signals that end a run are the parent's
// matter: processes ignore them, threads block them. Thread rule: all of it by the thread that made the group.
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
  // Of a process, before its body begins: what has to be done with its pid. Where it fails, there is no such worker.
  std::function<base::Expected<void>(pid_t)> admit = {};
};

struct End {
  std::size_t worker = 0;
  bool whole = false;       // its body returned; otherwise it was killed, or exited in the middle
  int status = 0;           // what the body returned; or as waitpid(2) says
  bool by_us = false;       // kill()
  int signal() const;       // 0: none
  std::string how() const;  // "was killed by signal 9 (Killed)", "ended with status 3"
};

struct Heard {
  std::vector<Message> messages;
  std::vector<End> ends;
};

class Group {
 public:
  explicit Group(std::size_t workers);
  ~Group();  // waits for all but those that kill_all() gave up on
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  std::size_t size() const { return members_.size(); }
  // Errors: of fork(2) or the thread's start, with its errno; admit's.
  base::Expected<void> start(std::size_t worker, Start how);
  // Waits up to timeout_ms for something to be heard. What a worker said is told before its end.
  Heard look(int timeout_ms);
  // There is still something of it: a thread that has not said that it ended, a process that has not been reaped.
  bool living(std::size_t worker) const { return members_[worker].pid > 0 || members_[worker].thread.joinable(); }
  std::size_t living() const;
  bool is_process(std::size_t worker) const { return members_[worker].pid > 0; }
  // SIGKILL to a process that lives. A thread cannot be ended from outside.
  void kill(std::size_t worker);
  // All processes, and waits at most so long: one that hangs in the kernel is left.
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
