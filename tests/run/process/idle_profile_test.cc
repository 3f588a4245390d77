// --idle-prof on this machine: a busy CPU is not idle, and what was idle is no more than there was.
#include "run/process/idle_profile.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/system/affinity.h"
#include "base/time.h"

namespace fathom::run::process {
namespace {

std::vector<unsigned> cpus() {
  const auto allowed = base::system::allowed_cpus();
  return {allowed.begin(), allowed.end()};
}

TEST(IdleProfile, AUnitOfWorkIsTimed) {
  EXPECT_NE(idle_unit(1), idle_unit(3));
  const auto idle = IdleProfile(cpus()).calibrated();
  EXPECT_GT(idle.unit_mean_us, 0.1);
  EXPECT_LT(idle.unit_mean_us, 5000);
  EXPECT_TRUE(idle.cpu_percent.empty());
}

TEST(IdleProfile, ACpuThatWorksIsNotIdle) {
  const auto all = cpus();
  const base::system::StayOnThisCpu here;
  const auto mine = base::system::allowed_cpus();
  IdleProfile profile(all);
  profile.begin();
  for (const auto end = base::monotonic_ns() + 200'000'000; base::monotonic_ns() < end;) idle_unit(end);
  const auto idle = profile.end(true);
  ASSERT_EQ(idle.cpu_percent.size(), all.size());
  double sum = 0;
  for (const double percent : idle.cpu_percent) {
    EXPECT_GE(percent, 0);
    EXPECT_LE(percent, 100);
    sum += percent;
  }
  EXPECT_NEAR(idle.system_percent, sum / static_cast<double>(all.size()), 1e-9);
  EXPECT_TRUE(idle.each);
  if (mine.size() != 1) GTEST_SKIP() << "the kernel does not keep a thread on its CPU here";
  const auto at = std::find(all.begin(), all.end(), static_cast<unsigned>(mine[0]));
  EXPECT_LT(idle.cpu_percent.at(static_cast<std::size_t>(at - all.begin())), 30);
}

}  // namespace
}  // namespace fathom::run::process
