// The two rings of a queue from the device's side (NVM Express Base Specification 2.0c, section 3.3.1). The fields
// that every batch uses take one cache line per ring.
// The device consumes the submission ring and produces the completion ring.
// The driver writes the doorbells, and the device checks each value before it uses it.
//
// A completion needs a free slot. The device reserves the slot when it fetches the command, so that posting never
// waits: it does not fetch a command that it cannot complete.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "nvme/command.h"

namespace fathom::nvme::soft::memory {

inline std::uint32_t load_doorbell(const volatile std::uint32_t* word) {
  // Acquire: makes visible what the driver did before this value: it wrote the commands below the new tail, or read
  // the completions below the new head.
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

struct alignas(64) CompletionRing {
  std::byte* ring = nullptr;  // nullptr: the driver unmapped the memory
  volatile std::uint32_t* doorbell = nullptr;
  std::uint32_t entries = 0;
  std::uint32_t tail = 0;      // the slot that is written next
  std::uint32_t head = 0;      // the driver's, as last read and checked
  std::uint32_t reserved = 0;  // commands fetched but not completed
  std::uint16_t entry_bytes = 16;
  std::uint16_t phase = 1;
  std::uint16_t id = 0;
  std::uint16_t users = 0;              // submission queues that use this completion queue
  std::uint32_t bad_head = 0xffffffff;  // an invalid value that was already reported
  std::uint64_t iova = 0;
  std::uint64_t bytes() const { return std::uint64_t{entries} * entry_bytes; }

  // Slots that can still be reserved, based on the last head read.
  std::uint32_t room() const {
    const std::uint32_t used = tail >= head ? tail - head : tail + entries - head;
    return entries - 1 - used - reserved;
  }

  // The last eight bytes hold the phase tag and are written last, in one store. A reader that sees the tag therefore
  // sees the whole entry.
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
  const std::byte* ring = nullptr;  // nullptr: the driver unmapped the memory
  const volatile std::uint32_t* doorbell = nullptr;
  CompletionRing* completions = nullptr;
  std::uint32_t entries = 0;
  std::uint32_t head = 0;
  std::uint16_t id = 0;
  std::uint16_t reserved = 0;
  std::uint32_t bad_tail = 0xffffffff;  // an invalid value that was already reported
  // Commands of the ideal path only; the controller counts the others.
  std::uint64_t commands = 0, writes = 0, blocks = 0,
                blocks_written = 0;  // the writes among `commands` and `blocks`
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
