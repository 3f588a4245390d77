// The touch loop over accesses that are known: every instance counts each of them once, in its direction, and ends when
// it should.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/sanitized.h"
#include "paging/allocations.h"
#include "paging/touch_support.h"

namespace fathom::paging::touch {
namespace {

constexpr std::size_t kPages = 16;
sources::Access third_writes(std::uint64_t i) {
  return sources::Access::of(i % kPages * sources::kPage + i % 1024 * 4, i % 3 == 0);
}

struct Instance {
  Stamps stamps;
  AccessMode mode;
  bool delay, update, shift;
};
std::vector<Instance> every_instance() {
  std::vector<Instance> all;
  for (unsigned i = 0; i < 64; ++i)
    all.push_back(
        {static_cast<Stamps>(i / 16), static_cast<AccessMode>(i / 8 % 2), i / 4 % 2 != 0, i / 2 % 2 != 0, i % 2 != 0});
  return all;
}

TEST(TouchLoop, EveryInstanceCountsEachAccessOnceByDirection) {
  const FreshMap map(kPages);
  constexpr std::uint64_t kAccesses = 3 * 1024 + 5;
  for (const auto& instance : every_instance()) {
    LoopRun run;
    run.plan.stamps = instance.stamps;
    run.plan.mode = instance.mode;
    run.plan.delay_ticks = instance.delay ? 50 : 0;
    run.plan.load_before_store = instance.update;
    run.plan.classify = false;
    if (instance.shift) run.calibration.conversion = clock::sources::Conversion::of_frequency(9e8);
    run.in.max_accesses = kAccesses;
    MadeSource source(third_writes);
    run.ready(map.at, source);
    const std::uint64_t allocations = allocations_so_far();
    run.go();
    EXPECT_EQ(allocations_so_far(), allocations);
    const std::string which = std::to_string(static_cast<int>(instance.stamps)) + name(instance.mode) +
                              std::to_string(instance.delay) + std::to_string(instance.update) +
                              std::to_string(instance.shift);
    const bool touch = instance.mode == AccessMode::touch;
    EXPECT_EQ(touch ? run.head().touched[0] : run.counted(0, 0), 2051u) << which;
    EXPECT_EQ(touch ? run.head().touched[1] : run.counted(0, 1), 1026u) << which;
    EXPECT_EQ(run.counted(), touch ? 0 : kAccesses) << which;
    EXPECT_EQ(run.head().live.accesses.load(), kAccesses) << which;
  }
}

// What is stored is the access's own low word, so every write can be found in memory; a read leaves memory alone.
TEST(TouchLoop, WritesStoreTheAccessWordAtItsAddress) {
  for (const bool update : {false, true}) {
    for (const auto mode : {AccessMode::histogram, AccessMode::touch}) {
      const FreshMap map(kPages);
      LoopRun run;
      run.plan.mode = mode;
      run.plan.load_before_store = update;
      run.in.max_accesses = 1024;
      MadeSource source(third_writes);
      run.run(map.at, source);
      for (std::uint64_t i = 0; i < 1024; ++i) {
        const sources::Access access = third_writes(i);
        std::uint32_t word = 0;
        std::memcpy(&word, map.at + access.offset_bytes(), sizeof word);
        ASSERT_EQ(word, access.write() ? static_cast<std::uint32_t>(access.v) : 0u) << i;
      }
    }
  }
}

// The quick way (block sums, limit as maximum) and the plain one agree: moments are exact, not the histogram's.
TEST(TouchLoop, MomentsMatchTheHistogram) {
  const FreshMap map(kPages);
  LoopRun run;
  run.plan.classify = false;
  run.in.max_accesses = 100000;
  MadeSource source(third_writes);
  run.run(map.at, source);
  for (std::size_t d = 0; d < 2; ++d) {
    const stats::Histogram histogram(run.record().histograms[0][d].raw);
    const auto moments = run.head().sums[0][d].moments(histogram.total());
    double sum = 0, squares = 0;
    for (const auto& bin : histogram.bins()) {
      const auto ns = static_cast<double>(stats::bucket_value(bin.bucket)), n = static_cast<double>(bin.count);
      sum += ns * n;
      squares += ns * ns * n;
    }
    EXPECT_NEAR(moments.mean() * static_cast<double>(moments.n), sum, 0.01 * sum + 1);
    EXPECT_NEAR(static_cast<double>(moments.sum_squares), squares, 0.02 * squares + 1);
    EXPECT_EQ(stats::bucket_of(moments.max), histogram.bins().back().bucket);
    EXPECT_EQ(stats::bucket_of(moments.min()), histogram.bins().front().bucket);
  }
}

TEST(TouchLoop, QuickAndPlainSumsGiveTheSameMoments) {
  sources::LatencySums sums{0, 0, 0, kForEver, 0};
  stats::Moments want;
  for (std::uint64_t ns : {40u, 35u, 41u, 35u, 100000u}) want.add(ns);
  sums.add(40);
  sums.add_quick(35);
  sums.add(41);
  sums.add_quick(35);
  sums.add(100000);
  for (int closed = 0; closed < 2; ++closed) {
    const auto got = sums.moments(5);
    EXPECT_EQ(got.n, want.n);
    EXPECT_EQ(got.sum, want.sum);
    EXPECT_EQ(got.min(), want.min());
    EXPECT_EQ(got.max, want.max);
    EXPECT_TRUE(got.sum_squares == want.sum_squares);
    sums.close_block();
  }
}

// Ten quick ones, then a first touch: the new maximum is seen although the limit of the quick way is below it.
TEST(TouchLoop, AMaximumAfterQuickAccessesIsRecorded) {
  for (int i = 0; i < 64; ++i) {
    const FreshMap map(2);
    map.at[0] = std::byte{1};
    LoopRun run;
    run.plan.classify = false;
    run.in.max_accesses = 20;
    MadeSource source([](std::uint64_t n) { return sources::Access::of(n == 10 ? sources::kPage : 0, true); });
    run.run(map.at, source);
    const stats::Histogram histogram(run.record().histograms[0][1].raw);
    const auto moments = run.head().sums[0][1].moments(histogram.total());
    ASSERT_EQ(stats::bucket_of(moments.max), histogram.bins().back().bucket);
    ASSERT_EQ(run.calibration.conversion.to_ns({run.head().limit_ticks[1]}).v, moments.max);
  }
}

TEST(TouchLoop, ABlocksSumOfSquaresMovesToTheWideSum) {
  const FreshMap map(kPages);
  LoopRun run;
  MadeSource source(third_writes);
  run.ready(map.at, source);
  auto& sums = run.record().head.sums[0][1];
  sums.squares_of_block_ns = kForEver;
  for (int i = 0; i < 2; ++i) {
    ASSERT_NE(next_block(run.record(), run.in.begin), nullptr);
    EXPECT_EQ(sums.squares_of_block_ns, 0u);
    EXPECT_TRUE(sums.squares_ns == static_cast<unsigned __int128>(kForEver) * static_cast<unsigned>(i + 1));
    sums.squares_of_block_ns = kForEver;
  }
}

// The program's pages are not locked here, and the machine may take one away at any time: then once more.
TEST(TouchLoop, EveryFirstTouchIsAMinorFault) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitizer faults in its shadow";
  constexpr std::size_t kFresh = 5000;
  for (int attempts_left = 4;; --attempts_left) {
    const FreshMap map(kFresh);
    LoopRun run;
    run.plan.classify = true;
    run.in.slow_ticks = run.calibration.conversion.to_ticks({300}).v;
    run.in.max_accesses = 2 * kFresh;  // each page a second time: hits
    MadeSource source([](std::uint64_t i) { return sources::Access::of(i % kFresh * sources::kPage, true); });
    run.run(map.at, source);
    const auto& ledger = run.head().ledger;
    EXPECT_EQ(ledger.minors(), kFresh);
    EXPECT_EQ(run.counted(1, 1), kFresh);
    EXPECT_EQ(run.counted(0, 1), kFresh);
    EXPECT_EQ(run.head().live.minor.load(), kFresh);
    if ((ledger.own() != 0 || ledger.majors() != 0 || ledger.extra() != 0) && attempts_left > 0) continue;
    EXPECT_EQ(ledger.majors(), 0u);
    EXPECT_EQ(ledger.extra(), 0u);
    EXPECT_EQ(ledger.own(), 0u);
    EXPECT_EQ(ledger.counted().minor, kFresh);
    return;
  }
}

// A source that faults in its refill: the faults are the tool's, and the hits stay hits although every one is slow.
TEST(TouchLoop, FaultsOfTheRefillAreNotCountedAsAccesses) {
  if (base::kSanitized) GTEST_SKIP() << "a sanitizer faults in its shadow";
  for (int attempts_left = 4;; --attempts_left) {
    const FreshMap map(kPages), scratch(64);
    LoopRun run;
    std::memset(map.at, 1, map.bytes);
    run.plan.classify = true;
    run.in.slow_ticks = 1;  // every access is looked up
    run.in.max_accesses = 64 * sources::kAccessBlock;
    MadeSource source([&](std::uint64_t i) {
      if (i % sources::kAccessBlock == 0) scratch.at[i / sources::kAccessBlock * sources::kPage] = std::byte{1};
      return third_writes(i);
    });
    run.run(map.at, source);
    EXPECT_EQ(run.counted(0, 0) + run.counted(0, 1), 64 * sources::kAccessBlock);
    if (run.head().ledger.own() != 64 && attempts_left > 0) continue;
    EXPECT_EQ(run.head().ledger.own(), 64u);
    EXPECT_EQ(run.head().ledger.minors(), 0u);
    return;
  }
}

TEST(TouchLoop, EndsAtTheDeadlineWhereEveryAccessIsSlow) {
  for (const auto mode : {AccessMode::histogram, AccessMode::touch}) {
    const FreshMap map(kPages);
    LoopRun run;
    run.plan.mode = mode;
    run.plan.classify = false;
    run.plan.delay_ticks = run.calibration.conversion.to_ticks({100'000}).v;
    run.duration_ns = 50'000'000;
    MadeSource source(third_writes);
    run.run(map.at, source);
    const std::uint64_t took_ns = run.calibration.conversion.to_ns({run.now() - run.in.begin}).v;
    EXPECT_GE(took_ns, run.duration_ns);
    const std::uint64_t accesses =
        mode == AccessMode::touch ? run.head().touched[0] + run.head().touched[1] : run.counted();
    EXPECT_LE(accesses, 501u + 16);  // untimed accesses look at the clock once in 16
    EXPECT_GT(accesses, 10u);
  }
}

// A block of 128 accesses of 1 ms would end 100 ms late if only blocks looked at the clock.
TEST(TouchLoop, ASlowAccessChecksTheDeadline) {
  const FreshMap map(kPages);
  LoopRun run;
  run.plan.classify = false;
  run.in.slow_ticks = 1;
  MadeSource source(third_writes);
  run.ready(map.at, source);
  run.record().head.in.deadline = run.in.begin;
  EXPECT_EQ(next_block(run.record(), run.in.begin), nullptr);
  run.record().head.in.deadline = run.in.begin + 100;
  ASSERT_NE(next_block(run.record(), run.in.begin), nullptr);
  EXPECT_TRUE(slow_access(run.record(), run.in.begin, 99, run.record().head.block));
  EXPECT_FALSE(slow_access(run.record(), run.in.begin, 100, run.record().head.block + 1));
  EXPECT_EQ(run.head().live.accesses.load(), 2u);
  run.record().head.in.deadline = kForEver;
  EXPECT_TRUE(slow_access(run.record(), run.in.begin, 100, run.record().head.block + 2));
  run.record().head.live.stop = 1;
  EXPECT_FALSE(slow_access(run.record(), run.in.begin, 100, run.record().head.block + 3));
}

TEST(TouchLoop, EndsWhenTheSourceIsExhausted) {
  const FreshMap map(kPages);
  LoopRun run;
  MadeSource source(third_writes);
  source.end = 3 * sources::kAccessBlock;
  run.run(map.at, source);
  EXPECT_EQ(run.counted(), 3 * sources::kAccessBlock);
}

TEST(TouchLoop, TheSourceIsGivenTheElapsedTime) {
  const FreshMap map(kPages);
  LoopRun run;
  run.duration_ns = 20'000'000;
  MadeSource source(third_writes);
  run.run(map.at, source);
  EXPECT_GT(source.last_elapsed_ns, 0u);
  EXPECT_LE(source.last_elapsed_ns, run.duration_ns);
}

TEST(TouchLoop, SlowAccessesWriteATraceMarker) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const FreshMap map(kPages);
  LoopRun run;
  run.plan.classify = false;
  run.in.mark_ticks = run.calibration.conversion.to_ticks({6'000'000}).v;
  run.in.mark_ns = 5'000'000;
  run.in.mark_fd = ends[1];
  MadeSource source(third_writes);
  run.ready(map.at, source);
  ASSERT_NE(next_block(run.record(), run.in.begin), nullptr);
  slow_access(run.record(), run.in.begin, run.in.mark_ticks - 1, run.record().head.block);
  slow_access(run.record(), run.in.begin, run.in.mark_ticks, run.record().head.block);
  // pmbench's form: what was asked for, then what it took.
  const auto took = run.calibration.conversion.to_ns({run.in.mark_ticks}).v;
  char line[64] = {};
  EXPECT_EQ(::read(ends[0], line, sizeof line), 29);
  EXPECT_EQ(line, "latency > 5000000ns: " + std::to_string(took) + "\n");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(TouchLoop, WarmUpRecordsNoAccessAndObeysStop) {
  const FreshMap map(kPages);
  LoopRun run;
  MadeSource source(third_writes);
  run.ready(map.at, source);
  EXPECT_EQ(warm_up(run.record(), 1000, false), 1000u);
  EXPECT_EQ(run.counted(), 0u);
  EXPECT_EQ(run.head().live.warmup_accesses.load(), 1000u);
  run.record().head.live.stop = 1;
  EXPECT_EQ(warm_up(run.record(), 1000, false), 0u);
}

}  // namespace
}  // namespace fathom::paging::touch
