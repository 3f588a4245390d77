// Processes with different numbers of threads, as pmbench's -y asks for: who is whose thread, and where it runs.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/attempts.h"
#include "base/sanitized.h"
#include "base/system/affinity.h"
#include "clock/sources/calibration.h"
#include "paging/measure.h"
#include "paging/pressure/fit.h"

namespace fathom::paging {
namespace {

Plan sets_plan() {
  static const auto calibration = clock::sources::calibrate(clock::sources::Source::cpu);
  Plan plan;
  plan.region.map_bytes = plan.region.set_bytes = 2u << 20;
  plan.region.thp = Thp::never;
  plan.duration_s = 0.3;
  plan.conversion = calibration.conversion;
  plan.ticks_per_second = calibration.ticks_per_second;
  plan.processes = 3;
  plan.process_threads = {2, 1, 3};
  plan.threads = 3;
  const auto cpus = base::system::allowed_cpus();
  for (const int cpu : {cpus.front(), cpus.front(), cpus.back(), cpus.front(), cpus.front(), cpus.front()})
    plan.thread_cpus.push_back({cpu});
  return plan;
}

std::vector<std::pair<int, int>> numbers_of(const std::vector<result::PagingThread>& workers) {
  std::vector<std::pair<int, int>> numbers;
  for (const auto& w : workers) numbers.emplace_back(w.process, w.thread);
  return numbers;
}

// The threads of a process beside its first, and where the kernel lets them run.
std::map<int, std::vector<int>> cpus_of_threads(int pid) {
  std::map<int, std::vector<int>> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    const int tid = std::stoi(entry.path().filename());
    cpu_set_t set;
    if (tid == pid || ::sched_getaffinity(tid, sizeof set, &set) != 0) continue;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set)) threads[tid].push_back(cpu);
  }
  return threads;
}

TEST(PagingSets, WorkersAreNumberedOverAllProcesses) {
  Plan plan;
  plan.processes = 3;
  plan.threads = 2;
  EXPECT_EQ(plan.workers(), 6);
  EXPECT_EQ(plan.first_worker(2), 4);
  EXPECT_EQ(plan.threads_of(1), 2);
  plan.process_threads = {2, 1, 3};
  EXPECT_EQ(plan.workers(), 6);
  EXPECT_EQ(plan.first_worker(1), 2);
  EXPECT_EQ(plan.first_worker(2), 3);
  EXPECT_EQ(plan.threads_of(1), 1);
}

TEST_IN_ATTEMPTS(PagingSets, EachProcessRunsItsNumberOfThreadsOnItsCpus) {
  const Plan plan = sets_plan();
  MeasureOptions options;
  std::vector<int> pids;
  options.join = [&](int pid) -> base::Expected<void> { return pids.push_back(pid), base::Expected<void>{}; };
  std::map<int, std::vector<int>> bound;
  std::map<int, int> pid_of;
  options.on_start = [&](const Touchers&) {
    for (const int pid : pids)
      for (const auto& [tid, cpus] : cpus_of_threads(pid)) {
        bound[tid] = cpus;
        pid_of[tid] = pid;
      }
  };
  const auto measured = measure(plan, options);
  ASSERT_TRUE(measured.ok()) << measured.error().what;
  const auto& workers = measured->paging.workers;
  EXPECT_EQ(numbers_of(workers), (std::vector<std::pair<int, int>>{{0, 0}, {0, 1}, {1, 0}, {2, 0}, {2, 1}, {2, 2}}));
  for (std::size_t i = 0; i < workers.size(); ++i) {
    EXPECT_GT(workers[i].accesses[0] + workers[i].accesses[1], 100u) << i;
    EXPECT_EQ(workers[i].cpus, plan.thread_cpus[i]) << i;
    EXPECT_EQ(workers[i].error, 0) << i;
    EXPECT_EQ(bound[workers[i].tid], plan.thread_cpus[i]) << i;
    EXPECT_EQ(pid_of[workers[i].tid], pids[static_cast<std::size_t>(workers[i].process)]) << i;
  }
  if (!base::kSanitized) {  // which may have threads of its own
    EXPECT_EQ(bound.size(), 6u);
  }
}

// One that is killed takes its own threads with it, and the run goes on to its end.
TEST_IN_ATTEMPTS(PagingSets, AKilledProcessMarksOnlyItsOwnThreads) {
  Plan plan = sets_plan();
  plan.duration_s = 0.6;
  MeasureOptions options;
  std::vector<int> pids;
  options.join = [&](int pid) -> base::Expected<void> { return pids.push_back(pid), base::Expected<void>{}; };
  options.on_start = [&](const Touchers&) { ::kill(pids[1], SIGKILL); };
  const auto measured = measure(plan, options);
  ASSERT_TRUE(measured.ok()) << measured.error().what;
  const auto& workers = measured->paging.workers;
  ASSERT_EQ(workers.size(), 6u);
  for (std::size_t i = 0; i < workers.size(); ++i) EXPECT_EQ(workers[i].error, i == 2 ? ENOMEM : 0) << i;
  for (const std::size_t i : {std::size_t{0}, std::size_t{5}}) EXPECT_GE(workers[i].wall_ns, 300'000'000u) << i;
}

TEST(PagingSets, OwnMemoryCountsTheThreadsOfAllProcesses) {
  constexpr std::uint64_t kPage_bytes = 4096;
  Plan plan = sets_plan(), one = plan, two = plan, three = plan;
  int threads = 0;
  for (Plan* alone : {&one, &two, &three}) {
    alone->processes = 1;
    alone->process_threads.clear();
    alone->threads = ++threads;
  }
  EXPECT_EQ(pressure::own_bytes(plan, kPage_bytes), pressure::own_bytes(one, kPage_bytes) +
                                                        pressure::own_bytes(two, kPage_bytes) +
                                                        pressure::own_bytes(three, kPage_bytes));
}

}  // namespace
}  // namespace fathom::paging
