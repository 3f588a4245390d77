// The state of a job that runs: what is left of it when its process is killed, when the disk is full, when two want the
// same file, and when it was made on purpose.
#include "verify/state/state_live.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <random>
#include <thread>

#include "base/time.h"
#include "verify/state/state_standing.h"
#include "verify/state_support.h"

namespace fathom::verify::state {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

LiveJob job_of(std::uint32_t depth, std::uint64_t version = kStateOfFio342) {
  LiveJob job;
  job.name = "a/job";
  job.index = 3;
  job.version = version;
  job.generation = 1234;
  job.flags = OwnRun::kOnce;
  job.depth = depth;
  job.files = 2;
  return job;
}

void issue(LiveState& live, std::size_t slot, std::uint64_t number) {
  live.note_place(number, number % 2, number * 512);
  live.note_first(number, number + 100);
  note_issued(live.slots()[slot], live.issued(), number);
}

TEST(LiveState, IsReadFromItsFile) {
  const Folder folder;
  const std::string path = folder / "x-verify.live";
  {
    auto live = LiveState::in_file(path, job_of(4));
    ASSERT_TRUE(live.ok()) << live.error().what;
    for (std::uint64_t n = 0; n < 6; ++n) issue(*live, n % 4, n);
    note_ended(live->slots()[0]);
    note_ended(live->slots()[2]);
    EXPECT_TRUE(live->add_failed(1));
    EXPECT_TRUE(live->add_disordered(5));
    EXPECT_EQ(folder.names(), std::vector<std::string>{"x-verify.live"});
  }
  const auto state = load_live(path);
  ASSERT_TRUE(state.ok()) << state.error().cause;
  EXPECT_EQ(state->version, kStateOfFio342);
  EXPECT_EQ(of_another_job(*state, "a/job", 3), "");
  EXPECT_EQ(state->writes_issued, 6u);
  EXPECT_EQ(state->depth, 5u);  // fio is told of the failed one, too
  EXPECT_THAT(state->slots, ElementsAre(kNoWrite, 5, kNoWrite, 3, 1));
  ASSERT_TRUE(state->own.has_value());
  EXPECT_EQ(state->own->generation, 1234u);
  EXPECT_EQ(state->own->depth, 4u);
  EXPECT_TRUE(state->own->is(OwnRun::kOnce));
  EXPECT_THAT(state->own->in_flight, ElementsAre(5, 3));
  EXPECT_THAT(state->own->failed, ElementsAre(1));
  EXPECT_THAT(state->own->disordered, ElementsAre(5));
  EXPECT_THAT(state->own->first, ElementsAre(100, 101, 102, 103, 104, 105));
  EXPECT_TRUE(format_state(*state).ok());
}

// Of the last `depth` writes those that have ended, newest first: all that fio 3.33 looks at.
TEST(LiveState, ListsCompletionsForFio333) {
  auto live = LiveState::in_memory(job_of(4, kStateOfFio333));
  ASSERT_TRUE(live.ok());
  for (std::uint64_t n = 0; n < 9; ++n) {
    issue(*live, n % 4, n);
    if (n != 6) note_ended(live->slots()[n % 4]);
  }
  const State state = live->snapshot();
  EXPECT_THAT(state.completed,
              ElementsAre(CompletedWrite{0, 8 * 512}, CompletedWrite{1, 7 * 512}, CompletedWrite{1, 5 * 512}));
  EXPECT_EQ(state.files, 2u);
  EXPECT_TRUE(format_state(state).ok());
  EXPECT_EQ(Standings(state, 4).of({6, 0, 6 * 512}), Standing::in_flight);
}

TEST(LiveState, PruningTheListKeepsItsOrder) {
  auto live = LiveState::in_memory(job_of(1));
  ASSERT_TRUE(live.ok());
  std::uint64_t added = 0;
  while (live->add_disordered(added)) ++added;
  EXPECT_EQ(added, live->list_room());
  live->issued().store(added);
  live->keep_disordered([](std::uint64_t place) { return place % 100 == 7; });
  EXPECT_THAT(live->snapshot().own->disordered, ::testing::Contains(107));
  EXPECT_EQ(live->snapshot().own->disordered.front(), 7u);
  EXPECT_TRUE(live->add_disordered(added));
}

// Only the process dies: what it has stored is in the file.
TEST(LiveState, OutlivesItsProcess) {
  const Folder folder;
  const std::string path = folder / "x.live";
  std::mt19937 random(std::random_device{}());
  for (int kill = 0; kill < 20; ++kill) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto live = LiveState::in_file(path, job_of(8));
      for (std::uint64_t n = 0;; ++n) {
        if (n >= 8) note_ended(live->slots()[n % 8]);
        issue(*live, n % 8, n);
        if (n == 8 && ::write(ends[1], "", 1) != 1) ::_exit(1);
      }
    }
    ::close(ends[1]);
    char begun = 0;
    EXPECT_EQ(::read(ends[0], &begun, 1), 1);
    ::close(ends[0]);
    base::sleep_ns(random() % 2'000'000);
    ::kill(child, SIGKILL);
    ASSERT_EQ(status_of(child), 128 + SIGKILL);
    const auto state = load_live(path);
    ASSERT_TRUE(state.ok()) << state.error().cause;
    EXPECT_GT(state->writes_issued, 0u);
    for (const auto number : state->own->in_flight) {
      EXPECT_LE(number, state->writes_issued);
      EXPECT_GE(number + 8, state->writes_issued);
    }
    ::unlink(path.c_str());
  }
}

