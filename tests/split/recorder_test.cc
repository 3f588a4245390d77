// Publishing: what a kernel that looks up as the programs do finds of the I/Os in flight, and of those that are over
// nothing. Who is at the same sectors at the same time is marked. Parts are in recorder_parts_test.cc.
#include "split/recorder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/time.h"
#include "clock/sources/calibration.h"
#include "split/fake_kernel.h"
#include "split/one_worker.h"

namespace fathom::split {
namespace {

using result::Undivided;
using testing::FakeKernel;
using testing::kDisk;
using testing::kFirstSector;
using testing::kOtherDisk;

enum Target : std::uint16_t { kDevice, kFile, kOtherDevice, kUnplaced };

io::Request request(std::uint64_t offset, std::uint32_t length, std::uint16_t target = kDevice,
                    io::Dir dir = io::Dir::read) {
  return {.offset = offset, .length = length, .target = target, .dir = dir};
}

// A worker's own; its I/Os are watched.
struct Worker {
  Worker(FakeKernel& kernel, std::uint32_t first_slot, std::uint32_t slots, std::uint32_t way = 0, bool direct = true,
         bool alone = false)
      : recorder(kernel.region(),
                 {.first_slot = first_slot,
                  .slots = slots,
                  .maps = maps,
                  .record = record.get(),
                  .control = control.get(),
                  .direct = direct,
                  .way = way,
                  .alone = alone},
                 MonotonicLine(clock::sources::Source::clock_gettime, 1e9)) {
    control->slice = 1;
  }
  Worker(const Worker&) = delete;
  // As an I/O of 4 KiB at the start of a device that has no event is taken.
  void take(std::uint32_t slot, io::Dir dir = io::Dir::read) {
    recorder.take(slot, dir, 1000, 2000, true);
    recorder.end();
  }
  const DirectionSplit& reads() const { return record->dirs[0]; }
  std::uint64_t undivided(Undivided why) const { return reads().undivided[static_cast<std::size_t>(why)].ios; }

  std::vector<PlaceMap> maps{PlaceMap::device(kDisk, kFirstSector),
                             PlaceMap::file(kDisk, {{0, 4096, 80'000}, {4096, 4096, 90'000}, {8192, 4096, 70'000}}),
                             PlaceMap::device(kOtherDisk, kFirstSector), PlaceMap()};
  std::unique_ptr<SplitRecord> record = std::make_unique<SplitRecord>();
  std::unique_ptr<Control> control = std::make_unique<Control>();
  Recorder recorder;
};

TEST(Recorder, PublishesWhereAnIoGoes) {
  FakeKernel kernel;
  Worker worker(kernel, 2, 3);
  worker.recorder.publish(1, request(8192, 4096));
  const Published& p = kernel.line(3).published;
  EXPECT_NE(p.generation, 0u);
  EXPECT_EQ(p.dev, kDisk);
  EXPECT_EQ(p.sectors, 8u);
  ASSERT_EQ(p.pieces, 1u);
  EXPECT_EQ(p.piece[0].sector, kFirstSector + 16);
  EXPECT_EQ(p.piece[0].sectors, 8u);
  for (const std::uint32_t other : {0u, 1u, 2u, 4u}) EXPECT_EQ(kernel.line(other).published.generation, 0u) << other;
}

TEST(Recorder, APublishedIoIsFoundFromItsFirstSectorAndFromNoneOfAnother) {
  FakeKernel kernel;
  Worker worker(kernel, 2, 3);
  worker.recorder.publish(1, request(8192, 4096));
  const std::uint64_t first = kFirstSector + 16;
  EXPECT_EQ(kernel.slot_at(kDisk, first), 3u);
  EXPECT_EQ(kernel.slot_at(kDisk, first - 1), std::nullopt);
  EXPECT_EQ(kernel.slot_at(kDisk, first + 8), std::nullopt);
  EXPECT_EQ(kernel.slot_at(kOtherDisk, first), std::nullopt);
}

// The I/O in slot 0 is found from these sectors of the disk, and from none around them.
void expect_found(FakeKernel& kernel, std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t s = from - 4; s < to + 4; ++s)
    EXPECT_EQ(kernel.slot_at(kDisk, s), s >= from && s < to ? std::optional<std::uint32_t>(0) : std::nullopt) << s;
}

TEST(Recorder, ABufferedIoIsFoundFromEachSectorAlsoAcrossAGranuleBoundary) {
  for (const std::uint64_t offset : {0u, 512u, 2048u, 3584u, 4096u}) {
    FakeKernel kernel;
    Worker worker(kernel, 0, 1, 0, false);
    worker.recorder.publish(0, request(offset, 4096));
    expect_found(kernel, kFirstSector + offset / 512, kFirstSector + offset / 512 + 8);
    worker.take(0);
    EXPECT_EQ(kernel.entries(), 0u);
  }
}

TEST(Recorder, AnIoUpToAGranuleBoundaryIsInThatGranuleAlone) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 1, 0, false);
  worker.recorder.publish(0, request(2048, 2048));
  EXPECT_EQ(kernel.entries_of(0), 2u) << "by its first sector, and by one granule";
  worker.take(0);
  worker.recorder.publish(0, request(2048, 2048 + 512));
  EXPECT_EQ(kernel.entries_of(0), 3u);
}

TEST(Recorder, ALongIoIsFoundFromEachSector) {
  for (const std::uint32_t length : {(256u << 10) + 512, 512u << 10}) {
    FakeKernel kernel({.granule_shift = 10});
    Worker worker(kernel, 0, 1);
    worker.recorder.publish(0, request(1536, length));
    expect_found(kernel, kFirstSector + 3, kFirstSector + 3 + length / 512);
    worker.take(0);
    EXPECT_EQ(kernel.entries(), 0u);
  }
}

TEST(Recorder, AShortDirectIoHasOneEntry) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 1);
  for (const std::uint32_t length : {512u, 4096u, 256u << 10}) {
    worker.recorder.publish(0, request(2048, length));
    EXPECT_EQ(kernel.entries(), 1u) << length;
    EXPECT_EQ(kernel.slot_at(kDisk, kFirstSector + 4), 0u) << length;
  }
}

