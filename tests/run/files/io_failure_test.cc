// What is said of a failed I/O beside its errno: true of the file, and nothing where nothing is known.
#include "run/files/io_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "job/fields/files.h"

namespace fathom::run::files {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class IoFailure : public testing::Test {
 protected:
  IoFailure() {
    char name[] = "/var/tmp/fathom-failed-XXXXXX";
    const int fd = ::mkstemp(name);
    ::unlink(name);
    EXPECT_EQ(::ftruncate(fd, 4096), 0);
    open_.fds.emplace_back(fd);
    open_.targets.push_back({name, io::TargetKind::regular, fd, 8192, 0, 8192});
    plan_.job.ioengine = "psync";
    plan_.targets.resize(1);
    std::memset(static_cast<void*>(record_.get()), 0, sizeof *record_);
    record_->elapsed_ns = 1'500'000'000;
    record_->measured.done.ios[0].set(3);
    record_->measured.done.bytes[0].set(3 << 20);
  }
  std::string told(int err, io::Dir dir) {
    record_->error_count = record_->errors_kept = 0;
    record_->errors[0] = {};
    io::Request request{};
    request.dir = dir;
    request.length = length_;
    record_->add_error(err)->describe(request);
    explain_io_failures(plan_, open_, *record_);
    return record_->errors[0].what;
  }

  std::uint32_t length_ = 4096;
  Plan plan_;
  OpenTargets open_;
  std::unique_ptr<records::WorkerRecord> record_ = std::make_unique<records::WorkerRecord>();
};

TEST_F(IoFailure, AReadOfATruncatedFileNamesBothSizes) {
  EXPECT_THAT(told(EIO, io::Dir::read), HasSubstr("it had 8192 bytes and has 4096"));
  EXPECT_THAT(told(EIO, io::Dir::read), HasSubstr("kept: 3 I/Os (3.0 MiB) in 1.50 s"));
}

TEST_F(IoFailure, AFileThatTheJobMadeWasNeverCutShort) {
  plan_.job.own.get<job::fields::FileOptions>().create_on_open = true;
  EXPECT_THAT(told(EIO, io::Dir::read), HasSubstr("create_on_open=1 created the file, which has 4096 bytes"));
  plan_.targets[0].exists = true;
  EXPECT_THAT(told(EIO, io::Dir::read), HasSubstr("it had 8192 bytes and has 4096"));
}

TEST_F(IoFailure, EinvalOfADirectIoNamesTheBlockSize) {
  plan_.job.direct = true;
  length_ = 1000;
  const auto refused = told(EINVAL, io::Dir::read);
  EXPECT_THAT(refused, HasSubstr("direct=1 and 1000 bytes at offset 0: the device accepts whole blocks of "));
  EXPECT_THAT(refused, HasSubstr("write bs= and offset= as multiples of "));
  length_ = 65536;
  EXPECT_THAT(told(EINVAL, io::Dir::read), IsEmpty()) << "that is no reason";
  plan_.job.direct = false;
  length_ = 1000;
  EXPECT_THAT(told(EINVAL, io::Dir::read), IsEmpty());
}

TEST_F(IoFailure, AnAtomicWriteNamesWhatTheFileSystemLacks) {
  plan_.job.own.get<job::fields::FileOptions>().atomic = true;
  const auto refused = told(EOPNOTSUPP, io::Dir::write);
  EXPECT_TRUE(refused.find("statx names no unit") != std::string::npos ||
              refused.find("the file system does not support an I/O flag") != std::string::npos)
      << refused;
  EXPECT_THAT(told(ENOSPC, io::Dir::write), HasSubstr("not in extents that an atomic write needs"));
  EXPECT_THAT(told(ENOSPC, io::Dir::read), Not(HasSubstr("atomic")));
  plan_.job.own.get<job::fields::FileOptions>().atomic = false;
  EXPECT_THAT(told(ENOSPC, io::Dir::write), Not(HasSubstr("atomic")));
}

TEST_F(IoFailure, AWriteOnlyFileIsNotCalledTruncated) {
  EXPECT_THAT(told(EIO, io::Dir::write), IsEmpty());
  const auto full = told(ENOSPC, io::Dir::write);
  EXPECT_THAT(full, HasSubstr("bytes free"));
  EXPECT_THAT(full, Not(HasSubstr("cut short")));
}

TEST_F(IoFailure, AMappedFileExplainsTruncationAndSigbus) {
  plan_.job.ioengine = "mmap";
  EXPECT_THAT(told(EIO, io::Dir::write), HasSubstr("cut short"));
  EXPECT_EQ(::ftruncate(open_.fds[0].get(), 8192), 0);
  EXPECT_THAT(told(EIO, io::Dir::write), HasSubstr("SIGBUS"));
}

}  // namespace
}  // namespace fathom::run::files
