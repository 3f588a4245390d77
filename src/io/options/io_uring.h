// Options of engines that use an io_uring.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

struct IoUringOptions : OfEngine {
  bool fixedbufs = false;
  bool registerfiles = false;
  int sqthread_poll_cpu = -1;     // of the thread of EngineOptions::kernel_submits; -1: any
  std::uint32_t force_async = 0;  // every Nth request; 0: none
};

// A CPU for the kernel's thread implies that such a thread is used.
inline Outcome read_sqthread_cpu(const Targets& targets, const Value& value) {
  if (auto problem = apply::number<&IoUringOptions::sqthread_poll_cpu>(targets, value)) return problem;
  targets.get<EngineOptions>().kernel_submits = true;
  return {};
}

inline Outcome read_nonvectored(const Targets& targets, const Value& value) {
  const bool as_the_kernel_can = value.text == "-1";
  return apply::truth<&EngineOptions::vectored, true>(targets, as_the_kernel_can ? value.part("1") : value);
}

inline constexpr Row kIoUringRows[] = {
    flag<&IoUringOptions::fixedbufs>({"fixedbufs", "", "Register the buffers with the kernel"}),
    flag<&IoUringOptions::registerfiles>({"registerfiles", "", "Register the files with the kernel"}),
    special<read_nonvectored>({"nonvectored", "1", "read and write requests instead of readv and writev"}, Type::flag,
                              0, 1),
    flag<&EngineOptions::kernel_submits>({"sqthread_poll", "", "Submit by a kernel thread, without system calls"}),
    special<read_sqthread_cpu>({"sqthread_poll_cpu", "", "CPU of that kernel thread; turns sqthread_poll on"},
                               Type::count, 0, 65535),
    count<&IoUringOptions::force_async>(
        {"force_async", "0", "Pass every Nth request directly to a kernel thread; 0: none"}, 0, kMaxU32),
};
inline constexpr OptionTable kIoUringOptions{"io_uring", kIoUringRows};

}  // namespace fathom::io
