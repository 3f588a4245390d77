// The driver's state of one command in flight: one cache line, found by the command's CID.
// Callback and context are adjacent in this line, so that completion loads no other line.
// PRP lists are elsewhere (prp.h): trackers one page apart would all map to the same set of the L1 cache.
// Thread rule: the owner of the queue pair.
#pragma once
#include <cstddef>
#include <cstdint>

#include "nvme/command.h"

namespace fathom::nvme {

// Called exactly once per command, on the thread that calls the queue pair's poll() or abort_all().
// The status in `completion` has the phase bit; status_of() removes it.
// A split command has one call, with the first error among its parts.
using Callback = void (*)(void* context, const Completion& completion);

constexpr std::uint16_t status_of(const Completion& c) { return static_cast<std::uint16_t>(c.status >> 1); }

// Values of Tracker::state.
inline constexpr std::uint32_t kSeenOnce = 0x100;  // added by each check for timeouts
inline constexpr std::uint32_t kFree = 0;
inline constexpr std::uint32_t kOwners = 1;  // in flight, for the queue pair's owner
inline constexpr std::uint32_t kCalled = 2;  // in flight, with a callback

struct alignas(64) Tracker {
  // completion path
  // nullptr: a command of the queue pair's owner. The handler of its poll() gets the completion.
  Callback callback;
  void* context;
  std::uint32_t unused;
  // kFree, kOwners or kCalled. The bits above count the checks for timeouts that found the command in flight.
  std::uint32_t state;
  // ablation only (Context::in_request)
  void* request;
};
static_assert(sizeof(Tracker) == 64);
static_assert(offsetof(Tracker, callback) == 0 && offsetof(Tracker, context) == 8 && offsetof(Tracker, state) == 20);

}  // namespace fathom::nvme
