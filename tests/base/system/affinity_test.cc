// Masks of CPUs beyond glibc's 1,024, and that a thread runs where it is put.
#include "base/system/affinity.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <cerrno>
#include <thread>

namespace fathom::base::system {
namespace {

using Numbers = std::vector<int>;

// Read by glibc's own macros, so that the layout is the one that the kernel is handed by everybody.
TEST(AffinityMask, HoldsCpu1500) {
  const Numbers cpus = {1, 63, 64, 1023, 1024, 1500};
  const auto mask = affinity_mask(cpus);
  const std::size_t bytes = mask.size() * sizeof mask[0];
  const auto* set = reinterpret_cast<const cpu_set_t*>(mask.data());
  ASSERT_GE(bytes * 8, 1501u);
  EXPECT_EQ(CPU_COUNT_S(bytes, set), 6);
  for (const auto cpu : cpus) EXPECT_TRUE(CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set)) << cpu;
  EXPECT_LE(affinity_mask(Numbers{0}).size(), 1u) << "no larger than it has to be";
}

TEST(RunOn, AMissingCpuIsEinval) {
  const auto before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  if (before.back() >= 60'000) GTEST_SKIP() << "a machine with 60,000 CPUs";
  EXPECT_EQ(run_on(60'000), EINVAL);
  EXPECT_EQ(run_on(Numbers{}), EINVAL);
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(RunOn, MovesOnlyTheCallingThread) {
  const auto before = allowed_cpus();
  Numbers alone, beside, told;
  std::thread one([&] {
    ASSERT_EQ(run_on(before.back()), 0);
    alone = allowed_cpus();
    ASSERT_EQ(run_on(Numbers{before.front(), 60'000}), 0) << "one of them is there";
    beside = allowed_cpus();
    ASSERT_EQ(run_on(before, ::pthread_self()), 0);
    told = allowed_cpus();
  });
  one.join();
  EXPECT_EQ(alone, Numbers{before.back()});
  EXPECT_EQ(beside, Numbers{before.front()});
  EXPECT_EQ(told, before);
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(StayOnThisCpu, RestoresTheMask) {
  const auto before = allowed_cpus();
  {
    const StayOnThisCpu stay;
    EXPECT_EQ(allowed_cpus(), Numbers{::sched_getcpu()});
  }
  EXPECT_EQ(allowed_cpus(), before);
}

}  // namespace
}  // namespace fathom::base::system
