// block_error_percentiles: what came last of each block, and how often it was trimmed.
#include "run/records/block_lifetimes.h"

#include <gtest/gtest.h>

#include "base/system/shared_memory.h"
#include "job/fields/block_lifetimes.h"
#include "run/outcome/collect.h"
#include "run/outcome/sum_jobs.h"

namespace fathom::run::records {
namespace {

constexpr std::uint64_t kBlock = 4096;

class BlockLifetimesTest : public testing::Test {
 protected:
  BlockLifetimesTest() {
    job_.bs_min[2] = kBlock;
    job_.own.get<job::fields::BlockLifetimes>().on = true;  // block_error_percentiles=1
    target_.start = 2 * kBlock;
    target_.length = 4 * kBlock + 1;
  }
  BlockLifetimes made() { return {job_, {&target_, 1}, record_[0]}; }
  static io::Request request(io::Dir dir, std::uint64_t block, std::uint32_t blocks = 1) {
    return {.offset = block * kBlock, .length = static_cast<std::uint32_t>(blocks * kBlock), .dir = dir};
  }
  result::Job collected() const {
    return outcome::collect_job({job_, {}, 1, false, {}}, 0, record_[0], {}, {}, "fathom");
  }

  job::Job job_;
  io::Target target_;
  base::system::SharedArray<WorkerRecord> record_{1};
};

// effect: block_error_percentiles
TEST_F(BlockLifetimesTest, AFailedBlockKeepsItsState) {
  auto lifetimes = made();
  ASSERT_TRUE(lifetimes.any());
  EXPECT_EQ(record_[0].lifetime_blocks, 5u) << "the last is a part of a block";
  for (int i = 0; i < 3; ++i) lifetimes.done(request(io::Dir::trim, 2, 2));
  lifetimes.done(request(io::Dir::write, 3));
  lifetimes.done(request(io::Dir::read, 5));
  lifetimes.failed(request(io::Dir::trim, 2));
  lifetimes.done(request(io::Dir::trim, 2));
  lifetimes.failed(request(io::Dir::write, 4));
  const auto all = collected().block_lifetimes;
  ASSERT_TRUE(all);
  const result::BlockLifetimes expected{2, 0, 1, 1, 1, {{0, 1}, {3, 2}}};
  EXPECT_EQ(*all, expected);
}

TEST_F(BlockLifetimesTest, RequestsOutsideTheWindowCountNoBlock) {
  auto lifetimes = made();
  lifetimes.done(request(io::Dir::trim, 1));
  lifetimes.done(request(io::Dir::trim, 6, 40));
  EXPECT_EQ(collected().block_lifetimes->trimmed, 1u);
  EXPECT_EQ(collected().block_lifetimes->untouched, 4u);
}

TEST_F(BlockLifetimesTest, AGroupSumsTheBlocksOfItsMembers) {
  auto lifetimes = made();
  lifetimes.done(request(io::Dir::trim, 2, 2));
  const auto one = collected();
  const auto sum = outcome::sum_jobs({one, one}, {}).block_lifetimes;
  const result::BlockLifetimes expected{6, 4, 0, 0, 0, {{1, 4}}};
  EXPECT_EQ(*sum, expected);
}

TEST_F(BlockLifetimesTest, WithoutTheOptionNothingIsRecorded) {
  job_.own.get<job::fields::BlockLifetimes>().on = false;
  EXPECT_FALSE(made().any());
  EXPECT_FALSE(collected().block_lifetimes);
}

}  // namespace
}  // namespace fathom::run::records
