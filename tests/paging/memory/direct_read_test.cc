// Direct reads of a device whose content is known: what is counted, and what is not.
#include "paging/memory/direct_read.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/prng.h"
#include "base/system/fd.h"
#include "host/placement/placement.h"
#include "pmu/zram_device.h"

namespace fathom::paging::memory {
namespace {

constexpr std::size_t kFilePage = 4096;

// Random bytes in the first `pages` pages.
void write_pages(const std::string& path, int pages) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  std::vector<std::uint64_t> page(kFilePage / 8);
  base::Prng prng(3);
  for (int i = 0; i < pages; ++i) {
    for (auto& word : page) word = prng.next();
    ASSERT_EQ(::pwrite(fd.get(), page.data(), kFilePage, off_t{i} * static_cast<off_t>(kFilePage)),
              static_cast<ssize_t>(kFilePage));
  }
  ASSERT_EQ(::fsync(fd.get()), 0);
}

class DirectReadsOfFile : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/var/tmp/fathom-direct-read-XXXXXX";
    const base::system::UniqueFd fd(::mkstemp(name));
    path_ = name;
  }
  void TearDown() override { ::unlink(path_.c_str()); }
  std::string path_;
};

// A quarter of the slots is used: those reads are counted, and the others are answered without any data to fetch.
TEST(DirectReads, OfZramCountOnlyUsedSlots) {
  const testing::ZramDevice zram("16M");
  if (zram.path().empty()) GTEST_SKIP() << "no zram here";
  write_pages(zram.path(), 1024);
  const auto time = direct_reads({.path = zram.path(), .disk = zram.name(), .seconds = 30, .most_reads = 20'000});
  ASSERT_TRUE(time) << time.error().what;
  EXPECT_EQ(time->by, "direct reads");
  EXPECT_EQ(time->device, zram.name());
  EXPECT_NEAR(time->seen_share, 0.25, 0.02);
  EXPECT_NEAR(static_cast<double>(time->read_ns.moments_ns.n), 5000, 400);
  EXPECT_EQ(time->read_bytes, time->read_ns.moments_ns.n * kFilePage);
  EXPECT_EQ(time->read_ns.histogram_ns.total(), time->read_ns.moments_ns.n);
  EXPECT_GT(time->read_ns.histogram_ns.percentile(50), 200u) << "a system call and a page's copy";
  EXPECT_TRUE(time->write_ns.histogram_ns.empty());
}

TEST(DirectReads, OfAnEmptyZramAreNoneWithACause) {
  const testing::ZramDevice zram("16M");
  if (zram.path().empty()) GTEST_SKIP() << "no zram here";
  const auto time = direct_reads({.path = zram.path(), .disk = zram.name(), .seconds = 30, .most_reads = 1000});
  ASSERT_TRUE(time);
  EXPECT_EQ(time->read_ns.moments_ns.n, 0u);
  EXPECT_THAT(time->cause, ::testing::HasSubstr("none of 1000 pages"));
}

TEST_F(DirectReadsOfFile, AreTimedOnTheFilesDisk) {
  write_pages(path_, 256);
  const auto time =
      direct_reads({.path = path_, .disk = host::placement::place(path_).disk, .seconds = 0.2, .most_reads = 500});
  if (!time) GTEST_SKIP() << time.error().what;
  EXPECT_EQ(time->device, host::placement::place(path_).disk);
  EXPECT_GT(time->read_ns.moments_ns.n, 0u);
  EXPECT_EQ(time->seen_share, 1);
}

TEST_F(DirectReadsOfFile, EndAfterTheGivenSeconds) {
  write_pages(path_, 16);
  const auto time = direct_reads({.path = path_, .seconds = 0});
  ASSERT_TRUE(time);
  EXPECT_EQ(time->read_ns.moments_ns.n, 0u);
}

TEST_F(DirectReadsOfFile, OfAnEmptyFileHaveACause) {
  const auto time = direct_reads({.path = path_});
  ASSERT_TRUE(time);
  EXPECT_THAT(time->cause, ::testing::HasSubstr("no page to read"));
}

TEST(DirectReads, OfAMissingPathAreAnError) {
  const auto time = direct_reads({.path = "/var/tmp/fathom-no-such-swap"});
  ASSERT_FALSE(time);
  EXPECT_EQ(time.error().sys_errno, ENOENT);
}

}  // namespace
}  // namespace fathom::paging::memory
