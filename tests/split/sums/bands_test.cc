// Bands from cells: known answers of a job with a stall, of one whose I/Os are all alike, of one that watching makes
// slower, of slices that too few have seen, and of what could not be divided.
#include "split/sums/bands.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <vector>

namespace fathom::split::sums {
namespace {

using result::Part;

constexpr auto kDevice = static_cast<std::size_t>(Part::device), kSubmit = static_cast<std::size_t>(Part::submit),
               kHeld = static_cast<std::size_t>(Part::held), kHanded = static_cast<std::size_t>(Part::handed);

// A job, I/O by I/O: what a recorder would have added up.
class Job {
 public:
  // An I/O of which one part is the rest of `whole` beside 100 ns of submit.
  void watched(std::uint64_t whole, std::size_t part, std::uint64_t ios = 1) {
    BandCell& cell = cells[cell_of(whole)];
    cell.ios += ios;
    cell.whole_ns += ios * whole;
    cell.part_ns[kSubmit] += ios * 100;
    cell.part_ns[part] += ios * (whole - 100);
    c.whole.histogram_ns.add(whole, ios);
    c.matched += ios;
  }
  void unwatched(std::uint64_t whole, std::uint64_t ios = 1) { c.others.histogram_ns.add(whole, ios); }
  void end_slice() { ledger.take(cells); }
  const result::BreakdownClass& bands(bool sliced, bool held_is_handed = false) {
    give_bands({cells, ledger.groups(), sliced, held_is_handed, rest}, c);
    return c;
  }

