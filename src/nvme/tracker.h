// What the driver keeps of one command in flight: one cache line, found by the command's CID. Callback and context lie
// beside each other in it, so that completion loads nothing else. PRP lists are elsewhere (prp.h): trackers a page
// apart would all fall into the same set of the L1 cache.
#pragma once
#include <cstddef>
#include <cstdint>

#include "nvme/command.h"

namespace fathom::nvme {

// Called once for every command, from the poll() or abort_all() of its queue pair's owner. The completion's status has
// the phase bit; status_of() is without.
using Callback = void (*)(void* context, const Completion& completion);

constexpr std::uint16_t status_of(const Completion& c) { return static_cast<std::uint16_t>(c.status >> 1); }

inline constexpr std::uint32_t kSeenOnce = 0x100;
inline constexpr std::uint32_t kFree = 0;
inline constexpr std::uint32_t kOwners = 1;  // in flight, for the queue pair's owner
inline constexpr std::uint32_t kCalled = 2;  // in flight, with a callback

struct alignas(64) Tracker {
  // completion path
  Callback callback;  // nullptr: one of the queue pair's owner (its poll handler knows what to do)
  void* context;
  std::uint32_t unused;
  std::uint32_t state;  // kFree, kOwners or kCalled, and in the bits above how many checks for timeouts have seen it
  // ablation only (Context::in_request)
  void* request;
};
static_assert(sizeof(Tracker) == 64);
static_assert(offsetof(Tracker, callback) == 0 && offsetof(Tracker, context) == 8 && offsetof(Tracker, state) == 20);

}  // namespace fathom::nvme
