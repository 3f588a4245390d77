// The programs in the real kernel, where it lets us: I/Os whose place the test publishes as a loop does are found by
// them, divided, and their parts are the whole; nobody else's are; and nothing of them stays behind.
#include "pmu/trace/programs/split_programs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/attempts.h"
#include "base/system/fd.h"
#include "host/loop_device.h"
#include "host/placement/placement.h"
#include "host/proc/text_file.h"
#include "pmu/trace/programs/split_worker.h"

namespace fathom::pmu::trace::programs {
namespace {

using result::Part;
using result::Undivided;
using namespace testing;

// So many I/Os, each divided into what there is of a device of its kind, all of it explained.
void expect_divided(const fathom::split::DirectionSplit& dir, std::uint64_t ios, bool requests) {
  EXPECT_EQ(dir.ios, ios);
  EXPECT_EQ(dir.joined, ios);
  for (std::size_t i = 0; i < result::kUndivided; ++i)
    EXPECT_EQ(dir.undivided[i].ios, 0u) << name(static_cast<Undivided>(i));
  EXPECT_EQ(part(dir, Part::submit).moments.n, ios);
  EXPECT_EQ(part(dir, Part::tags).moments.n, requests ? ios : 0u);
  EXPECT_EQ(part(dir, Part::queue).moments.n, requests ? ios : 0u);
  EXPECT_EQ(part(dir, Part::device).moments.n, ios);
  EXPECT_EQ(part(dir, Part::completion).moments.n, ios);
  EXPECT_EQ(part(dir, Part::held).moments.n + part(dir, Part::handed).moments.n, 0u) << "its own task queued it";
  EXPECT_GT(part(dir, Part::submit).moments.min(), 0u);
  EXPECT_GT(part(dir, Part::device).moments.min(), 0u);
  EXPECT_GT(part(dir, Part::completion).moments.min(), 0u);
  EXPECT_EQ(dir.outside, 0u);
  EXPECT_EQ(sum_of_parts(dir), dir.whole.moments.sum);
}

// Descriptors of this process of that kind: "bpf_link", "bpf-prog", "bpf-map".
unsigned open_of(const std::string& kind) {
  unsigned n = 0;
  std::error_code error;
  for (const auto& name : host::proc::list_names("/proc/self/fd"))
    n += std::filesystem::read_symlink("/proc/self/fd/" + name, error).string().find(kind) != std::string::npos;
  return n;
}

TEST(SplitPrograms, ShareMemoryAsLargeAsWasAskedFor) {
  for (const Wanted& wanted : {Wanted{}, Wanted{.slots = 37, .workers = 9, .largest_io_bytes = 300 << 10},
                               Wanted{.slots = 3000, .workers = 500, .largest_io_bytes = 16 << 20}}) {
    LOAD_OR_SKIP(programs, wanted);
    const auto& region = programs->region();
    EXPECT_GE(region.lines.size(), wanted.slots);
    EXPECT_GE(region.places.size() * fathom::split::kWays, 8 * wanted.slots) << "a slot is in two places and more";
    EXPECT_TRUE(std::has_single_bit(region.places.size()));
    EXPECT_EQ(~0ull >> region.place_shift, region.places.size() - 1) << "every hash has its bucket";
    EXPECT_GE(region.tasks.size(), wanted.workers);
    EXPECT_TRUE(std::has_single_bit(region.tasks.size()));
    EXPECT_GE(std::uint64_t{512} << region.granule_shift, wanted.largest_io_bytes);
    EXPECT_LT(std::uint64_t{512} << region.granule_shift, std::max(2u * wanted.largest_io_bytes, 2 * kBlock));
  }
}

TEST(SplitPrograms, ShareMemoryThatIsEmptyAndCanBeWrittenToItsEnd) {
  LOAD_OR_SKIP(programs, {.slots = 100, .workers = 20});
  const auto& region = programs->region();
  const auto all_zero = [](auto span) {
    const auto bytes = std::as_bytes(span);
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
  };
  EXPECT_TRUE(all_zero(region.lines));
  EXPECT_TRUE(all_zero(region.places));
  EXPECT_TRUE(all_zero(region.tasks));
  for (auto& line : region.lines) line.seen.delay_at_done = 1;
  for (auto& bucket : region.places) bucket.way[fathom::split::kWays - 1] = 1;
  for (auto& task : region.tasks) task.slot = 1;
  EXPECT_EQ(region.lines.front().published.generation, 0u) << "none lies over another";
  EXPECT_EQ(region.places.front().way[0], 0u);
  EXPECT_EQ(region.tasks.front().task, 0u);
}

TEST(SplitPrograms, PassTheTracepointsOfTheKindsOfDevicesAlone) {
  using Names = std::vector<std::string>;
  const Names of_bios{"block:block_bio_queue", "block:block_bio_complete"},
      of_requests{"block:block_bio_queue", "block:block_bio_complete", "block:block_getrq", "block:block_rq_issue",
                  "block:block_rq_complete"};
  for (const bool requests : {false, true}) {
    const Names& names = requests ? of_requests : of_bios;
    const unsigned before = open_of("bpf_link"), loaded_before = open_of("bpf-prog");
    LOAD_OR_SKIP(programs, {.requests = requests});
    EXPECT_EQ(programs->tracepoints(), names);
    EXPECT_EQ(open_of("bpf-prog") - loaded_before, names.size()) << "others are not loaded";
    ASSERT_TRUE(programs->attach());
    EXPECT_EQ(open_of("bpf_link") - before, names.size());
  }
}

// Bytes that this process has read.
std::uint64_t read_bytes() {
  const auto text = host::proc::read_text("/proc/self/io");
  return std::strtoull(text.c_str() + text.find(' '), nullptr, 10);
}

// A run waits for it. Nearly all of its time are the kernel's types, 5 MB and more: libbpf reads them once by itself, and
// they are read once more to know the tracepoints. Once for each tracepoint would be eleven times, and 0.5 s on some
// machines.
TEST(SplitPrograms, ReadTheTypesOfTheKernelTwice) {
  const std::uint64_t before_bytes = read_bytes();
  LOAD_OR_SKIP(programs, {.slots = 4096,
                          .workers = 64,
                          .largest_io_bytes = 1 << 20,
                          .submissions = true,
                          .dirty = true,
                          .journal = true,
                          .log = true,
                          .disks = {1, 2, 3}});
  ASSERT_TRUE(programs->attach());
  std::uint64_t types_bytes = 0;
  for (const auto& module : host::proc::list_names("/sys/kernel/btf"))
    types_bytes += std::filesystem::file_size("/sys/kernel/btf/" + module);
  EXPECT_LT(read_bytes() - before_bytes, 2.5 * static_cast<double>(types_bytes));
}

TEST_IN_ATTEMPTS(SplitPrograms, LeaveNothingBehind) {
  const unsigned links = open_of("bpf_link"), programs_open = open_of("bpf-prog"), maps = open_of("bpf-map");
  {
    LOAD_OR_SKIP(programs, {});
    EXPECT_EQ(open_of("bpf_link"), links) << "none is attached yet";
    ASSERT_TRUE(programs->attach());
    EXPECT_EQ(open_of("bpf_link"), links + 5);
    EXPECT_NE(host::proc::read_text("/proc/self/maps").find("bpf-map"), std::string::npos);
    programs->detach();
    EXPECT_EQ(open_of("bpf_link"), links);
    ASSERT_TRUE(programs->attach());
  }
  EXPECT_EQ(open_of("bpf_link"), links);
  EXPECT_EQ(open_of("bpf-prog"), programs_open);
  EXPECT_EQ(open_of("bpf-map"), maps);
  EXPECT_EQ(host::proc::read_text("/proc/self/maps").find("bpf-map"), std::string::npos);
}

TEST_IN_ATTEMPTS(SplitPrograms, EveryDirectReadOfAFileIsDividedAndItsPartsAreTheWhole) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto desk = desk_of(file.map().places());
  LOAD_OR_SKIP(programs, {desk.slots(), 1, desk.largest_io_bytes()});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  Worker worker(desk, 0, file.fd());
  ASSERT_TRUE(worker.read_blocks(1000, 7));
  expect_divided(desk.record(0).dirs[0], 1000, file.requests());
  EXPECT_EQ(programs->no_room(), 0u);
  EXPECT_EQ(programs->missed_runs(), 0u);
}

TEST_IN_ATTEMPTS(SplitPrograms, EveryDirectWriteIsDivided) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto desk = desk_of(file.map().places());
  LOAD_OR_SKIP(programs, {desk.slots(), 1, desk.largest_io_bytes()});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  Worker worker(desk, 0, file.fd());
  for (std::uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(worker.write(i * kBlock));
  expect_divided(desk.record(0).dirs[1], 100, file.requests());
  EXPECT_EQ(desk.record(0).dirs[0].ios, 0u);
}

// Of a place that is not known the task tells whose it is.
TEST_IN_ATTEMPTS(SplitPrograms, AReadWithoutAPlaceIsFoundByItsTask) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  for (const bool follows : {true, false}) {
    auto desk = desk_of({});
    LOAD_OR_SKIP(programs, {desk.slots(), 1, desk.largest_io_bytes()});
    ASSERT_TRUE(programs->attach());
    desk.open(programs->region(), 0, true);
    Worker worker(desk, 0, file.fd());
    if (follows) worker.follow();
    ASSERT_TRUE(worker.read_blocks(100));
    const auto& reads = desk.record(0).dirs[0];
    if (follows) expect_divided(reads, 100, file.requests());
    EXPECT_EQ(reads.undivided[static_cast<std::size_t>(Undivided::unplaced)].ios, follows ? 0u : 100u);
  }
}

