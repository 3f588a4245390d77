// The kernel's clock number contains the inverted ID of a process or thread, above three flag bits (2: ns of running,
// 4: a thread's). Source: linux/posix-timers_types.h. pthread_getcpuclockid(3) computes the same from a pthread_t,
// which is unknown here.
#include "base/system/cpu_time.h"

#include <time.h>

namespace fathom::base::system {

std::optional<std::uint64_t> cpu_time_ns(int pid, int tid) {
  constexpr unsigned kRunning = 2, kThread = 4;
  const unsigned whose = static_cast<unsigned>(tid != 0 ? tid : pid);
  if (whose == 0) return std::nullopt;
  const auto clock = static_cast<clockid_t>(~whose << 3 | kRunning | (tid != 0 ? kThread : 0));
  timespec at{};
  if (::clock_gettime(clock, &at) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(at.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(at.tv_nsec);
}

}  // namespace fathom::base::system
