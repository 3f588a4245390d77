// splice: moves data from the file through a pipe to the buffer, or back, in pieces of the pipe's size. If the file
// system does not support it, the first I/O fails (EINVAL).
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "engine/file/pipe.h"
#include "engine/file_ops.h"
#include "engine/parts.h"

namespace fathom::engine {
namespace {

struct Pipe : CallState {
  file::SplicePipe pipe;
};

base::Expected<void> prepare_splice(const Setup&, CallContext& context) {
  auto own = std::make_unique<Pipe>();
  if (auto opened = own->pipe.open(); !opened) return opened;
  context.own = std::move(own);
  return {};
}

// Moves one piece. Returns the number of bytes, or -errno.
long read_piece(file::SplicePipe& pipe, int fd, off64_t offset, std::byte* to, std::size_t bytes) {
  const long n = ::splice(fd, &offset, pipe.in.get(), nullptr, bytes, SPLICE_F_MORE);
  if (n <= 0) return n < 0 ? -errno : 0;
  return pipe.to_memory(to, static_cast<std::size_t>(n));
}

long write_piece(file::SplicePipe& pipe, int fd, off64_t offset, const std::byte* from, std::size_t bytes) {
  const long in_pipe = pipe.from_memory(from, bytes);
  for (long left = in_pipe; left > 0;) {
    const long n = ::splice(pipe.out.get(), nullptr, fd, &offset, static_cast<std::size_t>(left), SPLICE_F_MORE);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? -errno : in_pipe - left;
    left -= n;
  }
  return in_pipe;
}

std::int32_t splice_io(CallContext& context, const io::Request& request, std::byte* buffer) {
  const io::Target& target = context.targets[request.target];
  if (request.dir == io::Dir::trim) return trim_range(target, request);
  if (request.dir == io::Dir::sync) return sync_file(target.fd, request);
  file::SplicePipe& pipe = context.state<Pipe>().pipe;
  std::size_t done = 0;
  while (done < request.length) {
    const auto offset = static_cast<off64_t>(request.offset + done);
    const std::size_t bytes = std::min<std::size_t>(request.length - done, file::SplicePipe::kBytes);
    const long n = request.dir == io::Dir::read ? read_piece(pipe, target.fd, offset, buffer + done, bytes)
                                                : write_piece(pipe, target.fd, offset, buffer + done, bytes);
    if (n < 0) {
      if (auto fresh = pipe.open(); !fresh) return -EMFILE;  // a new pipe has no remaining data of this block
      return done > 0 ? static_cast<std::int32_t>(done) : static_cast<std::int32_t>(n);
    }
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return static_cast<std::int32_t>(done);
}

}  // namespace

const Calls splice_calls{splice_io, prepare_splice};

}  // namespace fathom::engine
