// Keeps control (register writes, mapping, removal: rare, any thread) and stepping (one thread, all the time) apart, at
// no cost to the stepping side but a store and a load of its own line. That is half of Dekker's algorithm, which needs
// a full barrier between the two on both sides; a barrier there would wait for the completions just written to reach
// the other core. So the control side pays for both: membarrier(2) makes every thread of the process pass a full
// barrier. Where the kernel refuses it, the stepping side runs the barrier itself.
#pragma once
#include <atomic>
#include <mutex>

namespace fathom::nvme::soft {

class Gate {
 public:
  Gate();
  // The stepping thread: false when control is at work; then nothing may be touched, and leave() is not called.
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
  // Release: control, when it has seen this, sees all that the step did.
  void leave() { inside_.store(false, std::memory_order_release); }

  // While it lives nobody is inside. Not to be made inside a step.
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
