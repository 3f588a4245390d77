// The kernel calls of PerfCalls: perf_event_open(2), which glibc does not wrap, ioctl, read and close. A read
// interrupted by a signal is repeated.
#include "pmu/perf_call.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace fathom::pmu {
namespace {

int open_event(perf_event_attr* attr, pid_t pid, int cpu, int group_fd, unsigned long flags) {
  const long fd = ::syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
  return fd < 0 ? -errno : static_cast<int>(fd);
}

int control_event(int fd, unsigned long request, unsigned long argument) {
  return ::ioctl(fd, request, argument) < 0 ? -errno : 0;
}

std::ptrdiff_t read_event(int fd, void* buffer, std::size_t size) {
  while (true) {
    const ssize_t n = ::read(fd, buffer, size);
    if (n >= 0) return n;
    if (errno != EINTR) return -errno;
  }
}

void close_event(int fd) { ::close(fd); }

}  // namespace

const PerfCalls& kernel_calls() {
  static constexpr PerfCalls kCalls{open_event, control_event, read_event, close_event};
  return kCalls;
}

}  // namespace fathom::pmu
