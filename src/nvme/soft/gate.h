// Excludes control (register writes, mapping, removal: rare, any thread) and stepping (one thread, all the time) from
// each other. A step costs only a store to its own cache line and a load.
// This is half of Dekker's algorithm, which needs a full barrier between the two on both sides.
// In the step, a barrier would wait until the completions just written reach the other core.
// The control side therefore pays for both: membarrier(2) makes every thread of the process pass a full barrier.
// If the kernel refuses membarrier(2), the stepping side runs the barrier itself.
#pragma once
#include <atomic>
#include <mutex>

namespace fathom::nvme::soft {

class Gate {
 public:
  Gate();
  // For the stepping thread. False: control is active, so the caller must touch nothing and must not call leave().
  bool enter() {
    inside_.store(true, std::memory_order_relaxed);
    if (barrier_here_)
      std::atomic_thread_fence(std::memory_order_seq_cst);
    else
      std::atomic_signal_fence(std::memory_order_seq_cst);
    if (!closed_.load(std::memory_order_acquire)) return true;
    leave();
    return false;
  }
  // Release: once control sees this, it sees all effects of the step.
  void leave() { inside_.store(false, std::memory_order_release); }

  // While this object exists, no thread is inside a step. Do not create it inside a step.
  class Closed {
   public:
    explicit Closed(Gate& gate);
    ~Closed();
    Closed(const Closed&) = delete;
    Closed& operator=(const Closed&) = delete;

   private:
    Gate& gate_;
    std::lock_guard<std::mutex> lock_;
  };

 private:
  alignas(64) std::atomic<bool> inside_{false};
  const bool barrier_here_;
  alignas(64) std::atomic<bool> closed_{false};
  std::mutex mutex_;
};

}  // namespace fathom::nvme::soft
