// RAM: one private mapping without reservation. The first write allocates a page, and a deallocation frees it. An
// untouched page reads like a page of a laid-out file: incompressible bytes, different in each page, generated at the
// read. Zeroes would be unlike any device in use.
// File: vectors of pread/pwrite. Blocks beyond its end read as zeroes. Writes extend it (sparse), so that reads alone
// do not change it. A deallocation punches a hole. A lock (flock) excludes a second controller.
#include "nvme/soft/memory/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/prng.h"
#include "base/random_fill.h"
#include "base/system/fd.h"

namespace fathom::nvme::soft::memory {
namespace {

constexpr std::uint64_t kPage = 4096;

// The pages of 4 KiB that commands have written, one bit each. The map's memory is zero, and is not allocated before it
// is written.
class PageMap {
 public:
  explicit PageMap(std::byte* memory) : words_(reinterpret_cast<std::uint64_t*>(memory)) {}
  static std::uint64_t bytes(std::uint64_t pages) { return (pages / 64 + 1) * sizeof(std::uint64_t); }
  bool has(std::uint64_t page) const { return (words_[page / 64] >> page % 64 & 1) != 0; }
  void set(std::uint64_t page) { words_[page / 64] |= std::uint64_t{1} << page % 64; }
  void set(std::uint64_t first, std::uint64_t end) {
    for (; first < end && first % 64 != 0; ++first) set(first);
    for (; end - first >= 64; first += 64) words_[first / 64] = ~std::uint64_t{0};
    for (; first < end; ++first) set(first);
  }

 private:
  std::uint64_t* words_;
};

class RamStore final : public Store {
 public:
  // memory: the blocks, followed by the map of their pages; all zeroes.
  RamStore(std::byte* memory, std::uint64_t bytes) : memory_(memory), bytes_(bytes), touched_(memory + bytes) {}
  ~RamStore() override { ::munmap(memory_, bytes_ + PageMap::bytes(bytes_ / kPage)); }
  RamStore(const RamStore&) = delete;
  RamStore& operator=(const RamStore&) = delete;

  bool read(std::uint64_t offset, std::span<const Segment> to) override {
    each_page(offset, to, [this](std::uint64_t at, std::byte* memory, std::size_t bytes) {
      if (touched_.has(at / kPage)) {
        std::memcpy(memory, memory_ + at, bytes);
        return;
      }
      std::byte page[kPage];
      fill_untouched(at / kPage, page);
      std::memcpy(memory, page + at % kPage, bytes);
    });
    return true;
  }
  bool write(std::uint64_t offset, std::span<const Segment> from) override {
    each_page(offset, from, [this](std::uint64_t at, const std::byte* memory, std::size_t bytes) {
      if (bytes < kPage) touch(at / kPage);
      touched_.set(at / kPage);
      std::memcpy(memory_ + at, memory, bytes);
    });
    return true;
  }
  bool zero(std::uint64_t offset, std::uint64_t bytes) override {
    const std::uint64_t end = offset + bytes;
    const std::uint64_t first = std::min((offset + kPage - 1) / kPage * kPage, end);
    const std::uint64_t last = std::max(end / kPage * kPage, first);
    zero_part(offset, first);
    if (last > first && ::madvise(memory_ + first, last - first, MADV_DONTNEED) != 0) return false;
    touched_.set(first / kPage, last / kPage);
    zero_part(last, end);
    return true;
  }
  bool flush() override { return true; }

 private:
  // Calls use(offset, memory, bytes) for each piece within one page and one segment.
  template <class Use>
  static void each_page(std::uint64_t offset, std::span<const Segment> segments, Use use) {
    for (const Segment& s : segments)
      for (std::size_t done = 0; done < s.bytes;) {
        const std::size_t bytes = std::min<std::size_t>(s.bytes - done, kPage - offset % kPage);
        use(offset, s.memory + done, bytes);
        done += bytes;
        offset += bytes;
      }
  }
  static void fill_untouched(std::uint64_t page, std::span<std::byte, kPage> out) {
    base::Prng prng(page);
    base::fill_streams(out, base::draw_fill_seed(prng));
  }
  // Fills an untouched page before a part of it is written.
  void touch(std::uint64_t page) {
    if (touched_.has(page)) return;
    fill_untouched(page, std::span<std::byte, kPage>(memory_ + page * kPage, kPage));
    touched_.set(page);
  }
  void zero_part(std::uint64_t from, std::uint64_t to) {
    if (from == to) return;
    touch(from / kPage);
    std::memset(memory_ + from, 0, to - from);
  }
  std::byte* memory_;
  std::uint64_t bytes_;
  PageMap touched_;
};

class FileStore final : public Store {
 public:
  FileStore(base::system::UniqueFd fd, bool fresh) : fd_(std::move(fd)), fresh_(fresh) {}
  bool read(std::uint64_t offset, std::span<const Segment> to) override {
    return move(offset, to, [this](iovec* parts, std::size_t count, std::size_t bytes, std::uint64_t at) {
      return read_whole(parts, count, bytes, at);
    });
  }
  bool write(std::uint64_t offset, std::span<const Segment> from) override {
    return move(offset, from, [this](iovec* parts, std::size_t count, std::size_t bytes, std::uint64_t at) {
      return transferred(::pwritev, parts, count, at) == static_cast<ssize_t>(bytes);
    });
  }
  bool zero(std::uint64_t offset, std::uint64_t bytes) override {
    constexpr int kPunch = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    const auto at = static_cast<off_t>(offset), length = static_cast<off_t>(bytes);
    return bytes == 0 || ::fallocate(fd_.get(), kPunch, at, length) == 0 || zero_by_writing(offset, bytes);
  }
  bool flush() override { return ::fdatasync(fd_.get()) == 0; }
  bool fresh() const override { return fresh_; }

