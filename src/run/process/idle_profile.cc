// Measures the idle time of CPUs. The threads sleep until begin(), and end after end().
#include "run/process/idle_profile.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <system_error>
#include <thread>

#include "base/system/affinity.h"
#include "base/time.h"
#include "stats/moments.h"

namespace fathom::run::process {
namespace {

constexpr int kTimedUnits = 100;

enum class State : std::uint32_t { timing, ready, working, over };

}  // namespace

std::uint64_t idle_unit(std::uint64_t seed) {
  constexpr int kSteps = 4096;
  std::uint64_t value = seed | 1;
  for (int i = 0; i < kSteps; ++i) value = value * 6364136223846793005ull + 1442695040888963407ull;
  return value;
}

struct IdleProfile::Worker {
  unsigned cpu = 0;
  std::atomic<State> state{State::timing};
  std::atomic<std::uint64_t> sink{0};
  stats::Moments unit_ns;
  clockid_t clock = 0;
  std::uint64_t cpu_ns_at_begin = 0;
  std::thread thread;

  std::uint64_t cpu_ns() const { return base::clock_ns(clock); }

  void go_to(State next) {
    state.store(next);
    state.notify_all();
  }

  void time_units() {
    for (int i = 0; i < kTimedUnits; ++i) {
      const std::uint64_t before = base::thread_cpu_ns();
      sink.store(idle_unit(before));
      unit_ns.add(base::thread_cpu_ns() - before);
    }
  }

  void work() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    (void)base::system::run_on(static_cast<int>(cpu));
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_IDLE, &none);
    time_units();
    go_to(State::ready);
    state.wait(State::ready);
    for (std::uint64_t seed = cpu; state.load(std::memory_order_relaxed) == State::working;)
      sink.store(seed = idle_unit(seed), std::memory_order_relaxed);
  }
};

IdleProfile::IdleProfile(std::span<const unsigned> cpus) {
  for (const unsigned cpu : cpus) {
    auto worker = std::make_unique<Worker>();
    worker->cpu = cpu;
    try {
      worker->thread = std::thread([w = worker.get()] { w->work(); });
    } catch (const std::system_error&) {
      continue;
    }
    ::pthread_getcpuclockid(worker->thread.native_handle(), &worker->clock);
    workers_.push_back(std::move(worker));
  }
  for (const auto& worker : workers_) worker->state.wait(State::timing);
}

IdleProfile::~IdleProfile() {
  for (const auto& worker : workers_) {
    worker->go_to(State::over);
    worker->thread.join();
  }
}

void IdleProfile::begin() {
  for (const auto& worker : workers_) {
    worker->cpu_ns_at_begin = worker->cpu_ns();
    worker->go_to(State::working);
  }
  begin_ns_ = base::monotonic_ns();
}

result::CpuIdleness IdleProfile::calibrated() const {
  stats::Moments all;
  for (const auto& worker : workers_) all.merge(worker->unit_ns);
  result::CpuIdleness idle;
  idle.unit_mean_us = all.mean() / 1e3;
  idle.unit_stddev_us = all.stddev() / 1e3;
  return idle;
}

result::CpuIdleness IdleProfile::end(bool each) {
  auto idle = calibrated();
  const auto took_ns = static_cast<double>(std::max<std::uint64_t>(1, base::monotonic_ns() - begin_ns_));
  for (const auto& worker : workers_) {
    const auto got_ns = static_cast<double>(worker->cpu_ns() - worker->cpu_ns_at_begin);
    idle.cpu_percent.push_back(std::min(100.0, 100 * got_ns / took_ns));
    idle.system_percent += idle.cpu_percent.back() / static_cast<double>(workers_.size());
    worker->go_to(State::over);
  }
  idle.each = each;
  return idle;
}

}  // namespace fathom::run::process
