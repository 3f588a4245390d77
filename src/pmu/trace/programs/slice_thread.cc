// Before the next slice begins, the thread waits for the end of the current one and of its I/Os.
#include "pmu/trace/programs/slice_thread.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/prng.h"
#include "base/time.h"
#include "pmu/trace/programs/slice_moments.h"

namespace fathom::pmu::trace::programs {
namespace {

constexpr std::uint64_t kMs = 1'000'000, kSettling_ns = kMs;
// The first slice begins soon, so that a run of a tenth of a second has one.
constexpr std::uint64_t kFirst_ns = 20 * kMs;
// The longest wait for I/Os in flight when the run is over.
constexpr std::uint64_t kLastEnd_ns = 200 * kMs, kLook_ns = kMs;

}  // namespace

SliceThread::SliceThread(Sliced& watched, const char* name) : watched_(watched), name_(name) {}

void SliceThread::begin() { start(); }

base::Expected<void> SliceThread::begin_watching() {
  if (auto attached = watched_.attach(); !attached) return attached;
  base::sleep_ns(kSettling_ns);
  choose();
  start();
  return {};
}

void SliceThread::start() {
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    cause_ = std::string("thread: ") + error.what();
    if (std::exchange(watching_, false)) watched_.detach();
  }
}

void SliceThread::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool SliceThread::pause(std::uint64_t ns) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, std::chrono::nanoseconds(ns), [this] { return stop_; });
}

// Most end at once. For those that take long, this thread waits without blocking others.
bool SliceThread::wait_for_begun() {
  const std::uint64_t from = base::monotonic_ns();
  std::uint64_t until = from + rounds_.longest_end_ns;
  while (watched_.any_in_flight()) {
    if (base::monotonic_ns() > until) return false;
    if (pause(kLook_ns)) continue;
    until = std::min(until, base::monotonic_ns() + kLastEnd_ns);
    for (; watched_.any_in_flight(); base::sleep_ns(kLook_ns))
      if (base::monotonic_ns() > until) return false;
  }
  return true;
}

void SliceThread::choose() {
  from_ns_ = base::monotonic_ns();
  watched_.watch(true);
  watching_ = true;
}

bool SliceThread::rest_of_slice() {
  bool goes_on = pause(kSlice_ns);
  while (goes_on && watched_.may_go_on()) goes_on = pause(kSlice_ns);
  watched_.watch(false);
  watching_ = false;
  watched_s_ += static_cast<double>(base::monotonic_ns() - from_ns_) * 1e-9;
  if (!wait_for_begun()) watched_.give_up();
  watched_.detach();
  watched_.over();
  return goes_on;
}

bool SliceThread::one_slice() {
  if (auto attached = watched_.attach(); !attached) {
    cause_ = attached.error().what + ": " + attached.error().cause;
    return false;
  }
  if (!pause(kSettling_ns)) {
    watched_.detach();
    return false;
  }
  choose();
  return rest_of_slice();
}

bool SliceThread::wait_for_moment(SliceMoments& moments) {
  rounds_ = watched_.rounds();
  const std::uint64_t now = base::monotonic_ns();
  return pause(moments.next(now, rounds_) - now);
}

void SliceThread::work() {
  sigset_t all;
  sigfillset(&all);  // the main thread handles signals
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  ::pthread_setname_np(::pthread_self(), name_);
  const std::uint64_t begin_ns = base::monotonic_ns();
  SliceMoments moments(begin_ns, begin_ns);
  if (!watching_ && !pause(base::Prng(~begin_ns).below(kFirst_ns))) return;
  bool goes_on = watching_ ? rest_of_slice() : one_slice();
  while (goes_on) goes_on = wait_for_moment(moments) && one_slice();
}

}  // namespace fathom::pmu::trace::programs
