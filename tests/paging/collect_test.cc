// Classes against the kernel's counts: what second faults of counted accesses explain is no doubt.
#include "paging/collect.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/system/shared_memory.h"

namespace fathom::paging {
namespace {

// A thread of 100 accesses that fault; every fifth in two steps: a major fault, then a minor one (a write to a page
// that was read in read-only). missed: faults that the ledger never sees.
std::vector<result::Finding> findings_of(std::uint64_t second_faults, std::uint64_t missed) {
  base::system::SharedArray<workers::ProcessRecord> processes(1);
  base::system::SharedArray<sources::ThreadRecord> threads(1);
  FaultLedger& ledger = threads[0].head.ledger;
  FaultCounts now;
  ledger.begin(now);
  for (std::uint64_t i = 0; i < 100; ++i) {
    now.major += 1;
    now.minor += i < second_faults;
    ledger.slow_access(now);
  }
  const Plan plan;
  result::Paging paging;
  paging.workers.push_back(collect_thread(plan, threads[0], 0, 0));
  paging.workers[0].kernel_minor = now.minor + missed;
  paging.workers[0].kernel_major = now.major;
  return judge_workers(plan, {&processes[0], 1}, {&threads[0], 1}, paging);
}

bool has_totals(const std::vector<result::Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const auto& f) { return f.id == "paging.class_totals"; });
}

TEST(JudgeWorkers, ASecondFaultOfOneAccessIsNoMismatchWithTheKernelsFaultCounts) {
  EXPECT_FALSE(has_totals(findings_of(0, 0)));
  EXPECT_FALSE(has_totals(findings_of(20, 0)));
  EXPECT_TRUE(has_totals(findings_of(0, 20)));
  EXPECT_TRUE(has_totals(findings_of(20, 3)));
}

}  // namespace
}  // namespace fathom::paging
