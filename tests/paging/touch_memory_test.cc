// The measurement's own memory: counted from what there is, a trace's reader included, within the bound, and `locked`
// said of what is locked.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/attempts.h"
#include "base/sanitized.h"
#include "base/system/shared_memory.h"
#include "clock/sources/calibration.h"
#include "host/proc/text_file.h"
#include "paging/collect.h"
#include "paging/measure.h"
#include "paging/source_support.h"
#include "paging/sources/thread_stack.h"
#include "paging/temporary_file.h"
#include "paging/touch/page_lock.h"

namespace fathom::paging {
namespace {

constexpr std::uint64_t kKiB = 1024;

Plan short_plan(int threads) {
  static const auto calibration = clock::sources::calibrate(clock::sources::Source::cpu);
  Plan plan;
  plan.region.map_bytes = plan.region.set_bytes = 1u << 20;
  plan.region.thp = Thp::never;
  plan.threads = threads;
  plan.duration_s = 0.02;
  plan.conversion = calibration.conversion;
  plan.ticks_per_second = calibration.ticks_per_second;
  return plan;
}

std::string trace_text() {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += i % 4 == 0 ? "W 1000\n" : "R 2000\n";
  return text;
}

struct Seen {
  result::Paging paging;
  std::uint64_t locked_kib = 0;  // of the process, by the kernel
};

Seen seen(const Plan& plan) {
  Seen s;
  int child = 0;
  MeasureOptions options;
  options.join = [&](int pid) -> base::Expected<void> {
    child = pid;
    return {};
  };
  options.on_start = [&](const Touchers&) {
    const std::string status = host::proc::read_text("/proc/" + std::to_string(child) + "/status");
    const auto at = status.find("VmLck:");
    if (at != std::string::npos) s.locked_kib = std::strtoull(status.c_str() + at + 6, nullptr, 10);
  };
  auto measured = measure(plan, options);
  EXPECT_TRUE(measured.ok()) << (measured.ok() ? "" : measured.error().what);
  if (measured) s.paging = std::move(measured->paging);
  return s;
}

TEST(MeasurementMemory, IsWithinItsBoundForEveryPattern) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitizer's stacks are larger";
  const TemporaryFile file(trace_text());
  for (const char* pattern : {"uniform", "zipf", "hot", "legacy:normal", "trace"}) {
    Plan plan = short_plan(2);
    plan.pattern.name = pattern;
    if (plan.pattern.name == "trace") plan.pattern.file = file.path();
    const auto p = seen(plan).paging;
    EXPECT_GT(p.measurement_bytes_per_thread, sizeof(sources::ThreadRecord) + sources::kThreadStackBytes) << pattern;
    EXPECT_LE(p.measurement_bytes_per_thread, sources::kMeasurementBytes) << pattern;
    RecordProperty(pattern, static_cast<int>(p.measurement_bytes_per_thread));
    if (p.locked) {
      EXPECT_EQ(p.locked_bytes_per_thread, p.measurement_bytes_per_thread);
    }
  }
}

// What the kernel has locked grows with each thread by what is reported, but for the page below a stack, the heap's
// steps, and what of a trace's ring and buffer lies in heap that was there before.
TEST_IN_ATTEMPTS(MeasurementMemory, MatchesWhatTheKernelLocksPerThread) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitizer's shadow is locked with the rest";
  const TemporaryFile file(trace_text());
  for (const bool trace : {false, true}) {
    const auto with = [&](int threads) {
      Plan plan = short_plan(threads);
      if (trace) plan.pattern.name = "trace";
      if (trace) plan.pattern.file = file.path();
      return seen(plan);
    };
    with(2);  // from here on a process inherits the stack and heap of the parent's own ended threads
    const Seen few = with(2), many = with(18);
    if (few.locked_kib == 0) GTEST_SKIP() << "locking all memory is not allowed here";
    const double each_kib = static_cast<double>(many.locked_kib - few.locked_kib) / 16;
    const double said_kib = static_cast<double>(many.paging.measurement_bytes_per_thread) / kKiB;
    EXPECT_GE(each_kib, said_kib - (trace ? 89 : 9)) << trace;
    EXPECT_LE(each_kib, said_kib + 18) << trace;
  }
}