// Of a batch that follows one another all lie in few granules.
TEST(Recorder, ShortNeighboursAreAllFound) {
  FakeKernel kernel({.lines = 64, .granule_shift = 11});
  Worker worker(kernel, 0, 64);
  for (std::uint32_t slot = 0; slot < 64; ++slot)
    worker.recorder.publish(slot, request(slot * std::uint64_t{512}, 512));
  for (std::uint32_t slot = 0; slot < 64; ++slot) EXPECT_EQ(kernel.slot_at(kDisk, kFirstSector + slot), slot);
}

TEST(Recorder, AnIoInSeveralPiecesIsFoundFromEach) {
  for (const bool direct : {true, false}) {
    FakeKernel kernel({.granule_shift = 5});
    Worker worker(kernel, 0, 1, 0, direct);
    worker.recorder.publish(0, request(2048, 8192, kFile));
    EXPECT_EQ(kernel.line(0).published.pieces, 3u);
    EXPECT_EQ(kernel.line(0).published.sectors, 16u);
    for (const std::uint64_t s : {80'004u, 90'000u, 70'000u}) EXPECT_EQ(kernel.slot_at(kDisk, s), 0u) << s;
    for (const std::uint64_t s : {80'003u, 80'008u, 89'999u, 90'008u, 70'004u})
      EXPECT_EQ(kernel.slot_at(kDisk, s), std::nullopt) << s;
    if (direct) continue;
    for (const std::uint64_t s : {80'007u, 90'007u, 70'003u}) EXPECT_EQ(kernel.slot_at(kDisk, s), 0u) << s;
    worker.take(0);
    EXPECT_EQ(kernel.entries(), 0u);
  }
}

TEST(Recorder, PiecesOfOneIoInOneGranuleDoNotContestEachOther) {
  FakeKernel kernel({.granule_shift = 16});
  Worker worker(kernel, 0, 1, 0, false);
  worker.recorder.publish(0, request(0, 8192, kFile));
  EXPECT_EQ(kernel.slot_at(kDisk, 80'001), 0u);
  EXPECT_EQ(kernel.slot_at(kDisk, 90'001), 0u);
  EXPECT_EQ(kernel.line(0).seen.contested, 0u);
  worker.take(0);
  EXPECT_EQ(kernel.entries(), 0u);
}

TEST(Recorder, AnIoWithoutAPlaceIsPublishedAndNotInTheTable) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 1);
  worker.recorder.publish(0, request(0, 4096, kUnplaced));
  EXPECT_NE(kernel.line(0).published.generation, 0u);
  EXPECT_EQ(kernel.line(0).published.pieces, 0u);
  EXPECT_EQ(kernel.line(0).published.dev, 0u);
  EXPECT_EQ(kernel.entries(), 0u);
  worker.take(0);
  worker.recorder.publish(0, request(8192, 8192, kFile));
  EXPECT_EQ(kernel.line(0).published.pieces, 0u) << "its second half is a hole";
  EXPECT_EQ(kernel.line(0).published.dev, kDisk);
  EXPECT_EQ(kernel.entries(), 0u);
}

TEST(Recorder, AnIoThatIsTakenIsNotFoundAnyMore) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 2);
  worker.recorder.publish(0, request(2048, 4096));
  worker.recorder.publish(1, request(1 << 20, 4096));
  EXPECT_EQ(kernel.entries(), 2u);
  worker.take(0);
  EXPECT_EQ(kernel.line(0).published.generation, 0u);
  EXPECT_EQ(kernel.entries_of(0), 0u);
  EXPECT_EQ(kernel.slot_at(kDisk, kFirstSector + 4), std::nullopt);
  EXPECT_EQ(kernel.slot_at(kDisk, kFirstSector + 2048), 1u) << "the other still is";
  worker.take(1);
  EXPECT_EQ(kernel.entries(), 0u);
}

TEST(Recorder, AnIoThatFailedIsWithdrawnByTheNextOfItsSlot) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 1);
  worker.recorder.publish(0, request(2048, 4096));
  worker.recorder.publish(0, request(1 << 20, 4096));
  EXPECT_EQ(kernel.entries(), 1u);
  EXPECT_EQ(kernel.slot_at(kDisk, kFirstSector + 4), std::nullopt);
  EXPECT_EQ(kernel.slot_at(kDisk, kFirstSector + 2048), 0u);
}

TEST(Recorder, WhatTheKernelSawOfAnEarlierIoIsGone) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 1);
  worker.recorder.publish(0, request(0, 4096));
  kernel.queue(0, 8, 1100, kByWorker | kFlushFirst);
  kernel.issue(0, 1200);
  kernel.done(0, 8, 1300);
  kernel.flushed(0, 1400);
  worker.take(0);
  worker.recorder.publish(0, request(0, 4096));
  const Seen& seen = kernel.line(0).seen;
  EXPECT_EQ(seen.queue_ns + seen.issue_ns + seen.done_ns + seen.flush_ns + seen.balance, 0u);
  EXPECT_EQ(seen.flags + seen.contested, 0u);
}

TEST(Recorder, EachIoInFlightHasAGenerationOfItsOwnThatIsNeverZero) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 2);
  std::set<unsigned> met;
  for (int i = 0; i < 1000; ++i) {
    for (const std::uint32_t slot : {0u, 1u}) worker.recorder.publish(slot, request(1 << (12 + 4 * slot), 4096));
    for (const std::uint32_t slot : {0u, 1u}) {
      const unsigned generation = kernel.line(slot).published.generation;
      EXPECT_NE(generation, 0u);
      EXPECT_TRUE(met.insert(generation).second) << generation << " again";
      worker.take(slot);
      EXPECT_EQ(kernel.line(slot).published.generation, 0u);
    }
  }
}

