// Which write was the last at a place, and when nobody can say.
#include "run/checks/versions.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace fathom::run::checks {
namespace {

using Standing = Versions::Standing;

class VersionsTest : public ::testing::Test {
 protected:
  VersionsTest() : targets_(2) {
    targets_[0].start = 8192;
    targets_[0].length = 16 * 4096;
    targets_[1].length = 4 * 4096 + 100;
    auto made = Versions::make(targets_, 4096, "/var/tmp");
    EXPECT_TRUE(made.ok());
    versions_.emplace(std::move(*made));
  }
  static io::Request write(std::uint64_t offset, std::uint32_t length = 4096, std::uint16_t target = 0) {
    return {.offset = offset, .length = length, .target = target, .dir = io::Dir::write};
  }
  void done(const io::Request& request, std::uint64_t number, bool well = true) {
    versions_->issued(request, number);
    versions_->ended(request, well);
  }
  Versions::Last last(std::uint64_t offset, std::uint64_t length = 4096, std::uint16_t target = 0) {
    return versions_->last(target, offset, length);
  }
  std::vector<io::Target> targets_;
  std::optional<Versions> versions_;
};

TEST_F(VersionsTest, OfWritesInSequenceTheLaterStands) {
  EXPECT_EQ(last(8192).standing, Standing::none);
  done(write(8192, 8192), 0);
  done(write(8192), 1);
  EXPECT_EQ(last(8192).standing, Standing::one);
  EXPECT_EQ(last(8192).number, 1u);
  EXPECT_EQ(last(8192 + 4096).number, 0u);
  EXPECT_EQ(last(8192, 8192).standing, Standing::unordered) << "parts of two";
  EXPECT_TRUE(versions_->is_last_somewhere(write(8192, 8192), 0));
  done(write(8192 + 4096), 2);
  EXPECT_FALSE(versions_->is_last_somewhere(write(8192, 8192), 0));
}

TEST_F(VersionsTest, TwoInFlightTogetherHaveNoOrderUntilAnotherComesAlone) {
  versions_->issued(write(8192), 0);
  versions_->issued(write(8192), 1);
  versions_->ended(write(8192), true);
  EXPECT_EQ(last(8192).standing, Standing::unordered);
  versions_->issued(write(8192), 2);  // one is in flight still
  versions_->ended(write(8192), true);
  versions_->ended(write(8192), true);
  EXPECT_EQ(last(8192).standing, Standing::unordered);
  EXPECT_EQ(last(8192).number, 2u);
  done(write(8192), 3);
  EXPECT_EQ(last(8192).standing, Standing::one);
  EXPECT_EQ(last(8192).number, 3u);
}

TEST_F(VersionsTest, AfterAFailedWriteTheOrderIsUnknown) {
  done(write(8192), 0);
  done(write(8192), 1, false);
  EXPECT_EQ(last(8192).standing, Standing::unordered);
  done(write(8192), 2);
  EXPECT_EQ(last(8192).standing, Standing::one);
}

TEST_F(VersionsTest, ACompletedTrimErasesTheLastWrite) {
  const io::Request trim{.offset = 8192, .length = 4096, .dir = io::Dir::trim};
  done(write(8192), 0);
  EXPECT_FALSE(versions_->is_trimmed(trim));
  versions_->trim_issued(trim);
  EXPECT_FALSE(versions_->is_trimmed(trim)) << "not over";
  EXPECT_EQ(last(8192).standing, Standing::unordered);
  versions_->ended(trim, true);
  EXPECT_TRUE(versions_->is_trimmed(trim));
  EXPECT_EQ(last(8192).standing, Standing::none);
  EXPECT_FALSE(versions_->is_last_somewhere(write(8192), 0));
}

TEST_F(VersionsTest, ATrimAndAWriteInFlightTogetherHaveNoOrder) {
  const io::Request trim{.offset = 8192, .length = 4096, .dir = io::Dir::trim};
  for (const bool trim_first : {false, true}) {
    if (trim_first) versions_->trim_issued(trim);
    versions_->issued(write(8192), 1);
    if (!trim_first) versions_->trim_issued(trim);
    versions_->ended(write(8192), true);
    versions_->ended(trim, true);
    EXPECT_EQ(last(8192).standing, Standing::unordered) << "before the write or after it";
    EXPECT_FALSE(versions_->is_trimmed(trim));
    done(write(8192), 2);
  }
  versions_->trim_issued(trim);
  versions_->ended(trim, false);
  EXPECT_FALSE(versions_->is_trimmed(trim)) << "a trim that failed";
}

// What is being written is not what was written.
TEST_F(VersionsTest, AWriteInFlightDoesNotCountAsWritten) {
  versions_->issued(write(8192), 0);
  EXPECT_EQ(last(8192).standing, Standing::unordered);
  versions_->ended(write(8192), true);
  EXPECT_EQ(last(8192).standing, Standing::one);
}

TEST_F(VersionsTest, TargetsAreSeparateUpToTheirLastPartialUnit) {
  done(write(16384, 100, 1), 7);
  EXPECT_EQ(last(16384, 100, 1).number, 7u);
  EXPECT_EQ(last(16384 + 8192, 4096, 0).standing, Standing::none);
  EXPECT_EQ(last(1 << 20, 4096, 1).standing, Standing::none) << "behind the end";
  EXPECT_EQ(last(0, 4096, 0).standing, Standing::none) << "before the window";
}

// 16 Mi units: 128 MiB of map, which is not memory of the process.
TEST_F(VersionsTest, ALargeMapLiesInAFile) {
  targets_[0].length = std::uint64_t{64} << 30;
  auto large = Versions::make({targets_.data(), 1}, 4096, "/var/tmp");
  ASSERT_TRUE(large.ok());
  large->issued(write(8192 + (std::uint64_t{63} << 30)), 5);
  EXPECT_EQ(large->last(0, 8192 + (std::uint64_t{63} << 30), 4096).number, 5u);
  auto nowhere = Versions::make({targets_.data(), 1}, 4096, "/nonexistent");
  ASSERT_FALSE(nowhere.ok());
  EXPECT_NE(nowhere.error().what.find("a file in /nonexistent"), std::string::npos);
  EXPECT_EQ(nowhere.error().sys_errno, ENOENT);
}

}  // namespace
}  // namespace fathom::run::checks
