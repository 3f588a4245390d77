// Implements the steps with futex(2).
#include "worker/steps.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace fathom::worker {

void Steps::take(std::uint32_t step) {
  at_.store(step, std::memory_order_release);
  ::syscall(SYS_futex, &at_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool Steps::await(std::uint32_t step) {
  for (;;) {
    const auto now = at();
    if (now == kAborted) return false;
    if (now >= step) return true;
    ::syscall(SYS_futex, &at_, FUTEX_WAIT, now, nullptr, nullptr, 0);
  }
}

}  // namespace fathom::worker