TEST_IN_ATTEMPTS(SplitPrograms, AReadElsewhereIsNobodys) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  for (const bool follows : {true, false}) {
    auto desk = desk_of(file.map().places());
    LOAD_OR_SKIP(programs, {desk.slots(), 1, desk.largest_io_bytes()});
    ASSERT_TRUE(programs->attach());
    desk.open(programs->region(), 0, true);
    Worker worker(desk, 0, file.fd());
    if (follows) worker.follow();
    for (const std::uint64_t beside : {std::uint64_t{4} << 20, std::uint64_t{kBlock}, std::uint64_t{3} * kBlock})
      ASSERT_TRUE(worker.read_elsewhere(2 * kBlock, beside));
    const auto& reads = desk.record(0).dirs[0];
    EXPECT_EQ(reads.joined, 0u);
    EXPECT_EQ(reads.undivided[static_cast<std::size_t>(Undivided::unknown)].ios, 3u) << "follows " << follows;
  }
}

// As a page fault reads from before the page on: what its task reads is an I/O's where they meet.
TEST_IN_ATTEMPTS(SplitPrograms, AReadFromBeforeItsPlaceIsFoundByItsTask) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  for (const bool follows : {true, false}) {
    auto desk = desk_of(file.map().places(), 1, 2 * kBlock);
    desk.seats()[0].direct = false;
    LOAD_OR_SKIP(programs, {desk.slots(), 1, desk.largest_io_bytes()});
    ASSERT_TRUE(programs->attach());
    desk.open(programs->region(), 0, true);
    Worker worker(desk, 0, file.fd(), 2 * kBlock);
    if (follows) worker.follow();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(worker.read_elsewhere(6 * kBlock, 5 * kBlock, 2 * kBlock));
    const auto& reads = desk.record(0).dirs[0];
    if (follows) expect_divided(reads, 20, file.requests());
    EXPECT_EQ(reads.undivided[static_cast<std::size_t>(Undivided::no_request)].ios, follows ? 0u : 20u);
  }
}

