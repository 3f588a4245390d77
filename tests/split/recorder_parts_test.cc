// Dividing: what the kernel wrote of an I/O, said here to the nanosecond, becomes parts that add up to the whole; and of
// an I/O that cannot be divided the reason is told.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "base/time.h"
#include "clock/sources/calibration.h"
#include "split/fake_kernel.h"
#include "split/one_worker.h"
#include "split/recorder.h"

namespace fathom::split {
namespace {

using result::Part;
using result::Undivided;
using testing::kStart;

constexpr std::uint64_t kReap = kStart + 1000;

// One worker with one slot and a device; its clock counts as the kernel's does.
class RecorderParts : public ::testing::Test {
 protected:
  void SetUp() override {
    control_->slice = 1;
    begin_recorder(true);
  }
  void begin_recorder(bool direct,
                      const MonotonicLine& line = MonotonicLine(clock::sources::Source::clock_gettime, 1e9)) {
    recorder_ = std::make_unique<Recorder>(kernel_.region(),
                                           Share{.first_slot = 0,
                                                 .slots = 1,
                                                 .maps = maps_,
                                                 .record = record_.get(),
                                                 .control = control_.get(),
                                                 .direct = direct},
                                           line);
  }
  void publish(io::Dir dir = io::Dir::read, std::uint16_t target = 0) {
    recorder_->publish(0, {.offset = 8192, .length = 4096, .target = target, .dir = dir});
  }
  void take(bool counts = true, io::Dir dir = io::Dir::read) {
    recorder_->take(0, dir, kStart, kReap, counts);
    recorder_->end();
  }
  // Of a loop that stamps the call which submits its ring.
  void one_rung_at(std::uint64_t rung, std::uint64_t queue = kStart + 100, unsigned flags = kByOwnTask) {
    publish();
    kernel_.queue(0, 8, queue, flags);
    kernel_.done(0, 8, kStart + 950);
    recorder_->take(0, io::Dir::read, kStart, kReap, true, rung);
    recorder_->end();
  }
  // Of 4 KiB, by a device with requests.
  void one_io(unsigned flags = kByOwnTask) {
    publish();
    kernel_.queue(0, 8, kStart + 100, flags);
    kernel_.issue(0, kStart + 250);
    kernel_.done(0, 8, kStart + 950);
    take();
  }

