// The state of a running job, as a trigger saves it. The worker keeps changing two of the values: the number of issued
// writes, and the number of the write in each slot. Only one order of reads gives no false reports: first the count,
// then the slots. Every write below the count was stored in its slot before the reader looks there, so a missing one
// has ended. In the reverse order, a write issued between the two reads is below the count and was in no slot. It would
// count as acknowledged while in flight. Duties of the worker: before it submits a write, it stores the number in a
// slot, then raises the count. It clears the slot after the write ended without error. Lock-free over atomics, which
// may be in memory shared with the worker's process. Thread rule: one writer, any number of readers.
#pragma once
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "verify/state/state_file.h"

namespace fathom::verify::state {

using AtomicNumber = std::atomic<std::uint64_t>;
static_assert(AtomicNumber::is_always_lock_free);

inline void note_issued(AtomicNumber& slot, AtomicNumber& issued, std::uint64_t number) {
  slot.store(number, std::memory_order_relaxed);
  issued.store(number + 1, std::memory_order_release);  // a reader of this count also sees the slot
}

inline void note_ended(AtomicNumber& slot) { slot.store(kNoWrite, std::memory_order_release); }

struct InFlight {
  std::uint64_t writes_issued = 0;
  std::vector<std::uint64_t> slots;
};

inline InFlight in_flight_now(const AtomicNumber& issued, std::span<const AtomicNumber> slots) {
  InFlight now;
  now.writes_issued = issued.load(std::memory_order_acquire);
  for (const AtomicNumber& slot : slots) now.slots.push_back(slot.load(std::memory_order_acquire));
  return now;
}

}  // namespace fathom::verify::state