  std::vector<BandCell> cells{kCells};
  SliceLedger ledger;
  result::BreakdownClass c;
  stats::Histogram rest;
};

double time_of(const result::BreakdownClass& c) {
  return std::accumulate(c.bands.begin(), c.bands.end(), 0.0,
                         [](double sum, const auto& b) { return sum + b.time_share; });
}
double sum(const result::PartShares& shares) { return std::accumulate(shares.begin(), shares.end(), 0.0); }

TEST(Bands, OfAllIosATailIsExplainedByItsPart) {
  Job job;
  job.watched(1000, kDevice, 9900);
  job.watched(100'000, kHeld, 95);
  job.watched(50'000'000, kHeld, 5);
  const auto& c = job.bands(false);
  ASSERT_EQ(c.bands.size(), 4u);
  EXPECT_NEAR(time_of(c), 1, 1e-9);
  for (const auto& band : c.bands) {
    EXPECT_TRUE(band.told) << band.name;
    EXPECT_NEAR(sum(band.share), 1, 1e-9) << band.name;
    EXPECT_LT(band.share_half_width[kDevice], 0) << "each I/O was watched";
  }
  EXPECT_NEAR(c.bands[0].share[kDevice], 0.9, 1e-9);
  EXPECT_NEAR(c.bands[0].share[kSubmit], 0.1, 1e-9);
  EXPECT_NEAR(c.bands[0].mean_ns[kDevice], 900, 1e-6);
  EXPECT_EQ(c.bands[0].ios, 5000u);
  EXPECT_EQ(c.bands[1].ios, 4900u);
  EXPECT_EQ(c.bands[2].ios, 90u);
  EXPECT_NEAR(c.bands[2].share[kHeld], 0.999, 1e-6);
  EXPECT_EQ(c.bands[3].ios, 10u) << "five of 100 us, five of 50 ms";
  EXPECT_NEAR(c.bands[3].share[kHeld], 1, 1e-4);
  EXPECT_NEAR(c.bands[3].time_share, 250.5e6 / (9.9e6 + 9.5e6 + 250e6), 0.01);
  EXPECT_EQ(c.share[kDevice], -1) << "the shares of all are those of their time";
}

TEST(Bands, OfAllIosAlikeEachBandHasItsRanks) {
  Job job;
  job.watched(1000, kDevice, 10'000);
  const auto& c = job.bands(false);
  EXPECT_EQ(c.bands[1].ios, 4900u);
  EXPECT_EQ(c.bands[3].ios, 10u);
  EXPECT_NEAR(c.bands[3].share[kDevice], 0.9, 1e-9);
}

TEST(Bands, HalfAnIoIsNone) {
  Job job;
  job.watched(1000, kDevice, 400);
  EXPECT_FALSE(job.bands(false).bands[3].told);
  EXPECT_TRUE(job.c.bands[2].told);
}

TEST(Bands, WhatNothingLimitsWasHandedToAThread) {
  Job job;
  job.watched(1000, kHeld, 1000);
  EXPECT_NEAR(job.bands(false, true).bands[0].share[kHanded], 0.9, 1e-9);
  EXPECT_EQ(job.c.bands[0].share[kHeld], 0);
}

TEST(Bands, ABandWhoseTimeCouldNotBeDividedHasNoShares) {
  Job job;
  job.watched(1000, kDevice, 9900);
  job.watched(100'000, kHeld, 20);
  job.rest.add(100'000, 80);
  const auto& c = job.bands(false);
  EXPECT_TRUE(c.bands[1].told);
  EXPECT_FALSE(c.bands[2].told);
  EXPECT_NEAR(c.bands[2].explained_share, 0.2, 0.01);
  EXPECT_GT(c.bands[2].time_share, 0.4);
  EXPECT_NEAR(untold_share(c), c.bands[2].time_share + c.bands[3].time_share, 1e-12);
}

// Twenty slices of a hundred I/Os, a stall in every slice but two; unwatched are nine times as many, with half the
// stalls.
Job sliced(std::size_t slices) {
  Job job;
  for (std::size_t i = 0; i < slices; ++i) {
    job.watched(1000, kDevice, 1000);
    if (i > 1) job.watched(1'000'000, kHeld, 20);
    job.unwatched(1000, 9000);
    job.unwatched(1'000'000, 90);
    job.end_slice();
  }
  return job;
}

TEST(Bands, OfSlicesAreWeightedByTheTimeOfAllIos) {
  Job job = sliced(80);
  const auto& c = job.bands(true);
  for (const auto& band : c.bands) EXPECT_TRUE(band.told) << band.name;
  EXPECT_EQ(c.bands[0].slices, 80u);
  EXPECT_EQ(c.bands[3].slices, 78u);
  const double fast = 80 * 10'000 * 1000.0, slow = (80 * 90 + 78 * 20) * 1e6, held = slow / (fast + slow);
  EXPECT_NEAR(c.share[kHeld], held, 0.02) << "unweighted it is 0.951";
  EXPECT_NEAR(c.share[kDevice], (1 - held) * 0.9, 0.02);
  EXPECT_NEAR(sum(c.share), 1, 1e-9);
  EXPECT_GE(c.share_half_width[kHeld], 0);
  EXPECT_LT(c.share_half_width[kHeld], 0.01) << "how much of the time was stalls is known";
  EXPECT_GE(c.bands[3].share_half_width[kHeld], 0);
}

TEST(Bands, ThatNineSlicesHaveSeenAreNotTold) {
  Job job = sliced(11);
  const auto& c = job.bands(true);
  EXPECT_TRUE(c.bands[1].told);
  EXPECT_EQ(c.bands[3].slices, 9u);
  EXPECT_FALSE(c.bands[3].told);
  EXPECT_EQ(c.bands[3].share[kHeld], 0);
  EXPECT_LT(c.bands[3].share_half_width[kHeld], 0);
  EXPECT_GT(untold_share(c), 0.1);
  EXPECT_NEAR(sum(c.share), 1 - untold_share(c), 1e-9);
}

TEST(Bands, OfFewSlicesNothingIsWeighted) {
  Job job = sliced(9);
  const auto& c = job.bands(true);
  for (const auto& band : c.bands) EXPECT_FALSE(band.told) << band.name;
  EXPECT_NEAR(time_of(c), 1, 1e-9);
  EXPECT_EQ(c.share[kDevice], -1);
  EXPECT_GT(c.share_half_width[kDevice], 0) << "of what was watched";
}

// Watching adds 300 ns to each: the watched half of a job that takes 1000 or 1200 ns is found in the same bands.
TEST(Bands, WhatWatchingAddsIsTakenOffFirst) {
  Job job;
  for (int i = 0; i < 20; ++i) {
    job.watched(1300, kDevice, 600);
    job.watched(3300, kHeld, 400);
    job.unwatched(1000, 5400);
    job.unwatched(3000, 3600);
    job.end_slice();
  }
  job.c.watching.added_ns = added_ns(job.c.whole.histogram_ns, job.c.others.histogram_ns);
  EXPECT_NEAR(job.c.watching.added_ns, 300, 20);
  const auto& c = job.bands(true);
  for (std::size_t b = 0; b < 3; ++b) EXPECT_TRUE(c.bands[b].told) << c.bands[b].name;
  EXPECT_NEAR(c.bands[0].share[kHeld], 0, 1e-9) << "the faster half is of the fast ones";
  EXPECT_NEAR(c.bands[2].share[kDevice], 0, 1e-9);
  EXPECT_NEAR(c.bands[2].share[kHeld], 3200.0 / 3300, 1e-9);
  EXPECT_NEAR(c.bands[2].time_share, 0.009 * 3000 / (0.6 * 1000 + 0.4 * 3000), 0.001);
}

TEST(Bands, WhatWatchingAddsIsNoSmallerThanNothing) {
  stats::Histogram fast, slow, few;
  fast.add(1000, 500);
  slow.add(1500, 500);
  few.add(1500, 99);
  EXPECT_EQ(added_ns(fast, slow), 0);
  EXPECT_NEAR(added_ns(slow, fast), 500, 20);
  EXPECT_EQ(added_ns(few, fast), 0);
}

// The median of a job of two sizes may be of either: one decile is not believed.
TEST(Bands, WhatWatchingAddsIsNotTheDistanceOfTwoSizes) {
  stats::Histogram watched, others;
  watched.add(1000, 480);
  watched.add(100'000, 520);
  others.add(1000, 520);
  others.add(100'000, 480);
  EXPECT_LT(added_ns(watched, others), 800);
}

}  // namespace
}  // namespace fathom::split::sums