 private:
  template <class Whole>
  bool move(std::uint64_t offset, std::span<const Segment> segments, Whole whole) {
    constexpr std::size_t kAtOnce = 64;
    iovec parts[kAtOnce];
    while (!segments.empty()) {
      const std::size_t count = std::min(segments.size(), kAtOnce);
      std::size_t bytes = 0;
      for (std::size_t i = 0; i < count; ++i) {
        parts[i] = {segments[i].memory, segments[i].bytes};
        bytes += segments[i].bytes;
      }
      if (!whole(parts, count, bytes, offset)) return false;
      offset += bytes;
      segments = segments.subspan(count);
    }
    return true;
  }
  // A regular file transfers everything, except at its end or after a signal.
  template <class Call>
  ssize_t transferred(Call call, iovec* parts, std::size_t count, std::uint64_t offset) {
    for (;;) {
      const ssize_t done = call(fd_.get(), parts, static_cast<int>(count), static_cast<off_t>(offset));
      if (done >= 0 || errno != EINTR) return done;
    }
  }
  // Bytes beyond the end are zeroes, as in a hole.
  bool read_whole(iovec* parts, std::size_t count, std::size_t bytes, std::uint64_t offset) {
    const ssize_t done = transferred(::preadv, parts, count, offset);
    if (done < 0) return false;
    auto there = static_cast<std::size_t>(done);
    if (there == bytes) return true;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t filled = std::min(there, parts[i].iov_len);
      std::memset(static_cast<std::byte*>(parts[i].iov_base) + filled, 0, parts[i].iov_len - filled);
      there -= filled;
    }
    return true;
  }
  bool zero_by_writing(std::uint64_t offset, std::uint64_t bytes) {
    std::byte zeroes[64 * 1024] = {};
    for (std::uint64_t done = 0; done < bytes;) {
      const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes - done, sizeof zeroes));
      const Segment segment{zeroes, part};
      if (!write(offset + done, std::span(&segment, 1))) return false;
      done += part;
    }
    return true;
  }
  base::system::UniqueFd fd_;
  bool fresh_;
};

base::Expected<std::unique_ptr<Store>> make_ram(std::uint64_t bytes) {
  void* memory = ::mmap(nullptr, bytes + PageMap::bytes(bytes / kPage), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return base::system_error("memory for the soft controller's namespaces", errno);
  return std::unique_ptr<Store>(std::make_unique<RamStore>(static_cast<std::byte*>(memory), bytes));
}

base::Error unusable(const std::string& path, const char* what, const char* cause, const char* help) {
  return {base::ErrorKind::usage, "soft controller: media=file:" + path + " " + what, cause, help, {}, 0};
}

base::Expected<std::unique_ptr<Store>> make_file(const std::string& path) {
  base::system::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644));
  if (!fd) return base::system_error("open " + path, errno);
  struct stat facts {};
  if (::fstat(fd.get(), &facts) != 0) return base::system_error("stat " + path, errno);
  if (!S_ISREG(facts.st_mode))
    return unusable(path, "is not a regular file",
                    "the emulated controller stores its blocks in a regular file, never in a device",
                    "name a regular file, or a file that does not exist");
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return base::system_error("lock " + path, errno);
    return unusable(path, "is in use by another controller", "two controllers would overwrite each other's blocks",
                    "name another file, or end the other controller");
  }
  // Examines the file again, because the previous holder of the lock may have written to it.
  if (::fstat(fd.get(), &facts) != 0) return base::system_error("stat " + path, errno);
  return std::unique_ptr<Store>(std::make_unique<FileStore>(std::move(fd), facts.st_size == 0));
}

}  // namespace

base::Expected<std::unique_ptr<Store>> make_store(const Options& options) {
  const std::uint64_t bytes = options.size_bytes * options.namespaces;
  switch (options.media) {
    case Media::ram:
      return make_ram(bytes);
    case Media::file:
      return make_file(options.file);
    case Media::ideal:
      break;
  }
  return std::unique_ptr<Store>();
}

}  // namespace fathom::nvme::soft::memory
