// The declared classes of block sizes against what Sizes draws.
#include "workload/places/size_classes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "workload/make_job.h"
#include "workload/places/sizes.h"

namespace fathom::workload::testing {
namespace {

void expect_drawn_as_declared(const job::Job& job) {
  const auto classes = places::size_classes(job, io::Dir::read);
  ASSERT_FALSE(classes.empty());
  const places::Sizes sizes(job, io::Dir::read);
  base::Prng prng(7);
  constexpr int kDraws = 100'000;
  std::vector<int> counts(classes.size() + 1);
  for (int i = 0; i < kDraws; ++i) ++counts[places::class_of(classes, sizes.draw(prng, ~0ull))];
  EXPECT_EQ(counts.back(), 0) << "a size that no class has";
  double sum = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const double share = classes[i].share;
    sum += share;
    EXPECT_NEAR(counts[i] / double{kDraws}, share, 5 * std::sqrt(share * (1 - share) / kDraws)) << classes[i].low_bytes;
  }
  EXPECT_NEAR(sum, 1, 1e-9);
}

job::Job range(std::uint64_t min, std::uint64_t max, bool unaligned = false) {
  auto job = make_job("read", 1024 * k, min);
  job.bs_max.fill(max);
  job.bs_unaligned = unaligned;
  return job;
}

TEST(SizeClasses, a_replay_declares_none) {
  auto job = range(4 * k, 16 * k);
  job.replays = true;
  EXPECT_TRUE(places::size_classes(job, io::Dir::read).empty());
}

TEST(SizeClasses, bsrange_classes_match_the_drawn_sizes) {
  expect_drawn_as_declared(range(4 * k, 16 * k));
  expect_drawn_as_declared(range(4 * k, 18 * k));  // the largest is no multiple, and takes what is left
  expect_drawn_as_declared(range(4 * k, 1024 * k));
  expect_drawn_as_declared(range(3000, 15000));
  expect_drawn_as_declared(range(100, 107, true));
  expect_drawn_as_declared(range(512, 100'000, true));
}

TEST(SizeClasses, bssplit_classes_match_the_drawn_sizes) {
  auto job = make_job("read", 1024 * k);
  job.bssplit[0] = {{16 * k, 25}, {4 * k, 60}, {64 * k, 15}};
  expect_drawn_as_declared(job);
  EXPECT_EQ(places::size_classes(job, io::Dir::read).front().low_bytes, 4 * k);
  EXPECT_TRUE(places::size_classes(job, io::Dir::write).empty()) << "a direction that is not used";
}

// bssplit=4k/50:6k/50 delivers blocks of 4k only: sizes are rounded down to multiples of the smallest.
TEST(SizeClasses, a_declared_size_that_is_never_drawn_stays_declared) {
  auto job = make_job("read", 1024 * k);
  job.bssplit[0] = {{4 * k, 50}, {6 * k, 50}};
  const auto classes = places::size_classes(job, io::Dir::read);
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[1].share, 0.5);
  const places::Sizes sizes(job, io::Dir::read);
  base::Prng prng(7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(places::class_of(classes, sizes.draw(prng, ~0ull)), 0u);
}

TEST(SizeClasses, a_single_size_has_no_classes) {
  EXPECT_TRUE(places::size_classes(make_job("read", 1024 * k), io::Dir::read).empty());
  auto job = make_job("read", 1024 * k);
  job.bssplit[0] = {{4 * k, 100}};
  EXPECT_TRUE(places::size_classes(job, io::Dir::read).empty());
}

TEST(SizeClasses, a_size_between_two_classes_belongs_to_neither) {
  const std::vector<places::SizeClass> classes{{4096, 4096, 0.5}, {16384, 16384, 0.5}};
  EXPECT_EQ(places::class_of(classes, 4096), 0u);
  EXPECT_EQ(places::class_of(classes, 8192), 2u);
  EXPECT_EQ(places::class_of(classes, 16384), 1u);
  EXPECT_EQ(places::class_of(classes, 65536), 2u);
}

}  // namespace
}  // namespace fathom::workload::testing
