// A state is taken again and again of a worker that does not wait: no write that it calls acknowledged is one that has
// not ended.
#include "verify/state/state_snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <thread>

namespace fathom::verify::state {
namespace {

constexpr std::uint64_t kWrites = 400'000;
constexpr std::size_t kDepth = 4;

struct Worker {
  AtomicNumber issued{0};
  std::array<AtomicNumber, kDepth> slots;
  std::unique_ptr<std::atomic<bool>[]> ended = std::make_unique<std::atomic<bool>[]>(kWrites);

  Worker() {
    for (AtomicNumber& slot : slots) slot = kNoWrite;
  }
  std::atomic<bool> watched{false};
  // Ends writes in another order than it issues them: a slot is taken by a hash of the number.
  void run() {
    while (!watched.load()) std::this_thread::yield();
    for (std::uint64_t n = 0; n < kWrites; ++n) {
      AtomicNumber& slot = slots[(n * 0x9e3779b97f4a7c15ull) >> 62];
      if (const std::uint64_t old = slot.load(std::memory_order_relaxed); old != kNoWrite) {
        ended[old].store(true, std::memory_order_relaxed);
        note_ended(slot);
      }
      note_issued(slot, issued, n);
    }
  }
};

// The writes below the count and in no slot that have not ended, among the latest: older ones the last look has seen.
std::uint64_t accused(const Worker& worker, const InFlight& now, std::uint64_t& seen) {
  std::uint64_t wrong = 0, oldest = now.writes_issued;
  for (std::uint64_t n = seen; n < now.writes_issued; ++n) {
    const bool ended = worker.ended[n].load(std::memory_order_relaxed);
    const bool in_slot = std::find(now.slots.begin(), now.slots.end(), n) != now.slots.end();
    wrong += !ended && !in_slot;
    if (!ended) oldest = std::min(oldest, n);
  }
  seen = oldest;
  return wrong;
}

TEST(StateSnapshot, NoUnfinishedWriteIsCalledAcknowledged) {
  Worker worker;
  std::thread thread([&] { worker.run(); });
  std::uint64_t wrong = 0, seen = 0, looks = 0;
  while (worker.issued.load() < kWrites) {
    wrong += accused(worker, in_flight_now(worker.issued, worker.slots), seen);
    ++looks;
    worker.watched.store(true);
  }
  thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(looks, 0);
}

TEST(StateSnapshot, HoldsTheWritesInFlight) {
  AtomicNumber issued{0};
  std::array<AtomicNumber, 2> slots{kNoWrite, kNoWrite};
  note_issued(slots[1], issued, 0);
  note_issued(slots[0], issued, 1);
  note_ended(slots[1]);
  const InFlight now = in_flight_now(issued, slots);
  EXPECT_EQ(now.writes_issued, 2);
  EXPECT_EQ(now.slots, (std::vector<std::uint64_t>{1, kNoWrite}));
}

}  // namespace
}  // namespace fathom::verify::state
