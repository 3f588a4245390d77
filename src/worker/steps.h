// How a parent and its workers keep step, in memory that they share. The parent takes a step; whoever waits for it sleeps
// on its word (futex(2), not private: processes wait as threads do), so that any number of them go on at the same moment
// and nobody holds a descriptor for it. All-zero bytes are the state before anything. Thread rule: take() and abort() by
// whoever leads; await() by anybody.
#pragma once
#include <atomic>
#include <cstdint>

namespace fathom::worker {

class Steps {
 public:
  // Steps only grow.
  void take(std::uint32_t step);
  // Nobody waits any more, and nobody goes on.
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
