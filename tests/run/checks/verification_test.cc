// What of a run's blocks is checked, and against what.
#include "run/checks/verification.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "base/system/shared_memory.h"
#include "job/fields/verify.h"
#include "run/checks/one_block.h"
#include "workload/bytes/verify.h"

namespace fathom::run::checks {
namespace {

class VerificationTest : public ::testing::Test {
 protected:
  VerificationTest() : record_(1), block_(kBlock) {
    job_.verify = true;
    job_.own.get<job::fields::VerifyOptions>().method = "crc32c";
    job_.size = {16 * kBlock, 0, true};
    target_.path = "/dev/x";
    target_.size = target_.length = 16 * kBlock;
  }
  void mode(bool reads, bool writes) {
    job_.mode.reads = reads;
    job_.mode.writes = writes;
  }
  Verification made(std::uint64_t generation, std::uint32_t job = 0, bool others = false) {
    auto made = Verification::make(job_, {&target_, 1}, job, generation, others);
    EXPECT_TRUE(made.ok());
    return std::move(*made);
  }
  // What write number `number` of the run left, or was to leave.
  bool check(Verification& v, std::uint64_t number = 0) {
    io::Request read{.offset = 8192, .length = kBlock, .dir = io::Dir::read};
    io::note_write(read, number);
    return v.check(read, block_.data(), record_[0]);
  }
  void written(Verification& v) {
    stamp(v);
    v.ended({.offset = 8192, .length = kBlock, .dir = io::Dir::write}, true);
  }
  std::string said() const {
    const auto kept = record_[0].errors_kept;
    return kept == 0 ? "" : record_[0].errors[kept - 1].what;
  }
  const result::Verified& verified() { return record_[0].verified; }
  void stamp(Verification& v) { v.stamp({.offset = 8192, .length = kBlock, .dir = io::Dir::write}, block_.data(), 0); }
  base::system::SharedArray<records::WorkerRecord> record_;
  std::vector<std::byte> block_;
  job::Job job_;
  io::Target target_;
};

// A write that never arrived leaves what an earlier run had written there, whole as it is.
TEST_F(VerificationTest, ALostWriteIsFound) {
  mode(false, true);
  auto earlier = made(1), now = made(2);
  stamp(earlier);
  now.begin_reading_back(record_[0]);
  EXPECT_FALSE(check(now));
  EXPECT_EQ(record_[0].error, EILSEQ);
  EXPECT_NE(std::string(record_[0].errors[0].what).find("verify: bad header rand_seed "), std::string::npos);
  EXPECT_NE(std::string(record_[0].errors[0].what).find("at file /dev/x offset 8192, length 4096"), std::string::npos)
      << record_[0].errors[0].what;
  EXPECT_EQ(record_[0].errors[0].offset_bytes, 8192u);
  stamp(now);
  EXPECT_TRUE(check(now));
}

// One device of several that a job keeps busy by themselves has its own targets.
TEST_F(VerificationTest, AnErrorOfOneDeviceNamesThatDevicesTarget) {
  mode(true, false);
  auto v = made(2);
  EXPECT_FALSE(v.check({.offset = 8192, .length = kBlock, .dir = io::Dir::read}, block_.data(), record_[0], 3));
  EXPECT_EQ(record_[0].errors[0].target, 3u);
}

TEST_F(VerificationTest, AVerifyOnlyJobAcceptsBlocksOfAnyRun) {
  mode(false, true);
  auto earlier = made(1);
  stamp(earlier);
  job_.verify_only = true;
  auto only = made(2);
  EXPECT_TRUE(only.writes_nothing());
  only.begin_reading_back(record_[0]);
  EXPECT_TRUE(check(only));
  mode(true, false);
  auto reader = made(2);
  EXPECT_FALSE(reader.writes_nothing());
  EXPECT_FALSE(reader.reads_back());
  EXPECT_TRUE(check(reader));
  block_[100] ^= std::byte{1};
  EXPECT_FALSE(check(reader));
}

TEST_F(VerificationTest, ReadsOfAMixedJobAreCheckedOnlyInTheReadBackPhase) {
  mode(true, true);
  auto v = made(1);
  EXPECT_TRUE(v.check({.offset = 8192, .length = kBlock, .dir = io::Dir::read}, block_.data(), record_[0]));
  v.begin_reading_back(record_[0]);
  EXPECT_FALSE(check(v));
}

TEST_F(VerificationTest, ReadsBackAsManyWritesAsThereWere) {
  mode(false, true);
  auto v = made(1);
  for (int i = 0; i < 5; ++i) stamp(v);
  auto& source = v.begin_reading_back(record_[0]);
  io::Request block[workload::Source::kBlock];
  EXPECT_EQ(source.next(block), 5u);
  EXPECT_EQ(source.next(block), 0u);
  EXPECT_FALSE(source.begin_pass());
  job_.do_verify = false;
  EXPECT_FALSE(made(1).reads_back());
}

// Of fathom before it wrote fio's format.
TEST_F(VerificationTest, HeadersOfOlderFathomAreVerified) {
  mode(true, false);
  auto v = made(2);
  workload::bytes::stamp_block(block_, 8192, 1024, 7);
  EXPECT_TRUE(check(v));
  block_[3000] ^= std::byte{4};
  EXPECT_FALSE(check(v));
  EXPECT_NE(std::string(record_[0].errors[0].what).find("verify: bad crc at offset 10240"), std::string::npos);
  mode(false, true);
  workload::bytes::stamp_block(block_, 8192, 1024, 7);
  auto own = made(2);
  own.begin_reading_back(record_[0]);
  EXPECT_FALSE(check(own)) << "what this run wrote is of the new form";
}

// Contents of their own kind get headers, and nothing else is changed.
TEST_F(VerificationTest, RequestedContentsAreKeptBehindHeaders) {
  mode(false, true);
  job_.own.get<job::fields::ContentOptions>().compress_percent = 50;
  auto v = made(1);
  EXPECT_FALSE(v.makes_contents());
  std::fill(block_.begin(), block_.end(), std::byte{0x5a});
  stamp(v);
  EXPECT_EQ(block_[100], std::byte{0x5a});
  v.begin_reading_back(record_[0]);
  EXPECT_TRUE(check(v));
}

TEST_F(VerificationTest, EachVerifyIntervalMustBeOfThisRun) {
  mode(false, true);
  job_.verify_interval = 1024;
  auto earlier = made(1), now = made(2);
  stamp(now);
  const auto whole = block_;
  stamp(earlier);
  std::copy_n(whole.begin(), 2048, block_.begin());  // the second half of the write was lost
  now.begin_reading_back(record_[0]);
  EXPECT_FALSE(check(now));
  EXPECT_NE(std::string(record_[0].errors[0].what).find("offset 10240, length 1024"), std::string::npos)
      << record_[0].errors[0].what;
}

// Each write whole, with a good checksum, of this run: only the number tells that the second never arrived.
TEST_F(VerificationTest, ALostRewriteIsFound) {
  mode(false, true);
  job_.loops = 2;
  job_.verify_interval = kBlock;
  for (const bool pattern : {false, true}) {
    record_[0].verified = {};
    job_.own.get<job::fields::VerifyOptions>().pattern = pattern ? "ab" : "";
    auto v = made(1);
    written(v);
    const auto first = block_;
    written(v);
    const auto second = block_;
    v.begin_reading_back(record_[0]);
    block_ = second;
    EXPECT_TRUE(check(v, 1)) << said();
    EXPECT_EQ(verified(), (result::Verified{.exact = kBlock}));
    block_ = first;
    EXPECT_FALSE(check(v, 1)) << pattern;
    EXPECT_NE(said().find(pattern ? "verify: bad header numberio 0, wanted 1" : "verify: bad header rand_seed "),
              std::string::npos)
        << said();
  }
}

// What of a header is held against the write that was the last there.
// effect: verify_header_seed verify_write_sequence
TEST_F(VerificationTest, HeaderSeedAndSequenceAreCheckedUnlessSwitchedOff) {
  mode(false, true);
  job_.loops = 2;
  job_.verify_interval = kBlock;
  auto& options = job_.own.get<job::fields::VerifyOptions>();
  for (const bool seed : {true, false})
    for (const bool number : {true, false}) {
      options.header_seed = seed;
      options.write_sequence = number;
      auto v = made(1);
      written(v);
      const auto first = block_;
      written(v);
      block_ = first;
      v.begin_reading_back(record_[0]);
      EXPECT_EQ(check(v, 1), !seed && !number);
      const char* const told = seed ? "bad header rand_seed " : "bad header numberio 0, wanted 1";
      if (seed || number) {
        EXPECT_NE(said().find(told), std::string::npos) << said();
      }
    }
}

// How often it was written, and by which write it is.
TEST_F(VerificationTest, ABadBlockReportsItsWriteHistory) {
  mode(false, true);
  job_.loops = 3;
  job_.verify_interval = kBlock;
  auto v = made(1);
  for (int i = 0; i < 48; ++i) {  // three passes over 16 blocks
    const auto offset = static_cast<std::uint64_t>(i % 16) * kBlock;
    const io::Request write{.offset = offset, .length = kBlock, .dir = io::Dir::write};
    std::vector<std::byte> other(kBlock);
    v.stamp(write, i == 34 ? block_.data() : other.data(), 1'500'000'000);
    v.ended(write, true);
  }
  v.begin_reading_back(record_[0]);
  EXPECT_TRUE(check(v, 34)) << said();
  block_[2000] ^= std::byte{16};
  EXPECT_FALSE(check(v, 34));
  EXPECT_NE(said().find("from write 34 of job 1, 1.500000000 s after its start; flipped: 1 bit"), std::string::npos)
      << said();
  EXPECT_NE(said().find("written there 3 times, last by write 34 of job 1"), std::string::npos) << said();
}

// Two writes of one place in flight together: the first may be what stands there, or a mixture of both.
TEST_F(VerificationTest, OverlappingWritesInFlightTogetherAreNoError) {
  mode(false, true);
  job_.norandommap = job_.mode.random = true;
  job_.verify_interval = 1024;
  auto v = made(1);
  stamp(v);
  const auto first = block_;
  stamp(v);
  for (int i = 0; i < 2; ++i) v.ended({.offset = 8192, .length = kBlock, .dir = io::Dir::write}, true);
  std::copy_n(first.begin(), 1500, block_.begin());
  v.begin_reading_back(record_[0]);
  EXPECT_TRUE(check(v, 1)) << said();
  EXPECT_EQ(verified(), (result::Verified{.some_version = 3 * 1024, .withheld = 1024}));
  record_[0].verified = {};
  written(v);
  block_[1600] ^= std::byte{1};
  EXPECT_FALSE(check(v, 2)) << "one that came alone afterwards is";
}

// Two jobs at one file: the other's block is a block of this run, a mixture of both is nobody's fault; what neither of
// them wrote was lost.
TEST_F(VerificationTest, BlocksOverwrittenByAnotherJobAreNoError) {
  mode(false, true);
  auto one = made(2, 0, true), other = made(2, 1, true), earlier = made(1, 1, true);
  written(one);
  one.begin_reading_back(record_[0]);
  const auto mine = block_;
  EXPECT_TRUE(check(one));
  written(other);
  EXPECT_TRUE(check(one)) << said();
  EXPECT_EQ(verified(), (result::Verified{.some_version = 2 * kBlock}));
  std::copy_n(mine.begin(), 2000, block_.begin());
  EXPECT_TRUE(check(one)) << said();
  EXPECT_EQ(verified().withheld, kBlock);
  written(earlier);
  EXPECT_FALSE(check(one));
  auto alone = made(2);
  alone.begin_reading_back(record_[0]);
  written(other);
  EXPECT_FALSE(check(alone)) << "nobody else writes there: a block of another job's file";
}

// Each place once, no map: a write that failed with continue_on_error.
TEST_F(VerificationTest, FailedWritesAreNotReadBack) {
  mode(false, true);
  auto v = made(1);
  for (int i = 0; i < 16; ++i) stamp(v);
  v.ended({.offset = 8192, .length = kBlock, .dir = io::Dir::write}, false);
  auto& source = v.begin_reading_back(record_[0]);
  io::Request block[workload::Source::kBlock];
  const auto made_requests = source.next(block);
  EXPECT_EQ(made_requests, 15u);
  EXPECT_EQ(io::noted_write(block[1]), 1u);
  EXPECT_EQ(io::noted_write(block[2]), 3u);
  EXPECT_FALSE(io::is_paced(block[2]));
  EXPECT_EQ(verified().withheld, kBlock);
}

TEST_F(VerificationTest, OnlySixteenErrorsAreKeptAndAllAreCounted) {
  mode(true, false);
  auto v = made(1);
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(check(v));
  EXPECT_EQ(record_[0].error_count, 40u);
}

}  // namespace
}  // namespace fathom::run::checks
