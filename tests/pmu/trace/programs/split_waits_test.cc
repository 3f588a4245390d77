// What an I/O waits for beside its own request, as the programs see it in the real kernel: reads ahead, commits of a
// journal and of a log, its flush; and requests of io_uring on a place that nobody knows, whichever task queues them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/attempts.h"
#include "base/system/fd.h"
#include "base/time.h"
#include "host/loop_device.h"
#include "host/placement/placement.h"
#include "pmu/trace/programs/mounted.h"
#include "pmu/trace/programs/small_ring.h"
#include "pmu/trace/programs/split_programs.h"
#include "pmu/trace/programs/split_worker.h"

namespace fathom::pmu::trace::programs {
namespace {

using fathom::split::kAheads;
using fathom::split::kCommits;
using fathom::split::Over;
using result::Part;
using result::Undivided;
using namespace testing;

clock::sources::Calibration kernels_clock() {
  clock::sources::Calibration out;
  out.source = clock::sources::Source::clock_gettime;
  return out;
}

// Reads a file from its start to its end through the page cache, which has nothing of it.
bool read_cold(const std::string& path, Worker* worker = nullptr) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED) != 0) return false;
  if (worker != nullptr) return worker->read_blocks(kFileBytes / kBlock);
  std::vector<char> block(kBlock);
  for (std::uint32_t at = 0; at < kFileBytes; at += kBlock)
    if (::pread(fd.get(), block.data(), kBlock, at) != kBlock) return false;
  return true;
}

// The newest that the ring has of one disk; none may be of another.
void expect_reads_ahead_of(const fathom::split::Past& past, std::uint32_t dev, std::uint64_t since_ns) {
  EXPECT_GT(past.aheads, 3u);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(past.aheads, kAheads); ++i) {
    const Over& over = past.ahead[i];
    EXPECT_EQ(over.dev, dev);
    EXPECT_GE(over.sectors, 8u);
    EXPECT_LE(over.sectors, kFileBytes / 512);
    EXPECT_GT(over.begin_ns, since_ns);
    EXPECT_GT(over.end_ns, over.begin_ns);
    EXPECT_LT(over.end_ns, base::monotonic_ns());
  }
}

TEST_IN_ATTEMPTS(SplitWaits, ReadsAheadOfTheDisksThatAreAskedForAreNoted) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  const std::uint32_t dev = file.map().places().dev();
  {
    LOAD_OR_SKIP(programs, {.disks = {dev}});
    ASSERT_TRUE(programs->attach());
    const std::uint64_t began = base::monotonic_ns();
    ASSERT_TRUE(read_cold(file.path()));
    expect_reads_ahead_of(*programs->region().past, dev, began);
  }
  for (const std::vector<std::uint32_t>& others : {std::vector<std::uint32_t>{}, {dev + 1}}) {
    LOAD_OR_SKIP(programs, {.disks = others});
    ASSERT_TRUE(programs->attach());
    ASSERT_TRUE(read_cold(file.path()));
    EXPECT_EQ(programs->region().past->aheads, 0u);
  }
}

// One that waits for what an earlier one had on its way has a part for it; of none is it said that an event is missing.
TEST_IN_ATTEMPTS(SplitWaits, BufferedReadsInOrderAreDividedOrWereThere) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto desk = desk_of(file.map().places());
  desk.seats()[0].direct = false;
  LOAD_OR_SKIP(programs, {.largest_io_bytes = kBlock, .disks = {file.map().places().dev()}});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  const base::system::UniqueFd fd(::open(file.path().c_str(), O_RDONLY | O_CLOEXEC));
  Worker worker(desk, 0, fd.get());
  worker.follow();
  ASSERT_TRUE(read_cold(file.path(), &worker));
  const auto& reads = desk.record(0).dirs[0];
  EXPECT_EQ(reads.ios, kFileBytes / kBlock);
  EXPECT_GT(reads.joined, 0u);
  EXPECT_EQ(reads.joined + reads.undivided[static_cast<std::size_t>(Undivided::no_request)].ios, reads.ios);
  EXPECT_EQ(sum_of_parts(reads), reads.whole.moments.sum + reads.outside_ns);
}

