// Spins for a few hundred steps, then yields, then sleeps for 20 us at a time.
#include "nvme/detail/wait.h"

#include <thread>

#include "base/time.h"

namespace fathom::nvme::detail {
namespace {

constexpr std::uint64_t kLookNs = 1'000'000;
constexpr std::uint32_t kSpins = 256;
constexpr std::uint64_t kYieldNs = 1'000'000;
constexpr long kSleepNs = 20'000;

}  // namespace

Wait::Wait(Transport& transport, NowNs now_ns, std::uint64_t limit_ms)
    : transport_(transport),
      now_ns_(now_ns == nullptr ? base::monotonic_ns : now_ns),
      real_(now_ns == nullptr),
      limit_ns_(limit_ms * 1'000'000),
      from_ns_(now_ns_()),
      now_(from_ns_),
      next_look_ns_(from_ns_) {}

bool Wait::again() {
  transport_.idle();
  now_ = now_ns_();
  if (now_ - from_ns_ >= limit_ns_) return false;
  if (!real_ || ++steps_ < kSpins) return true;
  if (now_ - from_ns_ < kYieldNs) {
    std::this_thread::yield();
  } else {
    const timespec pause{0, kSleepNs};
    nanosleep(&pause, nullptr);
  }
  return true;
}

bool Wait::time_to_look() {
  if (now_ < next_look_ns_) return false;
  next_look_ns_ = now_ + kLookNs;
  return true;
}

}  // namespace fathom::nvme::detail
