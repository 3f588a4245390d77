// sprandom: how much is written twice, when, and that nothing is left out.
#include "workload/places/sprandom.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "job/fields/offset_choice.h"
#include "workload/make_job.h"

namespace fathom::workload::places {
namespace {

std::vector<std::uint64_t> all_of(std::uint64_t blocks, const SpreadWrites::Shape& shape, std::uint64_t key = 7) {
  SpreadWrites writes(blocks, shape);
  writes.begin(key);
  std::vector<std::uint64_t> all;
  for (std::uint64_t block = 0; writes.next(block);) all.push_back(block);
  return all;
}

TEST(SpreadWrites, WritesOfRegionsAddUp) {
  EXPECT_EQ(spread_writes(1000, 0.25), 1250u);
  EXPECT_EQ(region_writes(10, 0, 3) + region_writes(10, 1, 3) + region_writes(10, 2, 3), 10u);
  // 250 stale ones over five regions: 4 + 3 + 2 + 1 + 0 parts.
  std::vector<std::uint64_t> stale;
  for (unsigned r = 0; r < 5; ++r) stale.push_back(region_stale(250, r, 5));
  EXPECT_EQ(stale, (std::vector<std::uint64_t>{100, 75, 50, 25, 0}));
  EXPECT_EQ(region_stale(250, 0, 1), 0u);
}

// effect: spr_op spr_num_regions
TEST(SpreadWrites, EachBlockIsWrittenAndStaleSharesFallLinearlyByRegion) {
  for (const double spr_op : {0.07, 0.15, 0.5, 1.0})
    for (const unsigned spr_num_regions : {2u, 5u, 100u}) {
      const std::uint64_t blocks = 10'000;
      const auto all = all_of(blocks, {spr_op, spr_num_regions, 0});
      ASSERT_EQ(all.size(), spread_writes(blocks, spr_op)) << spr_op << " " << spr_num_regions;
      std::map<std::uint64_t, std::uint64_t> last;
      std::vector<std::uint64_t> stale(spr_num_regions);
      const auto region_of = [&](std::uint64_t write) {
        std::uint64_t r = 0, end = 0;
        while ((end += region_writes(all.size(), r, spr_num_regions)) <= write) ++r;
        return r;
      };
      for (std::uint64_t i = 0; i < all.size(); ++i) {
        const auto [at, first] = last.try_emplace(all[i], i);
        if (first) continue;
        ASSERT_EQ(region_of(i), region_of(at->second) + 1) << "a block becomes stale in the region after its own";
        ++stale[region_of(at->second)];
        at->second = i;
      }
      EXPECT_EQ(last.size(), blocks) << "each block, so that the drive is full";
      for (unsigned r = 0; r < spr_num_regions; ++r)
        EXPECT_EQ(stale[r], region_stale(all.size() - blocks, r, spr_num_regions)) << r;
    }
}

// effect: spr_cs
TEST(SpreadWrites, NoBlockIsRewrittenWithinSprCs) {
  const auto shortest = [](std::uint64_t spr_cs_blocks) {
    const auto all = all_of(10'000, {0.15, 10, spr_cs_blocks});
    EXPECT_EQ(all.size(), 11'500u);
    std::map<std::uint64_t, std::uint64_t> last;
    std::uint64_t least = all.size();
    for (std::uint64_t i = 0; i < all.size(); ++i) {
      const auto [at, first] = last.try_emplace(all[i], i);
      if (!first) least = std::min(least, i - at->second);
      at->second = i;
    }
    return least;
  };
  EXPECT_LT(shortest(0), 300u);
  EXPECT_GE(shortest(500), 500u);
}

TEST(SpreadWrites, TheOrderDependsOnTheKeyAlone) {
  EXPECT_EQ(all_of(1000, {0.15, 10, 0}, 1), all_of(1000, {0.15, 10, 0}, 1));
  EXPECT_NE(all_of(1000, {0.15, 10, 0}, 1), all_of(1000, {0.15, 10, 0}, 2));
}

// effect: sprandom
TEST(SpreadWrites, ASprandomJobCoversItsWindowAndEndsAtItsIoSize) {
  auto job = testing::make_job("randwrite", 4096 * testing::k);
  job.norandommap = true;
  job.own.get<job::fields::OffsetChoice>().generator = job::fields::Generator::lfsr;
  auto& sprandom = job.own.get<job::fields::SpRandom>();
  sprandom.used = true;
  sprandom.over_provisioning = 0.25;
  sprandom.regions = 8;
  job.io_size = {0, 125, true};
  const auto requests = testing::all_requests(job, testing::make_targets(job));
  EXPECT_EQ(requests.size(), 1280u);
  std::map<std::uint64_t, int> times;
  for (const auto& request : requests) ++times[request.offset];
  EXPECT_EQ(times.size(), 1024u);
  EXPECT_LT(times.rbegin()->first, 4096 * testing::k);
}

}  // namespace
}  // namespace fathom::workload::places