// A loop of io_uring: several in flight, each in a slot whose number is its request's.
class UringWorker {
 public:
  UringWorker(fathom::split::Desk& desk, int fd)
      : recorder_(desk.recorder(0, kernels_clock())), fd_(fd), memory_(kSlots * kBlock) {
    recorder_->follow_this_task(false);
  }
  static constexpr std::uint32_t kSlots = 4;
  bool ok() const { return ring_.ok(); }
  // All slots at once, of blocks that nobody else reads.
  bool read_some(std::uint64_t first_block, unsigned flags) {
    std::array<std::uint64_t, kSlots> start{};
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      const std::uint64_t offset = (first_block + slot) * kBlock;
      recorder_->publish(slot, {.offset = offset, .length = kBlock});
      start[slot] = base::monotonic_ns();
      auto request = read_request(fd_, static_cast<char*>(memory_.at.get()) + slot * kBlock, kBlock, offset);
      request.flags = static_cast<__u8>(flags);
      if (!ring_.submit(request, slot)) return false;
    }
    for (std::uint32_t i = 0; i < kSlots; ++i) {
      const auto done = ring_.reap();
      if (!done || done->first >= kSlots || done->second != kBlock) return false;
      recorder_->take(static_cast<std::uint32_t>(done->first), io::Dir::read, start[done->first], base::monotonic_ns(),
                      true);
    }
    return true;
  }
  void end() { recorder_->end(); }

 private:
  SmallRing ring_;
  std::optional<fathom::split::Recorder> recorder_;
  int fd_;
  Memory memory_;
};

void read_by_ring(UringWorker& worker, unsigned flags, bool& well) {
  constexpr std::uint64_t kRounds = 50;
  for (std::uint64_t i = 0; i < kRounds; ++i) well &= worker.read_some(7 * i * UringWorker::kSlots % 2048, flags);
  worker.end();
}

fathom::split::Desk desk_of_ring() {
  return fathom::split::Desk(
      {{.slots = UringWorker::kSlots, .largest_io_bytes = kBlock, .direct = true, .maps = {{}}}});
}

TEST_IN_ATTEMPTS(SplitWaits, RequestsOfIoUringAreFoundWithoutAPlace) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  for (const bool async : {false, true}) {
    auto desk = desk_of_ring();
    LOAD_OR_SKIP(programs, {.slots = desk.slots(), .largest_io_bytes = kBlock, .submissions = true});
    if (!programs->follows_submissions()) GTEST_SKIP() << "no tracepoint of io_uring";
    ASSERT_TRUE(programs->attach());
    desk.open(programs->region(), 0, true);
    UringWorker worker(desk, file.fd());
    if (!worker.ok()) GTEST_SKIP() << "no io_uring";
    bool well = true;
    read_by_ring(worker, async ? IOSQE_ASYNC : 0u, well);
    EXPECT_TRUE(well);
    const auto& reads = desk.record(0).dirs[0];
    EXPECT_EQ(reads.ios, 200u);
    EXPECT_EQ(reads.joined, 200u) << "async " << async;
    EXPECT_EQ(part(reads, Part::submit).moments.n, async ? 0u : 200u);
    EXPECT_EQ(part(reads, Part::handed).moments.n, async ? 200u : 0u) << "a worker queued them";
    EXPECT_EQ(sum_of_parts(reads), reads.whole.moments.sum + reads.outside_ns);
  }
}

TEST_IN_ATTEMPTS(SplitWaits, RequestsOfIoUringThatNobodyFollowsAreUnplaced) {
  const File file;
  if (!file.ok()) GTEST_SKIP() << "no disk is under /var/tmp";
  auto desk = desk_of_ring();
  LOAD_OR_SKIP(programs, {.slots = desk.slots(), .largest_io_bytes = kBlock});
  EXPECT_FALSE(programs->follows_submissions());
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  UringWorker worker(desk, file.fd());
  if (!worker.ok()) GTEST_SKIP() << "no io_uring";
  bool well = true;
  read_by_ring(worker, 0, well);
  EXPECT_TRUE(well);
  EXPECT_EQ(desk.record(0).dirs[0].undivided[static_cast<std::size_t>(Undivided::unplaced)].ios, 200u);
}

// Writes a block and syncs, so many times; the journal tells how an fsync of the file ends.
void write_and_sync(const std::string& path, fathom::split::Desk& desk, int times) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(fd);
  auto recorder = desk.recorder(0, kernels_clock());
  recorder->follow_this_task(true);
  const std::vector<char> block(kBlock, 'y');
  for (int i = 0; i < times; ++i) {
    ASSERT_EQ(::pwrite(fd.get(), block.data(), kBlock, std::int64_t{i} * kBlock), kBlock);
    recorder->publish(0, {.dir = io::Dir::sync});
    const std::uint64_t start = base::monotonic_ns();
    ASSERT_EQ(::fsync(fd.get()), 0);
    recorder->take(0, io::Dir::sync, start, base::monotonic_ns(), true);
  }
  recorder->end();
}
fathom::split::Desk desk_with(fathom::split::Journal journal) {
  fathom::split::PlaceMap map;
  map.journal = journal;
  return desk_of(map);
}
void expect_syncs(const fathom::split::DirectionSplit& syncs, std::uint64_t ios) {
  EXPECT_EQ(syncs.ios, ios);
  EXPECT_EQ(syncs.joined, ios);
  EXPECT_EQ(syncs.outside, 0u);
  EXPECT_EQ(sum_of_parts(syncs), syncs.whole.moments.sum);
}

