// The split on classic tracepoints in the real kernel: I/Os of bios and of requests, long ones that are split, side by
// side, flushed, and on a partition are divided without a remainder, as they are by the programs on BTF raw tracepoints.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/attempts.h"
#include "base/system/fd.h"
#include "host/loop_device.h"
#include "pmu/trace/programs/classic_records.h"
#include "pmu/trace/programs/split_worker.h"
#include "pmu/zram_device.h"

namespace fathom::pmu::trace::programs {
namespace {

using result::Part;
using result::Undivided;
using namespace testing;

#define CLASSIC_OR_SKIP(programs, ...)                                                                      \
  auto programs##_loaded = SplitPrograms::load_classic(__VA_ARGS__);                                        \
  if (!programs##_loaded) {                                                                                 \
    const auto& error = programs##_loaded.error();                                                          \
    ASSERT_TRUE(::geteuid() != 0 || error.kind == base::ErrorKind::privilege) << error.what << error.cause; \
    GTEST_SKIP() << error.what << ": " << error.cause;                                                      \
  }                                                                                                         \
  const Loaded programs = std::move(*programs##_loaded)

void expect_divided_on_classic(const fathom::split::DirectionSplit& dir, std::uint64_t ios, bool requests) {
  EXPECT_EQ(dir.ios, ios);
  EXPECT_EQ(dir.joined, ios);
  EXPECT_EQ(part(dir, Part::submit).moments.n, ios) << "its own task queued it";
  EXPECT_EQ(part(dir, Part::tags).moments.n, requests ? ios : 0u);
  EXPECT_EQ(part(dir, Part::queue).moments.n, requests ? ios : 0u);
  EXPECT_EQ(part(dir, Part::device).moments.n, ios);
  EXPECT_EQ(part(dir, Part::completion).moments.n, ios);
  EXPECT_GT(part(dir, Part::device).moments.min(), 0u);
  EXPECT_EQ(dir.outside, 0u);
  EXPECT_EQ(sum_of_parts(dir), dir.whole.moments.sum);
}

TEST_IN_ATTEMPTS(SplitClassic, EveryDirectReadAndWriteOfAFileIsDivided) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto desk = desk_of(file.map().places());
  CLASSIC_OR_SKIP(programs, {desk.slots(), 1, desk.largest_io_bytes()});
  ASSERT_TRUE(programs->attach());
  EXPECT_STREQ(programs->events_by(), "BPF programs");
  desk.open(programs->region(), 0, true);
  Worker worker(desk, 0, file.fd());
  ASSERT_TRUE(worker.read_blocks(1000, 7));
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(worker.write(i * kBlock));
  expect_divided_on_classic(desk.record(0).dirs[0], 1000, file.requests());
  expect_divided_on_classic(desk.record(0).dirs[1], 100, file.requests());
  EXPECT_EQ(programs->no_room(), 0u);
}

TEST_IN_ATTEMPTS(SplitClassic, AReadOfADiskWithoutRequestsIsDividedWithoutAQueue) {
  const fathom::testing::ZramDevice zram("16M");
  if (zram.path().empty()) GTEST_SKIP() << "no zram here";
  const base::system::UniqueFd fd(::open(zram.path().c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
  const auto map = TargetMap::of(host::placement::place(zram.path()));
  ASSERT_TRUE(map) << map.error().what;
  auto desk = desk_of(map->places());
  CLASSIC_OR_SKIP(programs, {.slots = 1, .workers = 1, .largest_io_bytes = kBlock, .requests = false});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  Worker worker(desk, 0, fd.get());
  ASSERT_TRUE(worker.read_blocks(1000));
  expect_divided_on_classic(desk.record(0).dirs[0], 1000, false);
}

TEST_IN_ATTEMPTS(SplitClassic, AReadWithoutAPlaceIsFoundByItsTaskAndOneElsewhereIsNobodys) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto unplaced = desk_of({});
  CLASSIC_OR_SKIP(programs, {unplaced.slots(), 1, unplaced.largest_io_bytes()});
  ASSERT_TRUE(programs->attach());
  unplaced.open(programs->region(), 0, true);
  Worker follower(unplaced, 0, file.fd());
  follower.follow();
  ASSERT_TRUE(follower.read_blocks(100));
  expect_divided_on_classic(unplaced.record(0).dirs[0], 100, file.requests());
  auto placed = desk_of(file.map().places());
  CLASSIC_OR_SKIP(others, {placed.slots(), 1, placed.largest_io_bytes()});
  ASSERT_TRUE(others->attach());
  placed.open(others->region(), 0, true);
  Worker worker(placed, 0, file.fd());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(worker.read_elsewhere(2 * kBlock, 3 * kBlock));
  EXPECT_EQ(placed.record(0).dirs[0].joined, 0u);
  EXPECT_EQ(placed.record(0).dirs[0].undivided[static_cast<std::size_t>(Undivided::unknown)].ios, 3u);
}

// More than a request holds: many bios, some split by the kernel, each part under a name of its own.
TEST_IN_ATTEMPTS(SplitClassic, ALargeReadIsDividedFromItsFirstRequestToItsLast) {
  const host::testing::LoopDevice device;
  if (!device.ok()) GTEST_SKIP() << device.skip_reason();
  const auto map = TargetMap::of(host::placement::place(device.path()));
  ASSERT_TRUE(map) << map.error().what;
  auto desk = desk_of(map->places(), 1, kFileBytes);
  CLASSIC_OR_SKIP(programs, {desk.slots(), 1, desk.largest_io_bytes()});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  const base::system::UniqueFd fd(::open(device.path().c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
  Worker worker(desk, 0, fd.get(), kFileBytes);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(worker.read(0, kFileBytes));
  expect_divided_on_classic(desk.record(0).dirs[0], 20, true);
  EXPECT_EQ(programs->no_room(), 0u);
}

TEST_IN_ATTEMPTS(SplitClassic, ReadsOfSeveralWorkersAtOnceAreKeptApart) {
  constexpr std::uint32_t kWorkers = 8, kReads = 500;
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto desk = desk_of(file.map().places(), kWorkers);
  CLASSIC_OR_SKIP(programs, {desk.slots(), kWorkers, desk.largest_io_bytes()});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  ASSERT_EQ(testing::read_beside_each_other(desk, file.fd(), kReads), 0u);
  std::uint64_t joined = 0;
  for (std::uint32_t w = 0; w < kWorkers; ++w) joined += desk.record(w).dirs[0].joined;
  // An interrupt that comes while a program is being run finds all of them busy: the slower the machine, the more.
  EXPECT_GE(joined, std::uint64_t{kWorkers} * kReads * 3 / 4);
}

TEST_IN_ATTEMPTS(SplitClassic, AWriteOfADeviceThatIsFlushedHasThatBehindItsData) {
  const host::testing::LoopDevice device;
  if (!device.ok()) GTEST_SKIP() << device.skip_reason();
  const auto map = TargetMap::of(host::placement::place(device.path()));
  ASSERT_TRUE(map) << map.error().what;
  auto desk = desk_of(map->places());
  CLASSIC_OR_SKIP(programs, {desk.slots(), 1, desk.largest_io_bytes()});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  const base::system::UniqueFd fd(::open(device.path().c_str(), O_RDWR | O_DIRECT | O_DSYNC | O_CLOEXEC));
  Worker worker(desk, 0, fd.get());
  for (std::uint64_t i = 0; i < 50; ++i)
    ASSERT_TRUE(worker.write(i * kBlock));  // the first at sector 0, as flushes are
  ASSERT_TRUE(worker.read(kBlock));
  const auto& writes = desk.record(0).dirs[1];
  expect_divided_on_classic(writes, 50, true);
  EXPECT_EQ(writes.flushes, 50u);
  EXPECT_GT(part(writes, Part::flush).moments.min(), 0u);
  EXPECT_EQ(desk.record(0).dirs[0].flushes, 0u) << "a read is not";
}

// A bio's record names the partition, a request's the disk.
TEST_IN_ATTEMPTS(SplitClassic, AReadOfAPartitionIsFollowedToItsDisk) {
  const host::testing::LoopDevice device;
  if (!device.ok()) GTEST_SKIP() << device.skip_reason();
  if (!device.hold_partition(1, 1 << 20)) GTEST_SKIP() << "no partition on it";
  const std::string path = device.path() + "p1";
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
  const auto map = TargetMap::of(host::placement::place(path));
  if (!fd || !map) GTEST_SKIP() << path << " is not there";
  auto desk = desk_of(map->places());
  CLASSIC_OR_SKIP(programs, {desk.slots(), 1, desk.largest_io_bytes()});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  Worker worker(desk, 0, fd.get());
  EXPECT_TRUE(worker.read_blocks(200));
  expect_divided_on_classic(desk.record(0).dirs[0], 200, true);
}

TEST(SplitClassic, PassesTheTracepointsOfTheKindsOfDevicesAlone) {
  CLASSIC_OR_SKIP(programs, {.requests = false, .submissions = true, .journal = true});
  EXPECT_EQ(programs->tracepoints(),
            (std::vector<std::string>{"block:block_bio_queue", "block:block_split", "block:block_bio_complete"}));
  EXPECT_FALSE(programs->follows_submissions());
  EXPECT_FALSE(programs->follows_journal());
}

TEST(ClassicRecords, APartitionIsFoundWithinEightStepsOfItsHash) {
  EXPECT_TRUE(table_of({}).empty());
  std::vector<Partition> partitions;
  for (std::uint32_t i = 1; i <= 1000; ++i) partitions.push_back({259u << 20 | i, 8u << 20 | i / 16});
  const auto table = table_of(partitions);
  const auto mask = static_cast<std::uint32_t>(table.size() - 1);
  ASSERT_EQ(table.size() & mask, 0u);
  for (const auto& p : partitions) {
    std::uint32_t disk = 0;
    for (std::uint32_t w = 0; w < 8; ++w)
      if (const auto& at = table[(p.dev * 0x9E3779B1u + w) & mask]; at.dev == p.dev) disk = at.disk;
    EXPECT_EQ(disk, p.disk);
  }
}

}  // namespace
}  // namespace fathom::pmu::trace::programs
