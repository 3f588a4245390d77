// psync: pread and pwrite.
#include <cerrno>

#include "engine/file_ops.h"
#include "engine/parts.h"
#include "engine/raw_call.h"

namespace fathom::engine {
namespace {

std::int32_t psync_io(CallContext& context, const io::Request& request, std::byte* buffer) {
  const io::Target& target = context.targets[request.target];
  const auto offset = static_cast<long>(request.offset);
  switch (request.dir) {
    case io::Dir::read:
      return static_cast<std::int32_t>(
          raw_call(SYS_pread64, target.fd, as_argument(buffer), static_cast<long>(request.length), offset));
    case io::Dir::write:
      return static_cast<std::int32_t>(
          raw_call(SYS_pwrite64, target.fd, as_argument(buffer), static_cast<long>(request.length), offset));
    case io::Dir::trim:
      return trim_range(target, request);
    case io::Dir::sync:
      return sync_file(target.fd, request);
  }
  return -EINVAL;
}

}  // namespace

const Calls psync_calls{psync_io};

}  // namespace fathom::engine
