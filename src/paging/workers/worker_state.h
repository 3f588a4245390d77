// How the parent and its measuring processes keep step (worker/steps.h), and what each process leaves in memory. The
// parent takes a step when all processes have reached the phase before it. All-zero bytes are the initial state.
// Thread rule: the parent writes the steps, each owner its phase.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/time.h"
#include "paging/touch/page_lock.h"
#include "paging/touch/touch_loop.h"
#include "worker/steps.h"

namespace fathom::paging::workers {

enum class Step : std::uint32_t { set_up, warm_up, go, unmap };

struct SharedState {
  worker::Steps steps;                  // of Step
  std::atomic<std::uint64_t> begin_ns;  // CLOCK_MONOTONIC, set before Step::go
};

// failed: an error is in the pipe, and the process ends.
enum class ProcessPhase : std::uint32_t { none, mapping, filling, filled, ready, ended, unmapped, failed };

struct ProcessRecord {
  std::atomic<std::uint32_t> phase;
  std::atomic<std::uint32_t> stop;
  std::atomic<std::uint64_t> filled_bytes;
  std::uint64_t mapped_ns;  // CLOCK_MONOTONIC: mapped, threads waiting
  std::uint64_t page_bytes;
  std::uint64_t thread_bytes;  // measurement memory of the thread that has the most
  touch::Locked locked;
  int lock_errno;

  void set_phase(ProcessPhase p) { phase.store(static_cast<std::uint32_t>(p), std::memory_order_release); }
  ProcessPhase get_phase() const { return static_cast<ProcessPhase>(phase.load(std::memory_order_acquire)); }
};

// Determined once by the parent, the same for all threads.
struct WorkerInputs {
  touch::TouchLoop loop = nullptr;
  std::uint64_t slow_ticks = 0, mark_ticks = 0;
  int mark_fd = -1;
};

inline void take_step(SharedState& state, Step step) { state.steps.take(static_cast<std::uint32_t>(step)); }
inline bool at_step(const SharedState& state, Step step) {
  return state.steps.at() == static_cast<std::uint32_t>(step);
}
// False: aborted.
inline bool await_step(SharedState& state, Step step) { return state.steps.await(static_cast<std::uint32_t>(step)); }

using base::monotonic_ns, base::sleep_ns;

}  // namespace fathom::paging::workers
