// Whether a process number is a kernel task (a kworker, for example). Thread rule: one thread.
// Source: proc_pid_stat(5), field 9; PF_KTHREAD of the kernel's include/linux/sched.h.
#pragma once
#include <sys/types.h>

#include <map>
#include <string>

namespace fathom::host::proc {

class KernelTasks {
 public:
  explicit KernelTasks(std::string prefix = "") : prefix_(std::move(prefix)) {}  // before /proc, for tests
  // Caches results, 4096 at most. True for 0: the idle task, or a task outside this container's PID namespace.
  bool contains(pid_t pid);

 private:
  std::string prefix_;
  std::map<pid_t, bool> known_;
};

}  // namespace fathom::host::proc