// Any bio of its task is a sync's, and none that is found by its place.
TEST(Recorder, ASyncIsPublishedWithItsDiskAndNoPieces) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 1);
  for (const std::uint16_t target : {kDevice, kFile}) {
    worker.recorder.publish(0, request(0, 0, target, io::Dir::sync));
    const Published& p = kernel.line(0).published;
    EXPECT_NE(p.generation, 0u);
    EXPECT_EQ(p.dev, kDisk);
    EXPECT_EQ(p.pieces, 0u);
    EXPECT_EQ(p.sectors, 0u);
    EXPECT_EQ(kernel.entries(), 0u);
    worker.take(0, io::Dir::sync);
    EXPECT_EQ(kernel.line(0).published.generation, 0u);
  }
}

TEST(Recorder, ASyncWithdrawsWhatItsSlotHadBefore) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 1);
  worker.recorder.publish(0, request(0, 4096));
  const unsigned before = kernel.line(0).published.generation;
  worker.recorder.publish(0, request(0, 0, kDevice, io::Dir::sync));
  EXPECT_NE(kernel.line(0).published.generation, before);
  EXPECT_EQ(kernel.entries(), 0u);
}

// Offsets of 4 KiB blocks of the device that all are in the first bucket.
std::vector<std::uint64_t> crowded(unsigned place_bits, std::size_t n) {
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t offset = 0; offsets.size() < n; offset += 4096)
    if (place_hash(kDisk, kFirstSector + offset / 512) >> (64 - place_bits) == 0) offsets.push_back(offset);
  return offsets;
}

