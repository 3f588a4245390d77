// Steps, by futex(2).
#include "paging/worker_state.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace fathom::paging {

void take_step(SharedState& state, Step step) {
  state.step.store(static_cast<std::uint32_t>(step), std::memory_order_release);
  ::syscall(SYS_futex, &state.step, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool await_step(SharedState& state, Step step) {
  for (;;) {
    const auto now = state.step.load(std::memory_order_acquire);
    if (now == static_cast<std::uint32_t>(Step::abort)) return false;
    if (now >= static_cast<std::uint32_t>(step)) return true;
    ::syscall(SYS_futex, &state.step, FUTEX_WAIT, now, nullptr, nullptr, 0);
  }
}

}  // namespace fathom::paging
