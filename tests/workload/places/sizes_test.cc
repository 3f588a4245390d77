// Block sizes: units, weights, room.
#include "workload/places/sizes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <map>

#include "workload/make_job.h"

namespace fathom::workload::testing {
namespace {

TEST(Sizes, a_range_is_uniform_over_the_multiples) {
  auto job = make_job("read", 1024 * k, 3000);
  job.bs_max.fill(15000);
  const places::Sizes sizes(job, io::Dir::read);
  base::Prng prng(7);
  std::map<std::uint32_t, std::uint64_t> counts;
  for (int i = 0; i < 100'000; ++i) ++counts[sizes.draw(prng, ~0ull)];
  ASSERT_EQ(counts.size(), 5u);
  for (const auto& [bytes, count] : counts) {
    EXPECT_EQ(bytes % 3000, 0u);
    EXPECT_NEAR(static_cast<double>(count), 20'000, 4 * std::sqrt(100'000 * 0.2 * 0.8));
  }
}

TEST(Sizes, bs_unaligned_draws_any_size_in_the_range) {
  auto job = make_job("read", 1024 * k, 100);
  job.bs_max.fill(107);
  job.bs_unaligned = true;
  const places::Sizes sizes(job, io::Dir::read);
  base::Prng prng(7);
  std::map<std::uint32_t, std::uint64_t> counts;
  for (int i = 0; i < 80'000; ++i) ++counts[sizes.draw(prng, ~0ull)];
  ASSERT_EQ(counts.size(), 8u);
  for (const auto& [bytes, count] : counts)
    EXPECT_NEAR(static_cast<double>(count), 10'000, 4 * std::sqrt(80'000 / 8.0 * 7 / 8)) << bytes;
}

TEST(Sizes, do_not_exceed_the_remaining_room) {
  auto job = make_job("read", 1024 * k);
  job.bs_max.fill(1024 * k);
  const places::Sizes sizes(job, io::Dir::read);
  base::Prng prng(7);
  for (int i = 0; i < 1000; ++i) EXPECT_LE(sizes.draw(prng, 9 * k), 8 * k);
}

TEST(Sizes, the_largest_is_reached_when_it_is_no_multiple) {
  auto job = make_job("read", 1024 * k, 4096);
  job.bs_max.fill(10'000);
  const places::Sizes sizes(job, io::Dir::read);
  base::Prng prng(7);
  std::map<std::uint32_t, int> counts;
  for (int i = 0; i < 1000; ++i) ++counts[sizes.draw(prng, ~0ull)];
  EXPECT_EQ(counts.size(), 3u);
  EXPECT_TRUE(counts.contains(10'000));
}

TEST(Sizes, reciprocal_division_is_exact) {
  EXPECT_TRUE(rc::check([] {
    const auto unit = *rc::gen::inRange<std::uint64_t>(1, 1u << 24);
    auto job = make_job("read", 1024 * k, unit);
    const places::Sizes sizes(job, io::Dir::read);
    const auto bytes = *rc::gen::inRange<std::uint32_t>(1, 0x7fffffffu);
    RC_ASSERT(sizes.units(bytes) == (bytes + unit - 1) / unit);
  }));
}

}  // namespace
}  // namespace fathom::workload::testing