TEST(MeasurementMemory, ATraceReadersStackHasRoomToSpare) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitizer's frames are larger";
  const TemporaryFile file(trace_text() + "what\n");
  PatternPlan plan = plan_of("trace");
  const TemporaryFile good(trace_text());
  plan.file = good.path();
  const auto source = make(plan, 16);
  good.write(trace_text().substr(0, 700'000) + "what is this\n" + trace_text());  // an error is worded on that stack
  Block block;
  while (!source->exhausted()) source->refill(block, 0);
  // The stack is told from ring and buffer by its size: those can begin on a page as well.
  const std::size_t pages = (16 * kKiB + sources::stack_bytes_of_library() + sources::kPage - 1) / sources::kPage;
  std::size_t stacks = 0;
  for (const auto& memory : source->memory()) {
    if (memory.size() != pages * sources::kPage) continue;
    const auto used = std::find_if(memory.begin(), memory.end(), [](std::byte b) { return b != std::byte{0}; });
    const auto free_bytes = static_cast<std::uint64_t>(used - memory.begin());
    EXPECT_GE(free_bytes, 8 * kKiB);
    RecordProperty("free_bytes", static_cast<int>(free_bytes));
    ++stacks;
  }
  EXPECT_EQ(stacks, 1u);
}

// In a child that may lock only so much. Its answer is its exit status.
template <class Body>
int as_nobody_with(rlim_t lockable_bytes, Body body) {
  const int pid = ::fork();
  if (pid == 0) {
    const rlimit limit{lockable_bytes, lockable_bytes};
    ::setrlimit(RLIMIT_MEMLOCK, &limit);
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(99);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(MeasurementMemory, LockPagesReportsWhatWasLocked) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitizer takes no part in locking";
  const auto locked = [] {
    base::system::SharedArray<sources::ThreadRecord> records(1);
    touch::prefault({&records[0], 1});
    const std::vector<std::byte> stack(sources::kThreadStackBytes);
    const std::span<const std::byte> others[] = {stack};
    int error = 0;
    return static_cast<int>(touch::lock_pages({&records[0], 1}, others, error)) * 2 + (error != 0);
  };
  const auto expected = [](touch::Locked l) { return static_cast<int>(l) * 2 + 1; };
  EXPECT_EQ(as_nobody_with(0, locked), expected(touch::Locked::none));
  EXPECT_EQ(as_nobody_with(sizeof(sources::ThreadRecord) + 8 * kKiB, locked), expected(touch::Locked::records));
  EXPECT_EQ(as_nobody_with(sizeof(sources::ThreadRecord) + sources::kThreadStackBytes + 8 * kKiB, locked),
            expected(touch::Locked::measurement));
}

TEST(MeasurementMemory, TheWeakestLockOfAllProcessesIsReported) {
  base::system::SharedArray<workers::ProcessRecord> processes(2);
  for (std::size_t i = 0; i < 2; ++i) processes[i].thread_bytes = 200 * kKiB;
  result::Paging p;
  const auto noted = [&](touch::Locked first, touch::Locked second) {
    processes[0].locked = first;
    processes[1].locked = second;
    note_memory({&processes[0], 2}, p);
    EXPECT_EQ(p.measurement_bytes_per_thread, 200 * kKiB);
  };
  noted(touch::Locked::all, touch::Locked::measurement);
  EXPECT_TRUE(p.locked);
  EXPECT_EQ(p.locked_bytes_per_thread, 200 * kKiB);
  noted(touch::Locked::all, touch::Locked::records);
  EXPECT_FALSE(p.locked);
  EXPECT_EQ(p.locked_bytes_per_thread, sizeof(sources::ThreadRecord));
  noted(touch::Locked::none, touch::Locked::all);
  EXPECT_FALSE(p.locked);
  EXPECT_EQ(p.locked_bytes_per_thread, 0u);
}

}  // namespace
}  // namespace fathom::paging
