// falloc: measures how long a file system takes to allocate and free space. A read reserves the block's space and keeps
// the file's size. A write reserves it and extends the file as needed. A trim punches a hole. No data is moved; the
// requested bytes are counted.
#include <fcntl.h>

#include <cerrno>

#include "engine/file_ops.h"
#include "engine/parts.h"

namespace fathom::engine {
namespace {

constexpr int kModes[] = {FALLOC_FL_KEEP_SIZE, 0, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE};  // read, write, trim

std::int32_t falloc_io(CallContext& context, const io::Request& request, std::byte*) {
  const io::Target& target = context.targets[request.target];
  if (request.dir == io::Dir::sync) return sync_file(target.fd, request);
  const int rc = ::fallocate(target.fd, kModes[io::index(request.dir)], static_cast<off_t>(request.offset),
                             static_cast<off_t>(request.length));
  return rc == 0 ? static_cast<std::int32_t>(request.length) : -errno;
}

}  // namespace

const Calls falloc_calls{falloc_io};

}  // namespace fathom::engine
