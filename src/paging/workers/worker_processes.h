// The parent's side of the measuring processes: starts them (worker/group.h), moves them into the cgroup, keeps their
// messages, and ends all of them. If the kernel kills a process (out of memory), its measurements remain.
// Thread rule: the main thread.
#pragma once
#include <sys/types.h>

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "paging/workers/worker_process.h"
#include "result/finding.h"
#include "worker/group.h"

namespace fathom::paging::workers {

class WorkerProcesses {
 public:
  WorkerProcesses(const Plan& plan, const WorkerInputs& inputs, SharedState& state, std::span<ProcessRecord> processes,
                  std::span<sources::ThreadRecord> threads);
  WorkerProcesses(const WorkerProcesses&) = delete;
  WorkerProcesses& operator=(const WorkerProcesses&) = delete;
  ~WorkerProcesses();  // kills and reaps those left

  // admit: gets the pid of each child, which has done nothing yet. Errors: admit's, io.
  base::Expected<void> start(const std::function<base::Expected<void>(int pid)>& admit);
  // Reaps ended processes and reads their messages.
  void look() { keep(group_.look(0)); }
  bool all_at(ProcessPhase phase) const;  // all living ones
  std::size_t living() const { return group_.living(); }
  bool lives(std::size_t process) const { return group_.living(process); }
  const std::vector<pid_t>& pids() const { return pids_; }
  // Killed by a signal, ended before its body returned, or exit status other than 0.
  struct Death {
    int pid = 0;
    worker::End end;
  };
  const std::vector<Death>& deaths() const { return deaths_; }
  const std::vector<result::Finding>& findings() const { return findings_; }  // of all processes, each once
  const std::optional<base::Error>& error() const { return error_; }          // the first
  void ask_to_stop();
  // Sends SIGKILL and waits at most patience_ns: leaves a process that hangs in the kernel.
  void kill(std::uint64_t patience_ns) { keep(group_.kill_all(patience_ns)); }

 private:
  int work(unsigned process, const worker::Voice& voice);
  void keep(const worker::Heard& heard);

  const Plan& plan_;
  const WorkerInputs& inputs_;
  SharedState& state_;
  std::span<ProcessRecord> records_;
  std::span<sources::ThreadRecord> threads_;
  std::vector<pid_t> pids_;
  std::vector<Death> deaths_;
  std::vector<result::Finding> findings_;
  std::optional<base::Error> error_;
  worker::Group group_;
};

}  // namespace fathom::paging::workers
