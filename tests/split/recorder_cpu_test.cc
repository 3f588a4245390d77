// Waiting for a tag, and for a CPU: of an I/O that is back it is told by the next of its loop how long its task waited
// for a CPU meanwhile; and no I/O is lost or divided twice while it waits to be told.
#include <gtest/gtest.h>

#include "split/one_worker.h"

namespace fathom::split {
namespace {

using result::Part;
using result::Undivided;
using testing::kStart;
using testing::OneWorker;
using testing::Sums;

constexpr Sums::mapped_type kUnit_ns = 1 << kDelayUnit_shift;

// A way back in which its task may have waited: it is taken 2300 ns after its data is back.
struct SlowWay : OneWorker {
  explicit SlowWay(const testing::Kind& kind = {}) : OneWorker(kind) { whole_ns = 3000; }
};

// Its data is back 700 ns after its start.
void on_its_way(OneWorker& worker, std::uint32_t slot, unsigned at_queue, unsigned at_done,
                unsigned flags = kByOwnTask) {
  worker.kernel.queue(slot, 8, kStart + 100, flags);
  worker.kernel.request(slot, kStart + 120);
  worker.kernel.issue(slot, kStart + 250);
  worker.kernel.done(slot, 8, kStart + 700);
  worker.kernel.waited(slot, at_queue, at_done);
}
void one_io(OneWorker& worker, unsigned at_queue, unsigned at_done, unsigned flags = kByOwnTask) {
  worker.publish();
  on_its_way(worker, 0, at_queue, at_done, flags);
  worker.take();
}

TEST(RecorderCpu, WaitingForATagIsAPartBeforeTheQueue) {
  SlowWay worker;
  one_io(worker, 0, 0);
  worker.recorder.end();
  EXPECT_EQ(worker.sums(),
            (Sums{{"submit", 100}, {"tags", 20}, {"queue", 130}, {"device", 450}, {"completion", 2300}}));
}

// A device may have tags and tell nothing of its queue, and a bio that was merged never gets a request.
TEST(RecorderCpu, TagsAndQueueAreThereEachByItsOwnMoment) {
  SlowWay worker;
  worker.publish();
  worker.kernel.queue(0, 8, kStart + 100);
  worker.kernel.request(0, kStart + 120);
  worker.kernel.done(0, 8, kStart + 700);
  worker.take();
  worker.recorder.end();
  EXPECT_EQ(worker.sums(), (Sums{{"submit", 100}, {"tags", 20}, {"device", 580}, {"completion", 2300}}));
}

TEST(RecorderCpu, IsWhatWasAddedUntilTheNextIsQueued) {
  SlowWay worker;
  one_io(worker, 5, 10);
  EXPECT_EQ(worker.of(io::Dir::read).ios, 0u) << "it is not known yet";
  one_io(worker, 20, 20);
  EXPECT_EQ(worker.of(io::Dir::read).ios, 1u);
  EXPECT_EQ(worker.sums(), (Sums{{"submit", 100},
                                 {"tags", 20},
                                 {"queue", 130},
                                 {"device", 450},
                                 {"completion", 2300 - 10 * kUnit_ns},
                                 {"cpu", 10 * kUnit_ns}}));
}

TEST(RecorderCpu, IsNoMoreThanTheWayBack) {
  SlowWay worker;
  one_io(worker, 0, 10);
  one_io(worker, 1000, 1000);
  EXPECT_EQ(worker.sums()["cpu"], 2300u);
  EXPECT_EQ(worker.sums()["completion"], 0u);
  EXPECT_EQ(worker.n(Part::completion), 1u);
}

TEST(RecorderCpu, IsNoneWhereNothingWasAdded) {
  SlowWay worker;
  one_io(worker, 10, 10);
  one_io(worker, 10, 10);
  EXPECT_EQ(worker.n(Part::cpu), 0u);
  EXPECT_EQ(worker.sums()["completion"], 2300u);
}

// Four of 2^32 units before they begin anew, and six behind.
TEST(RecorderCpu, IsRightWhereItsCounterBeginsAnew) {
  SlowWay worker;
  one_io(worker, 0, 0xFFFF'FFFC);
  one_io(worker, 6, 6);
  EXPECT_EQ(worker.sums()["cpu"], 10 * kUnit_ns);
}

TEST(RecorderCpu, IsNotKnownWhereAnotherTaskQueuedEither) {
  for (const unsigned other : {unsigned{kByWorker}, unsigned{kByKernel}, 0u})
    for (const bool first : {true, false}) {
      SlowWay worker;
      one_io(worker, 10, 10, first ? other : unsigned{kByOwnTask});
      one_io(worker, 20, 20, first ? unsigned{kByOwnTask} : other);
      EXPECT_EQ(worker.of(io::Dir::read).ios, 1u);
      EXPECT_EQ(worker.n(Part::cpu), 0u) << other << first;
      EXPECT_EQ(worker.sums()["completion"], 2300u);
    }
}

// The time in which nothing of the loop was seen is not any I/O's but the one's before.
TEST(RecorderCpu, IsToldByTheNextAloneAndOfTheOneBeforeAlone) {
  SlowWay worker;
  one_io(worker, 0, 10);
  one_io(worker, 11, 15);
  one_io(worker, 18, 20);
  worker.recorder.end();
  EXPECT_EQ(worker.n(Part::cpu), 2u);
  EXPECT_EQ(worker.sums()["cpu"], (1 + 3) * kUnit_ns);
  EXPECT_EQ(worker.of(io::Dir::read).joined, 3u);
  EXPECT_EQ(worker.of(io::Dir::read).whole.moments.sum, 9000u);
}

TEST(RecorderCpu, IsToldOfThoseThatWereBackBeforeTheTellerWasPublished) {
  SlowWay worker({.slots = 3});
  worker.publish(0);
  worker.publish(1);
  on_its_way(worker, 0, 0, 10);
  worker.take(0);
  worker.publish(2);
  on_its_way(worker, 1, 0, 11);
  worker.take(1);
  on_its_way(worker, 2, 12, 13);
  worker.take(2);
  EXPECT_EQ(worker.of(io::Dir::read).ios, 1u) << "the second was back later than the teller was on its way";
  EXPECT_EQ(worker.sums()["cpu"], 2 * kUnit_ns);
  worker.publish(0);
  on_its_way(worker, 0, 16, 16);
  worker.take(0);
  EXPECT_EQ(worker.of(io::Dir::read).ios, 3u);
  EXPECT_EQ(worker.sums()["cpu"], (2 + 5 + 3) * kUnit_ns) << "each from its own data on";
}

// Whichever of those that were published afterwards is back first: another may be at the disk for long.
TEST(RecorderCpu, TheTellerIsTheFirstThatIsBack) {
  SlowWay worker({.slots = 3});
  worker.publish(0);
  on_its_way(worker, 0, 0, 10);
  worker.take(0);
  worker.publish(1);
  worker.publish(2);
  on_its_way(worker, 2, 13, 13);
  worker.take(2);
  EXPECT_EQ(worker.of(io::Dir::read).ios, 1u);
  EXPECT_EQ(worker.sums()["cpu"], 3 * kUnit_ns);
  on_its_way(worker, 1, 12, 12);
  worker.take(1);
  EXPECT_EQ(worker.of(io::Dir::read).ios, 1u) << "the second teller was on its way before the first was back";
  EXPECT_EQ(worker.sums()["cpu"], 3 * kUnit_ns);
}

// A loop that was kept from its CPU finds all of them done, and queues each slot's next before it takes the next slot's.
TEST(RecorderCpu, OfABatchEachIsTold) {
  constexpr std::uint32_t kSlots = 4;
  SlowWay worker({.slots = kSlots});
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) worker.publish(slot);
  for (unsigned turn = 0; turn < 5; ++turn)
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      on_its_way(worker, slot, 10 * turn, 10 * turn);
      worker.take(slot);
      worker.publish(slot);
    }
  EXPECT_EQ(worker.of(io::Dir::read).ios, 4 * kSlots);
  EXPECT_EQ(worker.n(Part::cpu), 4 * kSlots);
  EXPECT_EQ(worker.sums()["cpu"], 4 * kSlots * 10 * kUnit_ns);
}

// No other task can have been let on meanwhile, and what is added later is not this one's.
TEST(RecorderCpu, OfAShortWayBackNothingIsWaitedFor) {
  OneWorker worker;
  one_io(worker, 0, 10);
  EXPECT_EQ(worker.of(io::Dir::read).ios, 1u) << "it is divided at once";
  one_io(worker, 1000, 1000);
  EXPECT_EQ(worker.of(io::Dir::read).ios, 2u);
  EXPECT_EQ(worker.n(Part::cpu), 0u);
}

// One that is divided at once tells of those that were not.
TEST(RecorderCpu, AnIoWithAShortWayBackTells) {
  SlowWay worker;
  one_io(worker, 0, 10);
  worker.whole_ns = 1000;
  one_io(worker, 14, 14);
  EXPECT_EQ(worker.of(io::Dir::read).ios, 2u);
  EXPECT_EQ(worker.sums()["cpu"], 4 * kUnit_ns);
}

TEST(RecorderCpu, IsNotKnownOfTheLast) {
  SlowWay worker({.slots = 2});
  for (const std::uint32_t slot : {0u, 1u}) worker.publish(slot);
  for (const std::uint32_t slot : {0u, 1u}) {
    on_its_way(worker, slot, 10, 10 + slot);
    worker.take(slot);
  }
  worker.recorder.end();
  EXPECT_EQ(worker.of(io::Dir::read).ios, 2u);
  EXPECT_EQ(worker.n(Part::cpu), 0u);
  worker.recorder.end();
  EXPECT_EQ(worker.of(io::Dir::read).ios, 2u) << "once is enough";
}

TEST(RecorderCpu, ARecorderThatGoesDividesWhatIsLeft) {
  SlowWay worker;
  one_io(worker, 0, 0);
  {
    const Recorder gone = std::move(worker.recorder);
    EXPECT_EQ(worker.of(io::Dir::read).ios, 0u);
  }
  EXPECT_EQ(worker.of(io::Dir::read).ios, 1u);
}

TEST(RecorderCpu, AnIoThatIsNotWatchedTellsNothingAndEndsTheWaiting) {
  SlowWay worker;
  one_io(worker, 0, 10);
  worker.watch(false);
  worker.publish();
  EXPECT_EQ(worker.of(io::Dir::read).ios, 0u);
  worker.take();
  EXPECT_EQ(worker.of(io::Dir::read).ios, 1u);
  worker.watch(true);
  one_io(worker, 1000, 1000);
  worker.recorder.end();
  EXPECT_EQ(worker.of(io::Dir::read).ios, 2u);
  EXPECT_EQ(worker.n(Part::cpu), 0u);
  EXPECT_EQ(worker.of(io::Dir::read).others.moments.n, 1u);
}

// While the one that is to tell is at the disk others come and go.
TEST(RecorderCpu, MoreThanThereIsRoomForAreDividedWithoutIt) {
  SlowWay worker({.slots = 2});
  worker.publish(1);
  on_its_way(worker, 1, 0, 10);
  worker.take(1);
  worker.publish(0);
  for (std::uint64_t others = 1; others <= 12; ++others) {
    worker.publish(1);
    on_its_way(worker, 1, 20, 20);
    worker.take(1);
  }
  on_its_way(worker, 0, 50, 50);
  worker.take(0);
  worker.recorder.end();
  const auto& reads = worker.of(io::Dir::read);
  EXPECT_EQ(reads.ios, 14u);
  EXPECT_EQ(reads.joined, 14u);
  EXPECT_EQ(reads.whole.moments.sum, 42'000u);
  EXPECT_EQ(worker.n(Part::completion), 14u);
}

TEST(RecorderCpu, AnIoThatDoesNotCountTellsNothingAndEndsTheWaiting) {
  SlowWay worker;
  one_io(worker, 0, 10);
  worker.publish();
  on_its_way(worker, 0, 20, 20);
  worker.take(0, io::Dir::read, false);
  EXPECT_EQ(worker.of(io::Dir::read).ios, 1u);
  one_io(worker, 1000, 1000);
  worker.recorder.end();
  EXPECT_EQ(worker.of(io::Dir::read).ios, 2u);
  EXPECT_EQ(worker.n(Part::cpu), 0u);
}

TEST(RecorderCpu, ATellerWithoutPartsTellsNothing) {
  SlowWay worker;
  one_io(worker, 0, 10);
  worker.publish();
  worker.kernel.queue(0, 8, kStart + 100);
  worker.kernel.waited(0, 1000, 1000);
  worker.take();
  EXPECT_EQ(worker.undivided(Undivided::lost), 1u);
  EXPECT_EQ(worker.of(io::Dir::read).joined, 1u);
  EXPECT_EQ(worker.n(Part::cpu), 0u);
  one_io(worker, 1000, 1000);
  worker.recorder.end();
  EXPECT_EQ(worker.of(io::Dir::read).joined, 2u);
  EXPECT_EQ(worker.n(Part::cpu), 0u);
}

TEST(RecorderCpu, AnIoOfAnotherDirectionTellsToo) {
  SlowWay worker;
  one_io(worker, 0, 10);
  worker.publish(0, io::Dir::write);
  on_its_way(worker, 0, 14, 14);
  worker.take(0, io::Dir::write);
  worker.recorder.end();
  EXPECT_EQ(worker.sums()["cpu"], 4 * kUnit_ns);
  EXPECT_EQ(worker.of(io::Dir::write).joined, 1u);
  EXPECT_EQ(worker.n(Part::cpu, io::Dir::write), 0u);
}

TEST(RecorderCpu, FollowsTheFlushOfAWrite) {
  SlowWay worker;
  worker.publish();
  on_its_way(worker, 0, 0, 10);
  worker.kernel.flushed(0, kStart + 2950);
  worker.take();
  one_io(worker, 12, 12);
  EXPECT_EQ(worker.sums()["flush"], 2250u);
  EXPECT_EQ(worker.sums()["cpu"], 2 * kUnit_ns);
  EXPECT_EQ(worker.sums()["completion"], 50 - 2 * kUnit_ns);
}

// A moment behind the reap is the clocks' error; what is left of the way back is nothing.
TEST(RecorderCpu, IsNoneWhereTheDataIsBackBehindTheReap) {
  SlowWay worker;
  worker.publish();
  worker.kernel.queue(0, 8, kStart + 100);
  worker.kernel.done(0, 8, kStart + 3040);
  worker.kernel.waited(0, 0, 10);
  worker.take();
  one_io(worker, 12, 12);
  EXPECT_EQ(worker.n(Part::cpu), 0u);
  EXPECT_EQ(worker.of(io::Dir::read).outside_ns, 40u);
}

// Of the thread that runs the test the kernel knows how long it has waited; the programs have seen it when it was less.
struct AskedWorker : OneWorker {
  static constexpr std::uint32_t kUnits = 1000;

  AskedWorker() : OneWorker({.waits = true}) {
    recorder.follow_this_task(true);
    whole_ns = 700 + kWorthAsking_ns;
    own.open();
  }
  // As many units ago; what the thread waits until it is asked comes on top.
  std::uint32_t before(std::uint32_t units) const {
    return static_cast<std::uint32_t>(own.now_ns().value() >> kDelayUnit_shift) - units;
  }

  base::system::OwnWait own;
};

TEST(RecorderCpu, OfALongWayBackIsAskedOfTheKernelAtOnce) {
  AskedWorker worker;
  const std::uint32_t begin = worker.before(AskedWorker::kUnits);
  one_io(worker, begin, begin);
  const std::uint64_t most = (worker.before(0) - begin) * kUnit_ns;
  EXPECT_EQ(worker.of(io::Dir::read).ios, 1u) << "no next one is waited for";
  EXPECT_GE(worker.sums()["cpu"], AskedWorker::kUnits * kUnit_ns);
  EXPECT_LE(worker.sums()["cpu"], std::min(most, kWorthAsking_ns));
  EXPECT_EQ(worker.sums()["cpu"] + worker.sums()["completion"], kWorthAsking_ns);
}

TEST(RecorderCpu, OfALongWayBackIsKnownWhenTheSliceIsOver) {
  AskedWorker worker;
  const std::uint32_t begin = worker.before(AskedWorker::kUnits);
  worker.publish();
  worker.watch(false);
  on_its_way(worker, 0, begin, begin);
  worker.take();
  EXPECT_GE(worker.sums()["cpu"], AskedWorker::kUnits * kUnit_ns);
}

TEST(RecorderCpu, OfAShorterWayBackIsToldByTheNext) {
  AskedWorker worker;
  worker.whole_ns -= 1;
  const std::uint32_t begin = worker.before(AskedWorker::kUnits);
  one_io(worker, begin, begin);
  EXPECT_EQ(worker.of(io::Dir::read).ios, 0u);
  one_io(worker, begin + 10, begin + 10);
  EXPECT_EQ(worker.sums()["cpu"], 10 * kUnit_ns);
}

// The count is of the task that queued, and another's was not read.
TEST(RecorderCpu, OfWhatAnotherTaskQueuedTheKernelIsNotAsked) {
  AskedWorker worker;
  const std::uint32_t begin = worker.before(AskedWorker::kUnits);
  one_io(worker, begin, begin, kByWorker);
  worker.recorder.end();
  EXPECT_EQ(worker.of(io::Dir::read).ios, 1u);
  EXPECT_EQ(worker.n(Part::cpu), 0u);
}

}  // namespace
}  // namespace fathom::split
