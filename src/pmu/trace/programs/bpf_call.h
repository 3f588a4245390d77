// What libbpf does not ask the kernel about its programs, by the system call itself.
// Source: bpf(2), include/uapi/linux/bpf.h. Errors: negative errno. Thread-safe.
#pragma once
#include <linux/bpf.h>

#include <cstdint>

namespace fathom::pmu::trace::programs {

// As long as the descriptor is open the kernel measures how long programs run, everybody's. Needs CAP_SYS_ADMIN.
int measure_run_times();
struct RunTime {
  std::uint64_t ns = 0, runs = 0;
};
RunTime run_time_of(int program_fd);
// How often the kernel did not run it, because another program was being run on the CPU; 0 where it does not tell.
std::uint64_t missed_runs_of(int program_fd);

}  // namespace fathom::pmu::trace::programs
