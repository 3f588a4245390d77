// The control side of the gate.
#include "nvme/soft/gate.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fathom::nvme::soft {
namespace {

bool membarrier(int command) { return ::syscall(SYS_membarrier, command, 0, 0) == 0; }

bool can_membarrier() {
  static const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  return registered;
}

}  // namespace

Gate::Gate() : barrier_here_(!can_membarrier()) {}

Gate::Closed::Closed(Gate& gate) : gate_(gate), lock_(gate.mutex_) {
  gate_.closed_.store(true, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!gate_.barrier_here_) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  while (gate_.inside_.load(std::memory_order_acquire)) ::sched_yield();
}

Gate::Closed::~Closed() { gate_.closed_.store(false, std::memory_order_release); }

}  // namespace fathom::nvme::soft
