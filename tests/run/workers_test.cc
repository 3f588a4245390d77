// A start that is left by an exception: those who wait for it already are let go, and end.
#include "run/workers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

#include "base/sanitized.h"

#if !FATHOM_ASAN && !FATHOM_TSAN  // a sanitizer has operators of its own, and holds them against each other
namespace {
// Of this thread: so many allocations until one fails; -1: none does.
thread_local int t_left = -1;
}  // namespace

// Not inlined: g++ would see malloc() meet delete and warn.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  const bool fails = t_left == 0;
  t_left -= t_left >= 0 ? 1 : 0;
  if (void* const p = fails ? nullptr : std::malloc(bytes ? bytes : 1)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace fathom::run {
namespace {

base::Expected<void> wait_for_the_start(loop::LoopContext& context) {
  context.ready();
  return {};
}
loop::LoopFunction find_loop(std::string_view) { return wait_for_the_start; }

files::Plan in_a_thread() {
  files::Plan plan;
  plan.job.ioengine = "null";
  plan.job.thread = true;
  plan.job.mode = {.reads = true};
  plan.job.size = {4096, 0, true};
  files::PlannedTarget target;
  target.length = 4096;
  plan.targets.push_back(target);
  return plan;
}

// False: an allocation failed.
bool start_two(std::vector<files::Plan>& plans, const process::RunClocks& clocks, int allocations) {
  const std::vector<std::size_t> both = {0, 1};
  std::atomic<std::uint32_t> stop{0};
  Workers workers(plans, find_loop, clocks, stop);
  try {
    t_left = allocations;
    workers.start(both);
    t_left = -1;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// Whoever comes to a gate that nobody opens waits for ever, and the group for him: then the alarm ends it.
[[noreturn]] void fail_at_each_allocation() {
  ::alarm(30);
  std::vector<files::Plan> plans(2, in_a_thread());
  const process::RunClocks clocks(plans, process::untested_clocks(), {0});
  int most = 0;
  while (!start_two(plans, clocks, most)) ++most;
  ::_exit(most > 1 ? 0 : 1);
}

TEST(Workers, AStartThatAnExceptionLeavesKeepsNobodyWaiting) {
  EXPECT_EXIT(fail_at_each_allocation(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fathom::run
#endif