TEST_IN_ATTEMPTS(SplitWaits, AnFsyncOfADeviceIsItsDataAndAFlush) {
  const host::testing::LoopDevice device;
  if (!device.ok()) GTEST_SKIP() << device.skip_reason();
  auto desk = desk_with({});
  LOAD_OR_SKIP(programs, {});
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  write_and_sync(device.path(), desk, 20);
  const auto& syncs = desk.record(0).dirs[3];
  expect_syncs(syncs, 20);
  EXPECT_EQ(syncs.flushes, 20u);
  for (const Part p : {Part::data, Part::flush, Part::completion}) {
    EXPECT_EQ(part(syncs, p).moments.n, 20u) << name(p);
    EXPECT_GT(part(syncs, p).moments.min(), 0u) << name(p);
  }
  EXPECT_EQ(part(syncs, Part::commit).moments.n + part(syncs, Part::file_system).moments.n, 0u);
}

// Commits in the ring since the programs were attached: each of this device.
void expect_commits(const fathom::split::Past& past, std::uint32_t dev, std::uint64_t least) {
  EXPECT_GE(past.commits, least);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(past.commits, kCommits); ++i) {
    const Over& over = past.commit[i];
    EXPECT_EQ(over.dev, dev);
    EXPECT_GT(over.begin_ns, 0u);
    EXPECT_GT(over.end_ns, over.begin_ns);
    EXPECT_EQ(over.sectors, 0u);
  }
}

void expect_fsyncs_commit(const std::string& type, const Wanted& wanted) {
  const Mounted mounted(type);
  if (!mounted.ok()) GTEST_SKIP() << mounted.skip_reason();
  const std::string path = mounted.at() + "/f";
  ::close(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  const std::uint32_t dev = kernel_dev(host::placement::place(path).device);
  auto desk = desk_with({.dev = dev});
  LOAD_OR_SKIP(programs, wanted);
  ASSERT_TRUE(programs->follows_journal() == wanted.journal && programs->follows_log() == wanted.log);
  EXPECT_EQ(programs->follows_syncs(), wanted.journal);
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  write_and_sync(path, desk, 20);
  expect_commits(*programs->region().past, dev, 20);
  const auto& syncs = desk.record(0).dirs[3];
  expect_syncs(syncs, 20);
  EXPECT_EQ(part(syncs, Part::data).moments.n, 20u) << "its own task wrote it back";
  EXPECT_EQ(part(syncs, Part::commit).moments.n, 20u);
  EXPECT_GT(part(syncs, Part::commit).moments.min(), 0u);
  EXPECT_EQ(part(syncs, Part::file_system).moments.n, 0u);
}

TEST_IN_ATTEMPTS(SplitWaits, AnFsyncOfExt4IsItsDataAndACommitOfTheJournal) {
  expect_fsyncs_commit("ext4", {.journal = true});
}

TEST_IN_ATTEMPTS(SplitWaits, AnFsyncOfXfsIsItsDataAndAWriteOfTheLog) { expect_fsyncs_commit("xfs", {.log = true}); }

// Whose journal nobody asked for is not watched; what is seen of an fsync all the same is its data.
TEST_IN_ATTEMPTS(SplitWaits, CommitsThatNobodyAskedForAreNotNoted) {
  const Mounted mounted("ext4");
  if (!mounted.ok()) GTEST_SKIP() << mounted.skip_reason();
  auto desk = desk_with({.only_whole = true});
  LOAD_OR_SKIP(programs, {});
  EXPECT_FALSE(programs->follows_journal());
  ASSERT_TRUE(programs->attach());
  desk.open(programs->region(), 0, true);
  write_and_sync(mounted.at() + "/f", desk, 5);
  EXPECT_EQ(programs->region().past->commits, 0u);
  EXPECT_EQ(part(desk.record(0).dirs[3], Part::file_system).moments.n, 5u);
}

}  // namespace
}  // namespace fathom::pmu::trace::programs
