// What the tests of the split's programs share: programs that are loaded or a reason why not, a file on a disk, and a
// worker that publishes, does and takes as the loop does.
#pragma once
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/system/fd.h"
#include "base/time.h"
#include "host/placement/placement.h"
#include "pmu/trace/programs/split_programs.h"
#include "pmu/trace/target_map.h"
#include "split/desk.h"

namespace fathom::pmu::trace::programs::testing {

using Loaded = std::unique_ptr<SplitPrograms>;

inline constexpr std::uint32_t kBlock = 4096, kFileBytes = 8 << 20;

// Why a refusal is this machine's and no mistake of ours; empty: it is one.
inline std::string machine_refuses(const base::Error& e) {
  const bool btf = ::access("/sys/kernel/btf/vmlinux", F_OK) == 0;
  if (::geteuid() == 0 && btf && e.kind != base::ErrorKind::privilege) return "";
  return e.what + ": " + e.cause;
}

#define LOAD_OR_SKIP(programs, ...)                                                             \
  auto programs##_loaded = SplitPrograms::load(__VA_ARGS__);                                    \
  if (!programs##_loaded) {                                                                     \
    const auto reason = machine_refuses(programs##_loaded.error());                             \
    ASSERT_NE(reason, "") << programs##_loaded.error().what << programs##_loaded.error().cause; \
    GTEST_SKIP() << reason;                                                                     \
  }                                                                                             \
  const Loaded programs = std::move(*programs##_loaded)

// Of a file that is written and known to lie on a disk, without the page cache.
class File {
 public:
  File() {
    char path[] = "/var/tmp/fathom-split-programs-XXXXXX";
    const base::system::UniqueFd fd(::mkstemp(path));
    path_ = path;
    const std::vector<char> block(1 << 20, 'x');
    for (std::uint32_t at = 0; at < kFileBytes; at += 1 << 20)
      if (::write(fd.get(), block.data(), block.size()) != 1 << 20) return;
    if (::fsync(fd.get()) != 0) return;
    fd_.reset(::open(path_.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC));
    auto map = TargetMap::of(host::placement::place(path_));
    if (fd_ && map) map_ = std::move(*map);
  }
  ~File() { ::unlink(path_.c_str()); }
  File(const File&) = delete;
  // It lies on a disk that direct I/O reaches.
  bool ok() const { return map_.has_value(); }
  int fd() const { return fd_.get(); }
  const std::string& path() const { return path_; }
  const TargetMap& map() const { return *map_; }
  // The disk makes requests, and so has a queue.
  bool requests() const { return !map_->bios(); }

 private:
  std::string path_;
  base::system::UniqueFd fd_;
  std::optional<TargetMap> map_;
};

struct Memory {
  explicit Memory(std::size_t bytes) : at(::aligned_alloc(kBlock, bytes), ::free) {}
  std::unique_ptr<void, void (*)(void*)> at;
};

// A worker as the loop is one: publishes, does, takes, by the kernel's own clock.
class Worker {
 public:
  Worker(fathom::split::Desk& desk, std::size_t number, int fd, std::uint32_t most_bytes = kBlock)
      : recorder_(desk.recorder(number, calibration())), fd_(fd), memory_(most_bytes) {}
  void follow() { recorder_->follow_this_task(true); }
  bool read(std::uint64_t offset, std::uint32_t bytes = kBlock) { return read_elsewhere(offset, offset, bytes); }
  // Another place than was published.
  bool read_elsewhere(std::uint64_t published, std::uint64_t offset, std::uint32_t bytes = kBlock) {
    recorder_->publish(0, {.offset = published, .length = bytes});
    const std::uint64_t start = base::monotonic_ns();
    const ssize_t moved = ::pread(fd_, memory_.at.get(), bytes, static_cast<off_t>(offset));
    recorder_->take(0, io::Dir::read, start, base::monotonic_ns(), true);
    recorder_->end();
    return moved == static_cast<ssize_t>(bytes);
  }
  bool write(std::uint64_t offset, std::uint32_t bytes = kBlock) {
    recorder_->publish(0, {.offset = offset, .length = bytes, .dir = io::Dir::write});
    const std::uint64_t start = base::monotonic_ns();
    const ssize_t moved = ::pwrite(fd_, memory_.at.get(), bytes, static_cast<off_t>(offset));
    recorder_->take(0, io::Dir::write, start, base::monotonic_ns(), true);
    recorder_->end();
    return moved == static_cast<ssize_t>(bytes);
  }
  bool read_blocks(std::uint32_t blocks, std::uint32_t step = 1) {
    for (std::uint32_t i = 0; i < blocks; ++i)
      if (!read(std::uint64_t{i} * step % (kFileBytes / kBlock) * kBlock)) return false;
    return true;
  }

 private:
  static clock::sources::Calibration calibration() {
    clock::sources::Calibration out;
    out.source = clock::sources::Source::clock_gettime;
    return out;
  }
  std::optional<fathom::split::Recorder> recorder_;
  int fd_;
  Memory memory_;
};

inline fathom::split::Desk desk_of(const fathom::split::PlaceMap& map, std::size_t workers = 1,
                                   std::uint32_t most_bytes = kBlock) {
  return fathom::split::Desk(std::vector<fathom::split::Seat>(
      workers, {.slots = 1, .largest_io_bytes = most_bytes, .direct = true, .maps = {map}}));
}

// All workers of the desk read at once, each a thread, blocks of its own; how many reads failed.
inline std::uint32_t read_beside_each_other(fathom::split::Desk& desk, int fd, std::uint32_t reads) {
  const auto workers = static_cast<std::uint32_t>(desk.seats().size());
  std::atomic<std::uint32_t> failed = 0;
  std::vector<std::thread> threads;
  for (std::uint32_t w = 0; w < workers; ++w)
    threads.emplace_back([&, w] {
      Worker worker(desk, w, fd);
      for (std::uint64_t i = 0; i < reads; ++i) failed += worker.read((i * workers + w) % 2048 * kBlock) ? 0 : 1;
    });
  for (auto& thread : threads) thread.join();
  return failed;
}

inline const fathom::split::PartRecord& part(const fathom::split::DirectionSplit& dir, result::Part p) {
  return dir.parts[static_cast<std::size_t>(p)];
}
inline std::uint64_t sum_of_parts(const fathom::split::DirectionSplit& dir) {
  return std::accumulate(std::begin(dir.parts), std::end(dir.parts), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& p) { return sum + p.moments.sum; });
}

}  // namespace fathom::pmu::trace::programs::testing
