// Resource usage so far of another process, or of one of its threads. getrusage(2) covers only the caller and its
// children that have ended. The resolution of CPU time is a kernel tick (10 ms). Source: proc(5), /proc/PID/stat and
// /proc/PID/status.
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

// nullopt: no such process, or unknown format of the texts.
std::optional<ProcessUsage> parse_process_usage(std::string_view stat, std::string_view status, long ticks_per_s,
                                                double uptime_s);
// tid: only that thread of the process; 0: the whole process.
std::optional<ProcessUsage> usage_of_process(int pid, int tid = 0);

}  // namespace fathom::run::records
