// Through the page cache: waiting for pages that were on their way already, by what has come back meanwhile at the same
// place; a write that waits for write-back; and reading what was never written.
#include <gtest/gtest.h>

#include "split/one_worker.h"

namespace fathom::split {
namespace {

using result::Part;
using result::Undivided;
using testing::kDisk;
using testing::kFirstSector;
using testing::kOtherDisk;
using testing::kStart;
using testing::OneWorker;
using testing::Sums;

constexpr testing::Kind kBuffered{.direct = false};

// A buffered read of sectors 0 to 7 of its device for which nothing is queued, and one read ahead.
Sums read_beside(std::uint64_t sector, std::uint32_t sectors, std::uint64_t end_ns, std::uint32_t dev = kDisk) {
  OneWorker worker(kBuffered);
  worker.publish();
  worker.kernel.read_ahead(dev, kFirstSector + sector, sectors, end_ns);
  worker.take();
  worker.recorder.end();
  EXPECT_EQ(worker.of(io::Dir::read).ios, 1u);
  EXPECT_EQ(worker.undivided(Undivided::no_request) + worker.of(io::Dir::read).joined, 1u);
  return worker.sums();
}
const Sums kWaited{{"ahead", 600}, {"completion", 400}};

TEST(RecorderCache, AReadWaitsForPagesThatAreOnTheirWay) {
  EXPECT_EQ(read_beside(0, 8, kStart + 600), kWaited);
  EXPECT_EQ(read_beside(0, 1000, kStart + 600), kWaited);
}

TEST(RecorderCache, WhateverMeetsTheReadIsWaitedFor) {
  const std::uint64_t before = ~std::uint64_t{0};  // minus one
  EXPECT_EQ(read_beside(7, 8, kStart + 600), kWaited) << "its last sector";
  EXPECT_EQ(read_beside(before, 2, kStart + 600), kWaited) << "its first sector";
  EXPECT_EQ(read_beside(8, 8, kStart + 600), Sums{}) << "behind it";
  EXPECT_EQ(read_beside(before, 1, kStart + 600), Sums{}) << "before it";
}

TEST(RecorderCache, OfAnotherDiskNothingIsWaitedFor) { EXPECT_EQ(read_beside(0, 8, kStart + 600, kOtherDisk), Sums{}); }

TEST(RecorderCache, OnlyWhatEndsMeanwhileIsWaitedFor) {
  EXPECT_EQ(read_beside(0, 8, kStart - 1), Sums{}) << "it was there";
  EXPECT_EQ(read_beside(0, 8, kStart + 1001), Sums{}) << "it is not there yet";
  EXPECT_EQ(read_beside(0, 8, kStart + 1000), (Sums{{"ahead", 1000}, {"completion", 0}}));
}

TEST(RecorderCache, WhatWasThereBeforeItWasPublishedIsNotLookedAt) {
  OneWorker worker(kBuffered);
  worker.kernel.read_ahead(kDisk, kFirstSector, 8, kStart + 600);
  worker.publish();
  worker.take();
  EXPECT_EQ(worker.undivided(Undivided::no_request), 1u);
}

TEST(RecorderCache, OfSeveralTheLastThatComesBackIsWaitedFor) {
  OneWorker worker(kBuffered);
  worker.publish();
  worker.kernel.read_ahead(kDisk, kFirstSector + 4, 4, kStart + 600);
  worker.kernel.read_ahead(kDisk, kFirstSector, 4, kStart + 300);
  worker.take();
  worker.recorder.end();
  EXPECT_EQ(worker.sums(), kWaited);
}

// 256 are kept.
TEST(RecorderCache, OfMoreThanAreKeptTheOldestAreNotFound) {
  for (const unsigned others : {kAheads - 1u, kAheads + 0u}) {
    OneWorker worker(kBuffered);
    worker.kernel.past().aheads = 1000;
    worker.publish();
    worker.kernel.read_ahead(kDisk, kFirstSector, 8, kStart + 600);
    for (unsigned i = 0; i < others; ++i) worker.kernel.read_ahead(kDisk, 1 << 20, 8, kStart + 700);
    worker.take();
    worker.recorder.end();
    EXPECT_EQ(worker.sums(), others < kAheads ? kWaited : Sums{}) << others;
  }
}

TEST(RecorderCache, FarMoreThanAreKeptAreLookedThroughOnce) {
  OneWorker worker(kBuffered);
  worker.publish();
  for (unsigned i = 0; i < 3 * kAheads + 7; ++i) worker.kernel.read_ahead(kDisk, 1 << 20, 8, kStart + 500);
  worker.kernel.read_ahead(kDisk, kFirstSector, 8, kStart + 600);
  worker.take();
  worker.recorder.end();
  EXPECT_EQ(worker.sums(), kWaited);
}

// Half of it was queued by its own task, and the other half was on its way.
TEST(RecorderCache, AReadThatIsPartlyQueuedWaitsForTheRestBehindItsOwn) {
  for (const bool later : {true, false}) {
    OneWorker worker(kBuffered);
    worker.publish();
    worker.kernel.queue(0, 4, kStart + 100);
    worker.kernel.issue(0, kStart + 200);
    worker.kernel.done(0, 4, kStart + 600);
    worker.kernel.read_ahead(kDisk, kFirstSector + 4, 4, kStart + (later ? 750 : 550));
    worker.take();
    worker.recorder.end();
    Sums wanted{{"submit", 100}, {"queue", 100}, {"device", 400}, {"completion", 400}};
    if (later) wanted["ahead"] = 150, wanted["completion"] = 250;
    EXPECT_EQ(worker.sums(), wanted);
  }
}

TEST(RecorderCache, EachPieceOfAReadMayBeWaitedFor) {
  OneWorker worker(kBuffered, {PlaceMap::file(kDisk, {{0, 2048, 80'000}, {2048, 2048, 500}})});
  worker.publish();
  worker.kernel.read_ahead(kDisk, 503, 8, kStart + 600);
  worker.take();
  worker.recorder.end();
  EXPECT_EQ(worker.sums(), kWaited);
}

TEST(RecorderCache, AnIoWithoutAPlaceWaitsForNothingThatIsKnown) {
  OneWorker worker(kBuffered, {PlaceMap()});
  worker.publish();
  worker.kernel.read_ahead(kDisk, 0, 1 << 30, kStart + 600);
  worker.take();
  EXPECT_EQ(worker.undivided(Undivided::no_request), 1u);
}

TEST(RecorderCache, ADirectReadWaitsForNoReadAhead) {
  OneWorker worker;
  worker.publish();
  worker.kernel.read_ahead(kDisk, kFirstSector, 8, kStart + 600);
  worker.take();
  EXPECT_EQ(worker.undivided(Undivided::unknown), 1u);
  worker.publish();
  worker.kernel.queue(0, 8, kStart + 100);
  worker.kernel.done(0, 8, kStart + 400);
  worker.kernel.read_ahead(kDisk, kFirstSector, 8, kStart + 600);
  worker.take();
  worker.recorder.end();
  EXPECT_EQ(worker.n(Part::ahead), 0u);
}

// Its events lie behind the next I/O's start, whose wait for a CPU it is not.
TEST(RecorderCache, AReadThatQueuedNothingIsNotDividedByTheNext) {
  OneWorker worker(kBuffered);
  worker.publish();
  worker.kernel.read_ahead(kDisk, kFirstSector, 8, kStart + 600);
  worker.take();
  worker.publish();
  worker.kernel.queue(0, 8, kStart + 100);
  worker.kernel.done(0, 8, kStart + 1000);
  worker.kernel.waited(0, 1000, 1000);
  worker.take();
  worker.recorder.end();
  EXPECT_EQ(worker.n(Part::cpu), 0u);
}

TEST(RecorderCache, AWriteThatIsThrottledWaitsForWriteBack) {
  OneWorker worker(kBuffered);
  worker.publish(0, io::Dir::write);
  worker.kernel.throttled(0, kStart + 100);
  worker.take(0, io::Dir::write);
  worker.recorder.end();
  EXPECT_EQ(worker.sums(io::Dir::write), (Sums{{"submit", 100}, {"dirty", 900}}));
  EXPECT_EQ(worker.of(io::Dir::write).joined, 1u);
}

// A write of a part of a page reads that first.
TEST(RecorderCache, AWriteMayWaitForAPageAndThenForWriteBack) {
  OneWorker worker(kBuffered);
  worker.publish(0, io::Dir::write);
  worker.kernel.read_ahead(kDisk, kFirstSector, 8, kStart + 300);
  worker.kernel.throttled(0, kStart + 350);
  worker.take(0, io::Dir::write);
  worker.recorder.end();
  EXPECT_EQ(worker.sums(io::Dir::write), (Sums{{"ahead", 300}, {"submit", 50}, {"dirty", 650}}));
}

TEST(RecorderCache, AWriteThatFitsIntoTheCacheMakesNoRequest) {
  OneWorker worker(kBuffered);
  worker.publish(0, io::Dir::write);
  worker.take(0, io::Dir::write);
  worker.recorder.end();
  EXPECT_EQ(worker.undivided(Undivided::no_request, io::Dir::write), 1u);
  EXPECT_EQ(worker.sums(io::Dir::write), Sums{});
}

// Whose is what, of two at the same place, is not known of these either.
// Whoever writes its pages back meanwhile: it does not wait for that.
TEST(RecorderCache, ABufferedWriteIsFoundByItsTaskOnly) {
  OneWorker worker({.slots = 2, .direct = false}, {PlaceMap::device(kDisk, 0)});
  for (const std::uint32_t slot : {0u, 1u})
    worker.recorder.publish(slot, {.offset = 0, .length = 4096, .dir = io::Dir::write});
  EXPECT_EQ(worker.kernel.entries(), 0u);
  worker.kernel.throttled(0, kStart + 100);
  worker.take(0, io::Dir::write);
  EXPECT_EQ(worker.undivided(Undivided::contested, io::Dir::write), 0u);
}

TEST(RecorderCache, ADirectReadOfWhatWasNeverWrittenMakesNoRequest) {
  OneWorker worker({}, {PlaceMap::file(kDisk, {{0, 1024, 800, true}}), PlaceMap::file(kDisk, {{0, 1024, 800, false}})});
  worker.publish();
  worker.take();
  EXPECT_EQ(worker.undivided(Undivided::no_request), 1u) << "reserved, and a hole behind";
  worker.publish(0, io::Dir::read, 1);
  worker.take();
  EXPECT_EQ(worker.undivided(Undivided::no_request), 1u) << "its first sectors were written";
  worker.publish(0, io::Dir::write);
  worker.take(0, io::Dir::write);
  EXPECT_EQ(worker.undivided(Undivided::no_request, io::Dir::write), 0u) << "a write is never answered so";
}

// The map is older than what was written since.
TEST(RecorderCache, ADirectReadOfWhatWasNeverWrittenIsDividedWhereItMakesARequest) {
  OneWorker worker({}, {PlaceMap::file(kDisk, {{0, 4096, 800, true}})});
  worker.publish();
  worker.kernel.queue(0, 8, kStart + 100);
  worker.kernel.done(0, 8, kStart + 400);
  worker.take();
  worker.recorder.end();
  EXPECT_EQ(worker.sums(), (Sums{{"submit", 100}, {"device", 300}, {"completion", 600}}));
}

}  // namespace
}  // namespace fathom::split
