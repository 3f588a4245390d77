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
// What is watched at first, and how long that has to be too dear. Measured is how long programs run; that a point is
// passed at all, and the loop's own half, were measured once (docs/performance.md).
constexpr std::uint64_t kCostLook_ns = 25 * kMs;
constexpr std::size_t kLooks = 5;
constexpr double kMostShare = 0.03, kPoint_ns = 70, kLoop_ns = 100;
constexpr std::uint64_t kLongestEnd_ns = 5'000 * kMs, kLook_ns = kMs;

}  // namespace

SliceDriver::SliceDriver(pmu::trace::programs::SplitPrograms& programs, split::Desk& desk,
                         std::function<void()> on_slice, bool chooses)
    : programs_(programs),
      desk_(desk),
      on_slice_(std::move(on_slice)),
      prng_(base::monotonic_ns()),
      watches_all_(chooses) {}

void SliceDriver::begin() {
  if (watches_all_) {
    programs_.measure(true);
    desk_.watch(++slice_);  // from the first I/O on
  }
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
  if (auto attached = programs_.attach(); !attached) {
    cause_ = attached.error().what + ": " + attached.error().cause;
    return false;
  }
  bool goes_on = pause(kSettling_ns);
  const std::uint64_t from = base::monotonic_ns();
  desk_.watch(++slice_);
  goes_on = goes_on && pause(kSlice_ns);
  end_slice(from);
  return goes_on;
}

void SliceDriver::end_slice(std::uint64_t from_ns) {
  desk_.watch(0);
  watched_s_ += static_cast<double>(base::monotonic_ns() - from_ns) * 1e-9;
  if (!wait_for_begun()) desk_.give_up(slice_);
  programs_.detach();
  on_slice_();
}

// Of the fastest loop's time, the part that watching took since the oldest look.
double SliceDriver::share_of_time() {
  Look now{base::monotonic_ns(), {}, programs_.run_time()};
  for (std::size_t w = 0; w < desk_.seats().size(); ++w) now.ios.push_back(desk_.ios(w));
  looks_.push_back(std::move(now));
  if (looks_.size() < kLooks) return 0;
  const Look &from = looks_.front(), &to = looks_.back();
  std::uint64_t all = 0, most = 0;
  for (std::size_t w = 0; w < to.ios.size(); ++w) {
    all += to.ios[w] - from.ios[w];
    most = std::max(most, to.ios[w] - from.ios[w]);
  }
  const double programs_ns = static_cast<double>(to.run_time.ns - from.run_time.ns) +
                             kPoint_ns * static_cast<double>(to.run_time.runs - from.run_time.runs);
  const double ios_ns =
      static_cast<double>(most) * (kLoop_ns + programs_ns / static_cast<double>(std::max<std::uint64_t>(all, 1)));
  const double share = ios_ns / static_cast<double>(to.at_ns - from.at_ns);
  looks_.pop_front();
  return share;
}

// False: the end has come, and all was watched.
bool SliceDriver::while_cheap() {
  const std::uint64_t from = base::monotonic_ns();
  do {
    if (pause(kCostLook_ns)) continue;
    end_slice(from);
    return false;
  } while (share_of_time() <= kMostShare);
  watches_all_ = false;
  programs_.measure(false);
  end_slice(from);
  return true;
}

void SliceDriver::work() {
  sigset_t all;
  sigfillset(&all);  // signals are the main thread's
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  ::pthread_setname_np(::pthread_self(), "fathom-split");
  if (watches_all_ && !while_cheap()) return;
  std::uint64_t round = base::monotonic_ns(), moment = round + prng_.below(kFirst_ns);
  for (;;) {
    const std::uint64_t now = base::monotonic_ns();
    if (!pause(moment > now ? moment - now : 0) || !one_slice()) return;
    round = std::max(round + kRound_ns, base::monotonic_ns());  // one that took long has eaten its neighbour's round
    moment = round + prng_.below(kRound_ns - kSlice_ns);
  }
}

}  // namespace fathom::witness
