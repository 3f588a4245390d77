// psync: pread and pwrite.
#include <unistd.h>

#include <cerrno>

#include "engine/file_ops.h"
#include "engine/syscall_call.h"

namespace fathom::engine {

std::int32_t psync_io(CallContext& context, const io::Request& request, std::byte* buffer) {
  const io::Target& target = context.targets[request.target];
  ssize_t moved = -1;
  switch (request.dir) {
    case io::Dir::read:
      moved = ::pread(target.fd, buffer, request.length, static_cast<off_t>(request.offset));
      break;
    case io::Dir::write:
      moved = ::pwrite(target.fd, buffer, request.length, static_cast<off_t>(request.offset));
      break;
    case io::Dir::trim:
      return trim_range(target, request);
    case io::Dir::sync:
      return sync_file(target.fd, request);
  }
  return moved < 0 ? -errno : static_cast<std::int32_t>(moved);
}

}  // namespace fathom::engine
