// The system call behind BPF programs and maps, as a function that a test can put its own kernel in place of.
// Source: bpf(2), include/uapi/linux/bpf.h. Errors: negative errno. Thread-safe.
#pragma once
#include <linux/bpf.h>

#include <cstdint>
#include <span>

namespace fathom::pmu::trace::bpf {

using Call = int (*)(bpf_cmd command, bpf_attr* attr);  // a file descriptor, 0, or -errno
int kernel_call(bpf_cmd command, bpf_attr* attr);

// Of BPF_MAP_TYPE_RINGBUF; bytes: a power of two of pages.
int make_ring(std::uint32_t bytes, Call call = kernel_call);
// An array map of one value, which can be mapped.
int make_shared_value(std::uint32_t bytes, Call call = kernel_call);
int load_tracepoint_program(std::span<const bpf_insn> code, Call call = kernel_call);
// As long as the descriptor is open the kernel measures how long programs run, everybody's. Needs CAP_SYS_ADMIN.
int measure_run_times(Call call = kernel_call);
struct RunTime {
  std::uint64_t ns = 0, runs = 0;
};
RunTime run_time(int program_fd, Call call = kernel_call);
// How often the kernel did not run it, because another program was being run on the CPU; 0 where it does not tell.
std::uint64_t missed_runs(int program_fd, Call call = kernel_call);

}  // namespace fathom::pmu::trace::bpf
