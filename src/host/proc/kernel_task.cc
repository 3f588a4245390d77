// The table has a limited size, since process numbers are reused.
#include "host/proc/kernel_task.h"

#include "host/proc/task_stat.h"
#include "host/proc/text_file.h"

namespace fathom::host::proc {

bool KernelTasks::contains(pid_t pid) {
  constexpr std::size_t kMostKnown = 4096;
  if (pid == 0) return true;
  if (known_.size() >= kMostKnown) known_.clear();
  const auto [at, is_new] = known_.try_emplace(pid, false);
  if (is_new) {
    const auto stat = parse_task_stat(read_text(prefix_ + "/proc/" + std::to_string(pid) + "/stat", 1024));
    at->second = stat && stat->kernel_thread;
  }
  return at->second;
}

}  // namespace fathom::host::proc
