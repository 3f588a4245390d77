// A job is killed at a random moment, thousands of times: a disk in memory takes its writes in any order, whole, in part
// or not at all as long as they are in flight. Who reads back by the state must accuse nobody; and where the disk then
// loses what it had acknowledged, he must say so. Also: states that are not this job's.
#include "run/checks/state_follow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/system/shared_memory.h"
#include "job/fields/verify.h"
#include "run/checks/one_block.h"
#include "run/checks/state_keeper.h"
#include "run/checks/verification.h"
#include "run/checks/verify_plan.h"
#include "verify/state/state_live.h"
#include "verify/state/state_name.h"
#include "workload/stream.h"

namespace fathom::run::checks {
namespace {

using ::testing::HasSubstr;
using verify::state::OwnRun;

constexpr std::uint64_t kBlocks = 32;

class Folder {
 public:
  Folder() {
    std::string name = "/dev/shm/fathom-follow-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

using Block = std::vector<std::byte>;

// A job, its disk, and what must be told of it: which blocks hold one known write.
class Killed {
 public:
  Killed(std::mt19937& random, const std::string& folder, const job::Job& job, const io::Target& target)
      : random_(random), job_(job), targets_{&target, 1}, disk_(kBlocks, Block(kBlock)), last_(kBlocks) {
    verify::state::LiveJob live;
    live.name = job.name;
    live.generation = 100 + random() % 100;
    live.depth = job.iodepth;
    live.version = job.of<job::fields::VerifyOptions>().format == job::fields::VerifyFormat::fio_3_33 ? 3 : 5;
    if (writes_each_place_once(job, targets_)) live.flags = OwnRun::kOnce;
    live.flags |= std::uint64_t{order_hash(job, targets_)} << OwnRun::kOrderShift;
    path_ = verify::state::state_file_name(job.name, 0, folder);
    auto in_file = verify::state::LiveState::in_file(verify::state::live_file_name(path_), live);
    live_.emplace(std::move(*in_file));
    keeper_.emplace(*live_);
    auto made = Verification::make(job, targets_, 0, live.generation, false, {&*keeper_, nullptr});
    writer_.emplace(std::move(*made));
  }

  void run(std::size_t steps, bool may_fail) {
    workload::Stream stream(job_, targets_, 0);
    std::vector<io::Request> block(workload::Source::kBlock);
    std::size_t next = 0, made = stream.next(block);
    for (std::size_t step = 0; step < steps && (made > 0 || !flying_.empty()); ++step) {
      if (made > 0 && flying_.size() < job_.iodepth && chance(55)) {
        issue(block[next++]);
        if (next < made) continue;
        made = stream.next(block);
        if (made == 0 && stream.begin_pass()) made = stream.next(block);
        next = 0;
      } else if (!flying_.empty()) {
        const std::size_t at = random_() % flying_.size();
        if (chance(30)) flying_[at].land(disk_, kBlock);  // there, and not told
        if (chance(60)) end(at, !may_fail || !chance(5));
      }
    }
  }
  // saved: the parent has made a state file of it.
  void kill(bool saved) {
    for (auto& one : flying_)
      if (chance(60)) one.land(disk_, chance(50) ? kBlock : random_() % kBlock);
    for (const auto& one : flying_) last_[one.place].exact = false;
    if (saved) {
      EXPECT_TRUE(verify::state::save_state(path_, live_->snapshot()).ok());
      live_->remove();
    }
    writer_.reset();
    keeper_.reset();
    live_.reset();
  }
  void remove() {
    std::filesystem::remove(path_);
    std::filesystem::remove(verify::state::live_file_name(path_));
  }
  // Blocks that must hold one known write, and earlier ones of the same place if there were some.
  std::vector<std::uint64_t> known() const {
    std::vector<std::uint64_t> all;
    for (std::uint64_t b = 0; b < kBlocks; ++b)
      if (last_[b].written && last_[b].exact) all.push_back(b);
    return all;
  }
  Block& at(std::uint64_t block) { return disk_[block]; }
  const Block& older(std::uint64_t block) const { return last_[block].older; }

 private:
  struct Flying {
    io::Request write;
    Block bytes;
    std::uint64_t place;
    void land(std::vector<Block>& disk, std::size_t bytes_of_it) {
      std::memcpy(disk[place].data(), bytes.data(), bytes_of_it);
    }
  };
  struct Last {
    bool written = false, exact = false;
    Block now, older;
  };
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  bool in_flight_at(std::uint64_t place) const {
    for (const auto& one : flying_)
      if (one.place == place) return true;
    return false;
  }
  void issue(const io::Request& write) {
    Flying one{write, Block(kBlock), write.offset / kBlock};
    writer_->stamp(write, one.bytes.data(), 0);
    Last& last = last_[one.place];
    last.exact = !in_flight_at(one.place);
    last.written = true;
    last.older = last.now.empty() ? Block(kBlock) : last.now;
    last.now = one.bytes;
    flying_.push_back(std::move(one));
  }
  void end(std::size_t at, bool well) {
    Flying one = std::move(flying_[at]);
    flying_.erase(flying_.begin() + static_cast<std::ptrdiff_t>(at));
    one.land(disk_, well ? kBlock : random_() % kBlock);
    if (!well) last_[one.place].exact = false;
    writer_->ended(one.write, well);
  }

  std::mt19937& random_;
  const job::Job& job_;
  const std::span<const io::Target> targets_;
  std::string path_;
  std::optional<verify::state::LiveState> live_;
  std::optional<StateKeeper> keeper_;
  std::optional<Verification> writer_;
  std::vector<Block> disk_;
  std::vector<Flying> flying_;
  std::vector<Last> last_;
};

class FollowedStateTest : public ::testing::Test {
 protected:
  FollowedStateTest() {
    job_.name = "j";
    job_.verify = true;
    job_.verify_interval = kBlock;
    job_.mode.reads = false;
    job_.mode.writes = true;
    job_.iodepth = 8;
    job_.size = {kBlocks * kBlock, 0, true};
    auto& options = job_.own.get<job::fields::VerifyOptions>();
    options.method = "crc32c";
    options.aux_path = folder_.path();
    target_.path = "/dev/x";
    target_.size = target_.length = kBlocks * kBlock;
  }
  void rewrites() {
    job_.mode.random = true;
    job_.norandommap = true;
    job_.io_size = {kBlocks * kBlock * 10, 0, true};
  }
  job::Job reading() const {
    job::Job job = job_;
    job.verify_only = true;
    return job;
  }
  // How many blocks are accused by a later run of this job.
  std::size_t accused(Killed& killed, const job::Job& job, result::Verified* verified = nullptr) {
    base::system::SharedArray<records::WorkerRecord> record(1);
    auto followed = FollowedState::load(job, 0, {&target_, 1});
    EXPECT_TRUE(followed.ok()) << followed.error().what << followed.error().cause;
    if (!followed) return 0;
    const job::Job& judged = job.mode.writes ? followed->writer(job) : job;
    auto made = Verification::make(judged, {&target_, 1}, 0, 999, false, {nullptr, &*followed});
    EXPECT_TRUE(made.ok());
    workload::Stream stream(job, {&target_, 1}, 0);
    FollowedReads reads(stream, *followed, record[0], false, made->last_writes());
    workload::Source& source = job.mode.writes ? made->begin_reading_back(record[0]) : reads;
    std::vector<io::Request> block(workload::Source::kBlock);
    std::size_t bad = 0;
    while (const std::size_t n = source.next(block))
      for (std::size_t i = 0; i < n; ++i) {
        Block bytes = killed.at(block[i].offset / kBlock);
        bad += !made->check(block[i], bytes.data(), record[0]);
      }
    if (verified != nullptr) *verified = record[0].verified;
    return bad;
  }
  void kill_often(int times, bool may_fail) {
    int planted = 0;
    for (int round = 0; round < times; ++round) {
      Killed killed(random_, folder_.path(), job_, target_);
      killed.run(random_() % 1500, may_fail);
      killed.kill(random_() % 2 == 0);
      ASSERT_EQ(accused(killed, reading()), 0u) << round;
      const auto known = killed.known();
      if (!known.empty()) {
        const std::uint64_t block = known[random_() % known.size()];
        const Block kept = killed.at(block);
        killed.at(block) = random_() % 2 == 0 ? Block(kBlock) : killed.older(block);
        ASSERT_GT(accused(killed, reading()), 0u) << round << " block " << block;
        killed.at(block) = kept;
        ++planted;
      }
      killed.remove();
    }
    EXPECT_GT(planted, times / 2);
  }
  Folder folder_;
  job::Job job_;
  io::Target target_;
  std::mt19937 random_{20261124};
};

TEST_F(FollowedStateTest, KilledSequentialWritesShowOnlyRealLosses) { kill_often(100, false); }
TEST_F(FollowedStateTest, KilledSequentialWritesInFio333FormatShowOnlyRealLosses) {
  job_.own.get<job::fields::VerifyOptions>().format = job::fields::VerifyFormat::fio_3_33;
  kill_often(100, false);
}
TEST_F(FollowedStateTest, KilledRandomWritesOfOnePassShowOnlyRealLosses) {
  job_.mode.random = true;
  kill_often(100, false);
}
TEST_F(FollowedStateTest, KilledRandomRewritesShowOnlyRealLosses) {
  rewrites();
  kill_often(120, false);
}
TEST_F(FollowedStateTest, KilledRandomRewritesWithFailedWritesShowOnlyRealLosses) {
  rewrites();
  kill_often(120, true);
}
TEST_F(FollowedStateTest, KilledSequentialWritesWithFailedWritesShowOnlyRealLosses) { kill_often(100, true); }
TEST_F(FollowedStateTest, KilledSequentialPassesShowOnlyRealLosses) {
  job_.loops = 5;
  kill_often(100, true);
}

// A job that wrote in order may be read by one that only reads.
TEST_F(FollowedStateTest, AReadOnlyJobVerifiesAKilledSequentialWriter) {
  for (int round = 0; round < 200; ++round) {
    Killed killed(random_, folder_.path(), job_, target_);
    killed.run(random_() % 150, false);
    killed.kill(random_() % 2 == 0);
    job::Job reader = job_;
    reader.mode.reads = true;
    reader.mode.writes = false;
    result::Verified verified;
    ASSERT_EQ(accused(killed, reader, &verified), 0u) << round;
    const auto known = killed.known();
    EXPECT_EQ(verified.exact, known.size() * kBlock);
    if (!known.empty()) {
      killed.at(known.back()) = Block(kBlock);
      ASSERT_GT(accused(killed, reader), 0u) << round;
    }
    killed.remove();
  }
}

// A job that only reads finds the last write at each place, whatever the number of passes and the order of both jobs.
TEST_F(FollowedStateTest, AReadOnlyJobOfAnotherOrderVerifiesAKilledRewriter) {
  for (int round = 0; round < 200; ++round) {
    job_.mode.random = round % 2 == 0;
    job_.loops = 1 + random_() % 4;
    Killed killed(random_, folder_.path(), job_, target_);
    killed.run(random_() % 600, round % 3 == 0);
    killed.kill(random_() % 2 == 0);
    job::Job reader = job_;
    reader.mode.reads = true;
    reader.mode.writes = false;
    reader.mode.random = random_() % 2 == 0;
    reader.loops = 1;
    result::Verified verified;
    ASSERT_EQ(accused(killed, reader, &verified), 0u) << round;
    const auto known = killed.known();
    EXPECT_EQ(verified.exact, known.size() * kBlock) << round;
    if (!known.empty()) {
      const std::uint64_t block = known[random_() % known.size()];
      killed.at(block) = random_() % 2 == 0 ? Block(kBlock) : killed.older(block);
      ASSERT_GT(accused(killed, reader), 0u) << round << " block " << block;
    }
    killed.remove();
  }
}

// verify_only with fewer or more passes than the writing job had.
TEST_F(FollowedStateTest, VerifyOnlyWithAnotherNumberOfPassesShowsOnlyRealLosses) {
  for (int round = 0; round < 60; ++round) {
    job_.mode.random = round % 2 == 0;
    job_.loops = 3;
    Killed killed(random_, folder_.path(), job_, target_);
    killed.run(random_() % 600, false);
    killed.kill(true);
    job::Job again = reading();
    again.loops = 1 + random_() % 5;
    result::Verified verified;
    ASSERT_EQ(accused(killed, again, &verified), 0u) << round;
    EXPECT_EQ(verified.exact, killed.known().size() * kBlock) << round;
    killed.remove();
  }
}

// The first writes agree, and the later ones do not: the job would require the wrong writes.
TEST_F(FollowedStateTest, AReaderWithAnotherSizeOfAPassIsRefused) {
  job_.loops = 3;
  Killed killed(random_, folder_.path(), job_, target_);
  killed.run(600, false);
  killed.kill(true);
  job::Job reader = job_;
  reader.mode.reads = true;
  reader.mode.writes = false;
  reader.time_based = true;
  const auto followed = FollowedState::load(reader, 0, {&target_, 1});
  ASSERT_FALSE(followed.ok());
  EXPECT_THAT(followed.error().what, HasSubstr("more than once"));
}

TEST_F(FollowedStateTest, BlocksInFlightAtTheKillAreCounted) {
  std::size_t flying = 0;
  for (int round = 0; round < 50; ++round) {
    Killed killed(random_, folder_.path(), job_, target_);
    killed.run(10, false);
    killed.kill(false);
    result::Verified verified;
    EXPECT_EQ(accused(killed, reading(), &verified), 0u);
    const auto state = newest_state(verify::state::state_file_name("j", 0, folder_.path()));
    ASSERT_TRUE(state.ok());
    EXPECT_EQ(verified.withheld, state->own->in_flight.size() * kBlock);
    flying += state->own->in_flight.size();
    killed.remove();
  }
  EXPECT_GT(flying, 50u);
}

class FollowedStateLoad : public FollowedStateTest {
 protected:
  FollowedStateLoad() {
    Killed killed(random_, folder_.path(), job_, target_);
    killed.run(30, false);
    killed.kill(true);
    job_.verify_only = true;
  }
  std::string said() {
    const auto followed = FollowedState::load(job_, 0, {&target_, 1});
    return followed.ok() ? "" : followed.error().what + "; " + followed.error().cause;
  }
};

TEST_F(FollowedStateLoad, AStateOfTheSameJobIsFollowed) { EXPECT_EQ(said(), ""); }
TEST_F(FollowedStateLoad, AMissingStateFileIsAnError) {
  job_.name = "k";
  EXPECT_THAT(said(), HasSubstr("open state file: No such file or directory"));
}
TEST_F(FollowedStateLoad, AStateOfAnotherJobIsRefused) {
  const auto path = verify::state::state_file_name("j", 0, folder_.path());
  job_.name = "k";
  std::filesystem::copy(path, verify::state::state_file_name("k", 0, folder_.path()));
  EXPECT_THAT(said(), HasSubstr("belongs to job j (index 0), this is job k (index 0)"));
}
TEST_F(FollowedStateLoad, AStateOfAnotherIodepthIsRefused) {
  job_.iodepth = 9;
  EXPECT_THAT(said(), HasSubstr("iodepth=8"));
}
TEST_F(FollowedStateLoad, AStateOfAnotherAccessOrderIsRefused) {
  job_.mode.random = true;
  EXPECT_THAT(said(), HasSubstr("another order"));
}
TEST_F(FollowedStateLoad, AStateOfAnotherBlockSizeIsRefused) {
  job_.bs_min = job_.bs_max = {512, 512, 512};
  EXPECT_THAT(said(), HasSubstr("another order"));
}

verify::state::State fios(std::uint64_t version) {
  verify::state::State state;
  state.version = version;
  state.job_name = "j";
  state.depth = 8;
  state.writes_issued = 10;
  if (version == 5) state.slots = {4};
  if (version == 3) state.completed = {{0, 9 * kBlock}, {0, 8 * kBlock}};
  return state;
}

TEST_F(FollowedStateLoad, AStateOfFioIsRefusedForRandomWrites) {
  const auto path = verify::state::state_file_name("j", 0, folder_.path());
  for (const std::uint64_t version : {3, 5}) {
    ASSERT_TRUE(verify::state::save_state(path, fios(version)).ok());
    job_.mode.random = false;
    EXPECT_EQ(said(), "");
    job_.mode.random = true;
    EXPECT_THAT(said(), HasSubstr("this job cannot use another program's verify state"));
  }
}

// Which is waited for, two seconds.
TEST_F(FollowedStateLoad, TimedTheStateOfARunThatGoesOnIsRefused) {
  job_.verify_only = false;
  Killed killed(random_, folder_.path(), job_, target_);
  killed.run(3, false);
  EXPECT_FALSE(newest_state(verify::state::state_file_name("j", 0, folder_.path())).ok());
  killed.kill(false);
}

// Where fio ends the whole verification the rest is still looked at, and its line says where that was.
TEST_F(FollowedStateLoad, VerificationContinuesPastWhereFioStopsAndReportsThatPoint) {
  const auto path = verify::state::state_file_name("j", 0, folder_.path());
  ASSERT_TRUE(verify::state::save_state(path, fios(5)).ok());
  const auto followed = FollowedState::load(job_, 0, {&target_, 1});
  ASSERT_TRUE(followed.ok());
  EXPECT_FALSE(followed->is_exact());
  base::system::SharedArray<records::WorkerRecord> record(1);
  std::size_t read = 0;
  for (std::uint64_t n = 0; n < 16; ++n)
    read += followed->is_read_back({.offset = n * kBlock, .length = kBlock, .dir = io::Dir::read}, n, record[0]);
  EXPECT_EQ(read, 9u);
  EXPECT_STREQ(record[0].stop_verify, "Stop verify because seq 4 was an inflight write");
  EXPECT_EQ(record[0].verified.withheld, kBlock);
}

TEST_F(FollowedStateLoad, TheStateOfALaterKilledRunTakesPrecedence) {
  job_.verify_only = false;
  Killed killed(random_, folder_.path(), job_, target_);
  killed.run(3, false);
  const auto path = verify::state::state_file_name("j", 0, folder_.path());
  killed.kill(false);
  const auto now = newest_state(path);
  ASSERT_TRUE(now.ok());
  // By their runs' numbers, which are drawn here.
  EXPECT_EQ(now->own->generation,
            std::max(verify::state::load_state(path)->own->generation,
                     verify::state::load_live(verify::state::live_file_name(path))->own->generation));
}

}  // namespace
}  // namespace fathom::run::checks
