// ftruncate: a write sets the file's size to its offset. Reads and trims are not supported. The bytes of the block are
// counted, but not written.
#include <unistd.h>

#include <cerrno>

#include "engine/file_ops.h"
#include "engine/parts.h"

namespace fathom::engine {
namespace {

std::int32_t ftruncate_io(CallContext& context, const io::Request& request, std::byte*) {
  const io::Target& target = context.targets[request.target];
  if (request.dir == io::Dir::sync) return sync_file(target.fd, request);
  if (request.dir != io::Dir::write) return -EINVAL;
  return ::ftruncate(target.fd, static_cast<off_t>(request.offset)) == 0 ? static_cast<std::int32_t>(request.length)
                                                                         : -errno;
}

}  // namespace

const Calls ftruncate_calls{ftruncate_io};

}  // namespace fathom::engine
