// What of a run's blocks is checked, and against what.
#include "run/verification.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

#include "base/shared_memory.h"

namespace fathom::run {
namespace {

constexpr std::uint32_t kBlock = 4096;

class Verifying : public ::testing::Test {
 protected:
  Verifying() : record_(1), block_(kBlock) {
    job_.verify = true;
    job_.verify_interval = kBlock;
    job_.size = {16 * kBlock, 0, true};
    target_.size = target_.length = 16 * kBlock;
  }
  void mode(bool reads, bool writes) {
    job_.mode.reads = reads;
    job_.mode.writes = writes;
  }
  Verification made(std::uint64_t generation) { return {job_, {&target_, 1}, 0, generation}; }
  bool check(const Verification& v) {
    return v.check({.offset = 8192, .length = kBlock, .dir = io::Dir::read}, block_.data(), record_[0]);
  }
  void stamp(Verification& v) { v.stamp({.offset = 8192, .length = kBlock, .dir = io::Dir::write}, block_.data()); }
  base::SharedArray<WorkerRecord> record_;
  std::vector<std::byte> block_;
  job::Job job_;
  io::Target target_;
};

// A write that never arrived leaves what an earlier run had written there, whole as it is.
TEST_F(Verifying, ALostWriteIsFound) {
  mode(false, true);
  auto earlier = made(1), now = made(2);
  stamp(earlier);
  now.begin_reading_back();
  EXPECT_FALSE(check(now));
  EXPECT_EQ(record_[0].error, EILSEQ);
  EXPECT_STREQ(record_[0].errors[0].what, "verify: bad generation at offset 8192, expected 0x2, found 0x1");
  EXPECT_EQ(record_[0].errors[0].offset_bytes, 8192u);
  stamp(now);
  EXPECT_TRUE(check(now));
}

// One device of several that a job keeps busy by themselves has its own targets.
TEST_F(Verifying, TheTargetIsTheJobs) {
  mode(true, false);
  const auto v = made(2);
  EXPECT_FALSE(v.check({.offset = 8192, .length = kBlock, .dir = io::Dir::read}, block_.data(), record_[0], 3));
  EXPECT_EQ(record_[0].errors[0].target, 3u);
}

TEST_F(Verifying, AnyGenerationWillDoForAReader) {
  mode(false, true);
  auto earlier = made(1);
  stamp(earlier);
  job_.verify_only = true;
  EXPECT_TRUE(made(2).writes_nothing());
  EXPECT_TRUE(check(made(2)));
  mode(true, false);
  auto reader = made(2);
  EXPECT_FALSE(reader.writes_nothing());
  EXPECT_FALSE(reader.reads_back());
  EXPECT_TRUE(check(reader));
  block_[100] ^= std::byte{1};
  EXPECT_FALSE(check(reader));
}

TEST_F(Verifying, AMixedJobsReadsAreCheckedWhenItReadsBackOnly) {
  mode(true, true);
  auto v = made(1);
  EXPECT_TRUE(check(v));
  v.begin_reading_back();
  EXPECT_FALSE(check(v));
}

TEST_F(Verifying, ReadsBackAsManyWritesAsThereWere) {
  mode(false, true);
  auto v = made(1);
  for (int i = 0; i < 5; ++i) stamp(v);
  auto& source = v.begin_reading_back();
  io::Request block[workload::Source::kBlock];
  EXPECT_EQ(source.next(block), 5u);
  EXPECT_EQ(source.next(block), 0u);
  EXPECT_FALSE(source.begin_pass());
  job_.do_verify = false;
  EXPECT_FALSE(made(1).reads_back());
}

TEST_F(Verifying, OnlySixteenErrorsAreKeptAndAllAreCounted) {
  mode(true, false);
  const auto v = made(1);
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(check(v));
  EXPECT_EQ(record_[0].error_count, 40u);
}

}  // namespace
}  // namespace fathom::run