TEST_IN_ATTEMPTS(SplitPrograms, SeeNothingButWhileTheyAreAttached) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto desk = desk_of(file.map().places());
  LOAD_OR_SKIP(programs, {desk.slots(), 1, desk.largest_io_bytes()});
  desk.open(programs->region(), 0, true);
  Worker worker(desk, 0, file.fd());
  const auto& reads = desk.record(0).dirs[0];
  for (std::uint64_t turn = 1; turn <= 5; ++turn) {
    ASSERT_TRUE(worker.read_blocks(10));
    EXPECT_EQ(reads.joined, 10 * (turn - 1)) << "detached";
    ASSERT_TRUE(programs->attach());
    ASSERT_TRUE(worker.read_blocks(10));
    EXPECT_EQ(reads.joined, 10 * turn) << "attached";
    programs->detach();
  }
  EXPECT_EQ(reads.undivided[static_cast<std::size_t>(Undivided::unknown)].ios, 50u);
}

TEST_IN_ATTEMPTS(SplitPrograms, ShortReadsAreFoundWhereNothingIsLookedForByItsGranule) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto desk = desk_of(file.map().places());
  EXPECT_FALSE(desk.any_by_granule());
  LOAD_OR_SKIP(programs, {.slots = 1, .workers = 1, .largest_io_bytes = kBlock, .any_long = false});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  Worker worker(desk, 0, file.fd());
  ASSERT_TRUE(worker.read_blocks(200, 3));
  expect_divided(desk.record(0).dirs[0], 200, file.requests());
}