TEST(Recorder, AsManyIosAsABucketHasWaysAreFound) {
  FakeKernel kernel({.place_bits = 2});
  const auto offsets = crowded(2, kWays);
  for (const std::uint32_t way : {0u, 1u, 3u, 5u}) {
    Worker worker(kernel, 0, kWays, way, true, way % 2 == 0);
    for (std::uint32_t slot = 0; slot < kWays; ++slot) worker.recorder.publish(slot, request(offsets[slot], 4096));
    for (std::uint32_t slot = 0; slot < kWays; ++slot)
      EXPECT_EQ(kernel.slot_at(kDisk, kFirstSector + offsets[slot] / 512), slot) << "way " << way;
    for (std::uint32_t slot = 0; slot < kWays; ++slot) worker.take(slot);
    EXPECT_EQ(kernel.entries(), 0u) << "way " << way;
  }
}

void one_too_many(bool alone) {
  FakeKernel kernel({.place_bits = 2});
  const auto offsets = crowded(2, kWays + 1);
  Worker worker(kernel, 0, kWays + 1, 0, true, alone);
  for (std::uint32_t slot = 0; slot <= kWays; ++slot) worker.recorder.publish(slot, request(offsets[slot], 4096));
  std::vector<std::uint32_t> pushed_out;
  for (std::uint32_t slot = 0; slot <= kWays; ++slot)
    if (kernel.slot_at(kDisk, kFirstSector + offsets[slot] / 512) != slot) pushed_out.push_back(slot);
  ASSERT_EQ(pushed_out.size(), 1u);
  EXPECT_NE(pushed_out[0], kWays) << "it is not the last";
  worker.take(pushed_out[0]);
  EXPECT_EQ(kernel.entries(), unsigned{kWays}) << "it takes nothing of the others with it";
  EXPECT_EQ(kernel.slot_at(kDisk, kFirstSector + offsets[kWays] / 512), std::uint32_t{kWays});
  for (std::uint32_t slot = 0; slot <= kWays; ++slot)
    if (slot != pushed_out[0]) worker.take(slot);
  EXPECT_EQ(kernel.entries(), 0u);
}

TEST(Recorder, OneMoreThanABucketHasWaysPushesOneOutAndNoOther) { one_too_many(false); }
TEST(Recorder, AlsoWhereNoOtherWorkerWrites) { one_too_many(true); }

TEST(Recorder, WorkersBeginAtDifferentWaysOfABucket) {
  for (const std::uint32_t way : {0u, 2u, 7u}) {
    FakeKernel kernel;
    Worker worker(kernel, 0, 1, way);
    worker.recorder.publish(0, request(0, 4096));
    EXPECT_NE(kernel.bucket(place_hash(kDisk, kFirstSector)).way[way % kWays], 0u) << way;
  }
}

// Two I/Os of two workers, each with all its events; whether they are contested.
std::pair<bool, bool> contested(const io::Request& a, const io::Request& b, bool direct) {
  FakeKernel kernel({.granule_shift = 10});
  Worker first(kernel, 0, 2, 0, direct), second(kernel, 2, 2, 1, direct);
  first.recorder.publish(1, a);
  second.recorder.publish(0, b);
  for (const auto& [slot, length] : {std::pair{1u, a.length}, {2u, b.length}}) {
    kernel.queue(slot, length / 512, 1100);
    kernel.issue(slot, 1200);
    kernel.done(slot, length / 512, 1300);
  }
  first.take(1);
  second.take(0);
  for (const auto* worker : {&first, &second})
    EXPECT_EQ(worker->reads().joined + worker->undivided(Undivided::contested), 1u);
  EXPECT_EQ(kernel.entries(), 0u);
  return {first.undivided(Undivided::contested) == 1, second.undivided(Undivided::contested) == 1};
}
constexpr std::pair kBoth(true, true), kNeither(false, false);