TEST(LiveState, ASecondWriterOfOneFileIsRefused) {
  const Folder folder;
  const std::string path = folder / "x.live";
  auto first = LiveState::in_file(path, job_of(4));
  ASSERT_TRUE(first.ok());
  issue(*first, 0, 0);
  const auto second = LiveState::in_file(path, job_of(4));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().sys_errno, EBUSY);
  EXPECT_THAT(second.error().cause, HasSubstr("is active"));
  EXPECT_EQ(first->snapshot().writes_issued, 1u);
}

// A reader waits two seconds for the writer's end.
TEST(LiveState, TimedAFileWhoseWriterLivesIsNotRead) {
  const Folder folder;
  const std::string path = folder / "x.live";
  auto writer = LiveState::in_file(path, job_of(4));
  ASSERT_TRUE(writer.ok());
  issue(*writer, 0, 0);
  const auto while_it_runs = load_live(path);
  ASSERT_FALSE(while_it_runs.ok());
  EXPECT_EQ(while_it_runs.error().sys_errno, EBUSY);
}

// Somebody has moved it away: what lies there now is not removed.
TEST(LiveState, AFileThatReplacedItsOwnIsNotRemoved) {
  const Folder folder;
  const std::string path = folder / "x.live";
  auto live = LiveState::in_file(path, job_of(4));
  ASSERT_TRUE(live.ok());
  ASSERT_EQ(::unlink(path.c_str()), 0);
  write_bytes(path, Bytes(8));
  live->remove();
  EXPECT_EQ(folder.names().size(), 1u);
  ASSERT_EQ(::unlink(path.c_str()), 0);
  auto again = LiveState::in_file(path, job_of(4));
  again->remove();
  EXPECT_TRUE(folder.names().empty());
}

TEST(LiveState, AFolderThatCannotBeWrittenIsAnError) {
  const auto live = LiveState::in_file("/proc/x.live", job_of(4));
  ASSERT_FALSE(live.ok());
  EXPECT_THAT(live.error().what, HasSubstr("open state file"));
}

TEST(LiveState, ADepthBeyondTheLimitIsAnError) {
  EXPECT_FALSE(LiveState::in_memory(job_of(LiveState::kDepthMost + 1)).ok());
  EXPECT_TRUE(LiveState::in_memory(job_of(LiveState::kDepthMost)).ok());
}

class HostileLiveState : public ::testing::Test {
 protected:
  HostileLiveState() {
    auto live = LiveState::in_file(path_, job_of(4));
    issue(*live, 0, 0);
    live->add_disordered(0);
    bytes_ = bytes_of(path_);
  }
  base::Expected<State> load(const Bytes& bytes) {
    write_bytes(path_, bytes);
    return load_live(path_);
  }
  const Folder folder_;
  const std::string path_ = folder_ / "x.live";
  Bytes bytes_;
};

