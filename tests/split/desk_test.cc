// Who has which slots and which record: each worker its own, those that take no part none, before it is opened nobody;
// and what a forked worker writes is seen by its parent, as what the parent says is by the worker.
#include "split/desk.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "base/time.h"
#include "split/fake_kernel.h"
#include "split/one_worker.h"

namespace fathom::split {
namespace {

using clock::sources::Calibration;
using result::Part;
using result::Undivided;
using testing::FakeKernel;
using testing::kDisk;

constexpr std::uint64_t kIoStart = 5'000'000'000, kIoReap = kIoStart + 1000;

// Its clock counts as the kernel's does.
Calibration same_clock() {
  Calibration calibration;
  calibration.source = clock::sources::Source::clock_gettime;
  return calibration;
}
Seat seat(std::uint32_t slots, std::uint32_t largest_io_bytes = 4096) {
  return {.slots = slots, .largest_io_bytes = largest_io_bytes, .direct = true, .maps = {PlaceMap::device(kDisk, 0)}};
}
io::Request block(std::uint64_t number) { return {.offset = number * 4096, .length = 4096}; }

// Slots that are in flight.
std::vector<std::uint32_t> in_flight(const FakeKernel& kernel, std::uint32_t lines) {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < lines; ++slot)
    if (kernel.line(slot).published.generation != 0) slots.push_back(slot);
  return slots;
}
using Slots = std::vector<std::uint32_t>;

// What a worker takes of memory, at most: its record, and of each slot a line, eight buckets of places and eight of bios
// (two cache lines each).
TEST(Desk, AWorkerWithAThousandSlotsTakesLessThanEightMebibytes) {
  constexpr std::size_t kSlot = sizeof(Line) + 8 * sizeof(Bucket) + 8 * 128;
  EXPECT_LT(sizeof(SplitRecord) + 1024 * kSlot, std::size_t{8} << 20);
}

TEST(Desk, LaysSlotsOneWorkerAfterTheOther) {
  Desk desk({seat(2), seat(0), seat(3), seat(1)});
  ASSERT_EQ(desk.slots(), 6u);
  FakeKernel kernel({.lines = 6});
  desk.open(kernel.region(), 0, true);
  auto first = desk.recorder(0, same_clock()), third = desk.recorder(2, same_clock()),
       fourth = desk.recorder(3, same_clock());
  ASSERT_TRUE(first && third && fourth);
  first->publish(0, block(1));
  EXPECT_EQ(in_flight(kernel, 6), (Slots{0}));
  first->publish(1, block(2));
  EXPECT_EQ(in_flight(kernel, 6), (Slots{0, 1}));
  third->publish(0, block(3));
  EXPECT_EQ(in_flight(kernel, 6), (Slots{0, 1, 2}));
  fourth->publish(0, block(4));
  EXPECT_EQ(in_flight(kernel, 6), (Slots{0, 1, 2, 5}));
  third->publish(2, block(5));
  EXPECT_EQ(in_flight(kernel, 6), (Slots{0, 1, 2, 4, 5}));
  EXPECT_EQ(kernel.slot_at(kDisk, 40), 4u);
}

TEST(Desk, TellsWhatTheMemoryMustHaveRoomFor) {
  EXPECT_EQ(Desk({}).slots(), 0u);
  const Desk desk({seat(4, 8192), seat(0, 1 << 20), seat(16, 65536), seat(1, 4096)});
  EXPECT_EQ(desk.slots(), 21u);
  EXPECT_EQ(desk.largest_io_bytes(), 65536u) << "of those that take part";
}

TEST(Desk, TellsWhetherAnIoMayBeFoundByItsGranule) {
  Seat buffered = seat(1);
  buffered.direct = false;
  EXPECT_FALSE(Desk({seat(1), seat(4, 256 << 10)}).any_by_granule());
  EXPECT_TRUE(Desk({seat(1), seat(4, 512 << 10), seat(1)}).any_by_granule());
  EXPECT_TRUE(Desk({seat(1), buffered, seat(1)}).any_by_granule());
  buffered.slots = 0;
  EXPECT_FALSE(Desk({buffered, seat(1), seat(0, 512 << 10)}).any_by_granule()) << "those that take no part";
}

TEST(Desk, HasNoRecorderBeforeItIsOpen) {
  Desk desk({seat(2)});
  EXPECT_FALSE(desk.recorder(0, same_clock()));
  EXPECT_FALSE(desk.any_in_flight());
}

TEST(Desk, HasNoRecorderForAWorkerThatTakesNoPart) {
  Desk desk({seat(2), seat(0)});
  FakeKernel kernel;
  desk.open(kernel.region(), 0, true);
  EXPECT_TRUE(desk.recorder(0, same_clock()));
  EXPECT_FALSE(desk.recorder(1, same_clock()));
}

TEST(Desk, GivesARecorderTheMapsThatItsSeatHasByThen) {
  Desk desk({seat(1)});
  desk.seats()[0].maps = {PlaceMap(), PlaceMap::device(kDisk, 800)};
  FakeKernel kernel;
  desk.open(kernel.region(), 0, true);
  auto recorder = desk.recorder(0, same_clock());
  ASSERT_TRUE(recorder);
  auto request = block(0);
  request.target = 1;
  recorder->publish(0, request);
  EXPECT_EQ(kernel.slot_at(kDisk, 800), 0u);
}

TEST(Desk, WorkersBeginAtDifferentWaysOfABucket) {
  Desk desk({seat(1), seat(1)});
  FakeKernel kernel;
  desk.open(kernel.region(), 0, true);
  for (const std::size_t worker : {0u, 1u}) {
    auto recorder = desk.recorder(worker, same_clock());
    recorder->publish(0, block(0));
    EXPECT_NE(kernel.bucket(place_hash(kDisk, 0)).way[worker], 0u) << worker;
    recorder->take(0, io::Dir::read, kIoStart, kIoReap, true);
  }
}

TEST(Desk, KeepsARecordForEachWorker) {
  Desk desk({seat(1), seat(1)});
  FakeKernel kernel;
  desk.open(kernel.region(), 0, true);
  auto first = desk.recorder(0, same_clock()), second = desk.recorder(1, same_clock());
  for (int i = 0; i < 3; ++i) {
    second->publish(0, block(7));
    kernel.queue(1, 8, kIoStart + 100);
    kernel.done(1, 8, kIoStart + 900);
    second->take(0, io::Dir::read, kIoStart, kIoReap, true);
  }
  second->end();
  first->publish(0, block(8));
  first->take(0, io::Dir::read, kIoStart, kIoReap, true);
  EXPECT_EQ(desk.record(0).dirs[0].ios, 1u);
  EXPECT_EQ(desk.record(0).dirs[0].joined, 0u);
  EXPECT_EQ(desk.record(1).dirs[0].ios, 3u);
  EXPECT_EQ(desk.record(1).dirs[0].joined, 3u);
}

TEST(Desk, SaysWhichWorkerIsDirect) {
  Seat buffered = seat(1);
  buffered.direct = false;
  Desk desk({seat(1), buffered});
  FakeKernel kernel;
  desk.open(kernel.region(), 0, true);
  for (const std::size_t worker : {0u, 1u}) {
    auto recorder = desk.recorder(worker, same_clock());
    recorder->publish(0, block(7));
    recorder->take(0, io::Dir::read, kIoStart, kIoReap, true);
  }
  const auto count = [&](std::size_t worker, Undivided why) {
    return desk.record(worker).dirs[0].undivided[static_cast<std::size_t>(why)].ios;
  };
  EXPECT_EQ(count(0, Undivided::unknown), 1u);
  EXPECT_EQ(count(1, Undivided::no_request), 1u);
}

TEST(Desk, TakesOffWhatATimeNamespaceAddsToTheClock) {
  constexpr std::int64_t kOffset_ns = 2'000'000'000;
  Desk desk({seat(1)});
  FakeKernel kernel;
  desk.open(kernel.region(), kOffset_ns, true);
  auto recorder = desk.recorder(0, same_clock());
  recorder->publish(0, block(0));
  kernel.queue(0, 8, kIoStart + 100 - kOffset_ns);
  kernel.done(0, 8, kIoStart + 900 - kOffset_ns);
  recorder->take(0, io::Dir::read, kIoStart, kIoReap, true);
  recorder->end();
  const auto& reads = desk.record(0).dirs[0];
  EXPECT_EQ(reads.outside, 0u);
  EXPECT_EQ(reads.parts[static_cast<std::size_t>(Part::submit)].moments.sum, 100u);
  EXPECT_EQ(reads.parts[static_cast<std::size_t>(Part::device)].moments.sum, 800u);
  EXPECT_EQ(reads.parts[static_cast<std::size_t>(Part::completion)].moments.sum, 100u);
}

TEST(Desk, OpenedForSlicesHasNothingWatchedUntilOneBegins) {
  Desk desk({seat(1)});
  FakeKernel kernel;
  desk.open(kernel.region(), 0, false);
  auto recorder = desk.recorder(0, same_clock());
  recorder->publish(0, block(0));
  EXPECT_FALSE(desk.any_in_flight());
  recorder->take(0, io::Dir::read, kIoStart, kIoReap, true);
  desk.watch(1);
  recorder->publish(0, block(0));
  EXPECT_TRUE(desk.any_in_flight());
  desk.watch(0);
  EXPECT_TRUE(desk.any_in_flight()) << "until it is back";
  recorder->take(0, io::Dir::read, kIoStart, kIoReap, true);
  EXPECT_FALSE(desk.any_in_flight());
  recorder->publish(0, block(0));
  EXPECT_FALSE(desk.any_in_flight());
  EXPECT_EQ(desk.record(0).dirs[0].ios, 1u);
}

TEST(Desk, SeesAnIoInFlightOfAnyWorker) {
  Desk desk({seat(2), seat(2)});
  FakeKernel kernel;
  desk.open(kernel.region(), 0, true);
  auto second = desk.recorder(1, same_clock());
  second->publish(1, block(0));
  EXPECT_TRUE(desk.any_in_flight());
  second->take(1, io::Dir::read, kIoStart, kIoReap, true);
  EXPECT_FALSE(desk.any_in_flight());
}

TEST(Desk, AnIoOfASliceThatIsGivenUpIsCut) {
  Desk desk({seat(2)});
  FakeKernel kernel;
  desk.open(kernel.region(), 0, false);
  auto recorder = desk.recorder(0, same_clock());
  desk.watch(1);
  recorder->publish(0, block(0));
  desk.watch(2);
  recorder->publish(1, block(1));
  desk.give_up(1);
  for (const std::uint32_t slot : {0u, 1u}) recorder->take(slot, io::Dir::read, kIoStart, kIoReap, true);
  const auto& undivided = desk.record(0).dirs[0].undivided;
  EXPECT_EQ(undivided[static_cast<std::size_t>(Undivided::cut)].ios, 1u);
  EXPECT_EQ(undivided[static_cast<std::size_t>(Undivided::unknown)].ios, 1u);
}

// The worker begins an I/O again and again, until its parent has it watched.
TEST(Desk, ReachesAcrossAFork) {
  Desk desk({seat(1), seat(1)});
  FakeKernel kernel;
  desk.open(kernel.region(), 0, false);
  int ready[2] = {};
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t worker = ::fork();
  ASSERT_GE(worker, 0);
  if (worker == 0) {
    auto recorder = desk.recorder(1, same_clock());
    const auto once = [&] {
      recorder->publish(0, block(3));
      recorder->take(0, io::Dir::read, kIoStart, kIoReap, true);
      return desk.record(1).dirs[0].ios != 0;
    };
    if (once() || ::write(ready[1], "x", 1) != 1) ::_exit(2);
    for (const auto end = base::monotonic_ns() + 20'000'000'000; base::monotonic_ns() < end;)
      if (once()) ::_exit(0);
    ::_exit(1);
  }
  ::close(ready[1]);
  char byte = 0;
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  desk.watch(1);
  int status = -1;
  ASSERT_EQ(::waitpid(worker, &status, 0), worker);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "1: it never was; 2: it was before";
  EXPECT_EQ(desk.record(1).dirs[0].ios, 1u);
  EXPECT_GE(desk.record(1).dirs[0].others.moments.n, 1u);
  EXPECT_EQ(desk.record(0).dirs[0].ios, 0u);
  ::close(ready[0]);
}

// What a worker costs in memory, with as many slots as a deep queue has: its record, and its lines and the places of all
// pieces of an I/O in what the kernel's programs share.
TEST(Desk, AWorkerTakesEightMiBAtMost) {
  constexpr std::size_t kSlots = 4096, kPieceEntries = 3 * kPieces;
  EXPECT_LE(sizeof(SplitRecord) + kSlots * (sizeof(Line) + kPieceEntries * sizeof(Bucket)), std::size_t{8} << 20);
}

}  // namespace
}  // namespace fathom::split
