// Whether a process number is a task of the kernel's own (a kworker, say). Thread rule: one thread.
// Source: proc_pid_stat(5), field 9; PF_KTHREAD of the kernel's include/linux/sched.h.
#pragma once
#include <sys/types.h>

#include <map>
#include <string>

namespace fathom::host::proc {

class KernelTasks {
 public:
  explicit KernelTasks(std::string prefix = "") : prefix_(std::move(prefix)) {}  // before /proc, for tests
  // A number is looked up once. 0 is one: the idle task's, and that of whoever is outside of a container's numbers.
  bool contains(pid_t pid);

 private:
  std::string prefix_;
  std::map<pid_t, bool> known_;
};

}  // namespace fathom::host::proc
