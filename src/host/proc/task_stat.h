// One line of /proc/PID/stat as values. Source: proc_pid_stat(5), fields 2, 4 to 6, 9 and 22; PF_KTHREAD of the
// kernel's include/linux/sched.h. Pure; thread-safe.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::host::proc {

struct TaskStat {
  std::string name;  // without its parentheses
  pid_t parent = 0;
  pid_t group = 0, session = 0;
  bool kernel_thread = false;
  // of CLOCK_BOOTTIME, sysconf(_SC_CLK_TCK) per second; together with the number it identifies a process
  std::uint64_t start_ticks = 0;
};

// Fields that are missing at the end are 0. nullopt: not such a line.
std::optional<TaskStat> parse_task_stat(std::string_view text);

}  // namespace fathom::host::proc
