// A round is half a second; where in it the slice begins is drawn.
#include "witness/slice_driver.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/time.h"

namespace fathom::witness {
namespace {

constexpr std::uint64_t kMs = 1'000'000, kRound_ns = 500 * kMs, kSlice_ns = 50 * kMs, kSettling_ns = kMs;
// The first begins soon, so that a run of a tenth of a second has one.
constexpr std::uint64_t kFirst_ns = 20 * kMs;
constexpr std::uint64_t kLongestEnd_ns = 5'000 * kMs, kLook_ns = kMs;

}  // namespace

SliceDriver::SliceDriver(pmu::trace::programs::SplitPrograms& programs, split::Desk& desk,
                         std::function<void(Moment)> on_moment)
    : programs_(programs), desk_(desk), on_moment_(std::move(on_moment)), prng_(base::monotonic_ns()) {}

void SliceDriver::begin() {
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    cause_ = std::string("thread: ") + error.what();
  }
}

void SliceDriver::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool SliceDriver::pause(std::uint64_t ns) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, std::chrono::nanoseconds(ns), [this] { return stop_; });
}

// Most are over in no time; nobody waits in the way of those that take long.
bool SliceDriver::wait_for_begun() {
  const std::uint64_t until = base::monotonic_ns() + kLongestEnd_ns;
  while (desk_.any_in_flight()) {
    if (base::monotonic_ns() > until) return false;
    if (!pause(kLook_ns)) return !desk_.any_in_flight();
  }
  return true;
}

bool SliceDriver::one_slice() {
  on_moment_(Moment::unwatched_to);
  if (auto attached = programs_.attach(); !attached) {
    cause_ = attached.error().what + ": " + attached.error().cause;
    return false;
  }
  bool goes_on = pause(kSettling_ns);
  on_moment_(Moment::watched_from);
  const std::uint64_t from = base::monotonic_ns();
  desk_.watch(++slice_);
  goes_on = goes_on && pause(kSlice_ns);
  desk_.watch(0);
  if (goes_on) on_moment_(Moment::watched_to);
  watched_s_ += static_cast<double>(base::monotonic_ns() - from) * 1e-9;
  if (!wait_for_begun()) desk_.give_up(slice_);
  programs_.detach();
  on_moment_(Moment::over);
  on_moment_(Moment::unwatched_from);
  return goes_on;
}

void SliceDriver::work() {
  sigset_t all;
  sigfillset(&all);  // signals are the main thread's
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  ::pthread_setname_np(::pthread_self(), "fathom-split");
  on_moment_(Moment::unwatched_from);
  std::uint64_t round = base::monotonic_ns(), moment = round + prng_.below(kFirst_ns);
  for (;;) {
    const std::uint64_t now = base::monotonic_ns();
    if (!pause(moment > now ? moment - now : 0) || !one_slice()) return;
    round = std::max(round + kRound_ns, base::monotonic_ns());  // one that took long has eaten its neighbour's round
    moment = round + prng_.below(kRound_ns - kSlice_ns);
  }
}

}  // namespace fathom::witness
