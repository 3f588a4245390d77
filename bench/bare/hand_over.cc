// bare_hand_over CPU_A CPU_B: how far apart two CPUs are: ns in which a cache line goes from one to the other, the
// median of 64 times 100 round trips, halved. A virtual machine's CPUs may be two threads of one core in one second and
// cores without a common cache in the next, and a device on the other CPU is then another device; scripts/bench nvme
// asks before and after each run.
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "bare.h"

namespace {

constexpr std::uint32_t kBatches = 64, kTrips = 100;
alignas(64) std::atomic<std::uint32_t> ball{0};

void run_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0) bare::fail("CPU");
}

void wait_for(std::uint32_t value) {
  while (ball.load(std::memory_order_acquire) != value) {
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int cpus[] = {std::atoi(argv[1]), std::atoi(argv[2])};
  constexpr std::uint32_t kAll = (kBatches + 1) * kTrips;  // one batch to begin with
  std::thread other([&] {
    run_on(cpus[1]);
    for (std::uint32_t n = 0; n < kAll; ++n) {
      wait_for(2 * n + 1);
      ball.store(2 * n + 2, std::memory_order_release);
    }
  });
  run_on(cpus[0]);
  std::array<double, kBatches + 1> took{};
  for (std::uint32_t batch = 0; batch <= kBatches; ++batch) {
    const double begin = bare::now_s();
    for (std::uint32_t n = batch * kTrips; n < (batch + 1) * kTrips; ++n) {
      ball.store(2 * n + 1, std::memory_order_release);
      wait_for(2 * n + 2);
    }
    took[batch] = bare::now_s() - begin;
  }
  other.join();
  std::nth_element(took.begin() + 1, took.begin() + 1 + kBatches / 2, took.end());
  std::printf("%.1f\n", took[1 + kBatches / 2] / kTrips / 2 * 1e9);
}