// The page cache has not the page, and then has it.
TEST_IN_ATTEMPTS(SplitPrograms, ABufferedReadIsDividedWhereItReachesTheDisk) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto desk = desk_of(file.map().places());
  desk.seats()[0].direct = false;
  LOAD_OR_SKIP(programs, {.slots = 1, .workers = 1, .largest_io_bytes = kBlock});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  const base::system::UniqueFd fd(::open(file.path().c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(fd);
  ASSERT_EQ(::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
  ASSERT_EQ(::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_RANDOM), 0);
  Worker worker(desk, 0, fd.get());
  ASSERT_TRUE(worker.read_blocks(50, 7));
  const auto& reads = desk.record(0).dirs[0];
  expect_divided(reads, 50, file.requests());
  ASSERT_TRUE(worker.read_blocks(50, 7));
  EXPECT_EQ(reads.joined, 50u);
  EXPECT_EQ(reads.undivided[static_cast<std::size_t>(Undivided::no_request)].ios, 50u);
}

// More than a request holds: many bios, some split by the kernel.
TEST_IN_ATTEMPTS(SplitPrograms, ALargeReadIsDividedFromItsFirstRequestToItsLast) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto desk = desk_of(file.map().places(), 1, kFileBytes);
  fathom::split::Piece pieces[fathom::split::kPieces];
  if (desk.seats()[0].maps[0].pieces(0, kFileBytes, pieces) == 0) GTEST_SKIP() << "the file is in too many pieces";
  LOAD_OR_SKIP(programs, {desk.slots(), 1, desk.largest_io_bytes()});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  Worker worker(desk, 0, file.fd(), kFileBytes);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(worker.read(0, kFileBytes));
  expect_divided(desk.record(0).dirs[0], 10, file.requests());
}

TEST_IN_ATTEMPTS(SplitPrograms, ReadsOfSeveralWorkersAtOnceAreKeptApart) {
  constexpr std::uint32_t kWorkers = 8, kReads = 500;
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto desk = desk_of(file.map().places(), kWorkers);
  LOAD_OR_SKIP(programs, {desk.slots(), kWorkers, desk.largest_io_bytes()});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  ASSERT_EQ(testing::read_beside_each_other(desk, file.fd(), kReads), 0u);
  for (std::uint32_t w = 0; w < kWorkers; ++w) {
    SCOPED_TRACE(w);
    expect_divided(desk.record(w).dirs[0], kReads, file.requests());
  }
}

TEST_IN_ATTEMPTS(SplitPrograms, TwoAtOnceWorkSideBySide) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto mine = desk_of(file.map().places()), other = desk_of(file.map().places());
  LOAD_OR_SKIP(first, {mine.slots(), 1, mine.largest_io_bytes()});
  LOAD_OR_SKIP(second, {other.slots(), 1, other.largest_io_bytes()});
  ASSERT_TRUE(first->attach());
  ASSERT_TRUE(second->attach());
  mine.open(first->region(), 0, true);
  other.open(second->region(), 0, true);
  Worker my_worker(mine, 0, file.fd()), other_worker(other, 0, file.fd());
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(my_worker.read(i * kBlock));
    ASSERT_TRUE(other_worker.read(i * kBlock));
  }
  expect_divided(mine.record(0).dirs[0], 100, file.requests());
  expect_divided(other.record(0).dirs[0], 100, file.requests());
  first->detach();
  ASSERT_TRUE(other_worker.read_blocks(50));
  EXPECT_EQ(other.record(0).dirs[0].joined, 150u) << "the other one stays attached";
}

// A whole device; its writes have no bit that makes the device itself write through, so a flush follows each.
TEST_IN_ATTEMPTS(SplitPrograms, AWriteOfADeviceThatIsFlushedHasThatBehindItsData) {
  const host::testing::LoopDevice device;
  if (!device.ok()) GTEST_SKIP() << device.skip_reason();
  const auto map = TargetMap::of(host::placement::place(device.path()));
  ASSERT_TRUE(map) << map.error().what;
  auto desk = desk_of(map->places());
  LOAD_OR_SKIP(programs, {desk.slots(), 1, desk.largest_io_bytes()});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  const base::system::UniqueFd fd(::open(device.path().c_str(), O_RDWR | O_DIRECT | O_DSYNC | O_CLOEXEC));
  ASSERT_TRUE(fd);
  Worker worker(desk, 0, fd.get());
  for (std::uint64_t i = 1; i <= 50; ++i) ASSERT_TRUE(worker.write(i * kBlock));
  ASSERT_TRUE(worker.read(kBlock));
  const auto& writes = desk.record(0).dirs[1];
  expect_divided(writes, 50, true);
  EXPECT_EQ(writes.flushes, 50u);
  EXPECT_EQ(part(writes, Part::flush).moments.n, 50u);
  EXPECT_GT(part(writes, Part::flush).moments.min(), 0u);
  EXPECT_EQ(desk.record(0).dirs[0].flushes, 0u) << "a read is not";
  expect_divided(desk.record(0).dirs[0], 1, true);
}

