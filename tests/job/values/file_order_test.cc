// file_service_type=, sync_file_range= and what the options of files ask of each other.
#include "job/values/file_order.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "job/support.h"

namespace fathom::job::values {
namespace {

base::Expected<fields::FileOptions> files(const std::string& lines) {
  const auto set = parse_job_text("[a]\nrw=write\nsize=1m\nnrfiles=4\n" + lines + "\n", "t.fio", World{}.env());
  if (!set) return set.error();
  return set->jobs.at(0).of<fields::FileOptions>();
}

TEST(FileOrder, FileServiceTypesAreParsed) {
  EXPECT_EQ(files("file_service_type=random:8")->ios_a_turn, 8u);
  EXPECT_EQ(files("file_service_type=sequential")->order, fields::FileOrder::sequential);
  const auto zipf = files("file_service_type=zipf:1.2");
  EXPECT_EQ(zipf->drawn_by.kind, pattern::Kind::zipf);
  EXPECT_DOUBLE_EQ(zipf->drawn_by.parameter, 1.2);
  EXPECT_DOUBLE_EQ(files("file_service_type=pareto")->drawn_by.parameter, 0.2);
  EXPECT_EQ(files("file_service_type=gauss:10")->drawn_by.kind, pattern::Kind::normal);
  for (const char* wrong : {"file_service_type=roundrobn", "file_service_type=random:0", "file_service_type=zipf:1"})
    EXPECT_FALSE(files(wrong).ok()) << wrong;
}

TEST(FileOptions, SyncFileRangeIsParsed) {
  const auto some = files("sync_file_range=wait_before,write:8");
  EXPECT_EQ(some->range_sync_flags, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE);
  EXPECT_EQ(some->range_sync_every, 8u);
  EXPECT_EQ(files("sync_file_range=wait_after")->range_sync_every, 1u);
  for (const char* wrong : {"sync_file_range=now:3", "sync_file_range=write:x", "sync_file_range=write:0"})
    EXPECT_FALSE(files(wrong).ok()) << wrong;
}

TEST(FileOptions, ImpossibleCombinationsAreRefused) {
  for (const char* wrong : {"openfiles=2\nioengine=mmap", "openfiles=2\nioengine=io_uring\nregisterfiles",
                            "openfiles=2\nioengine=io_uring\nsqthread_poll",
                            "ioengine=io_uring_cmd\nfilename=/dev/ng0n1\nsync_file_range=write:8",
                            "sync_file_range=write:8\nioengine=nvme\nfilename=soft"})
    EXPECT_FALSE(files(wrong).ok()) << wrong;
  const auto random = parse_job_text("[a]\nrw=randwrite\nfill_device=1\n", "t.fio", World{}.env());
  EXPECT_FALSE(random.ok());
  for (const char* well :
       {"openfiles=4\nioengine=mmap", "openfiles=2\nioengine=io_uring", "openfiles=2\nverify=crc32c", "openfiles=0"})
    EXPECT_TRUE(files(well).ok()) << well;
}

}  // namespace
}  // namespace fathom::job::values
