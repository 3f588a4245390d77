// Every piece is made once, whatever the threads do.
#include "base/system/by_cpus.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace fathom::base::system {
namespace {

TEST(ByCpus, EachPieceIsMadeOnce) {
  for (const std::size_t n : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> made(n);
    by_cpus(n, [&](std::size_t i) { ++made[i]; });
    for (const auto& times : made) EXPECT_EQ(times, 1);
  }
}

TEST(ByCpus, PiecesOfDifferentSizeLeaveNoCpuIdle) {
  std::atomic<std::size_t> sum{0};
  by_cpus(64, [&](std::size_t i) {
    std::vector<std::size_t> numbers(i == 0 ? 1'000'000 : 1, 1);
    sum += std::accumulate(numbers.begin(), numbers.end(), std::size_t{0});
  });
  EXPECT_EQ(sum, 1'000'063u);
}

TEST(ByCpus, OfOneCpuTheCallingThreadDoesIt) {
  const auto before = allowed_cpus();
  ASSERT_EQ(run_on(before.front()), 0);
  const auto own = std::this_thread::get_id();
  std::size_t elsewhere = 0;
  by_cpus(5, [&](std::size_t) { elsewhere += std::this_thread::get_id() != own ? 1 : 0; });
  EXPECT_EQ(run_on(before), 0);
  EXPECT_EQ(elsewhere, 0u);
}

}  // namespace
}  // namespace fathom::base::system