TEST(Recorder, IosThatBeginAtTheSameSectorAreBothContested) {
  for (const bool direct : {true, false}) {
    EXPECT_EQ(contested(request(0, 4096), request(0, 4096), direct), kBoth);
    EXPECT_EQ(contested(request(8192, 4096), request(8192, 32768), direct), kBoth);
    EXPECT_EQ(contested(request(4096, 512, kFile), request(0, 12288, kFile), direct), kBoth) << "a second piece";
    EXPECT_EQ(contested(request(0, 12288, kFile), request(8192, 512, kFile), direct), kBoth) << "a third";
  }
}

// It entered, was given the other's bio, and has not looked around yet when the other is back.
TEST(Recorder, WhoHasOnlyEnteredAtTheSameSectorsIsSeenByWhomItTakesABioFrom) {
  FakeKernel kernel;
  Worker first(kernel, 0, 2), second(kernel, 2, 2, 1);
  first.recorder.publish(1, request(0, 4096));
  const std::uint64_t hash = place_hash(kDisk, kFirstSector);
  kernel.region().lines[2].published = {7, kDisk, 8, 1, {{kFirstSector, 8, 0}}};
  kernel.bucket(hash).way[1] = std::uint64_t{place_tag(hash)} << 32 | 2;
  kernel.queue(2, 8, 1100);
  kernel.done(2, 8, 1300);
  first.take(1);
  EXPECT_EQ(first.undivided(Undivided::contested), 1u);
  EXPECT_EQ(kernel.line(2).seen.contested, 1u);
}

