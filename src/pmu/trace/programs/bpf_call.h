// Direct system calls for facts about BPF programs that libbpf does not query.
// Source: bpf(2), include/uapi/linux/bpf.h. Errors: negative errno. Thread-safe.
#pragma once
#include <linux/bpf.h>

#include <cstdint>

namespace fathom::pmu::trace::programs {

// While the descriptor is open, the kernel measures the run time of all BPF programs of the machine. Needs
// CAP_SYS_ADMIN.
int measure_run_times();
struct RunTime {
  std::uint64_t ns = 0, runs = 0;
};
RunTime run_time_of(int program_fd);
// How often the kernel did not run it, because another program was running on the CPU; 0 if the kernel does not report
// it.
std::uint64_t missed_runs_of(int program_fd);

}  // namespace fathom::pmu::trace::programs
