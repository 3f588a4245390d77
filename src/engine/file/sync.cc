// sync: lseek, then read or write. As in fio, the seek is omitted if the file position already equals the offset.
// Sequential jobs thus make one system call per I/O.
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "engine/file_ops.h"
#include "engine/parts.h"
#include "engine/raw_call.h"

namespace fathom::engine {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

base::Expected<void> prepare_sync(const Setup& setup, CallContext& context) {
  context.positions.assign(setup.targets.size(), kUnknown);
  // filename=-: a pipe has no offsets, so its position is 0.
  for (std::size_t i = 0; i < setup.targets.size(); ++i)
    if (setup.targets[i].path == "-") context.positions[i] = 0;
  return {};
}

std::int32_t sync_io(CallContext& context, const io::Request& request, std::byte* buffer) {
  const io::Target& target = context.targets[request.target];
  if (request.dir == io::Dir::trim) return trim_range(target, request);
  if (request.dir == io::Dir::sync) return sync_file(target.fd, request);
  std::uint64_t& position = context.positions[request.target];
  if (position != request.offset && ::lseek(target.fd, static_cast<off_t>(request.offset), SEEK_SET) < 0) return -errno;
  const long call = request.dir == io::Dir::read ? SYS_read : SYS_write;
  const long moved = raw_call(call, target.fd, as_argument(buffer), static_cast<long>(request.length));
  if (moved < 0) {
    position = kUnknown;
    return static_cast<std::int32_t>(moved);
  }
  position = request.offset + static_cast<std::uint64_t>(moved);
  return static_cast<std::int32_t>(moved);
}

}  // namespace

const Calls sync_calls{sync_io, prepare_sync};

}  // namespace fathom::engine