// A program that still holds a slot by what stood in the table before may choose its next I/O as soon as that has a
// generation. Whose bio that was must find it in the table by then, however long its loop is kept.
TEST(Recorder, AnIoThatMayBeChosenStandsInTheTableAlready) {
  for (const bool alone : {false, true}) {
    FakeKernel kernel;
    Worker worker(kernel, 0, 1, 0, true, alone);
    Region region = kernel.region();
    const std::uint64_t hash = place_hash(kDisk, kFirstSector);
    std::atomic<bool> over = false;
    std::atomic<std::uint64_t> chosen = 0, unseen = 0;
    std::thread program([&] {
      const auto generation = [&] { return std::atomic_ref(region.lines[0].published.generation).load(); };
      while (!over) {
        const unsigned before = generation();
        if (before == 0) continue;
        const auto way = std::atomic_ref(kernel.bucket(hash).way[0]).load();
        if (generation() != before) continue;
        ++chosen;
        unseen += way == 0;
      }
    });
    const auto begin_ns = base::monotonic_ns();
    const auto lasts = [&](std::uint64_t ns) { return base::monotonic_ns() < begin_ns + ns; };
    while (lasts(200'000'000) || (chosen == 0 && lasts(20'000'000'000))) {  // the other thread may wait for a CPU
      worker.recorder.publish(0, request(0, 4096));
      worker.recorder.take(0, io::Dir::read, 1000, 2000, false);
    }
    over = true;
    program.join();
    EXPECT_GT(chosen, 0u);
    EXPECT_EQ(unseen, 0u) << "of " << chosen;
  }
}

TEST(Recorder, BufferedAndLongIosThatMeetAnywhereAreBothContested) {
  EXPECT_EQ(contested(request(8192, 4096), request(0, 32768), false), kBoth) << "inside";
  EXPECT_EQ(contested(request(0, 4096), request(3584, 4096), false), kBoth) << "by one sector";
  EXPECT_EQ(contested(request(3584, 4096), request(0, 4096), false), kBoth) << "by one sector";
  EXPECT_EQ(contested(request(0, 12288, kFile), request(7680, 512, kFile), false), kBoth) << "in a second piece";
  EXPECT_EQ(contested(request(7680, 512, kFile), request(0, 12288, kFile), false), kBoth) << "in a second piece";
  constexpr std::uint32_t kLong = 512 << 10;
  EXPECT_EQ(contested(request(0, kLong), request(kLong - 512, kLong), true), kBoth);
  EXPECT_EQ(contested(request(kLong - 512, kLong), request(0, kLong), true), kBoth);
}

// Each of their bios begins at a sector of its own.
TEST(Recorder, ShortDirectIosThatBeginElsewhereAreToldApartWhereTheyMeet) {
  EXPECT_EQ(contested(request(0, 4096), request(3584, 4096), true), kNeither);
  FakeKernel kernel;
  Worker worker(kernel, 0, 2);
  worker.recorder.publish(0, request(0, 4096));
  worker.recorder.publish(1, request(3584, 4096));
  EXPECT_EQ(kernel.slot_at(kDisk, kFirstSector), 0u);
  EXPECT_EQ(kernel.slot_at(kDisk, kFirstSector + 7), 1u);
}

TEST(Recorder, NeighboursInOneGranuleAreNotContested) {
  constexpr std::uint32_t kLong = 512 << 10;
  for (const bool direct : {true, false}) {
    EXPECT_EQ(contested(request(0, 4096), request(4096, 4096), direct), kNeither);
    EXPECT_EQ(contested(request(4096, 4096), request(0, 4096), direct), kNeither);
    EXPECT_EQ(contested(request(0, 512), request(1024, 512), direct), kNeither);
    EXPECT_EQ(contested(request(0, 4096, kFile), request(4096, 8192, kFile), direct), kNeither);
    EXPECT_EQ(contested(request(4096, kLong), request(4096 + kLong, kLong), direct), kNeither);
  }
}

// Also where their places have one hash, so that each meets the other.
TEST(Recorder, TheSameSectorsOfAnotherDiskAreNotContested) {
  EXPECT_EQ(contested(request(0, 4096), request(0, 4096, kOtherDevice), false), kNeither);
  FakeKernel kernel;
  Worker worker(kernel, 0, 2);
  worker.recorder.publish(0, request(0, 4096, kOtherDevice));
  const std::uint64_t hash = place_hash(kDisk, kFirstSector);
  kernel.bucket(hash).way[2] = std::uint64_t{place_tag(hash)} << 32 | 0;
  worker.recorder.publish(1, request(0, 4096));
  EXPECT_EQ(kernel.line(0).seen.contested + kernel.line(1).seen.contested, 0u);
}

TEST(Recorder, IosAtTheSameSectorsOneAfterTheOtherAreNotContested) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 2);
  for (const std::uint32_t slot : {0u, 1u, 0u}) {
    worker.recorder.publish(slot, request(0, 4096));
    EXPECT_EQ(kernel.line(slot).seen.contested, 0u);
    worker.take(slot);
  }
  EXPECT_EQ(worker.undivided(Undivided::contested), 0u);
}

TEST(Recorder, TwoOfOneWorkerAreContestedAndTheNextOfTheirSlotsAreNot) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 2);
  for (const std::uint32_t slot : {0u, 1u}) worker.recorder.publish(slot, request(0, 4096));
  EXPECT_EQ(kernel.line(0).seen.contested, 1u);
  EXPECT_EQ(kernel.line(1).seen.contested, 1u);
  for (const std::uint32_t slot : {0u, 1u}) worker.take(slot);
  EXPECT_EQ(worker.undivided(Undivided::contested), 2u);
  for (const std::uint32_t slot : {0u, 1u}) worker.recorder.publish(slot, request(slot * std::uint64_t{4096}, 4096));
  EXPECT_EQ(kernel.line(0).seen.contested + kernel.line(1).seen.contested, 0u);
}

TEST(Recorder, AnEntryOfASlotThatThereIsNotIsPassedOver) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 1);
  const std::uint64_t hash = place_hash(kDisk, kFirstSector);
  kernel.bucket(hash).way[1] = std::uint64_t{place_tag(hash)} << 32 | 0xFFFF'FFFF;
  worker.recorder.publish(0, request(0, 4096));
  EXPECT_EQ(kernel.line(0).seen.contested, 0u);
  EXPECT_EQ(kernel.slot_at(kDisk, kFirstSector), 0u);
}

