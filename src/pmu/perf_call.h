// The system calls for a counter, as a table of functions, so that a test can replace them.
// Source: perf_event_open(2). Errors: negative errno. Thread rule: the table is constant.
#pragma once
#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace fathom::pmu {

struct PerfCalls {
  int (*open)(perf_event_attr* attr, pid_t pid, int cpu, int group_fd, unsigned long flags);  // fd or -errno
  int (*control)(int fd, unsigned long request, unsigned long argument);                      // 0 or -errno
  std::ptrdiff_t (*read)(int fd, void* buffer, std::size_t size);                             // bytes or -errno
  void (*close)(int fd);
};

const PerfCalls& kernel_calls();

}  // namespace fathom::pmu
