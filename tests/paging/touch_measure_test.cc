// Whole measurements, with real processes: what is reported, and that none hangs or is lost however it ends.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "base/attempts.h"
#include "base/sanitized.h"
#include "base/system/fd.h"
#include "clock/sources/calibration.h"
#include "host/proc/text_file.h"
#include "paging/measure.h"
#include "paging/memory/cached_file.h"
#include "paging/memory/region.h"
#include "paging/series.h"
#include "paging/temporary_file.h"
#include "paging/workers/worker_state.h"

namespace fathom::paging {
namespace {

Plan small_plan() {
  static const auto calibration = clock::sources::calibrate(clock::sources::Source::cpu);
  Plan plan;
  plan.region.map_bytes = plan.region.set_bytes = 16u << 20;
  plan.region.thp = Thp::never;
  plan.duration_s = 0.2;
  plan.conversion = calibration.conversion;
  plan.ticks_per_second = calibration.ticks_per_second;
  return plan;
}

bool has(const Measured& m, const std::string& id) {
  return std::any_of(m.findings.begin(), m.findings.end(), [&](auto& f) { return f.id == id; });
}
std::uint64_t accesses(const result::PagingThread& t) { return t.accesses[0] + t.accesses[1]; }
bool gone(int pid) { return ::kill(pid, 0) != 0 && errno == ESRCH; }

// Pages of a file that is cached already: only a limit of the run's own is a reason to drop them, and a file that may be
// mapped.
TEST(PagingMeasureOfAFile, DropsPagesOnlyUnderALimitAndOfAFileThatItMayMap) {
  Plan plan = small_plan();
  const TemporaryFile file(std::string(plan.region.set_bytes, 'x'));
  plan.region.memory = Memory::file_private;
  plan.region.file = file.path();
  plan.region.drop_cached = true;
  const auto measured = measure(plan, {});
  ASSERT_TRUE(measured.ok()) << measured.error().what;
  EXPECT_FALSE(has(*measured, "paging.cache_dropped")) << "nobody holds the run to a limit";
  plan.region.memory = Memory::file_shared;
  MeasureOptions limited;
  limited.cgroup_path = "/sys/fs/cgroup/none";
  EXPECT_FALSE(measure(plan, limited).ok()) << "writes would destroy what the file holds";
  const auto dropped = memory::drop_cached_pages(file.path(), plan.region.set_bytes);
  ASSERT_TRUE(dropped.ok());
  ASSERT_EQ(dropped->size(), 1u) << "its pages were there still";
}

TEST_IN_ATTEMPTS(PagingMeasure, ThreadsOfSeveralProcessesMeasureOneWindow) {
  Plan plan = small_plan();
  plan.threads = plan.processes = 2;
  plan.duration_s = 0.6;
  MeasureOptions options;
  std::vector<int> pids;
  int starts = 0, ends = 0;
  options.join = [&](int pid) -> base::Expected<void> {
    pids.push_back(pid);
    return {};
  };
  options.on_start = [&](const Touchers&) { ++starts; };
  options.on_end = [&](std::uint64_t) { ++ends; };
  const auto measured = measure(plan, options);
  ASSERT_TRUE(measured.ok()) << measured.error().what;
  const auto& p = measured->paging;
  ASSERT_EQ(p.workers.size(), 4u);
  std::uint64_t in_classes = 0, in_workers = 0, own = 0;
  for (const auto& w : p.workers) {
    EXPECT_GT(accesses(w), 1000u);
    EXPECT_EQ(w.warmup_accesses, 4u * 4096);
    EXPECT_GT(w.warmup_ns, 0u);
    EXPECT_GT(w.overhead_ns, 0.0);
    EXPECT_EQ(w.error, 0);
    EXPECT_GE(w.wall_ns, 300'000'000u);  // they wake late where the machine is busy, and end together
    in_workers += accesses(w);
    own += w.own_faults;
  }
  EXPECT_EQ(p.workers[3].process, 1);
  EXPECT_EQ(p.workers[3].thread, 1);
  for (const auto& of_class : p.latency)
    for (const auto& latency : of_class) in_classes += latency.moments_ns.n;
  EXPECT_EQ(in_classes, in_workers);
  if (!base::kSanitized) {
    EXPECT_EQ(own, 0u);
    EXPECT_FALSE(has(*measured, "paging.own_faults"));
    EXPECT_FALSE(has(*measured, "paging.class_totals"));
  }
  EXPECT_GE(p.window_ns, 550'000'000u);
  std::vector<std::string> items;
  for (const auto& item : p.memory_items) items.push_back(item.name);
  EXPECT_EQ(items, (std::vector<std::string>{"pre-warmup", "pre-run", "mid-run", "post-run", "post-unmap"}));
  std::uint64_t in_series = 0;
  for (const auto& point : p.series) in_series += point.accesses;
  EXPECT_GT(in_series, 0u);
  EXPECT_LE(in_series, in_workers);
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(ends, 1);
  EXPECT_FALSE(p.interrupted);
  EXPECT_TRUE(p.classified);
  ASSERT_EQ(pids.size(), 2u);
  EXPECT_TRUE(gone(pids[0]) && gone(pids[1]));
}

// The pages that the warm-up has left out are touched for the first time in the window: the kernel's count is ours.
TEST_IN_ATTEMPTS(PagingMeasure, MinorFaultsMatchTheKernelsCount) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitizer faults in its shadow";
  Plan plan = small_plan();
  plan.warmup = false;
  plan.pattern.read_percent = 0;
  plan.duration_s = 0.3;
  const auto measured = measure(plan, {});
  ASSERT_TRUE(measured.ok()) << measured.error().what;
  const auto& w = measured->paging.workers[0];
  EXPECT_EQ(w.kernel_minor, 4096u);
  EXPECT_EQ(measured->paging.latency[1][1].moments_ns.n, 4096u);
  EXPECT_EQ(w.extra_faults + w.own_faults, 0u);
  EXPECT_EQ(w.warmup_accesses, 0u);
}

TEST(PagingMeasure, TimedEndsOnTimeWhereAccessesAreRare) {
  Plan plan = small_plan();
  plan.touch.delay_ticks = static_cast<std::uint64_t>(plan.ticks_per_second / 10'000);  // 100 us
  std::uint64_t late_ns = ~std::uint64_t{0};
  for (int i = 0; i < 25 && late_ns > 5'000'000; ++i) {
    const auto measured = measure(plan, {});
    ASSERT_TRUE(measured.ok());
    const std::uint64_t window_ns = measured->paging.window_ns;  // short where the thread woke late: its end is set
    const std::uint64_t off_ns = window_ns > 200'000'000 ? window_ns - 200'000'000 : 200'000'000 - window_ns;
    late_ns = std::min(late_ns, off_ns);
  }
  EXPECT_LE(late_ns, 5'000'000u);
}

TEST(PagingMeasure, MaxAccessesEndsEachWorkerExactly) {
  Plan plan = small_plan();
  plan.touch.max_accesses = 1000;
  plan.duration_s = 60;
  plan.threads = 2;
  const auto measured = measure(plan, {});
  ASSERT_TRUE(measured.ok());
  for (const auto& w : measured->paging.workers) EXPECT_EQ(accesses(w), 1000u);
}

TEST(PagingMeasure, ATraceEndsTheRunWithItsLastAccess) {
  for (const int lines : {1, 4, 128, 131}) {
    std::string text;
    for (int i = 0; i < lines; ++i) text += i % 4 == 0 ? "W 1000\n" : "R 2000\n";
    const TemporaryFile file(text);
    Plan plan = small_plan();
    plan.pattern.name = "trace";
    plan.pattern.file = file.path();
    plan.duration_s = 60;
    plan.threads = 2;
    const auto measured = measure(plan, {});
    ASSERT_TRUE(measured.ok()) << measured.error().what;
    EXPECT_LT(measured->paging.read_percent, 0);
    for (const auto& w : measured->paging.workers) {
      EXPECT_EQ(accesses(w), static_cast<std::uint64_t>(lines));
      EXPECT_EQ(w.accesses[1], static_cast<std::uint64_t>(lines + 3) / 4);
    }
  }
}

TEST(PagingMeasure, ReportedConditionsAreThoseOfTheProfilePlayed) {
  const TemporaryFile profile("version 1\nzipf_theta 0.9\nworking_set_bytes 33554432\nread_percent 100\n");
  Plan plan = small_plan();
  plan.pattern.name = "profile";
  plan.pattern.file = profile.path();
  plan.region.fill = Fill::compressible;
  plan.region.fill_percent = 70;
  const auto measured = measure(plan, {});
  ASSERT_TRUE(measured.ok()) << measured.error().what;
  const auto& p = measured->paging;
  EXPECT_EQ(p.duration_s, 0.2);
  EXPECT_EQ(p.read_percent, 100);
  EXPECT_EQ(p.workers[0].accesses[1], 0u);
  EXPECT_EQ(p.fill, "compressible:70");
  ASSERT_FALSE(p.conditions.empty());
  EXPECT_EQ(p.conditions[0].second, "profile:" + profile.path());
  EXPECT_TRUE(has(*measured, "paging.profile_clipped"));
}

// Without a fill, no page has a place before its first access.
TEST(PagingMeasure, WhereBoundPagesLieIsLookedAtAfterTheAccesses) {
  const auto nodes = memory::memory_nodes();
  if (nodes.empty()) GTEST_SKIP() << "a kernel without nodes";
  Plan plan = small_plan();
  plan.region.memory_nodes = {nodes[0]};
  const auto measured = measure(plan, {});
  ASSERT_TRUE(measured.ok()) << measured.error().what;
  EXPECT_TRUE(has(*measured, "paging.placement"));
}

TEST(PagingMeasure, AccessTouchCountsWithoutLatencies) {
  Plan plan = small_plan();
  plan.touch.mode = AccessMode::touch;
  const auto measured = measure(plan, {});
  ASSERT_TRUE(measured.ok());
  EXPECT_GT(accesses(measured->paging.workers[0]), 10000u);
  EXPECT_TRUE(measured->paging.latency[0][0].histogram_ns.empty());
  EXPECT_FALSE(measured->paging.classified);
}

TEST(PagingMeasure, AnErrorOfTheRegionIsReturnedUnchanged) {
  Plan plan = small_plan();
  plan.region.advice = {"nonsense"};
  std::vector<result::Finding> findings;
  const auto own = memory::Region::map(plan.region, findings);
  const auto measured = measure(plan, {});
  ASSERT_FALSE(own.ok());
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().what, own.error().what);
  EXPECT_EQ(measured.error().kind, own.error().kind);
  EXPECT_EQ(measured.error().help, own.error().help);
}

TEST(PagingMeasure, AnErrorOfJoinEndsTheRun) {
  int pid = 0;
  MeasureOptions options;
  options.join = [&](int child) -> base::Expected<void> {
    pid = child;
    base::Error e;
    e.what = "no cgroup";
    return e;
  };
  const auto measured = measure(small_plan(), options);
  ASSERT_FALSE(measured.ok());
  EXPECT_EQ(measured.error().what, "no cgroup");
  EXPECT_TRUE(gone(pid));
}

TEST_IN_ATTEMPTS(PagingMeasure, AKilledProcessesMeasurementIsReported) {
  Plan plan = small_plan();
  plan.processes = 2;
  plan.duration_s = 0.8;
  std::vector<int> pids;
  MeasureOptions options;
  options.join = [&](int pid) -> base::Expected<void> {
    pids.push_back(pid);
    return {};
  };
  options.on_progress = [&](const Progress& progress) {
    if (progress.phase == Progress::Phase::measuring) ::kill(pids[1], SIGKILL);
  };
  const std::uint64_t begin_ns = base::monotonic_ns();
  const auto measured = measure(plan, options);
  ASSERT_TRUE(measured.ok());
  EXPECT_LT(base::monotonic_ns() - begin_ns, 5'000'000'000u);
  EXPECT_TRUE(has(*measured, "paging.worker_killed"));
  const auto& workers = measured->paging.workers;
  EXPECT_NE(workers[1].error, 0);
  EXPECT_EQ(workers[0].error, 0);
  EXPECT_GT(accesses(workers[1]), 1000u);
  EXPECT_LT(workers[1].wall_ns, 700'000'000u);
  EXPECT_GT(workers[0].wall_ns, 700'000'000u);
}

TEST(PagingMeasure, AProcessKilledBeforeTheWindowIsAnError) {
  MeasureOptions options;
  options.join = [](int pid) -> base::Expected<void> {
    ::kill(pid, SIGKILL);
    return {};
  };
  const auto measured = measure(small_plan(), options);
  ASSERT_FALSE(measured.ok());
  EXPECT_NE(measured.error().what.find("signal 9"), std::string::npos) << measured.error().what;
}

TEST_IN_ATTEMPTS(PagingMeasure, AStopInTheWindowReportsWhatWasMeasured) {
  Plan plan = small_plan();
  plan.duration_s = 60;
  std::atomic<std::uint32_t> stop{0};
  MeasureOptions options;
  options.stop = &stop;
  options.on_progress = [&](const Progress& progress) {
    if (progress.phase != Progress::Phase::measuring) return;
    EXPECT_GT(progress.accesses, 0u);
    EXPECT_GT(progress.late.ns_p99, 0u);
    EXPECT_GE(progress.late.ns_p99, progress.late.ns_p50);
    stop = 1;
  };
  const auto measured = measure(plan, options);
  ASSERT_TRUE(measured.ok());
  EXPECT_TRUE(measured->paging.interrupted);
  EXPECT_GT(accesses(measured->paging.workers[0]), 1000u);
  EXPECT_LT(measured->paging.window_ns, 10'000'000'000u);
}

TEST_IN_ATTEMPTS(PagingMeasure, AStopDuringTheFillEndsAtOnce) {
  Plan plan = small_plan();
  plan.region.map_bytes = plan.region.set_bytes = std::uint64_t{1} << 30;
  plan.region.fill = Fill::random;
  plan.duration_s = 60;
  std::atomic<std::uint32_t> stop{1};
  MeasureOptions options;
  options.stop = &stop;
  const std::uint64_t begin_ns = base::monotonic_ns();
  const auto measured = measure(plan, options);
  ASSERT_TRUE(measured.ok());
  EXPECT_TRUE(measured->paging.interrupted);
  EXPECT_EQ(accesses(measured->paging.workers[0]), 0u);
  EXPECT_LT(base::monotonic_ns() - begin_ns, 3'000'000'000u);
}

// Reads of untouched memory cost none: many threads are in the middle of their warm-up when the stop comes.
TEST(PagingMeasure, AStopDuringWarmUpEndsWithoutAKill) {
  Plan plan = small_plan();
  plan.region.map_bytes = plan.region.set_bytes = std::uint64_t{8} << 30;
  plan.pattern.read_percent = 100;
  plan.threads = 16;
  plan.duration_s = 60;
  std::atomic<std::uint32_t> stop{0};
  bool stopped_warming = false;
  MeasureOptions options;
  options.stop = &stop;
  options.on_progress = [&](const Progress& progress) {
    if (progress.phase != Progress::Phase::warming || progress.done_share == 0) return;
    stopped_warming = true;
    stop = 1;
  };
  const auto measured = measure(plan, options);
  ASSERT_TRUE(measured.ok()) << measured.error().what;
  EXPECT_TRUE(stopped_warming);
  EXPECT_TRUE(measured->paging.interrupted);
  EXPECT_FALSE(has(*measured, "paging.worker_killed"));
  for (const auto& w : measured->paging.workers) EXPECT_EQ(w.error, 0);
}

// Pages that the measuring process has for itself, so that its cgroup pays for them, just before its window begins.
std::uint64_t own_kib() {
  Plan plan = small_plan();
  plan.region.map_bytes = plan.region.set_bytes = 1u << 20;
  plan.duration_s = 0.01;
  int child = 0;
  std::uint64_t kib = 0;
  MeasureOptions options;
  options.join = [&](int pid) -> base::Expected<void> {
    child = pid;
    return {};
  };
  options.on_start = [&](const Touchers&) {
    std::ifstream rollup("/proc/" + std::to_string(child) + "/smaps_rollup");
    for (std::string word; rollup >> word;) {
      std::uint64_t n = 0;
      if ((word == "Private_Clean:" || word == "Private_Dirty:") && rollup >> n) kib += n;
    }
  };
  EXPECT_TRUE(measure(plan, options).ok());
  return kib;
}

// A process that has measured before has a larger heap, and stacks of ended threads are kept by the C library.
TEST_IN_ATTEMPTS(PagingMeasure, TheMeasuringProcessDoesNotCopyTheParentsPages) {
  if (host::proc::read_text("/proc/self/smaps_rollup").empty()) GTEST_SKIP() << "this kernel has no smaps_rollup";
  const auto first = own_kib();
  const std::vector<char> heap(64 << 20, 'x');
  std::vector<std::thread> threads;
  threads.reserve(8);
  for (int i = 0; i < 8; ++i) threads.emplace_back([] { base::sleep_ns(1'000'000); });
  for (auto& thread : threads) thread.join();
  const auto second = own_kib();
  EXPECT_GT(first, 0u);
  EXPECT_LE(second, first + (base::kSanitized ? 8192 : 256));  // a sanitizer's shadow of the heap is an eighth of it
}

TEST(PagingMeasure, TheFillRunsOnTheCpusOfTheThreads) {
  cpu_set_t mine;
  ASSERT_EQ(::sched_getaffinity(0, sizeof mine, &mine), 0);
  if (CPU_COUNT(&mine) < 2) GTEST_SKIP() << "one CPU";
  int last = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mine)) last = cpu;
  Plan plan = small_plan();
  plan.thread_cpus = {{last}};
  cpu_set_t seen;
  int child = 0;
  MeasureOptions options;
  options.join = [&](int pid) -> base::Expected<void> {
    child = pid;
    return {};
  };
  options.on_start = [&](const Touchers&) { ::sched_getaffinity(child, sizeof seen, &seen); };
  CPU_ZERO(&seen);
  ASSERT_TRUE(measure(plan, options).ok());
  EXPECT_EQ(CPU_COUNT(&seen), 1);
  EXPECT_TRUE(CPU_ISSET(last, &seen));
}

// One that does not end when it is told to is killed by the second stop: not by the kernel for want of memory.
TEST(PagingMeasure, ASecondStopKillsAndIsReported) {
  Plan plan = small_plan();
  plan.duration_s = 60;
  std::atomic<std::uint32_t> stop{0};
  int child = 0;
  MeasureOptions options;
  options.stop = &stop;
  options.join = [&](int pid) -> base::Expected<void> {
    child = pid;
    return {};
  };
  options.on_progress = [&](const Progress& progress) {
    if (progress.phase != Progress::Phase::measuring) return;
    ::kill(child, SIGSTOP);
    stop = 2;
  };
  const auto measured = measure(plan, options);
  ASSERT_TRUE(measured.ok());
  ASSERT_TRUE(has(*measured, "paging.worker_killed"));
  for (const auto& f : measured->findings)
    if (f.id == "paging.worker_killed") {
      EXPECT_NE(f.evidence.find("second stop"), std::string::npos) << f.evidence;
    }
}

TEST(PagingMeasure, MeasuringProcessesDieWithTheirParent) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);  // whose children are waited for here when it has gone
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int parent = ::fork();
  if (parent == 0) {
    Plan plan = small_plan();
    plan.duration_s = 60;
    MeasureOptions options;
    options.join = [&](int pid) -> base::Expected<void> {
      return ::write(ends[1], &pid, sizeof pid) == sizeof pid ? base::Expected<void>{} : base::Error{};
    };
    (void)measure(plan, options);
    ::_exit(0);
  }
  int child = 0;
  ASSERT_EQ(::read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  base::sleep_ns(50'000'000);
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);  // after a minute if it goes on
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

// What on_end() reads (of a swap device, directly) is no traffic of the run.
TEST(PagingMeasure, PostRunCountersAreReadBeforeOnEnd) {
  constexpr std::size_t kRead_bytes = 4u << 20;
  const TemporaryFile file(std::string(kRead_bytes, 'x'));
  const base::system::UniqueFd fd(::open(file.path().c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
  if (!fd || ::fsync(fd.get()) != 0) GTEST_SKIP() << "no direct reads of " << file.path();
  void* const buffer = std::aligned_alloc(4096, kRead_bytes);
  std::uint64_t before_kib = 0, after_kib = 0;
  MeasureOptions options;
  options.on_end = [&](std::uint64_t) {
    before_kib = read_memory_item("").pgpgin;
    EXPECT_EQ(::pread(fd.get(), buffer, kRead_bytes, 0), static_cast<ssize_t>(kRead_bytes));
    after_kib = read_memory_item("").pgpgin;
  };
  const auto measured = measure(small_plan(), options);
  std::free(buffer);
  ASSERT_TRUE(measured.ok()) << measured.error().what;
  ASSERT_GE(after_kib, before_kib + kRead_bytes / 1024 / 2);
  const auto& items = measured->paging.memory_items;
  const auto post = std::find_if(items.begin(), items.end(), [](const auto& item) { return item.name == "post-run"; });
  ASSERT_NE(post, items.end());
  EXPECT_LE(post->pgpgin, before_kib);
}

}  // namespace
}  // namespace fathom::paging
