// Which end belongs to which begin, what is not counted, and how it is added up: the rules that the kernel's programs are
// compiled from, without a kernel.
#include "pmu/trace/programs/device_time.h"

#include <gtest/gtest.h>

#include <bit>
#include <memory>

#include "base/prng.h"
#include "pmu/trace/programs/device_time_programs.h"
#include "stats/histogram.h"
#include "stats/moments.h"

namespace fathom::pmu::trace::programs {
namespace {

constexpr unsigned kPage = 4096, kSlice = 1;

// One bucket of the table, and the sums of one CPU.
struct Table {
  UnderwayBucket bucket{};
  std::unique_ptr<DeviceTimes> times = std::make_unique<DeviceTimes>();
  void begin(std::uint64_t now, std::uint64_t address, unsigned dir = 0, unsigned bytes = kPage,
             unsigned slice = kSlice) {
    begin_request(&bucket, times.get(), address, now, bytes, dir, slice);
  }
  bool end(std::uint64_t now, std::uint64_t address, unsigned rest = 0, unsigned slice = kSlice) {
    return end_request(&bucket, times.get(), address, now, rest, slice) != 0;
  }
  const TimeSum& reads() const { return times->of[0]; }
  const TimeSum& writes() const { return times->of[1]; }
  unsigned open() const {
    unsigned n = 0;
    for (const auto& way : bucket.way) n += way.address != 0;
    return n;
  }
};

TEST(DeviceTimeRules, AnEndIsPairedWithItsBegin) {
  Table table;
  table.begin(1000, 0x100);
  table.begin(1500, 0x200);
  EXPECT_TRUE(table.end(2500, 0x200));
  EXPECT_EQ(table.reads().max, 1000u);
  EXPECT_TRUE(table.end(4000, 0x100));
  EXPECT_EQ(table.reads().max, 3000u);
  EXPECT_EQ(table.reads().sum, 4000u);
  EXPECT_EQ(table.reads().bytes, 2u * kPage);
  EXPECT_EQ(table.open(), 0u);
  EXPECT_EQ(table.times->begun, 2u);
  EXPECT_EQ(table.times->ended, 2u);
  EXPECT_EQ(table.times->forgotten, 0u);
}

TEST(DeviceTimeRules, ReadsAndWritesAreAddedUpApart) {
  Table table;
  table.begin(1000, 0x100, 1);
  table.begin(1000, 0x200, 0);
  EXPECT_FALSE(table.end(1100, 0x300)) << "another";
  table.end(1200, 0x100);
  EXPECT_EQ(table.writes().n, 1u);
  EXPECT_EQ(table.writes().sum, 200u);
  EXPECT_EQ(table.reads().n, 0u);
}

// A bio is worn down while it is worked on: at its end it may have no bytes left.
TEST(DeviceTimeRules, LengthIsThatOfTheBegin) {
  Table table;
  table.begin(1000, 0x100, 1, 8192);
  table.end(3000, 0x100);
  EXPECT_EQ(table.writes().bytes, 8192u);
}

TEST(DeviceTimeRules, ASecondBeginOfOneRequestCountsOneLost) {
  Table table;
  table.begin(1000, 0x100);
  table.begin(5000, 0x100);
  EXPECT_EQ(table.times->forgotten, 1u);
  table.end(6000, 0x100);
  EXPECT_EQ(table.reads().n, 1u);
  EXPECT_EQ(table.reads().sum, 1000u) << "of the later begin";
}

TEST(DeviceTimeRules, ARequestDoneInPartsEndsWithItsLast) {
  Table table;
  table.begin(1000, 0x100, 0, 4 * kPage);
  EXPECT_TRUE(table.end(2000, 0x100, 3 * kPage));
  EXPECT_EQ(table.reads().n, 0u);
  table.begin(2500, 0x100, 0, 3 * kPage);  // the rest of it is asked for anew
  EXPECT_TRUE(table.end(3000, 0x100, kPage));
  EXPECT_TRUE(table.end(4000, 0x100));
  EXPECT_EQ(table.reads().n, 1u);
  EXPECT_EQ(table.reads().sum, 3000u);
  EXPECT_EQ(table.reads().bytes, 4u * kPage);
  EXPECT_EQ(table.times->forgotten, 0u);
}

TEST(DeviceTimeRules, WhatFindsNoRoomIsCounted) {
  Table table;
  for (std::uint64_t i = 1; i <= 100; ++i) table.begin(i, 0x100 * i);
  EXPECT_EQ(table.open(), static_cast<unsigned>(kUnderwayWays));
  EXPECT_EQ(table.times->begun + table.times->no_room, 100u);
  EXPECT_FALSE(table.end(1000, 0x100 * 100));
}

TEST(DeviceTimeRules, AnEntryWhoseEndWasMissedGivesItsPlaceInTheEnd) {
  Table table;
  for (std::uint64_t i = 1; i <= kUnderwayWays; ++i) table.begin(i, 0x100 * i);
  table.begin(FATHOM_FORGOTTEN_NS + 1, 0x1000);
  EXPECT_EQ(table.times->forgotten, 1u);
  EXPECT_TRUE(table.end(FATHOM_FORGOTTEN_NS + 2, 0x1000));
}

TEST(DeviceTimeRules, WhatBeganInAnotherSliceIsNobodys) {
  Table table;
  for (std::uint64_t i = 1; i <= kUnderwayWays; ++i) table.begin(i, 0x100 * i);
  EXPECT_TRUE(table.end(1000, 0x100, 0, kSlice + 1));
  EXPECT_EQ(table.reads().n, 0u);
  EXPECT_EQ(table.times->ended, 0u);
  for (std::uint64_t i = 1; i <= kUnderwayWays; ++i) table.begin(2000, 0x10000 * i, 0, kPage, kSlice + 1);
  EXPECT_EQ(table.times->no_room, 0u) << "its places are free";
  EXPECT_EQ(table.times->forgotten, 0u) << "it was given up before";
}

TEST(DeviceTimeRules, SumsAreThoseOfMoments) {
  base::Prng prng(11);
  auto sum = std::make_unique<TimeSum>();
  stats::Moments moments;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t ns = prng.next() >> prng.below(64);
    add_time(sum.get(), ns, 1);
    moments.add(ns);
  }
  EXPECT_EQ(sum->n, moments.n);
  EXPECT_EQ(sum->sum, moments.sum);
  EXPECT_EQ(sum->max, moments.max);
  EXPECT_EQ(sum->min_inverted, moments.min_inverted);
  EXPECT_EQ(sum->squares_low, static_cast<std::uint64_t>(moments.sum_squares));
  EXPECT_EQ(sum->squares_high, static_cast<std::uint64_t>(moments.sum_squares >> 64));
  EXPECT_EQ(sum->bytes, moments.n);
}

TEST(DeviceTimeRules, BinsAreThoseOfTheHistogram) {
  base::Prng prng(12);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t ns = prng.next() >> prng.below(64);
    ASSERT_EQ(time_bin(ns), std::min<std::uint64_t>(stats::bucket_of(ns), kTimeBins - 1)) << ns;
  }
  for (const std::uint64_t ns : {0u, 1u, 63u, 64u, 127u, 128u, 129u}) EXPECT_EQ(time_bin(ns), stats::bucket_of(ns));
}