TEST_F(HostileLiveState, TruncatedAnywhereIsAnError) {
  for (std::size_t size = 0; size < bytes_.size(); size += size < 512 ? 1 : 509) {
    const auto state = load(Bytes(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size)));
    ASSERT_FALSE(state.ok()) << size;
    EXPECT_EQ(state.error().what, "verify state is corrupt");
  }
}

TEST_F(HostileLiveState, AFlippedBitInTheFixedPartIsAnError) {
  for (std::size_t at = 0; at < 16 * 8; ++at) {
    Bytes bytes = bytes_;
    bytes[at] ^= std::byte{1};
    EXPECT_FALSE(load(bytes).ok()) << at;
  }
}

// What changes has no checksum: any words there are read within the bounds of the file.
TEST_F(HostileLiveState, AnyWordsInTheMutablePartStayWithinBounds) {
  constexpr std::size_t kChangesAt =
      20 * 8;  // odd: a change was begun, for whose end a reader waits a tenth of a second
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    Bytes bytes = bytes_;
    bytes[kChangesAt] = std::byte{1};
    for (std::size_t at = 16 * 8; at + 8 <= 40 * 8; at += 8)
      if (random() % 2 == 0) put(bytes, at, random() >> (random() % 64));
    if (round > 0) bytes[kChangesAt] &= std::byte{0xfe};
    const auto state = load(bytes);
    ASSERT_TRUE(state.ok());
    EXPECT_LE(state->own->failed.size(), 1024u + 16);
    (void)format_state(*state);
    (void)Standings(*state, 4).of({7, 0, 0});
  }
}

TEST_F(HostileLiveState, ADepthBeyondTheFileIsAnError) {
  for (const std::uint64_t depth : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    Bytes bytes = bytes_;
    put(bytes, 5 * 8, depth);
    put(bytes, 15 * 8, std::uint64_t{slow_checksum(std::span(bytes).first(15 * 8))});
    EXPECT_FALSE(load(bytes).ok()) << depth;
  }
}

TEST_F(HostileLiveState, AnythingButARegularFileIsAnError) {
  ::unlink(path_.c_str());
  ASSERT_EQ(::mkdir(path_.c_str(), 0700), 0);
  EXPECT_FALSE(load_live(path_).ok());
  ASSERT_EQ(::rmdir(path_.c_str()), 0);
  EXPECT_FALSE(load_live(path_).ok());
}

TEST(LiveFileName, IsTheStatesWithLiveAsSuffix) {
  EXPECT_EQ(live_file_name("/a/local-j-0-verify.state"), "/a/local-j-0-verify.live");
  EXPECT_EQ(live_file_name("odd"), "odd.live");
}

// A look in the middle of the list's getting shorter sees all that is kept: the last hundred of five hundred.
TEST(LiveState, ASnapshotWhileTheListIsPrunedMissesNothing) {
  auto live = LiveState::in_memory(job_of(4));
  ASSERT_TRUE(live.ok());
  std::atomic<bool> over = false;
  std::thread worker([&] {
    for (int round = 0; round < 200; ++round) {
      live->keep_disordered([](std::uint64_t) { return false; });
      for (std::uint64_t n = 0; n < 500; ++n) live->add_disordered(n < 400 ? n + 1000 : 7);
      live->keep_disordered([&](std::uint64_t place) { return place >= 400; });
    }
    over = true;
  });
  while (!over) {
    const auto found = live->snapshot().own->disordered;
    const auto kept = std::count(found.begin(), found.end(), 7u);
    if (found.size() == 100) {
      EXPECT_EQ(kept, found[0] == 1000 ? 0 : 100);  // 0: it is just being filled
    } else if (found.size() == 500) {
      EXPECT_EQ(kept, 100);
    }
  }
  worker.join();
}

}  // namespace
}  // namespace fathom::verify::state
