// Options that only some engines have. They may stand before ioengine= and in [global]; whether the job's engine has
// them is decided when its section ends.
#include "job/option.h"

namespace fathom::job {
namespace {

using io::EngineOptions;

// force_async=N sends every Nth request to a kernel thread in fio; here it is on or off.
Outcome read_force_async(EngineOptions& options, const Value& value) {
  std::uint64_t every = 0;
  if (auto problem = read_number(value, every)) return problem;
  if (every > 1)
    return wrong("not built yet", "fathom sends either every request to a kernel thread or none",
                 "write `force_async=1`", value.text, base::ErrorKind::not_built);
  options.force_async = every == 1;
  return {};
}

// Naming a CPU for the kernel's thread means that there is such a thread.
Outcome read_sqthread_cpu(const Targets& targets, const Value& value) {
  if (auto problem = apply::number<&EngineOptions::sqthread_poll_cpu>(targets, value)) return problem;
  targets.get<EngineOptions>().sqthread_poll = true;
  return {};
}

Outcome read_nonvectored(const Targets& targets, const Value& value) {
  const bool as_the_kernel_can = value.text == "-1";
  return apply::truth<&EngineOptions::nonvectored, false>(targets, as_the_kernel_can ? value.part("1") : value);
}

constexpr Choice kCmdTypes[] = {{"nvme", 0, "NVMe commands"}};

Outcome read_cmd_type(EngineOptions&, const Value& value) {
  int only = 0;
  return read_choice(value, only);
}

constexpr Row kRows[] = {
    flag<&EngineOptions::hipri>(
        {"hipri", "", "Poll for completions instead of waiting for interrupts", "io_uring io_uring_cmd pvsync2"}),
    count<&EngineOptions::hipri_percentage>(
        {"hipri_percentage", "100", "Percentage of the I/Os that hipri is for", "pvsync2"}, 0, 100),
    flag<&EngineOptions::fixedbufs>({"fixedbufs", "", "Register the buffers with the kernel", "io_uring io_uring_cmd"}),
    flag<&EngineOptions::registerfiles>(
        {"registerfiles", "", "Register the files with the kernel", "io_uring io_uring_cmd"}),
    special<read_nonvectored>(
        {"nonvectored", "1", "read and write requests instead of readv and writev", "io_uring io_uring_cmd"},
        Type::flag, 0, 1),
    flag<&EngineOptions::sqthread_poll>(
        {"sqthread_poll", "", "A kernel thread submits, so that no system call is needed", "io_uring io_uring_cmd"}),
    special<read_sqthread_cpu>(
        {"sqthread_poll_cpu", "", "CPU of that kernel thread; turns sqthread_poll on", "io_uring io_uring_cmd"},
        Type::count, 0, 65535),
    special<read_force_async>({"force_async", "0", "Hand requests to a kernel thread at once", "io_uring io_uring_cmd",
                               "0 and 1 only", Status::partial},
                              Type::count, 0, kMaxU32),
    special<read_cmd_type>({"cmd_type", "nvme", "Kind of the commands that are passed through", "io_uring_cmd"},
                           Type::choice, 0, 0, 0, false, kCmdTypes),
    flag<&EngineOptions::userspace_reap>(
        {"userspace_reap", "", "Read completions from the ring without a system call", "libaio"}),
    text<&EngineOptions::sim_latency>({"sim_latency", "const:100us",
                                       "Latency of each I/O: const:t, uniform:t:t, exp:t, normal:t:dev, two:t:t:share%",
                                       "sim", kOwn}),
    count<&EngineOptions::sim_seed>({"sim_seed", "1", "Seed of the latencies", "sim", kOwn}, 0, kMaxU64),
    count<&EngineOptions::sim_fail_every>({"sim_fail_every", "0", "Every Nth I/O ends with EIO; 0: none", "sim", kOwn},
                                          0, kMaxU64),
};

}  // namespace

std::span<const Row> engine_options() { return kRows; }

}  // namespace fathom::job