// A disk that is its own memory: it ends a bio without a request. It is only read.
std::string a_disk_without_requests() {
  for (const auto& name : host::proc::list_names("/sys/class/block")) {
    const std::string folder = "/sys/class/block/" + name;
    if (!name.starts_with("zram") && !name.starts_with("ram") && !name.starts_with("pmem")) continue;
    if (::access((folder + "/mq").c_str(), F_OK) == 0 || host::proc::read_line(folder + "/size").size() < 5) continue;
    return "/dev/" + name;
  }
  return "";
}

TEST_IN_ATTEMPTS(SplitPrograms, AReadOfADiskWithoutRequestsIsDividedWithoutAQueue) {
  const base::system::UniqueFd fd(::open(a_disk_without_requests().c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
  if (!fd) GTEST_SKIP() << "there is none";
  const auto map = TargetMap::of(host::placement::place(a_disk_without_requests()));
  ASSERT_TRUE(map) << map.error().what;
  ASSERT_TRUE(map->bios());
  auto desk = desk_of(map->places());
  LOAD_OR_SKIP(programs, {.slots = 1, .workers = 1, .largest_io_bytes = kBlock, .requests = false});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  Worker worker(desk, 0, fd.get());
  ASSERT_TRUE(worker.read_blocks(100));
  expect_divided(desk.record(0).dirs[0], 100, false);
}

TEST_IN_ATTEMPTS(SplitPrograms, AFlushOfSomebodyElseIsNotOfAnIoAtTheFirstSector) {
  const host::testing::LoopDevice device;
  if (!device.ok()) GTEST_SKIP() << "no loop device";
  auto desk = desk_of(TargetMap::of(host::placement::place(device.path()))->places());
  LOAD_OR_SKIP(programs, {.slots = 1, .workers = 1, .largest_io_bytes = kBlock});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  const base::system::UniqueFd fd(::open(device.path().c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) static_cast<void>(::fsync(fd.get()));
  });
  Worker worker(desk, 0, fd.get());
  bool well = true;
  for (int i = 0; i < 3000; ++i) well &= worker.read(0);
  stop = true;
  other.join();
  EXPECT_TRUE(well);
  const auto& reads = desk.record(0).dirs[0];
  EXPECT_GE(reads.joined, 2997u);
  EXPECT_EQ(reads.flushes, 0u);
  EXPECT_EQ(reads.outside, 0u);
}

// Its places were taken before it was written, and writing cuts extents that were only reserved.
TEST_IN_ATTEMPTS(SplitPrograms, AWriteOverAnExtentThatWasCutSinceIsDivided) {
  constexpr std::uint32_t kLong = 16 * kBlock, kLongs = 16;
  char path[] = "/var/tmp/fathom-split-programs-XXXXXX";
  ::close(::mkstemp(path));
  const base::system::UniqueFd fd(::open(path, O_RDWR | O_DIRECT | O_CLOEXEC));
  const bool reserved = ::posix_fallocate(fd.get(), 0, kLongs * kLong) == 0 && ::fsync(fd.get()) == 0;
  const auto map = TargetMap::of(host::placement::place(path));
  ::unlink(path);
  if (!reserved || !map) GTEST_SKIP() << "/var/tmp lies on no disk, or reserves nothing";
  auto desk = desk_of(map->places(), 1, kLong);
  LOAD_OR_SKIP(programs, {.slots = 1, .workers = 1, .largest_io_bytes = kLong, .any_long = desk.any_by_granule()});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  Worker worker(desk, 0, fd.get(), kLong);
  for (std::uint64_t i = 0; i < kLongs; ++i) ASSERT_TRUE(worker.write(i * kLong + 4 * kBlock));
  for (std::uint64_t i = 0; i < kLongs; ++i) ASSERT_TRUE(worker.write(i * kLong, kLong));
  EXPECT_EQ(desk.record(0).dirs[1].joined, 2 * kLongs);
}

}  // namespace
}  // namespace fathom::pmu::trace::programs
