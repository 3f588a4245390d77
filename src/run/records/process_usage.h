// What a process, or a thread of one, has used so far, from outside: getrusage(2) is for oneself and for children that have ended. CPU time
// has the steps of the kernel's ticks (10 ms). Source: proc(5), /proc/PID/stat and /proc/PID/status.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom::run::records {

struct ProcessUsage {
  double user_cpu_s = 0, system_cpu_s = 0;
  double age_s = 0;  // since it began
  std::uint64_t ctx_switches = 0, major_faults = 0, minor_faults = 0;
};

// Nothing: no such process, or texts of another form.
std::optional<ProcessUsage> parse_process_usage(std::string_view stat, std::string_view status, long ticks_per_s,
                                                double uptime_s);
// tid: of that thread of it alone; 0: of the whole process.
std::optional<ProcessUsage> usage_of_process(int pid, int tid = 0);

}  // namespace fathom::run::records
