// What comes between a job's own requests, and what may not come yet.
#include "run/checks/verify_turns.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "job/fields/verify.h"
#include "run/checks/one_block.h"
#include "workload/stream.h"

namespace fathom::run::checks {
namespace {

class VerifyTurnsTest : public ::testing::Test {
 protected:
  VerifyTurnsTest() {
    job_.verify = true;
    job_.mode.reads = false;
    job_.mode.writes = true;
    job_.iodepth = 4;
    job_.size = {64 * kBlock, 0, true};
    target_.path = "/dev/x";
    target_.size = target_.length = 64 * kBlock;
  }
  job::fields::VerifyOptions& options() { return job_.own.get<job::fields::VerifyOptions>(); }
  void begin(bool with_map = false) {
    facts_.reset(new VerifyFacts{.job = job_,
                                 .options = options(),
                                 .targets = {&target_, 1},
                                 .generation = 1,
                                 .thread = 1,
                                 .index = 0,
                                 .others_write_there = false,
                                 .makes_contents = true,
                                 .keeps_data = true,
                                 .format = verify::Format::fio_3_42,
                                 .versions = std::nullopt});
    if (with_map) {
      auto map = Versions::make({&target_, 1}, kBlock, "/var/tmp");
      ASSERT_TRUE(map.ok());
      facts_->versions = std::move(*map);
    }
    stream_.emplace(job_, std::span(&target_, 1), 0);
    turns_ = std::make_unique<VerifyTurns>(*stream_, *facts_, [](const io::Request&, std::uint64_t) { return true; });
  }
  // The next request, which goes out.
  std::optional<io::Request> next() {
    io::Request out[workload::Source::kBlock];
    if (turns_->next(out) == 0) return std::nullopt;
    if (out[0].dir == io::Dir::write) {
      if (facts_->versions) facts_->versions->issued(out[0], writes_);
      turns_->issued(out[0], writes_++);
    }
    return out[0];
  }
  void over(const io::Request& request, bool well = true) {
    turns_->ended(request, well);
    if (facts_->versions && request.dir != io::Dir::read && request.dir != io::Dir::sync)
      facts_->versions->ended(request, well);
  }
  std::set<std::uint64_t> rest() {
    turns_->begin_the_end(writes_);
    std::set<std::uint64_t> numbers;
    io::Request out[workload::Source::kBlock];
    while (const std::size_t made = turns_->next(out))
      for (std::size_t i = 0; i < made; ++i) EXPECT_TRUE(numbers.insert(io::noted_write(out[i])).second);
    return numbers;
  }
  job::Job job_;
  io::Target target_;
  std::unique_ptr<VerifyFacts> facts_;
  std::optional<workload::Stream> stream_;
  std::unique_ptr<VerifyTurns> turns_;
  std::uint64_t writes_ = 0;
};

TEST_F(VerifyTurnsTest, AreNeededOnlyWithBacklogOrTrimOptions) {
  begin();
  EXPECT_FALSE(VerifyTurns::needed(*facts_));
  options().backlog = 4;
  EXPECT_TRUE(VerifyTurns::needed(*facts_));
  options().backlog = 0;
  options().trim_percentage = 10;
  EXPECT_FALSE(VerifyTurns::needed(*facts_)) << "trims are active with both options only";
  options().trim_backlog = 1;
  EXPECT_TRUE(VerifyTurns::needed(*facts_));
  job_.verify_only = true;
  options().trim_percentage = 0;
  options().backlog = 4;
  EXPECT_FALSE(VerifyTurns::needed(*facts_));
}

TEST_F(VerifyTurnsTest, ABacklogOfFourIsReadBackInWriteOrder) {
  options().backlog = 4;
  begin();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::uint64_t> offsets;
    for (int i = 0; i < 4; ++i) {
      const auto write = next();
      ASSERT_EQ(write->dir, io::Dir::write);
      offsets.push_back(write->offset);
      over(*write);
    }
    for (int i = 0; i < 4; ++i) {
      const auto read = next();
      ASSERT_EQ(read->dir, io::Dir::read);
      EXPECT_EQ(read->offset, offsets[static_cast<std::size_t>(i)]);
      EXPECT_EQ(io::noted_write(*read), static_cast<std::uint64_t>(round * 4 + i));
      EXPECT_FALSE(io::is_paced(*read));
    }
  }
  EXPECT_TRUE(rest().empty());
}

// The false alarm of fio's issues 792 and 1756.
TEST_F(VerifyTurnsTest, WritesInFlightAreReadBackLater) {
  options().backlog = 4;
  begin();
  std::vector<io::Request> writes;
  for (int i = 0; i < 4; ++i) writes.push_back(*next());
  over(writes[2]);
  auto read = next();
  ASSERT_EQ(read->dir, io::Dir::read);
  EXPECT_EQ(io::noted_write(*read), 2u) << "the only one that is over";
  EXPECT_EQ(next()->dir, io::Dir::write);
  for (const int i : {0, 1, 3}) over(writes[static_cast<std::size_t>(i)]);
  std::set<std::uint64_t> read_then;
  for (int i = 0; i < 12 && read_then.size() < 3; ++i) {
    const auto request = next();
    if (request->dir == io::Dir::read) read_then.insert(io::noted_write(*request));
    over(*request);
  }
  EXPECT_TRUE(read_then.contains(0) && read_then.contains(1) && read_then.contains(3));
}

TEST_F(VerifyTurnsTest, AReadBackThatWasNotIssuedIsRepeatedAtTheEnd) {
  options().backlog = 2;
  begin();
  for (int i = 0; i < 2; ++i) over(*next());
  const auto read = next();
  ASSERT_EQ(read->dir, io::Dir::read);
  turns_->not_issued(*read);
  EXPECT_EQ(rest(), (std::set<std::uint64_t>{0, 1}));
}

TEST_F(VerifyTurnsTest, TrimsFollowTheirWrites) {
  options().trim_percentage = 100;
  options().trim_backlog = 8;
  begin();
  std::vector<io::Request> all;
  while (const auto request = next()) {
    all.push_back(*request);
    over(*request);
  }
  EXPECT_EQ(all.size(), 128u);
  EXPECT_EQ(all[8].dir, io::Dir::trim);
  EXPECT_EQ(all[8].offset, all[0].offset);
  io::Request read = all[0];
  read.dir = io::Dir::read;
  io::note_write(read, 0);
  EXPECT_TRUE(turns_->is_trimmed(read));
  EXPECT_EQ(rest().size(), 64u) << "zeroes are read too";
}

// effect: trim_backlog_batch
TEST_F(VerifyTurnsTest, TrimBacklogBatchSetsTheTrimsInARow) {
  options().trim_percentage = 100;
  options().trim_backlog = 8;
  for (const std::uint64_t batch : {0u, 1u, 3u}) {
    options().trim_backlog_batch = batch;
    begin();
    writes_ = 0;
    for (int i = 0; i < 8; ++i) over(*next());
    for (std::uint64_t i = 0; i < (batch == 0 ? 8 : batch); ++i) {
      const auto trim = next();
      EXPECT_EQ(trim->dir, io::Dir::trim) << batch;
      over(*trim);
    }
    EXPECT_EQ(next()->dir, io::Dir::write) << batch;
  }
}

TEST_F(VerifyTurnsTest, ATrimThatWasNotIssuedLeavesItsBlockWritten) {
  options().trim_percentage = 100;
  options().trim_backlog = 2;
  begin();
  const auto first = next();
  over(*first);
  over(*next());
  const auto trim = next();
  ASSERT_EQ(trim->dir, io::Dir::trim);
  turns_->not_issued(*trim);
  io::Request read = *first;
  io::note_write(read, 0);
  EXPECT_FALSE(turns_->is_trimmed(read));
}

TEST_F(VerifyTurnsTest, AnOverwrittenBlockIsNotTrimmedForItsOlderWrite) {
  options().trim_percentage = 100;
  options().trim_backlog = 64;
  job_.loops = 2;
  begin(true);
  std::uint64_t trims = 0;
  std::set<std::uint64_t> zeroes;
  for (bool again = true; again; again = turns_->begin_pass())
    while (const auto request = next()) {
      if (request->dir == io::Dir::trim) {
        ++trims;
        EXPECT_TRUE(zeroes.insert(request->offset).second || trims > 64);
      } else {
        zeroes.erase(request->offset);
      }
      over(*request);
    }
  EXPECT_EQ(trims, 128u) << "each write was the last of its place when its turn came";
  io::Request read{.offset = 0, .length = kBlock, .dir = io::Dir::read};
  EXPECT_TRUE(facts_->versions->is_trimmed(read));
}

TEST_F(VerifyTurnsTest, AFsyncCoversOnlyWritesIssuedBeforeIt) {
  options().policy = job::fields::VerifyPolicy::fsynced;
  job_.fsync_every = 3;
  begin();
  EXPECT_TRUE(VerifyTurns::needed(*facts_));
  EXPECT_EQ(turns_->fsynced(), 0u);
  std::vector<io::Request> syncs;
  for (int i = 0; i < 8; ++i) {
    const auto request = *next();
    if (request.dir == io::Dir::sync)
      syncs.push_back(request);
    else
      over(request);
  }
  ASSERT_EQ(syncs.size(), 2u);
  EXPECT_EQ(turns_->fsynced(), 0u) << "none is over";
  over(syncs[1]);
  EXPECT_EQ(turns_->fsynced(), 3u) << "which of the two it was is not told";
  over(syncs[0]);
  EXPECT_EQ(turns_->fsynced(), 6u);
}

}  // namespace
}  // namespace fathom::run::checks
