// What belongs to an I/O and what does not: splits, merges, foreign, bios, the page cache, and the sum of the parts.
#include "pmu/trace/split/matcher.h"

#include <gtest/gtest.h>

#include <optional>

#include "base/prng.h"
#include "pmu/trace/split/split_tally.h"

namespace fathom::pmu {
namespace {

constexpr std::uint32_t kDisk = 254u << 20;
constexpr std::int32_t kOwn = 100, kForeign = 200, kWorker = 300;
using enum trace::BlockPoint;
using Why = result::Undivided;

// Why an I/O has no parts; a matched one has none of these reasons.
std::optional<Why> why(const trace::split::SplitIo& split) {
  return split.matched ? std::nullopt : std::optional(split.why);
}

struct Scene {
  trace::split::EventTable table;
  void at(std::uint64_t time, trace::BlockPoint point, std::uint64_t sector, std::uint32_t sectors = 8,
          std::int32_t process = kOwn, std::uint8_t dir = 0, std::uint32_t dev = kDisk) {
    table.add({time, sector, sectors, dev, process, point, dir});
  }
  trace::split::SplitIo match(const trace::split::TimedIo& io,
                              std::vector<trace::split::Piece> pieces = {{kDisk, 1000, 8, false}}) {
    table.turn(0);
    return table.match(io, pieces, 0);
  }
};
constexpr trace::split::TimedIo kRead{10'000, 60'000, 0, kOwn}, kDirectRead{10'000, 60'000, 0, kOwn, true};

std::vector<std::uint64_t> parts(const trace::split::SplitIo& split) {
  return {split.part_ns, split.part_ns + result::kEventParts};
}
using Parts = std::vector<std::uint64_t>;

TEST(IoMatcher, AnIoOfOneRequestIsSplitIntoParts) {
  Scene s;
  s.at(11'000, trace::BlockPoint::bio_queue, 1000);
  s.at(13'000, trace::BlockPoint::rq_issue, 1000);
  s.at(53'000, trace::BlockPoint::rq_complete, 1000, 8, 0);
  const auto split = s.match(kRead);
  EXPECT_TRUE(split.matched);
  EXPECT_TRUE(split.queue_covered);
  EXPECT_EQ(parts(split), (Parts{1000, 2000, 40'000, 7000}));
}

TEST(IoMatcher, IgnoresEventsOfOtherSectorsDirectionsDisksAndTimes) {
  Scene s;
  s.at(11'000, trace::BlockPoint::bio_queue, 1008);
  s.at(11'000, bio_queue, 992);
  s.at(11'000, bio_queue, 1000, 8, kOwn, 1);
  s.at(11'000, bio_queue, 1000, 8, kOwn, 0, kDisk + 1);
  s.at(9'999, bio_queue, 1000);
  s.at(60'001, bio_queue, 1000);
  EXPECT_EQ(why(s.match(kRead)), Why::no_request);
}

TEST(IoMatcher, IgnoresAnotherProcessesRequest) {
  Scene alone;  // the I/O itself was served by the page cache
  alone.at(11'000, trace::BlockPoint::bio_queue, 1000, 8, kForeign);
  alone.at(13'000, trace::BlockPoint::rq_issue, 1000, 8, kForeign);
  alone.at(53'000, trace::BlockPoint::rq_complete, 1000, 8, 0);
  EXPECT_EQ(why(alone.match(kRead)), Why::no_request);

  Scene both;  // whose completion is whose cannot be told
  both.at(11'000, bio_queue, 1000);
  both.at(11'500, bio_queue, 1000, 8, kForeign);
  both.at(13'000, rq_issue, 1000);
  both.at(13'500, rq_issue, 1000);
  both.at(40'000, rq_complete, 1000);
  both.at(50'000, rq_complete, 1000);
  EXPECT_EQ(why(both.match(kRead)), Why::contested);

  Scene earlier;  // queued before the I/O began, completed in its time
  earlier.at(9'000, bio_queue, 1000, 8, kForeign);
  earlier.at(11'000, bio_queue, 1000);
  earlier.at(13'000, rq_issue, 1000);
  earlier.at(20'000, rq_complete, 1000);
  earlier.at(50'000, rq_complete, 1000);
  EXPECT_EQ(why(earlier.match(kRead)), Why::contested);
}

TEST(IoMatcher, TwoOwnRequestsOfOneSectorAreContested) {
  Scene s;
  s.at(11'000, trace::BlockPoint::bio_queue, 1000);
  s.at(12'000, bio_queue, 1000);
  s.at(13'000, trace::BlockPoint::rq_issue, 1000);
  s.at(14'000, rq_issue, 1000);
  s.at(50'000, trace::BlockPoint::rq_complete, 1000);
  EXPECT_EQ(why(s.match(kRead)), Why::contested);
}

TEST(IoMatcher, MatchesAnIoSplitIntoSeveralRequests) {
  Scene s;
  s.at(11'000, trace::BlockPoint::bio_queue, 1000, 16);
  s.at(12'000, trace::BlockPoint::rq_issue, 1008);
  s.at(13'000, rq_issue, 1000);
  s.at(40'000, trace::BlockPoint::rq_complete, 1008);
  s.at(50'000, rq_complete, 1000);
  const auto split = s.match(kRead, {{kDisk, 1000, 16, false}});
  EXPECT_EQ(parts(split), (Parts{1000, 1000, 38'000, 10'000}));
}

TEST(IoMatcher, MatchesARequestCompletedInPieces) {
  Scene s;
  s.at(11'000, trace::BlockPoint::bio_queue, 1000, 16);
  s.at(12'000, trace::BlockPoint::rq_issue, 1000, 16);
  s.at(40'000, trace::BlockPoint::rq_complete, 1000, 4);
  s.at(45'000, rq_complete, 1004, 12);
  EXPECT_EQ(parts(s.match(kRead, {{kDisk, 1000, 16, false}})), (Parts{1000, 1000, 33'000, 15'000}));
}

TEST(IoMatcher, MatchesBiosMergedIntoOneRequest) {
  Scene s;
  s.at(11'000, trace::BlockPoint::bio_queue, 1000);
  s.at(11'200, bio_queue, 1008);
  s.at(12'000, trace::BlockPoint::rq_issue, 1000, 16);
  s.at(50'000, trace::BlockPoint::rq_complete, 1000, 16);
  const auto first = s.match(kRead), second = s.match(kRead, {{kDisk, 1008, 8, false}});
  EXPECT_EQ(parts(first), (Parts{1000, 1000, 38'000, 10'000}));
  EXPECT_EQ(parts(second), (Parts{1200, 800, 38'000, 10'000}));
}

TEST(IoMatcher, MatchesARequestIssuedAgainAfterARequeue) {
  Scene s;
  s.at(11'000, trace::BlockPoint::bio_queue, 1000);
  s.at(12'000, trace::BlockPoint::rq_issue, 1000);
  s.at(20'000, rq_issue, 1000);
  s.at(50'000, trace::BlockPoint::rq_complete, 1000);
  EXPECT_EQ(parts(s.match(kRead)), (Parts{1000, 1000, 38'000, 10'000}));
}

TEST(IoMatcher, MatchesABioQueuedAgainWhenNoRequestWasFree) {
  Scene s;
  s.at(11'000, trace::BlockPoint::bio_queue, 1000);
  s.at(19'000, bio_queue, 1000);
  s.at(21'000, trace::BlockPoint::rq_issue, 1000);
  s.at(50'000, trace::BlockPoint::rq_complete, 1000);
  EXPECT_EQ(parts(s.match(kRead)), (Parts{1000, 10'000, 29'000, 10'000}));
}

TEST(IoMatcher, MatchesAnIoOfSeveralExtents) {
  Scene s;
  s.at(11'000, trace::BlockPoint::bio_queue, 1000);
  s.at(11'500, bio_queue, 5000);
  s.at(12'000, trace::BlockPoint::rq_issue, 1000);
  s.at(12'500, rq_issue, 5000);
  s.at(50'000, trace::BlockPoint::rq_complete, 1000);
  s.at(40'000, rq_complete, 5000);
  EXPECT_EQ(parts(s.match(kRead, {{kDisk, 1000, 8, false}, {kDisk, 5000, 8, false}})),
            (Parts{1000, 1000, 38'000, 10'000}));
}

TEST(IoMatcher, ABioBasedDiskHasNoQueuePart) {
  Scene s;
  s.at(11'000, trace::BlockPoint::bio_queue, 1000);
  s.at(50'000, trace::BlockPoint::bio_complete, 1000);
  const auto split = s.match(kRead, {{kDisk, 1000, 8, true}});
  EXPECT_TRUE(split.matched);
  EXPECT_FALSE(split.queue_covered);
  EXPECT_EQ(parts(split), (Parts{1000, 0, 39'000, 10'000}));
}

TEST(IoMatcher, MatchesARequestLargerThanTheIoByReadAhead) {
  Scene s;
  s.at(11'000, trace::BlockPoint::bio_queue, 900, 256);
  s.at(12'000, trace::BlockPoint::rq_issue, 900, 256);
  s.at(50'000, trace::BlockPoint::rq_complete, 900, 256);
  EXPECT_EQ(parts(s.match(kRead)), (Parts{1000, 1000, 38'000, 10'000}));
}

TEST(IoMatcher, MissingEventsAreReportedAsLost) {
  Scene no_complete, no_issue;
  no_complete.at(11'000, trace::BlockPoint::bio_queue, 1000);
  no_complete.at(12'000, trace::BlockPoint::rq_issue, 1000);
  EXPECT_EQ(why(no_complete.match(kRead)), Why::lost);
  no_issue.at(11'000, bio_queue, 1000);
  no_issue.at(50'000, trace::BlockPoint::rq_complete, 1000);
  EXPECT_EQ(why(no_issue.match(kRead)), Why::lost);
}

// A limit of its cgroup held it: the kernel queued it later, from a task of its own.
TEST(IoMatcher, AnIoQueuedByAKernelTaskWasHandedOn) {
  for (const auto& io : {kRead, kDirectRead}) {
    Scene s;
    s.table.set_kernel_task([](std::int32_t pid) { return pid == kWorker; });
    s.at(50'000, trace::BlockPoint::bio_queue, 1000, 8, kWorker);
    s.at(51'000, trace::BlockPoint::rq_issue, 1000, 8, kWorker);
    s.at(55'000, trace::BlockPoint::rq_complete, 1000, 8, 0);
    EXPECT_EQ(why(s.match(io)), Why::handed_on);
  }
  Scene part;  // of two bios the first went at once
  part.table.set_kernel_task([](std::int32_t pid) { return pid == kWorker; });
  part.at(11'000, trace::BlockPoint::bio_queue, 1000);
  part.at(50'000, bio_queue, 1008, 8, kWorker);
  part.at(12'000, trace::BlockPoint::rq_issue, 1000);
  part.at(51'000, rq_issue, 1008);
  part.at(20'000, trace::BlockPoint::rq_complete, 1000);
  part.at(55'000, rq_complete, 1008);
  EXPECT_EQ(why(part.match(kDirectRead, {{kDisk, 1000, 16, false}})), Why::handed_on);
}

TEST(IoMatcher, ADirectIoIsNeverAttributedToThePageCache) {
  Scene nothing, foreign, completed;
  EXPECT_EQ(why(nothing.match(kDirectRead)), Why::unknown);
  EXPECT_EQ(why(nothing.match(kRead)), Why::no_request) << "a buffered one is";
  foreign.at(11'000, trace::BlockPoint::bio_queue, 1000, 8, kForeign);
  foreign.at(50'000, trace::BlockPoint::rq_complete, 1000);
  EXPECT_EQ(why(foreign.match(kDirectRead)), Why::contested);
  completed.at(50'000, rq_complete, 1000);
  EXPECT_EQ(why(completed.match(kDirectRead)), Why::lost);
  EXPECT_EQ(why(completed.match(kDirectRead, {})), Why::no_request) << "a hole has no pieces";
}

// Queued before the I/O began, by an earlier one; done in its time.
TEST(IoMatcher, AReadOfAPageAlreadyRequestedIsReadAhead) {
  Scene s;
  s.at(9'000, trace::BlockPoint::bio_queue, 1000, 64);
  s.at(9'500, trace::BlockPoint::rq_issue, 1000, 64);
  s.at(50'000, trace::BlockPoint::rq_complete, 1000, 64);
  EXPECT_EQ(why(s.match(kRead)), Why::read_ahead);
}

// A kernel's task writes earlier pages back at the same sectors, in its time.
TEST(IoMatcher, ABufferedWriteIsNotMatchedWithWriteBack) {
  Scene queued, completed;
  constexpr trace::split::TimedIo kWrite{10'000, 60'000, 1, kOwn};
  queued.table.set_kernel_task([](std::int32_t pid) { return pid == kWorker; });
  queued.at(11'000, trace::BlockPoint::bio_queue, 1000, 8, kWorker, 1);
  EXPECT_EQ(why(queued.match(kWrite)), Why::no_request);
  completed.at(50'000, trace::BlockPoint::rq_complete, 1000, 8, 0, 1);
  EXPECT_EQ(why(completed.match(kWrite)), Why::no_request);
}

TEST(IoMatcher, AReadOfAFileHoleHasNoRequest) {
  Scene s;
  s.at(11'000, trace::BlockPoint::bio_queue, 1000);
  EXPECT_EQ(why(s.match(kRead, {})), Why::no_request);
}

// Two clocks that disagree put an event before the issue or after the reap. Nothing is bent to fit: the parts add up to
// more than the whole, by as much as is said.
TEST(IoMatcher, ClockDisagreementIsReportedAsSumError) {
  trace::split::EventTable table;
  table.add({9'950, 1000, 8, kDisk, kOwn, trace::BlockPoint::bio_queue, 0});
  table.add({12'000, 1000, 8, kDisk, kOwn, trace::BlockPoint::rq_issue, 0});
  table.add({60'050, 1000, 8, kDisk, kOwn, trace::BlockPoint::rq_complete, 0});
  table.turn(0);
  const trace::split::Piece piece{kDisk, 1000, 8, false};
  EXPECT_EQ(why(table.match(kRead, {&piece, 1}, 10)), Why::no_request);
  const auto split = table.match(kRead, {&piece, 1}, 100);
  EXPECT_EQ(parts(split), (Parts{0, 2050, 48'050, 0}));
  EXPECT_EQ(split.outside_ns, 100u);

  trace::split::SplitTally tally;
  tally.add(split, 50'000);
  tally.add({true, {}, true, {1000, 2000, 40'000, 7000}, 0}, 50'000);
  const auto result = tally.result();
  EXPECT_EQ(result.outside, 1u);
  EXPECT_EQ(result.outside_ns, 100u);
  EXPECT_EQ(result.outside_max_ns, 100u);
  EXPECT_EQ(result.sum.moments_ns.sum, result.whole.moments_ns.sum + 100);
}

// Misaligned by d, every I/O whose submission or completion is shorter than d is one outside.
TEST(IoMatcher, MisalignedIosAreCounted) {
  for (const std::int64_t off : {-3000, 0, 3000}) {
    Scene s;
    trace::split::SplitTally tally;
    for (std::uint64_t i = 0; i < 100; ++i) {
      const auto at = [&](std::uint64_t ns) {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(1'000'000 * i + 100'000 + ns) + off);
      };
      s.at(at(1000), trace::BlockPoint::bio_queue, 16 * i);
      s.at(at(3000), trace::BlockPoint::rq_issue, 16 * i);
      s.at(at(48'000), trace::BlockPoint::rq_complete, 16 * i);
    }
    s.table.turn(0);
    for (std::uint64_t i = 0; i < 100; ++i) {
      const trace::split::Piece piece{kDisk, 16 * i, 8, false};
      tally.add(s.table.match({1'000'000 * i + 100'000, 1'000'000 * i + 150'000, 0, kOwn}, {&piece, 1}, 5000), 50'000);
    }
    const auto result = tally.result();
    EXPECT_EQ(result.matched, 100u);
    EXPECT_EQ(result.outside, off == 0 ? 0u : 100u) << off;
    EXPECT_EQ(result.outside_max_ns, off < 0 ? 2000u : off > 0 ? 1000u : 0u) << off;
  }
}

TEST(SplitTally, CutAndUnplacedIosAreNotCountedAsLost) {
  trace::split::SplitTally tally;
  tally.add_undivided(Why::cut, 1000);
  tally.add_undivided(Why::unplaced, 1000);
  tally.add({.why = Why::lost}, 1000);
  const auto result = tally.result();
  EXPECT_EQ(result.ios, 3u);
  for (const auto why : {Why::cut, Why::unplaced, Why::lost}) {
    EXPECT_EQ(result.of(why).ios, 1u);
    EXPECT_EQ(result.of(why).time_ns, 1000u);
  }
  EXPECT_FALSE(result.uncovered.covered);
}

// 99 of 100 I/Os have parts, and the parts explain a tenth of the time.
TEST(SplitTally, ExplainedShareIsOfTimeAndNotOfIos) {
  trace::split::SplitTally tally;
  for (int i = 0; i < 200; ++i) tally.add({true, {}, true, {10, 20, 60, 10}, 0}, 100);
  EXPECT_EQ(result::explained_share(tally.result()), 1.0);
  EXPECT_TRUE(result::stands_for_job(tally.result()));
  for (int i = 0; i < 2; ++i) tally.add_undivided(Why::handed_on, 90'000);
  EXPECT_NEAR(result::explained_share(tally.result()), 0.1, 1e-9);
  EXPECT_FALSE(result::stands_for_job(tally.result()));
  EXPECT_EQ(tally.result().uncovered.moments_ns.n, 2u);
}

TEST(SplitTally, FewerThan100IosDoNotStandForTheJob) {
  trace::split::SplitTally tally;
  for (int i = 0; i < 99; ++i) tally.add({true, {}, true, {10, 20, 60, 10}, 0}, 100);
  EXPECT_FALSE(result::stands_for_job(tally.result()));
  tally.add({true, {}, true, {10, 20, 60, 10}, 0}, 100);
  EXPECT_TRUE(result::stands_for_job(tally.result()));
}

// Many I/Os in flight at many places: every one finds its own events, and its parts add up to its time.
TEST(IoMatcher, PartsOfManyConcurrentIosAddUpToTheirTimes) {
  base::Prng random(7);
  Scene s;
  struct Truth {
    trace::split::TimedIo io;
    trace::split::Piece piece;
    Parts parts;
  };
  std::vector<Truth> all;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::uint64_t start = 1'000'000 + random.below(1'000'000), sector = i * 16;
    Parts p;
    for (std::size_t k = 0; k < result::kEventParts; ++k) p.push_back(1 + random.below(50'000));
    const auto dir = static_cast<std::uint8_t>(random.below(3));
    const std::uint64_t reap = start + p[0] + p[1] + p[2] + p[3];
    s.at(start + p[0], trace::BlockPoint::bio_queue, sector, 8, kOwn, dir);
    s.at(start + p[0] + p[1], trace::BlockPoint::rq_issue, sector, 8, kOwn, dir);
    s.at(reap - p[3], trace::BlockPoint::rq_complete, sector, 8, 0, dir);
    all.push_back({{start, reap, dir, kOwn}, {kDisk, sector, 8, false}, p});
  }
  s.table.turn(0);
  for (const auto& truth : all) {
    const auto split = s.table.match(truth.io, {&truth.piece, 1}, 0);
    ASSERT_TRUE(split.matched);
    ASSERT_EQ(parts(split), truth.parts);
  }
}

TEST(EventTable, ForgetsUsedOldAndExcessEvents) {
  trace::split::EventTable table(100);
  const trace::split::Piece piece{kDisk, 1000, 8, false};
  for (const auto& e : {trace::BlockEvent{11'000, 1000, 8, kDisk, kOwn, trace::BlockPoint::bio_queue, 0},
                        trace::BlockEvent{12'000, 1000, 8, kDisk, kOwn, trace::BlockPoint::rq_issue, 0},
                        trace::BlockEvent{50'000, 1000, 8, kDisk, kOwn, trace::BlockPoint::rq_complete, 0},
                        trace::BlockEvent{50'000, 7000, 8, kDisk, kForeign, rq_complete, 0}})
    table.add(e);
  table.turn(0);
  EXPECT_TRUE(table.match(kRead, {&piece, 1}, 0).matched);
  for (int i = 0; i < 20; ++i) table.turn(0);
  EXPECT_EQ(table.size(), 1u) << "used events go by themselves";
  table.turn(61'000'000'000);
  EXPECT_EQ(table.size(), 0u) << "others when they are too old";
  for (std::uint64_t i = 0; i < 1000; ++i) table.add({i, i * 8, 8, kDisk, kOwn, trace::BlockPoint::bio_queue, 0});
  EXPECT_GT(table.turn(0), 400u);
  EXPECT_LE(table.size(), 500u);
}

// A disk that took 7 s is a slow disk, not a page cache; whatever others did meanwhile.
TEST(EventTable, KeepsTheEventsOfAnIoOfSeconds) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  Scene s;
  s.at(1 * kSecond, trace::BlockPoint::bio_queue, 1000);
  s.at(1 * kSecond + 10, trace::BlockPoint::rq_issue, 1000);
  for (std::uint64_t second = 2; second < 8; ++second) {
    for (std::uint64_t i = 0; i < 1000; ++i) s.at(second * kSecond + i, bio_queue, 100'000 + 8 * i, 8, kForeign);
    EXPECT_EQ(s.table.turn(second * kSecond + 1000), 0u);
  }
  s.at(8 * kSecond, trace::BlockPoint::rq_complete, 1000);
  s.table.turn(8 * kSecond + 100);
  const trace::split::Piece piece{kDisk, 1000, 8, false};
  const auto split = s.table.match({1 * kSecond - 5, 8 * kSecond + 50, 0, kOwn}, {&piece, 1}, 0);
  EXPECT_TRUE(split.matched);
  EXPECT_EQ(parts(split), (Parts{5, 10, 7 * kSecond - 10, 50}));
}

TEST(EventTable, AForgottenEventIsNotTakenForAPageCacheHit) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  Scene s;
  const trace::split::Piece piece{kDisk, 1000, 8, false};
  s.at(1 * kSecond, trace::BlockPoint::bio_queue, 1000);
  s.table.turn(1 * kSecond);
  s.table.turn(62 * kSecond);
  const auto match = [&](std::uint64_t from, std::uint64_t to) {
    return s.table.match({from * kSecond, to * kSecond, 0, kOwn}, {&piece, 1}, 0).why;
  };
  EXPECT_EQ(match(1, 62), Why::lost);
  EXPECT_EQ(match(2, 62), Why::no_request);
}

// Room for the old ones is small and not counted: they are asked for by few.
TEST(EventTable, ForgettingOldEventsIsNotCounted) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  trace::split::EventTable table;
  for (std::uint64_t i = 0; i < 100'000; ++i)
    table.add({i, i * 8, 8, kDisk, kForeign, trace::BlockPoint::bio_queue, 0});
  table.turn(1000);
  EXPECT_EQ(table.size(), 100'000u);
  EXPECT_EQ(table.turn(3 * kSecond), 0u);
  EXPECT_LE(table.size(), 50'001u);
}

}  // namespace
}  // namespace fathom::pmu
