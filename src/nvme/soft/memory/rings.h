// The two rings of a queue as the device sees them (NVM Express Base Specification 2.0c, section 3.3.1), one cache line
// each of what every batch touches. The device is the consumer of the submission ring and the producer of the
// completion ring; the doorbells are the driver's words and are believed only after a look.
//
// A completion needs a free slot. Slots are reserved when commands are fetched, so that posting never has to wait:
// a command that cannot be completed is not taken.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "nvme/command.h"

namespace fathom::nvme::soft::memory {

inline std::uint32_t load_doorbell(const volatile std::uint32_t* word) {
  // Acquire: the commands below the new tail, or the driver's last look at the completions above the new head, came
  // before it.
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

struct alignas(64) CompletionRing {
  std::byte* ring = nullptr;  // nullptr: the driver took the memory away
  volatile std::uint32_t* doorbell = nullptr;
  std::uint32_t entries = 0;
  std::uint32_t tail = 0;      // the slot that is written next
  std::uint32_t head = 0;      // the driver's, as last seen and found good
  std::uint32_t reserved = 0;  // commands fetched and not completed
  std::uint16_t entry_bytes = 16;
  std::uint16_t phase = 1;
  std::uint16_t id = 0;
  std::uint16_t users = 0;              // submission queues that complete here
  std::uint32_t bad_head = 0xffffffff;  // a value already complained of
  std::uint64_t iova = 0;
  std::uint64_t bytes() const { return std::uint64_t{entries} * entry_bytes; }

  // Slots that may still be reserved, by the head as last seen.
  std::uint32_t room() const {
    const std::uint32_t used = tail >= head ? tail - head : tail + entries - head;
    return entries - 1 - used - reserved;
  }

  // The last eight bytes hold the phase tag and go last, in one piece: whoever sees the tag sees all of the entry.
  void post(std::uint64_t first, std::uint64_t second) {
    std::byte* slot = ring + std::size_t{tail} * entry_bytes;
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(slot), first, __ATOMIC_RELAXED);
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(slot) + 1, second, __ATOMIC_RELEASE);
    advance(1);
  }
  void advance(std::uint32_t count) {
    tail += count;
    if (tail < entries) return;
    tail = 0;
    phase ^= 1;
  }
};
static_assert(sizeof(CompletionRing) == 64);

struct alignas(64) SubmissionRing {
  const std::byte* ring = nullptr;  // nullptr: the driver took the memory away
  const volatile std::uint32_t* doorbell = nullptr;
  CompletionRing* completions = nullptr;
  std::uint32_t entries = 0;
  std::uint32_t head = 0;
  std::uint16_t id = 0;
  std::uint16_t reserved = 0;
  std::uint32_t bad_tail = 0xffffffff;  // a value already complained of
  // Of the commands that went through the ideal path; the others are counted by the controller.
  std::uint64_t commands = 0, writes = 0, blocks = 0,
                blocks_written = 0;  // of `commands`, `blocks`: the part of writes
  std::uint64_t iova = 0;
  std::uint64_t bytes() const { return std::uint64_t{entries} * sizeof(Command); }

  void advance(std::uint32_t count) {
    head += count;
    if (head >= entries) head -= entries;
  }
};

// DW2 and DW3 of a completion as one word (figure 94).
constexpr std::uint64_t completion_word(std::uint32_t sq_head, std::uint16_t sq_id, std::uint16_t cid,
                                        std::uint16_t status, std::uint16_t phase) {
  const auto status_and_phase = static_cast<std::uint16_t>(status << 1 | phase);
  return std::uint64_t{sq_head & 0xffff} | std::uint64_t{sq_id} << 16 | std::uint64_t{cid} << 32 |
         std::uint64_t{status_and_phase} << 48;
}

}  // namespace fathom::nvme::soft::memory
