// A permutation is one: exhaustively for small n, by samples for large; and its order looks random.
#include "pattern/permutation.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>
#include <vector>

#include "base/prng.h"
#include "base/sanitized.h"
#include "pattern/statistics.h"

namespace fathom::pattern::testing {
namespace {

TEST(Permutation, every_value_once_for_all_small_n) {
  for (std::uint64_t n = 1; n <= (base::kSanitized ? 1100 : 4096); ++n)
    for (std::uint64_t key = 0; key < 2; ++key) {
      const Permutation permutation(n, key * 77 + n);
      std::vector<bool> seen(n);
      for (std::uint64_t i = 0; i < n; ++i) {
        const std::uint64_t value = permutation(i);
        ASSERT_LT(value, n);
        ASSERT_FALSE(seen[value]) << n << ' ' << i;
        seen[value] = true;
      }
    }
}

TEST(Permutation, in_range_and_distinct_for_huge_n) {
  EXPECT_TRUE(rc::check([] {
    const auto n = *rc::gen::inRange<std::uint64_t>(1ull << 32, (1ull << 52) + 1);
    const Permutation permutation(n, *rc::gen::arbitrary<std::uint64_t>());
    std::set<std::uint64_t> seen;
    const auto first = *rc::gen::inRange<std::uint64_t>(0, n - 5000);
    for (std::uint64_t i = first; i < first + 5000; ++i) {
      const std::uint64_t value = permutation(i);
      RC_ASSERT(value < n);
      RC_ASSERT(seen.insert(value).second);
    }
  }));
}

TEST(Permutation, follows_from_its_key) {
  const Permutation a(1000, 1), b(1000, 1), c(1000, 2);
  int same = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(a(i), b(i));
    same += a(i) == c(i) ? 1 : 0;
  }
  EXPECT_LT(same, 10);
}

// A short stretch of the order must be spread like random draws: cells of the range, and of the step between neighbours
// in the order.
TEST(Permutation, order_looks_random) {
  for (const std::uint64_t n : {1000ull, 65536ull, 1ull << 28, (1ull << 40) + 12345}) {
    constexpr std::size_t kCells = 64;
    std::vector<double> places(kCells), steps(kCells), low(16);
    std::size_t draws = 0;
    for (std::uint64_t key = 0; key < 200; ++key) {
      const Permutation permutation(n, key);
      for (std::uint64_t i = 0; i < 100; ++i, ++draws) {
        const std::uint64_t here = permutation(i), next = permutation(i + 1);
        const std::uint64_t step = (next + n - here) % n;
        ++places[static_cast<std::size_t>(static_cast<long double>(here) / n * kCells)];
        ++steps[static_cast<std::size_t>(static_cast<long double>(step) / n * kCells)];
        ++low[here % 16];
      }
    }
    const auto flat = [&](std::size_t cells) { return std::vector<double>(cells, static_cast<double>(draws) / cells); };
    EXPECT_LT(chi_square(places, flat(kCells)).value, 63 + 5 * std::sqrt(126.0)) << n;
    EXPECT_LT(chi_square(steps, flat(kCells)).value, 63 + 5 * std::sqrt(126.0)) << n;
    if (n % 16 == 0) {
      EXPECT_LT(chi_square(low, flat(16)).value, 15 + 5 * std::sqrt(30.0)) << n;
    }
  }
}

}  // namespace
}  // namespace fathom::pattern::testing
