// LiveMachine::make_file. All blocks of a swap file must exist (swapon(8) refuses holes), so they are written. The file
// gets its name only when it is complete (O_TMPFILE, open(2)): a program killed while writing leaves nothing. Some
// unsuitable file systems are known beforehand; for the others, swapon(2) reports it.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text/unit_text.h"
#include "paging/pressure/machine.h"

namespace fathom::paging::pressure {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;
constexpr std::uint64_t kFlushBytes = 64 << 20;  // so that a large file does not fill memory with dirty pages
constexpr std::uint32_t kZfsMagic = 0x2fc12fc1, kFuseMagic = 0x65735546;

struct CannotSwap {
  std::uint32_t magic;
  const char* name;
  const char* why;
};
constexpr CannotSwap kCannotSwap[] = {
    {TMPFS_MAGIC, "tmpfs", "this file system is in memory"},
    {RAMFS_MAGIC, "ramfs", "this file system is in memory"},
    {OVERLAYFS_SUPER_MAGIC, "overlayfs", "this file system has no blocks"},
    {SQUASHFS_MAGIC, "squashfs", "this file system is read-only"},
    {kZfsMagic, "zfs", "this file system moves blocks on write"},
    {kFuseMagic, "fuse", "this file system is not in the kernel"},
};

base::Error cannot_hold(const std::string& path, const std::string& cause) {
  return {base::ErrorKind::usage,
          path + ": this file system cannot hold a swap file",
          cause,
          "name a file on ext4, xfs or btrfs, or use --swap zram:SIZE",
          {},
          0};
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

base::Expected<void> check_file_system(int fd, const std::string& path, std::uint64_t size_bytes) {
  struct statfs fs {};
  if (::fstatfs(fd, &fs) != 0) return base::system_error(path, errno);
  for (const CannotSwap& row : kCannotSwap) {
    if (static_cast<std::uint32_t>(fs.f_type) == row.magic) {
      return cannot_hold(path, fmt::format("its file system is {}: {}", row.name, row.why));
    }
  }
  const std::uint64_t free_bytes = std::uint64_t{fs.f_bavail} * static_cast<std::uint64_t>(fs.f_bsize);
  if (free_bytes >= size_bytes) return {};
  return base::Error{base::ErrorKind::usage,
                     fmt::format("{}: no room for {}", path, base::text::size_text(size_bytes)),
                     fmt::format("{} are free on its file system", base::text::size_text(free_bytes)),
                     "request a smaller size, or name a file on another file system",
                     {},
                     0};
}

// btrfs swaps only to files without copy-on-write, which must be set while the file is empty (btrfs(5)). A file system
// without this flag does not need it.
void no_copy_on_write(int fd) {
  int flags = 0;
  if (::ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0) return;
  flags |= FS_NOCOW_FL;
  ::ioctl(fd, FS_IOC_SETFLAGS, &flags);
}

base::Expected<void> fill_file(int fd, const std::string& path, std::uint64_t size_bytes,
                               const std::vector<std::byte>& page, const std::function<bool()>& stop) {
  std::vector<std::byte> chunk(kChunkBytes);
  std::memcpy(chunk.data(), page.data(), page.size());
  for (std::uint64_t done = 0; done < size_bytes;) {
    if (stop && stop()) {
      return base::Error{
          base::ErrorKind::io, path + ": interrupted while the swap file was written", "", "", {}, EINTR};
    }
    const ssize_t n =
        ::write(fd, chunk.data(), static_cast<std::size_t>(std::min<std::uint64_t>(kChunkBytes, size_bytes - done)));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return base::system_error(path + ": writing the swap file", n == 0 ? EIO : errno);
    if (done == 0) std::memset(chunk.data(), 0, page.size());
    const std::uint64_t flushes = done / kFlushBytes;
    done += static_cast<std::uint64_t>(n);
    if (done / kFlushBytes == flushes && done < size_bytes) continue;
    if (::fdatasync(fd) != 0) return base::system_error(path + ": writing the swap file", errno);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
  }
  return {};
}

base::Expected<base::system::UniqueFd> open_unnamed(const std::string& path, std::uint64_t size_bytes) {
  base::system::UniqueFd fd(::open(folder_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!fd && (errno == EOPNOTSUPP || errno == EISDIR)) {
    return cannot_hold(path, "the file system cannot create unnamed files; file systems that can hold swap files can");
  }
  if (!fd) return base::system_error(path + ": creating the swap file", errno);
  if (const auto able = check_file_system(fd.get(), path, size_bytes); !able) return able.error();
  return fd;
}

}  // namespace

base::Expected<void> LiveMachine::may_make_file(const std::string& path, std::uint64_t size_bytes) {
  if (const auto fd = open_unnamed(path, size_bytes); !fd) return fd.error();
  return {};
}

base::Expected<UnnamedFile> LiveMachine::make_file(const std::string& path, std::uint64_t size_bytes,
                                                   const std::vector<std::byte>& page,
                                                   const std::function<bool()>& stop) {
  auto fd = open_unnamed(path, size_bytes);
  if (!fd) return fd.error();
  UnnamedFile file{std::move(*fd), {}};
  no_copy_on_write(file.fd.get());
  if (const auto filled = fill_file(file.fd.get(), path, size_bytes, page, stop); !filled) return filled.error();
  struct stat st {};
  if (::fstat(file.fd.get(), &st) != 0) return base::system_error(path, errno);
  file.id = {st.st_dev, st.st_ino, static_cast<std::uint64_t>(st.st_size), 0, 0, st.st_mode, st.st_uid, 0};
  return file;
}

}  // namespace fathom::paging::pressure
