// Synchronizes a parent and its workers by steps in shared memory. The parent takes a step. Waiters sleep on its word
// (futex(2), not private: processes wait as threads do), so any number of them continue at the same moment, without a
// descriptor. All-zero bytes are the state before the first step. Thread rule: take() and abort() are for the leader;
// await() is for any thread.
#pragma once
#include <atomic>
#include <cstdint>

namespace fathom::worker {

class Steps {
 public:
  // Step numbers only increase.
  void take(std::uint32_t step);
  // Wakes all waiters; their await() and every later one returns false.
  void abort() { take(kAborted); }
  bool aborted() const { return at() == kAborted; }
  std::uint32_t at() const { return at_.load(std::memory_order_acquire); }
  // False: aborted.
  bool await(std::uint32_t step);

 private:
  static constexpr std::uint32_t kAborted = ~0u;
  std::atomic<std::uint32_t> at_;
};

}  // namespace fathom::worker
