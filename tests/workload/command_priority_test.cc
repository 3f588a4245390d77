// Which I/Os have a priority of their own, and that nothing else of a request changes.
#include "workload/command_priority.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "workload/make_job.h"

namespace fathom::workload::testing {
namespace {

using io::CmdprioOptions;

std::map<std::pair<std::uint32_t, int>, double> shares_of(const job::Job& job, const CmdprioOptions& options) {
  Stream stream(job, make_targets(job), 0), same(job, make_targets(job), 0);
  CommandPriority source(stream, options, 5);
  std::map<std::pair<std::uint32_t, int>, double> shares;
  std::map<std::uint32_t, double> of_size;
  io::Request block[128], plain[128];
  while (const auto n = source.next(block)) {
    EXPECT_EQ(same.next(plain), n);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(block[i].offset, plain[i].offset);
      EXPECT_EQ(block[i].flags & 0xf, plain[i].flags);
      ++shares[{block[i].length, block[i].flags >> io::kPriorityShift}];
      ++of_size[block[i].length];
    }
  }
  for (auto& [key, share] : shares) share /= of_size[key.first];
  return shares;
}

// effect: cmdprio_percentage
TEST(CommandPriority, cmdprio_percentage_is_a_share) {
  CmdprioOptions options;
  options.percentage = {30, 100, 0};
  options.values = {{1, 0, 0}};
  auto shares = shares_of(make_job("randread", 64 * 1024 * k), options);
  EXPECT_NEAR((shares[{4096, 1}]), 0.3, 0.02);
  EXPECT_NEAR((shares[{4096, 0}]), 0.7, 0.02);
  shares = shares_of(make_job("write", 1024 * k), options);
  EXPECT_EQ((shares[{4096, 1}]), 1.0);
  shares = shares_of(make_job("trim", 1024 * k), options);
  EXPECT_EQ((shares[{4096, 0}]), 1.0) << "trims have none";
}

// effect: cmdprio_bssplit
TEST(CommandPriority, cmdprio_bssplit_sets_priorities_by_size) {
  auto job = make_job("randread", 64 * 1024 * k);
  job.bs_max.fill(8 * k);
  CmdprioOptions options;
  options.split[0] = {{4096, 50, true, {1, 0, 0}}, {4096, 20, true, {2, 3, 0}}};
  options.values = {{1, 0, 0}, {2, 3, 0}};
  auto shares = shares_of(job, options);
  EXPECT_NEAR((shares[{4096, 1}]), 0.5, 0.03);
  EXPECT_NEAR((shares[{4096, 2}]), 0.2, 0.03);
  EXPECT_NEAR((shares[{4096, 0}]), 0.3, 0.03);
  EXPECT_EQ((shares[{8192, 0}]), 1.0);
}

}  // namespace
}  // namespace fathom::workload::testing
