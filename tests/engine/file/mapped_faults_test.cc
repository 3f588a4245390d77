// mmap on a file that is cut short under the job: the I/Os beyond the new end fail one by one, in a worker that is a
// process and in a thread that blocks all signals, and those before it go on.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <vector>

#include "base/sanitized.h"
#include "engine/parts.h"
#include "engine/syscall_engine.h"

namespace fathom::engine::file {
namespace {

constexpr std::uint32_t kPage = 4096;

class TruncatedMmapFile : public testing::TestWithParam<bool> {
 protected:
  TruncatedMmapFile() {
    char name[] = "/var/tmp/fathom-cut-XXXXXX";
    fd_ = ::mkstemp(name);
    ::unlink(name);
    EXPECT_EQ(::ftruncate(fd_, 16 * kPage), 0);
    targets_[0] = {"cut", io::TargetKind::regular, fd_, 16 * kPage, 0, 16 * kPage};
  }
  ~TruncatedMmapFile() override { ::close(fd_); }
  std::int32_t io(SyscallEngine& engine, io::Dir dir, std::uint64_t page, std::uint32_t pages = 1) {
    io::Request r{};
    r.dir = dir;
    r.offset = page * kPage;
    r.length = pages * kPage;
    return engine.do_one(r, buffer_.data());
  }
  void check();

  int fd_ = -1;
  io::Target targets_[1];
  std::vector<std::byte> buffer_ = std::vector<std::byte>(4 * kPage);
};

void TruncatedMmapFile::check() {
  SyscallEngine engine(mmap_calls);
  engine::Setup setup;
  setup.targets = targets_;
  setup.options.has_writes = true;
  setup.options.direct = GetParam();
  ASSERT_TRUE(engine.open(setup).ok());
  EXPECT_EQ(io(engine, io::Dir::read, 8), static_cast<std::int32_t>(kPage));
  ASSERT_EQ(::ftruncate(fd_, 4 * kPage), 0);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(io(engine, io::Dir::read, 8), -EIO);
    EXPECT_EQ(io(engine, io::Dir::write, 9), -EIO);
    EXPECT_EQ(io(engine, io::Dir::read, 3, 3), -EIO) << "over the edge";
    EXPECT_EQ(io(engine, io::Dir::read, 3), static_cast<std::int32_t>(kPage));
    EXPECT_EQ(io(engine, io::Dir::write, 0), static_cast<std::int32_t>(kPage));
  }
  ASSERT_EQ(::ftruncate(fd_, 16 * kPage), 0);
  EXPECT_EQ(io(engine, io::Dir::read, 8), static_cast<std::int32_t>(kPage)) << "the file's pages, and no others";
}

TEST_P(TruncatedMmapFile, IosBeyondTheEndFail) { check(); }

TEST_P(TruncatedMmapFile, IosBeyondTheEndFailInAThreadThatBlocksSignals) {
  std::thread([this] {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    check();
  }).join();
}

// A SIGBUS that is none of ours ends the program as it did before.
TEST(ForeignSigbus, EndsTheProgram) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto foreign = [] {
    SyscallEngine engine(mmap_calls);
    engine::Setup setup;
    std::vector<io::Target> none;
    setup.targets = none;
    if (!engine.open(setup)) ::_exit(1);
    char name[] = "/var/tmp/fathom-cut-XXXXXX";
    const int fd = ::mkstemp(name);
    ::unlink(name);
    auto* p = static_cast<volatile char*>(::mmap(nullptr, kPage, PROT_READ, MAP_SHARED, fd, 0));
    ::_exit(p[0] == 0 ? 2 : 3);
  };
#if FATHOM_ASAN || FATHOM_TSAN  // they end the program themselves, and say why
  EXPECT_DEATH(foreign(), "BUS");
#else
  EXPECT_EXIT(foreign(), testing::KilledBySignal(SIGBUS), "");
#endif
}

INSTANTIATE_TEST_SUITE_P(Direct, TruncatedMmapFile, testing::Bool());

}  // namespace
}  // namespace fathom::engine::file
