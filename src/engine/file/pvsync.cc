// pvsync: preadv and pwritev, with a vector of one buffer.
#include <sys/uio.h>

#include "engine/file_ops.h"
#include "engine/parts.h"
#include "engine/raw_call.h"

namespace fathom::engine {
namespace {

std::int32_t pvsync_io(CallContext& context, const io::Request& request, std::byte* buffer) {
  const io::Target& target = context.targets[request.target];
  if (request.dir == io::Dir::trim) return trim_range(target, request);
  if (request.dir == io::Dir::sync) return sync_file(target.fd, request);
  const iovec vector{buffer, request.length};
  const long call = request.dir == io::Dir::read ? SYS_preadv : SYS_pwritev;
  // The kernel's interface has two words for the offset. A 64-bit system uses the first one.
  return static_cast<std::int32_t>(
      raw_call(call, target.fd, as_argument(&vector), 1, static_cast<long>(request.offset), 0));
}

}  // namespace

const Calls pvsync_calls{pvsync_io};

}  // namespace fathom::engine