bool holds(const std::vector<SectorRange>& ranges, std::uint64_t sector, std::uint64_t sectors) {
  std::vector<Stretch> stretches;
  for (const auto& range : ranges) stretches.push_back({range.begin, range.end});
  const auto at = [&](unsigned i) -> const Stretch* { return i < stretches.size() ? &stretches[i] : nullptr; };
  int answer = 0;
  FATHOM_IN_STRETCHES(at, static_cast<unsigned>(stretches.size()), sector, sectors, answer);
  return answer != 0;
}

TEST(FileStretches, HoldRangesWithinJoinedNeighbours) {
  const auto own = joined({{100, 108}, {200, 216}, {108, 116}});
  EXPECT_EQ(own, (std::vector<SectorRange>{{100, 116}, {200, 216}}));
  EXPECT_TRUE(holds(own, 100, 16)) << "two neighbours are one";
  EXPECT_TRUE(holds(own, 208, 8));
  EXPECT_FALSE(holds(own, 208, 9));
  EXPECT_FALSE(holds(own, 92, 8));
  EXPECT_FALSE(holds(own, 116, 1));
  EXPECT_FALSE(holds(own, 216, 1));
  EXPECT_TRUE(holds({}, 5, 5)) << "a whole disk";
}

TEST(FileStretches, AreFoundAmongAsManyAsThereMayBe) {
  std::vector<SectorRange> own;
  for (std::uint64_t i = 0; i < kMostStretches; ++i) own.push_back({16 * i, 16 * i + 8});
  for (const std::uint64_t i : {0, 1, 2, 1000, 32767, 32768, 65534, 65535}) {
    EXPECT_TRUE(holds(own, 16 * i, 8)) << i;
    EXPECT_FALSE(holds(own, 16 * i + 8, 8)) << i;
  }
}

}  // namespace
}  // namespace fathom::pmu::trace::programs
