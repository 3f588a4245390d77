// The state of a job that runs on meanwhile, as a trigger saves it. Two things are read that the worker goes on
// changing: how many writes it has issued, and the number of the write in each slot. Only one order of reading them
// accuses nobody: the count first, then the slots. Then every write below the count was put into its slot before it was
// looked for there, so one that is not found has ended. The other way round, a write that is issued between the two
// is below the count and was in no slot: it would be taken for acknowledged while it is in flight.
// What the worker owes: before a write is submitted its number is in its slot, then the count goes up; the slot is
// emptied after the write has ended well.
// Lock-free over atomics, which may lie in memory shared with the worker's process. Thread rule: one writer, any
// number of readers.
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
  issued.store(number + 1, std::memory_order_release);  // who sees the count sees the slot
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
