// The parent's side of the measuring processes: forks them, puts them into the cgroup, hears what they say, and sees
// that none is left. A process that the kernel kills (out of memory) takes nothing measured with it. Thread rule: the
// main thread.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/fd.h"
#include "paging/worker_message.h"
#include "paging/worker_process.h"

namespace fathom::paging {

class WorkerCrew {
 public:
  WorkerCrew(const Plan& plan, const WorkerInputs& inputs, SharedState& state, std::span<ProcessRecord> processes,
             std::span<ThreadRecord> threads);
  WorkerCrew(const WorkerCrew&) = delete;
  WorkerCrew& operator=(const WorkerCrew&) = delete;
  ~WorkerCrew();  // kills and reaps whoever is left

  // join: with the pid of each child, which has done nothing yet. Errors: join's, io.
  base::Expected<void> start(const std::function<base::Expected<void>(int pid)>& join);
  // Reaps who has ended and reads what was said.
  void look();
  bool all_at(ProcessPhase phase) const;  // of those that live
  unsigned living() const;
  bool lives(std::size_t process) const { return children_[process].alive; }
  // Killed by a signal, or ended without having come to its end.
  struct Death {
    int process = 0, pid = 0, signal = 0, status = 0;
    bool before_window = false;
    bool by_us = false;  // kill() was called
  };
  const std::vector<Death>& deaths() const { return deaths_; }
  WorkerMessages messages() const;  // of all
  void ask_to_stop();
  // Sends SIGKILL and waits at most so long: one that hangs in the kernel is left.
  void kill(std::uint64_t patience_ns);

 private:
  struct Child {
    int pid = 0;
    bool alive = false, killed = false;
    base::UniqueFd message_fd;
    std::string said;
  };
  base::Expected<void> fork_one(unsigned process, const std::function<base::Expected<void>(int pid)>& join);
  void hear(Child& child);
  void note_end(unsigned process, int status);

  const Plan& plan_;
  const WorkerInputs& inputs_;
  SharedState& state_;
  std::span<ProcessRecord> records_;
  std::span<ThreadRecord> threads_;
  std::vector<Child> children_;
  std::vector<Death> deaths_;
};

}  // namespace fathom::paging
