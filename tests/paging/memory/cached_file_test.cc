// Pages of a file that are cached already are dropped before a run under a limit, or it is refused.
#include "paging/memory/cached_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <fstream>
#include <thread>

#include "base/system/fd.h"
#include "paging/memory/media.h"
#include "paging/temporary_file.h"

namespace fathom::paging::memory {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kBytes = 8 << 20;

std::uint64_t cached_pages(const std::string& path) {
  const base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  void* const map = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, fd.get(), 0);
  std::vector<unsigned char> pages(kBytes / 4096);
  ::mincore(map, kBytes, pages.data());
  ::munmap(map, kBytes);
  std::uint64_t n = 0;
  for (const auto page : pages) n += page & 1;
  return n;
}

// Written just now: cached, and not on the disk yet.
TEST(DropCachedPages, DropsTheFilesPagesAndReportsAFinding) {
  const TemporaryFile file(std::string(kBytes, 'x'));
  ASSERT_EQ(cached_pages(file.path()), kBytes / 4096);
  const auto dropped = drop_cached_pages(file.path(), kBytes);
  ASSERT_TRUE(dropped.ok()) << dropped.error().what;
  EXPECT_EQ(cached_pages(file.path()), 0u);
  ASSERT_EQ(dropped->size(), 1u);
  EXPECT_EQ(dropped->front().id, "paging.cache_dropped");
  EXPECT_THAT(dropped->front().evidence, HasSubstr("8 MiB of " + file.path()));
  EXPECT_TRUE(drop_cached_pages(file.path(), kBytes)->empty()) << "nothing to say the second time";
}

TEST(DropCachedPages, LeavesPagesBeyondTheSetCached) {
  const TemporaryFile file(std::string(kBytes, 'x'));
  ASSERT_TRUE(drop_cached_pages(file.path(), kBytes / 2).ok());
  EXPECT_NEAR(static_cast<double>(cached_pages(file.path())), kBytes / 4096 / 2.0, 32);
}

TEST(DropCachedPages, RefusesAFileThatAnotherProcessMaps) {
  const TemporaryFile file(std::string(kBytes, 'x'));
  const base::system::UniqueFd fd(::open(file.path().c_str(), O_RDONLY | O_CLOEXEC));
  void* const map = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd.get(), 0);
  const auto dropped = drop_cached_pages(file.path(), kBytes);
  ASSERT_FALSE(dropped.ok());
  EXPECT_EQ(dropped.error().kind, base::ErrorKind::refused);
  EXPECT_THAT(dropped.error().what, HasSubstr("8 MiB of " + file.path() + " are in the page cache already"));
  EXPECT_THAT(dropped.error().cause, HasSubstr("other processes map, lock"));
  ::munmap(map, kBytes);
  EXPECT_TRUE(drop_cached_pages(file.path(), kBytes).ok());
}

TEST(DropCachedPages, RefusesAFileOnTmpfs) {
  const std::string path = "/dev/shm/fathom-cached-" + std::to_string(::getpid());
  std::ofstream(path) << std::string(kBytes, 'x');
  const auto dropped = drop_cached_pages(path, kBytes);
  ::unlink(path.c_str());
  ASSERT_FALSE(dropped.ok());
  EXPECT_THAT(dropped.error().cause, HasSubstr("tmpfs keeps its pages"));
}

TEST(DropCachedPages, IgnoresAFolderADeviceAndAMissingFile) {
  EXPECT_TRUE(drop_cached_pages("/var/tmp", kBytes)->empty());
  EXPECT_TRUE(drop_cached_pages("/var/tmp/fathom-is-not-there", kBytes)->empty());
  EXPECT_TRUE(drop_cached_pages("/dev/null", kBytes)->empty());
}

}  // namespace
}  // namespace fathom::paging::memory
