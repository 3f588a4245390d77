// Runs the device threads.
#include "nvme/soft/host.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "base/system/affinity.h"
#include "base/time.h"

namespace fathom::nvme::soft {
namespace {

constexpr std::uint64_t kSpin_ns = 1'000'000, kAwake_ns = 50'000'000;
constexpr long kNap_ns = 50'000;
constexpr unsigned kRoundsBetweenLooks = 64;

void relax() {
#if defined(__x86_64__)
  asm volatile("pause");
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// How an idle thread waits.
class Rest {
 public:
  void busy() {
    rounds_ = 0;
    since_ns_ = 0;
    resting_ = false;
  }
  void idle() {
    if (resting_) relax();
    if (++rounds_ % kRoundsBetweenLooks != 0) return;
    const std::uint64_t now_ns = base::monotonic_ns();
    if (since_ns_ == 0) since_ns_ = now_ns;
    const std::uint64_t idle_ns = now_ns - since_ns_;
    resting_ = idle_ns > kSpin_ns;
    if (idle_ns > kAwake_ns) {
      const timespec nap{0, kNap_ns};
      ::nanosleep(&nap, nullptr);
      rounds_ = kRoundsBetweenLooks - 2;  // read the doorbells once, then sleep again
    } else if (resting_) {
      ::sched_yield();
    }
  }

 private:
  unsigned rounds_ = 0;
  std::uint64_t since_ns_ = 0;
  bool resting_ = false;
};

}  // namespace

struct Host::Impl {
  std::mutex mutex;  // protects the members below, except atomics
  std::vector<Controller*> controllers;
  std::string fallback;
  std::atomic<std::uint64_t> version{1};  // version of the list
  std::atomic<std::uint64_t> seen{0};     // the version that the thread has seen
  std::atomic<bool> ending{false};
  std::thread thread;

  void change(const auto& how) {
    std::uint64_t wanted;
    {
      const std::lock_guard<std::mutex> lock(mutex);
      how(controllers);
      wanted = version.fetch_add(1, std::memory_order_acq_rel) + 1;
    }
    while (seen.load(std::memory_order_acquire) < wanted) ::sched_yield();
  }

  void run() {
    std::vector<Controller*> mine;
    Rest rest;
    while (!ending.load(std::memory_order_relaxed)) {
      if (version.load(std::memory_order_acquire) != seen.load(std::memory_order_relaxed)) {
        const std::lock_guard<std::mutex> lock(mutex);
        mine = controllers;
        seen.store(version.load(std::memory_order_relaxed), std::memory_order_release);
        rest.busy();
      }
      unsigned done = 0;
      for (Controller* controller : mine) done += controller->step();
      done != 0 ? rest.busy() : rest.idle();
    }
  }

  void pin(int cpu) {
    const int failed = base::system::run_on(std::span(&cpu, 1), thread.native_handle());
    if (failed != 0)
      fallback = fmt::format("the soft controller's thread is not on CPU {}: {}", cpu, std::strerror(failed));
  }
};

std::shared_ptr<Host> Host::on(int cpu) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<Host>> hosts;
  const std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Host> host = hosts[cpu].lock();
  if (host == nullptr) hosts[cpu] = host = std::shared_ptr<Host>(new Host(cpu));
  return host;
}

Host::Host(int cpu) : impl_(std::make_unique<Impl>()) {
  impl_->thread = std::thread([this] { impl_->run(); });
  ::pthread_setname_np(impl_->thread.native_handle(), "soft-nvme");
  if (cpu >= 0) impl_->pin(cpu);
}

Host::~Host() {
  impl_->ending.store(true, std::memory_order_relaxed);
  impl_->thread.join();
}

void Host::join(Controller* controller) {
  impl_->change([&](auto& controllers) { controllers.push_back(controller); });
}

void Host::leave(Controller* controller) {
  impl_->change([&](auto& controllers) { std::erase(controllers, controller); });
}

const std::string& Host::fallback() const { return impl_->fallback; }

}  // namespace fathom::nvme::soft