// Somebody may read the table while a slot is withdrawn.
TEST(Recorder, AnEntryOfAnIoThatIsOverIsPassedOver) {
  FakeKernel kernel;
  Worker worker(kernel, 0, 2);
  worker.recorder.publish(0, request(0, 4096));
  worker.take(0);
  const std::uint64_t hash = place_hash(kDisk, kFirstSector);
  kernel.bucket(hash).way[1] = std::uint64_t{place_tag(hash)} << 32 | 0;
  worker.recorder.publish(1, request(0, 4096));
  EXPECT_EQ(kernel.line(0).seen.contested + kernel.line(1).seen.contested, 0u);
}

TEST(Recorder, FollowsTheTaskThatCalls) {
  FakeKernel kernel;
  Worker worker(kernel, 3, 1);
  const auto task = static_cast<std::uint32_t>(::gettid());
  EXPECT_EQ(kernel.slot_of_task(task), std::nullopt);
  worker.recorder.follow_this_task(true);
  EXPECT_EQ(kernel.slot_of_task(task), 3u);
  EXPECT_EQ(kernel.slot_of_task(task + 1), std::nullopt);
}

TEST(Recorder, ATaskThatIsFollowedAgainHasOneEntryStill) {
  FakeKernel kernel;
  Worker first(kernel, 3, 1), second(kernel, 5, 1);
  first.recorder.follow_this_task(true);
  second.recorder.follow_this_task(true);
  EXPECT_EQ(kernel.slot_of_task(static_cast<std::uint32_t>(::gettid())), 5u);
  EXPECT_EQ(std::count_if(kernel.tasks().begin(), kernel.tasks().end(), [](const Task& t) { return t.task != 0; }), 1);
}

// Threads are started until one's number meets this one's in a table of four.
TEST(Recorder, TasksThatMeetInTheTableAreBothFollowed) {
  FakeKernel kernel({.tasks = 4});
  Worker mine(kernel, 1, 1), its(kernel, 2, 1);
  const auto my_task = static_cast<std::uint32_t>(::gettid());
  mine.recorder.follow_this_task(true);
  std::uint32_t its_task = 0;
  for (int i = 0; i < 1000 && its_task == 0; ++i)
    std::thread([&] {
      const auto task = static_cast<std::uint32_t>(::gettid());
      if (((task ^ my_task) & 3) != 0) return;
      its.recorder.follow_this_task(true);
      its_task = task;
    }).join();
  ASSERT_NE(its_task, 0u);
  EXPECT_EQ(kernel.slot_of_task(my_task), 1u);
  EXPECT_EQ(kernel.slot_of_task(its_task), 2u);
}

TEST(Recorder, ATaskIsFollowedPastOthersAsFarAsTheKernelLooks) {
  const auto task = static_cast<std::uint32_t>(::gettid());
  for (std::uint32_t others = 0; others <= kWays; ++others) {
    FakeKernel kernel({.tasks = 8});
    for (std::uint32_t w = 0; w < others; ++w) kernel.tasks()[(task + w) & 7] = {task + 8 * (w + 1), 7, 0, 0};
    Worker worker(kernel, 1, 1);
    worker.recorder.follow_this_task(true);
    const bool room = others < kWays;
    EXPECT_EQ(kernel.slot_of_task(task), room ? std::optional<std::uint32_t>(1) : std::nullopt) << others;
    for (std::uint32_t w = 0; w < others; ++w)
      EXPECT_EQ(kernel.tasks()[(task + w) & 7].slot, 7u) << "another's entry is left alone";
    worker.recorder.publish(0, request(0, 4096, kUnplaced));
    worker.take(0);
    EXPECT_EQ(worker.undivided(room ? Undivided::unknown : Undivided::unplaced), 1u) << others;
  }
}

TEST(Recorder, SeveralPiecesInOneGranuleTakeOneWayOfIt) {
  FakeKernel kernel({.granule_shift = 20});
  Worker worker(kernel, 0, 1, 0, false);
  worker.recorder.publish(0, request(0, 12288, kFile));
  EXPECT_EQ(kernel.entries_of(0), 3u + 1u) << "three first sectors, one granule";
}

}  // namespace
}  // namespace fathom::split
