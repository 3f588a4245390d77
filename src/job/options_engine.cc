// Options that only some engines have. They may stand before ioengine= and in [global]; whether the job's engine has
// them is decided when its section ends.
#include "job/rows.h"

namespace fathom::job {
namespace {

using io::EngineOptions;

// force_async=N sends every Nth request to a kernel thread in fio; here it is on or off.
Outcome read_force_async(Draft& draft, const Option& option, std::string_view value) {
  std::uint64_t every = 0;
  if (auto problem = read_number(draft, option, value, every)) return problem;
  if (every > 1)
    return Problem{"not built yet", "fathom sends either every request to a kernel thread or none",
                   "write `force_async=1`", value, base::ErrorKind::not_built};
  draft.job.engine.force_async = every == 1;
  return {};
}

// Naming a CPU for the kernel's thread means that there is such a thread.
Outcome read_sqthread_cpu(Draft& draft, const Option& option, std::string_view value) {
  if (auto problem = apply::number<&EngineOptions::sqthread_poll_cpu>(draft, option, value)) return problem;
  draft.job.engine.sqthread_poll = true;
  return {};
}

Outcome read_nonvectored(Draft& draft, const Option& option, std::string_view value) {
  if (value == "-1") value = "1";  // fio's "as the kernel can"
  return apply::truth<&EngineOptions::nonvectored, false>(draft, option, value);
}

constexpr Choice kCmdTypes[] = {{"nvme", 0, "NVMe commands"}};

Outcome read_cmd_type(Draft&, const Option& option, std::string_view value) {
  int only = 0;
  return read_choice(option, value, only);
}

constexpr Option kRows[] = {
    flag<&EngineOptions::hipri>({.name = "hipri",
                                 .help = "Poll for completions instead of waiting for interrupts",
                                 .engines = "io_uring io_uring_cmd pvsync2"}),
    count<&EngineOptions::hipri_percentage>({.name = "hipri_percentage",
                                             .fallback = "100",
                                             .help = "Percentage of the I/Os that hipri is for",
                                             .engines = "pvsync2"},
                                            0, 100),
    flag<&EngineOptions::fixedbufs>(
        {.name = "fixedbufs", .help = "Register the buffers with the kernel", .engines = "io_uring io_uring_cmd"}),
    flag<&EngineOptions::registerfiles>(
        {.name = "registerfiles", .help = "Register the files with the kernel", .engines = "io_uring io_uring_cmd"}),
    special({.name = "nonvectored",
             .fallback = "1",
             .help = "read and write requests instead of readv and writev",
             .engines = "io_uring io_uring_cmd"},
            Type::flag, read_nonvectored, 0, 1),
    flag<&EngineOptions::sqthread_poll>({.name = "sqthread_poll",
                                         .help = "A kernel thread submits, so that no system call is needed",
                                         .engines = "io_uring io_uring_cmd"}),
    special({.name = "sqthread_poll_cpu",
             .help = "CPU of that kernel thread; turns sqthread_poll on",
             .engines = "io_uring io_uring_cmd"},
            Type::count, read_sqthread_cpu, 0, 65535),
    special({.name = "force_async",
             .fallback = "0",
             .help = "Hand requests to a kernel thread at once",
             .status = Status::partial,
             .note = "0 and 1 only",
             .engines = "io_uring io_uring_cmd"},
            Type::count, read_force_async, 0, kMaxU32),
    special({.name = "cmd_type",
             .fallback = "nvme",
             .help = "Kind of the commands that are passed through",
             .engines = "io_uring_cmd"},
            Type::choice, read_cmd_type, 0, 0, 0, false, kCmdTypes),
    flag<&EngineOptions::userspace_reap>({.name = "userspace_reap",
                                          .help = "Read completions from the ring without a system call",
                                          .engines = "libaio"}),
    text<&EngineOptions::sim_latency>(
        {.name = "sim_latency",
         .fallback = "const:100us",
         .help = "Latency of each I/O: const:t, uniform:t:t, exp:t, normal:t:dev, two:t:t:share%",
         .note = "fathom's own",
         .engines = "sim"}),
    count<&EngineOptions::sim_seed>({.name = "sim_seed",
                                     .fallback = "1",
                                     .help = "Seed of the latencies",
                                     .note = "fathom's own",
                                     .engines = "sim"},
                                    0, kMaxU64),
    count<&EngineOptions::sim_fail_every>({.name = "sim_fail_every",
                                           .fallback = "0",
                                           .help = "Every Nth I/O ends with EIO; 0: none",
                                           .note = "fathom's own",
                                           .engines = "sim"},
                                          0, kMaxU64),
};

}  // namespace

std::span<const Option> engine_options() { return kRows; }

}  // namespace fathom::job
