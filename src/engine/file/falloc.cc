// falloc: what a file system takes to give out and take back space. A read reserves the block's space and leaves the
// file's size alone, a write reserves it and makes the file as long as that needs, a trim punches a hole. No byte is
// moved; what is counted are the bytes that were asked for.
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