  const DirectionSplit& reads() const { return record_->dirs[0]; }
  const PartRecord& part(Part p) const { return reads().parts[static_cast<std::size_t>(p)]; }
  // These parts once each, and no other.
  void expect_parts(const std::map<Part, std::uint64_t>& wanted) const {
    for (const Part p : result::kInOrder) {
      const auto at = wanted.find(p);
      EXPECT_EQ(part(p).moments.n, at == wanted.end() ? 0u : 1u) << name(p);
      EXPECT_EQ(part(p).moments.sum, at == wanted.end() ? 0u : at->second) << name(p);
      expect_counted(part(p));
    }
    EXPECT_EQ(reads().ios, 1u);
    EXPECT_EQ(reads().joined, 1u);
    EXPECT_EQ(reads().whole.moments.n, 1u);
    EXPECT_EQ(reads().whole.moments.sum, 1000u);
    expect_counted(reads().whole);
    for (const auto& rest : reads().undivided) EXPECT_EQ(rest.ios, 0u);
    EXPECT_EQ(reads().uncovered.moments.n, 0u);
    EXPECT_EQ(reads().rest.moments.n, 0u);
    expect_banded();
  }
  // The same parts stand in the cell of the whole's latency, and nothing in another.
  void expect_banded() const {
    BandCell all;
    for (const auto& cell : reads().bands.cells) all.add(cell);
    const BandCell& cell = reads().bands.cells[cell_of(1000)];
    for (const auto* at : {&cell, &std::as_const(all)}) {
      EXPECT_EQ(at->ios, 1u);
      EXPECT_EQ(at->whole_ns, 1000u);
      for (const Part p : result::kInOrder)
        EXPECT_EQ(at->part_ns[static_cast<std::size_t>(p)], part(p).moments.sum) << name(p);
    }
  }
  std::uint64_t sum_of_parts() const {
    return std::accumulate(std::begin(reads().parts), std::end(reads().parts), std::uint64_t{0},
                           [](std::uint64_t sum, const PartRecord& p) { return sum + p.moments.sum; });
  }
  // The histogram has as many as the moments, a single one in its own bucket.
  static void expect_counted(const PartRecord& p) {
    EXPECT_EQ(std::accumulate(std::begin(p.counts.counts), std::end(p.counts.counts), std::uint64_t{0}), p.moments.n);
    if (p.moments.n == 1) {
      EXPECT_EQ(p.counts.counts[stats::bucket_of(p.moments.sum)], 1u);
    }
  }
  // One I/O, not divided, for this reason alone.
  void expect_undivided(Undivided why) const {
    EXPECT_EQ(reads().ios, 1u);
    EXPECT_EQ(reads().joined, 0u);
    for (std::size_t i = 0; i < result::kUndivided; ++i) {
      const bool it = i == static_cast<std::size_t>(why);
      EXPECT_EQ(reads().undivided[i].ios, it ? 1u : 0u) << name(static_cast<Undivided>(i));
      EXPECT_EQ(reads().undivided[i].time_ns, it ? 1000u : 0u) << name(static_cast<Undivided>(i));
    }
    EXPECT_EQ(sum_of_parts(), 0u);
    EXPECT_EQ(reads().whole.moments.n, 0u);
    EXPECT_EQ(reads().uncovered.moments.n + reads().rest.moments.n, 1u);
    for (const auto& cell : reads().bands.cells) EXPECT_EQ(cell.ios, 0u);
    EXPECT_EQ(kernel_.entries(), 0u);
  }

