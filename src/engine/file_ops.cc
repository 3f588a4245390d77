// Trim and sync by plain system calls; see the header.
#include "engine/file_ops.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "engine/zoned/zoned.h"
#include "io/zone.h"

namespace fathom::engine {
namespace {

int discard(int fd, std::uint64_t offset, std::uint64_t length) {
  std::uint64_t range[2] = {offset, length};
  return ::ioctl(fd, BLKDISCARD, range);
}

int punch_hole(int fd, std::uint64_t offset, std::uint64_t length) {
  return ::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                     static_cast<off_t>(length));
}

}  // namespace

std::int32_t trim_range(const io::Target& target, const io::Request& request) {
  if ((request.flags & io::kZoneTrimMask) != 0) return zoned::trim_zone(target, request);
  const auto trim = target.kind == io::TargetKind::regular ? punch_hole : discard;
  if (trim(target.fd, request.offset, request.length) != 0) return -errno;
  return static_cast<std::int32_t>(request.length);
}

namespace {

std::int32_t sync_range(int fd, const io::Request& request) {
  const unsigned flags = static_cast<unsigned>(request.flags & io::kRangeSyncMask) >> io::kRangeSyncShift;
  const off_t length = request.length == io::kToTheEnd ? 0 : static_cast<off_t>(request.length);
  if (::sync_file_range(fd, static_cast<off_t>(request.offset), length, flags) != 0) return -errno;
  return static_cast<std::int32_t>(request.length);
}

}  // namespace

std::int32_t sync_file(int fd, const io::Request& request) {
  if ((request.flags & io::kRangeSyncMask) != 0) return sync_range(fd, request);
  const int rc = (request.flags & io::kDataSync) ? ::fdatasync(fd) : ::fsync(fd);
  return rc == 0 ? 0 : -errno;
}

}  // namespace fathom::engine
