// Steps, by futex(2).
#include "paging/worker_state.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
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

std::uint64_t monotonic_ns() { return clock::MonotonicClock::now().v; }

void sleep_ns(std::uint64_t ns) {
  const timespec ts{static_cast<time_t>(ns / 1'000'000'000ull), static_cast<long>(ns % 1'000'000'000ull)};
  ::nanosleep(&ts, nullptr);
}

}  // namespace fathom::paging