  testing::FakeKernel kernel_;
  std::vector<PlaceMap> maps_{PlaceMap::device(8u << 20, 2048), PlaceMap()};
  std::unique_ptr<SplitRecord> record_ = std::make_unique<SplitRecord>();
  std::unique_ptr<Control> control_ = std::make_unique<Control>();
  std::unique_ptr<Recorder> recorder_;
};

TEST_F(RecorderParts, OfADeviceWithRequestsAreFourAndAddUpToTheWhole) {
  one_io();
  expect_parts({{Part::submit, 100}, {Part::queue, 150}, {Part::device, 700}, {Part::completion, 50}});
  EXPECT_EQ(sum_of_parts(), 1000u);
  EXPECT_EQ(reads().outside, 0u);
  EXPECT_EQ(reads().flushes, 0u);
}

TEST_F(RecorderParts, OfADeviceWithoutRequestsHaveNoQueue) {
  publish();
  kernel_.queue(0, 8, kStart + 100);
  kernel_.done(0, 8, kStart + 950);
  take();
  expect_parts({{Part::submit, 100}, {Part::device, 850}, {Part::completion, 50}});
  EXPECT_EQ(sum_of_parts(), 1000u);
}

TEST_F(RecorderParts, OfWhatAThreadOfTheKernelQueuedBeginWithHeld) {
  one_io(kByKernel);
  expect_parts({{Part::held, 100}, {Part::queue, 150}, {Part::device, 700}, {Part::completion, 50}});
}

TEST_F(RecorderParts, OfWhatAWorkerOfIoUringQueuedBeginWithHanded) {
  one_io(kByWorker);
  expect_parts({{Part::handed, 100}, {Part::queue, 150}, {Part::device, 700}, {Part::completion, 50}});
}

TEST_F(RecorderParts, OfWhatATaskWithOtherFlagsQueuedBeginWithSubmit) {
  one_io(kByOwnTask | kThrottledDirty);
  expect_parts({{Part::submit, 100}, {Part::queue, 150}, {Part::device, 700}, {Part::completion, 50}});
}

TEST_F(RecorderParts, OfALoopWithARingBeginWithTheProgramsUntilItIsRung) {
  one_rung_at(kStart + 40);
  expect_parts({{Part::program, 40}, {Part::submit, 60}, {Part::device, 850}, {Part::completion, 50}});
}

TEST_F(RecorderParts, OfWhatAWorkerOfIoUringQueuedBeginWithTheProgramsToo) {
  one_rung_at(kStart + 40, kStart + 100, kByWorker);
  expect_parts({{Part::program, 40}, {Part::handed, 60}, {Part::device, 850}, {Part::completion, 50}});
}

// A thread of the kernel that polls the ring takes an I/O out of it when it likes.
TEST_F(RecorderParts, OfAnIoThatWasQueuedBeforeTheRingWasRungHaveNoneOfTheProgram) {
  one_rung_at(kStart + 140);
  expect_parts({{Part::submit, 100}, {Part::device, 850}, {Part::completion, 50}});
}

TEST_F(RecorderParts, OfAWriteThatWaitsForAFlushBeforeItsDataHaveThatInsteadOfTheQueue) {
  one_io(kByOwnTask | kFlushFirst);
  expect_parts({{Part::submit, 100}, {Part::flush, 150}, {Part::device, 700}, {Part::completion, 50}});
  EXPECT_EQ(reads().flushes, 0u) << "none after the data";
}

TEST_F(RecorderParts, OfAWriteThatIsFlushedAfterwardsHaveThatBehindTheDevice) {
  publish();
  kernel_.queue(0, 8, kStart + 100);
  kernel_.issue(0, kStart + 250);
  kernel_.done(0, 8, kStart + 650);
  kernel_.flushed(0, kStart + 980);
  take();
  expect_parts(
      {{Part::submit, 100}, {Part::queue, 150}, {Part::device, 400}, {Part::flush, 330}, {Part::completion, 20}});
  EXPECT_EQ(sum_of_parts(), 1000u);
  EXPECT_EQ(reads().flushes, 1u);
}

TEST_F(RecorderParts, OfAWriteThroughTheCacheAreAsOfAnyOther) {
  one_io(unsigned{kByOwnTask} | unsigned{kThroughCache});
  expect_parts({{Part::submit, 100}, {Part::queue, 150}, {Part::device, 700}, {Part::completion, 50}});
  EXPECT_EQ(reads().fua, 1u);
  one_io();
  EXPECT_EQ(reads().fua, 1u);
}

TEST_F(RecorderParts, AMomentBeforeTheStartIsAPartOfZeroAndOutside) {
  publish();
  kernel_.queue(0, 8, kStart - 30);
  kernel_.issue(0, kStart + 250);
  kernel_.done(0, 8, kStart + 950);
  take();
  expect_parts({{Part::submit, 0}, {Part::queue, 250}, {Part::device, 700}, {Part::completion, 50}});
  EXPECT_EQ(sum_of_parts(), 1000u);
  EXPECT_EQ(reads().outside, 1u);
  EXPECT_EQ(reads().outside_ns, 30u);
  EXPECT_EQ(reads().outside_max_ns, 30u);
}

TEST_F(RecorderParts, AMomentBehindTheReapIsOutsideAndNoCompletionIsLeft) {
  publish();
  kernel_.queue(0, 8, kStart + 100);
  kernel_.issue(0, kStart + 250);
  kernel_.done(0, 8, kReap + 40);
  take();
  expect_parts({{Part::submit, 100}, {Part::queue, 150}, {Part::device, 790}, {Part::completion, 0}});
  EXPECT_EQ(sum_of_parts(), 1000u + 40);
  EXPECT_EQ(reads().outside, 1u);
  EXPECT_EQ(reads().outside_ns, 40u);
}

TEST_F(RecorderParts, AnIoWithTwoMomentsOutsideCountsOnceAndOfSeveralTheMostIsKept) {
  publish();
  kernel_.queue(0, 8, kStart - 30);
  kernel_.issue(0, kStart + 250);
  kernel_.done(0, 8, kReap + 40);
  take();
  EXPECT_EQ(reads().outside, 1u);
  EXPECT_EQ(reads().outside_ns, 70u);
  publish();
  kernel_.queue(0, 8, kStart - 5);
  kernel_.done(0, 8, kStart + 5);
  take();
  EXPECT_EQ(reads().outside, 2u);
  EXPECT_EQ(reads().outside_ns, 75u);
  EXPECT_EQ(reads().outside_max_ns, 70u);
}

TEST_F(RecorderParts, OfSeveralBiosReachFromTheFirstToTheLast) {
  publish();
  kernel_.queue(0, 4, kStart + 100);
  kernel_.issue(0, kStart + 200);
  kernel_.queue(0, 2, kStart + 300, kByKernel | kFlushFirst);
  kernel_.queue(0, 2, kStart + 310);
  kernel_.issue(0, kStart + 400);
  kernel_.done(0, 2, kStart + 500);
  kernel_.done(0, 4, kStart + 600);
  kernel_.done(0, 2, kStart + 900);
  take();
  expect_parts({{Part::submit, 100}, {Part::queue, 100}, {Part::device, 700}, {Part::completion, 100}});
}

TEST_F(RecorderParts, AddUpOverManyIos) {
  for (std::uint64_t i = 1; i <= 100; ++i) {
    publish();
    kernel_.queue(0, 8, kStart + i);
    kernel_.issue(0, kStart + 3 * i);
    kernel_.done(0, 8, kStart + 7 * i);
    take();
  }
  EXPECT_EQ(reads().ios, 100u);
  EXPECT_EQ(reads().joined, 100u);
  EXPECT_EQ(part(Part::submit).moments.sum, 5050u);
  EXPECT_EQ(part(Part::submit).moments.max, 100u);
  EXPECT_EQ(part(Part::submit).moments.min(), 1u);
  EXPECT_EQ(part(Part::queue).moments.sum, 2 * 5050u);
  EXPECT_EQ(part(Part::device).moments.sum, 4 * 5050u);
  EXPECT_EQ(part(Part::completion).moments.sum, 100'000 - 7 * 5050u);
  EXPECT_EQ(sum_of_parts(), reads().whole.moments.sum);
  for (const auto& p : reads().parts) expect_counted(p);
}

TEST_F(RecorderParts, AreKeptByDirection) {
  for (const io::Dir dir : {io::Dir::write, io::Dir::trim}) {
    publish(dir);
    kernel_.queue(0, 8, kStart + 100);
    kernel_.done(0, 8, kStart + 950);
    take(true, dir);
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_EQ(record_->dirs[d].joined, d != 0 && d <= io::index(dir) ? 1u : 0u) << io::name(dir) << d;
  }
}

TEST_F(RecorderParts, OfAnIoThatDoesNotCountAreNotKeptAndItIsWithdrawn) {
  publish();
  kernel_.queue(0, 8, kStart + 100);
  kernel_.issue(0, kStart + 250);
  kernel_.done(0, 8, kStart + 950);
  take(false);
  EXPECT_EQ(reads().ios, 0u);
  EXPECT_EQ(reads().joined, 0u);
  EXPECT_EQ(reads().whole.moments.n, 0u);
  EXPECT_EQ(sum_of_parts(), 0u);
  EXPECT_EQ(kernel_.entries(), 0u);
  EXPECT_EQ(kernel_.line(0).published.generation, 0u);
}

TEST_F(RecorderParts, OfABufferedReadMayBeOfMoreSectorsThanItHas) {
  begin_recorder(false);
  publish();
  kernel_.queue(0, 256, kStart + 100);
  kernel_.issue(0, kStart + 250);
  kernel_.done(0, 256, kStart + 950);
  take();
  expect_parts({{Part::submit, 100}, {Part::queue, 150}, {Part::device, 700}, {Part::completion, 50}});
}

TEST_F(RecorderParts, OfAnIoWithoutAPlaceAreThoseOfWhatItsTaskQueued) {
  publish(io::Dir::read, 1);
  kernel_.queue(0, 16, kStart + 100);
  kernel_.issue(0, kStart + 250);
  kernel_.done(0, 16, kStart + 950);
  take();
  expect_parts({{Part::submit, 100}, {Part::queue, 150}, {Part::device, 700}, {Part::completion, 50}});
}

TEST_F(RecorderParts, AnIoThatIsNotDoneIsLost) {
  publish();
  kernel_.queue(0, 8, kStart + 100);
  kernel_.issue(0, kStart + 250);
  kernel_.done(0, 7, kStart + 950);
  take();
  expect_undivided(Undivided::lost);
}

TEST_F(RecorderParts, ADirectIoOfWhichABioWasMissedIsLost) {
  publish();
  kernel_.queue(0, 7, kStart + 100);
  kernel_.issue(0, kStart + 250);
  kernel_.done(0, 7, kStart + 950);
  take();
  expect_undivided(Undivided::lost);
}

TEST_F(RecorderParts, ADirectIoWithMoreQueuedThanItHasIsContested) {
  publish();
  kernel_.queue(0, 8, kStart + 100);
  kernel_.queue(0, 8, kStart + 120);
  kernel_.issue(0, kStart + 250);
  kernel_.done(0, 16, kStart + 950);
  take();
  expect_undivided(Undivided::contested);
}

TEST_F(RecorderParts, AnIoWithMoreDoneThanQueuedIsContested) {
  publish();
  kernel_.queue(0, 8, kStart + 100);
  kernel_.done(0, 8, kStart + 900);
  kernel_.done(0, 8, kStart + 950);
  take();
  EXPECT_EQ(reads().joined, 0u);
  EXPECT_EQ(reads().undivided[static_cast<std::size_t>(Undivided::contested)].ios, 1u);
}

TEST_F(RecorderParts, ADirectIoOfWhichNothingWasSeenIsUnknown) {
  publish();
  take();
  expect_undivided(Undivided::unknown);
  EXPECT_EQ(reads().uncovered.moments.sum, 1000u);
}

TEST_F(RecorderParts, ADirectIoWithoutAPlaceOfWhichNothingWasSeenIsUnplaced) {
  publish(io::Dir::read, 1);
  take();
  expect_undivided(Undivided::unplaced);
}

TEST_F(RecorderParts, ADirectIoWithoutAPlaceOfATaskThatIsFollowedIsUnknown) {
  recorder_->follow_this_task(true);
  publish(io::Dir::read, 1);
  take();
  expect_undivided(Undivided::unknown);
}

// io_uring of another job is followed, this one is libaio's, or a thread of the kernel's submits it.
TEST_F(RecorderParts, AnIoWithoutAPlaceOfALoopThatIsNotFollowedIsUnplacedWhoeverElseIs) {
  for (const bool followed : {false, true}) {
    record_ = std::make_unique<SplitRecord>();
    Region region = kernel_.region();
    region.submissions = true;
    recorder_ = std::make_unique<Recorder>(region,
                                           Share{.first_slot = 0,
                                                 .slots = 1,
                                                 .maps = maps_,
                                                 .record = record_.get(),
                                                 .control = control_.get(),
                                                 .direct = true,
                                                 .followed = followed},
                                           MonotonicLine(clock::sources::Source::clock_gettime, 1e9));
    recorder_->follow_this_task(false);
    publish(io::Dir::read, 1);
    take();
    expect_undivided(followed ? Undivided::unknown : Undivided::unplaced);
  }
}

TEST_F(RecorderParts, ABufferedIoOfWhichNothingWasSeenMadeNoRequest) {
  begin_recorder(false);
  publish();
  take();
  expect_undivided(Undivided::no_request);
  EXPECT_EQ(reads().uncovered.moments.sum, 1000u);
}

TEST_F(RecorderParts, AnIoThatIsNotWatchedIsNotPublishedAndItsTimeStandsWithTheOthers) {
  control_->slice = 0;
  publish();
  EXPECT_EQ(kernel_.line(0).published.generation, 0u);
  EXPECT_EQ(kernel_.entries(), 0u);
  control_->slice = 1;
  take();
  EXPECT_EQ(reads().ios, 0u) << "it began before it could be watched";
  EXPECT_EQ(reads().others.moments.n, 1u);
  EXPECT_EQ(reads().others.moments.sum, 1000u);
}

TEST_F(RecorderParts, AnIoThatIsNotWatchedAndDoesNotCountIsNowhere) {
  control_->slice = 0;
  publish();
  take(false);
  EXPECT_EQ(reads().others.moments.n, 0u);
  EXPECT_EQ(reads().ios, 0u);
}

TEST_F(RecorderParts, AnIoThatBeganWatchedIsDividedWhenItEndsLater) {
  publish();
  control_->slice = 0;
  kernel_.queue(0, 8, kStart + 100);
  kernel_.issue(0, kStart + 250);
  kernel_.done(0, 8, kStart + 950);
  take();
  expect_parts({{Part::submit, 100}, {Part::queue, 150}, {Part::device, 700}, {Part::completion, 50}});
  EXPECT_EQ(reads().others.moments.n, 0u);
}

TEST_F(RecorderParts, AnIoOfASliceThatWasGivenUpIsCut) {
  control_->slice = 4;
  publish();
  control_->slice = 0;
  control_->given_up = 4;
  kernel_.queue(0, 8, kStart + 100);
  take();
  expect_undivided(Undivided::cut);
}

TEST_F(RecorderParts, AnIoOfALaterSliceThanWasGivenUpIsNotCut) {
  control_->slice = 5;
  control_->given_up = 4;
  publish();
  kernel_.queue(0, 8, kStart + 100);
  take();
  expect_undivided(Undivided::lost);
}

TEST_F(RecorderParts, OfAJobWithTheCpusClockComeWithTheErrorOfTheClocks) {
  const auto found = clock::sources::calibrate(clock::sources::Source::cpu);
  if (found.source != clock::sources::Source::cpu) GTEST_SKIP() << "no CPU clock here";
  begin_recorder(true, MonotonicLine(found.source, found.ticks_per_second));
  EXPECT_EQ(record_->clock_error_ns, 0);
  const auto now = [] { return clock::sources::CpuClock::now().v; };
  for (int i = 0; i < 10; ++i) {
    publish();
    const std::uint64_t start = now();
    base::sleep_ns(100'000);
    kernel_.queue(0, 8, base::monotonic_ns());
    base::sleep_ns(300'000);
    kernel_.done(0, 8, base::monotonic_ns());
    base::sleep_ns(1'000'000);
    recorder_->take(0, io::Dir::read, start, now(), true);
  }
  recorder_->end();
  EXPECT_GT(record_->clock_error_ns, 0);
  EXPECT_EQ(reads().joined, 10u);
  EXPECT_EQ(sum_of_parts(), reads().whole.moments.sum + reads().outside_ns);
  EXPECT_GE(part(Part::submit).moments.min(), 90'000u);
  EXPECT_GE(part(Part::device).moments.min(), 290'000u);
  EXPECT_GE(part(Part::completion).moments.min(), 990'000u);
}

TEST_F(RecorderParts, OnlyIosThatNobodySawAreUncovered) {
  publish();
  kernel_.queue(0, 8, kStart + 100);
  take();
  EXPECT_EQ(reads().undivided[static_cast<std::size_t>(Undivided::lost)].ios, 1u);
  EXPECT_EQ(reads().uncovered.moments.n, 0u);
}

}  // namespace
}  // namespace fathom::split
