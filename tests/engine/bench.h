// What the engine tests share: a temporary file whose every 8 bytes say where they lie, page-aligned buffers, and a
// small driver.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/system/fd.h"
#include "engine_case.h"

namespace fathom::engine::test {

inline constexpr std::uint32_t kBlock = 4096;

// The content of `length` bytes at `offset` of a file of this kind.
inline std::vector<std::byte> pattern(std::uint64_t offset, std::size_t length, std::uint64_t kind = 0) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i + 8 <= length; i += 8) {
    const std::uint64_t word = (kind << 56) ^ (offset + i);
    std::memcpy(bytes.data() + i, &word, 8);
  }
  return bytes;
}

// A file under /var/tmp (a real disk, so that O_DIRECT works), filled with pattern(); gone afterwards.
class TempFile {
 public:
  explicit TempFile(std::size_t size, int flags = O_RDWR, std::uint64_t kind = 0) : size_(size) {
    std::string path = "/var/tmp/fathom-engine-XXXXXX";
    base::system::UniqueFd writer(::mkstemp(path.data()));
    const auto content = pattern(0, size, kind);
    EXPECT_EQ(::pwrite(writer.get(), content.data(), size, 0), static_cast<ssize_t>(size));
    fd_.reset(::open(path.c_str(), flags));
    EXPECT_TRUE(fd_) << path << ": " << strerror(errno);
    reader_.reset(::open(path.c_str(), O_RDONLY));
    ::unlink(path.c_str());
  }
  int fd() const { return fd_.get(); }
  io::Target target() const {
    return {
        .path = "temporary", .kind = io::TargetKind::regular, .fd = fd(), .size = size_, .start = 0, .length = size_};
  }
  std::vector<std::byte> read(std::uint64_t offset, std::size_t length) const {
    std::vector<std::byte> bytes(length);
    EXPECT_EQ(::pread(reader_.get(), bytes.data(), length, static_cast<off_t>(offset)), static_cast<ssize_t>(length));
    return bytes;
  }

 private:
  std::size_t size_;
  base::system::UniqueFd fd_, reader_;
};

// An open engine with its buffers. submit() and finish() loop as the contract says a caller must.
class Bench {
 public:
  Bench(const Case& c, std::vector<io::Target> targets, std::uint32_t depth, std::size_t stride = kBlock)
      : targets_(std::move(targets)), depth_(depth), stride_(stride), box_(c.make()) {
    buffers_ = static_cast<std::byte*>(
        ::mmap(nullptr, depth * stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    setup_.options = c.options();
    setup_.options.iodepth = depth;
    setup_.options.has_writes = !targets_.empty() && (::fcntl(targets_[0].fd, F_GETFL) & O_ACCMODE) == O_RDWR;
    setup_.targets = targets_;
    setup_.depth = depth;
    setup_.buffers = buffers_;
    setup_.buffer_stride = stride;
    out_.resize(depth);
  }
  ~Bench() {
    box_->close();
    ::munmap(buffers_, depth_ * stride_);
  }
  base::Expected<void> open() { return box_->open(setup_); }
  std::byte* buffer(std::uint32_t slot) { return buffers_ + slot * stride_; }
  Box& box() { return *box_; }
  Setup& setup() { return setup_; }

  void post(std::uint32_t slot, const io::Request& request) {
    box_->post(slot, request, buffer(slot));
    ++posted_;
  }
  // Rings until everything posted is taken.
  void submit() {
    while (posted_ > 0) {
      const int taken = box_->ring();
      ASSERT_GE(taken, 0) << strerror(-taken);
      ASSERT_LE(static_cast<unsigned>(taken), posted_);
      posted_ -= static_cast<unsigned>(taken);
      in_flight_ += static_cast<unsigned>(taken);
    }
  }
  // Reaps everything in flight: result by slot.
  std::map<std::uint32_t, std::int32_t> finish() {
    std::map<std::uint32_t, std::int32_t> results;
    while (in_flight_ > 0) {
      const int n = box_->reap(1, out_);
      if (n == -EINTR) continue;
      EXPECT_GT(n, 0) << "nothing came of " << in_flight_ << " in flight";
      if (n <= 0) break;
      for (int i = 0; i < n; ++i) EXPECT_TRUE(results.emplace(out_[i].slot, out_[i].result).second) << "slot twice";
      in_flight_ -= static_cast<unsigned>(n);
    }
    return results;
  }
  // One request alone, in slot 0.
  std::int32_t one(const io::Request& request) {
    post(0, request);
    submit();
    return finish()[0];
  }

 private:
  std::vector<io::Target> targets_;
  std::uint32_t depth_;
  std::size_t stride_;
  std::unique_ptr<Box> box_;
  std::byte* buffers_;
  Setup setup_;
  std::vector<io::Completion> out_;
  unsigned posted_ = 0, in_flight_ = 0;
};

inline io::Request request(io::Dir dir, std::uint64_t offset, std::uint32_t length = kBlock, std::uint16_t target = 0) {
  return {.offset = offset, .due_ns = 0, .length = length, .target = target, .dir = dir, .flags = 0};
}
inline io::Request sync_request(bool data_only = false, std::uint16_t target = 0) {
  io::Request r = request(io::Dir::sync, 0, 0, target);
  r.flags = data_only ? io::kDataSync : 0;
  return r;
}

inline ::testing::AssertionResult holds(std::span<const std::byte> actual, const std::vector<std::byte>& expected) {
  if (std::memcmp(actual.data(), expected.data(), expected.size()) == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "content differs";
}

}  // namespace fathom::engine::test
