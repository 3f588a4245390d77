// netsplice: like net, but a block moves between socket and buffer through a pipe, with splice and vmsplice.
#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "engine/file/pipe.h"
#include "engine/network/net_socket.h"
#include "engine/parts.h"

namespace fathom::engine {
namespace {

struct SplicedConnection : CallState {
  network::NetSocket socket;
  file::SplicePipe pipe;
  SplicedConnection(const io::NetOptions& options, const JobFacts& job) : socket(options, job) {}
};

base::Expected<void> prepare_netsplice(const Setup& setup, CallContext& context) {
  const auto& options = setup.options.of<io::NetOptions>();
  if (options.datagrams() || options.pingpong) {
    base::Error e;
    e.what = options.pingpong ? "ioengine=netsplice with pingpong" : "ioengine=netsplice over UDP";
    e.cause = "the engine splices pages in one direction, into a stream";
    e.help = "write `ioengine=net`, or `protocol=tcp` without pingpong";
    return e;
  }
  auto connection = std::make_unique<SplicedConnection>(options, setup.job);
  if (auto ok = connection->socket.open(); !ok) return ok;
  if (auto ok = connection->pipe.open(); !ok) return ok;
  context.own = std::move(connection);
  return {};
}

base::Expected<void> begin_netsplice(CallContext& context) { return context.state<SplicedConnection>().socket.begin(); }

// Receives the available data, up to the pipe's size. Returns the number of bytes, or -errno. 0: the other end has
// closed, or the job is over.
long receive_piece(SplicedConnection& c, std::byte* to, std::size_t bytes) {
  if (!c.socket.wait_until(POLLIN)) return 0;
  const long n = ::splice(c.socket.fd(), nullptr, c.pipe.in.get(), nullptr, bytes, SPLICE_F_MOVE);
  if (n <= 0) return n < 0 ? -errno : 0;
  return c.pipe.to_memory(to, static_cast<std::size_t>(n));
}

long send_piece(SplicedConnection& c, const std::byte* from, std::size_t bytes) {
  const long in_pipe = c.pipe.from_memory(from, bytes);
  for (long left = in_pipe; left > 0;) {
    const long n = ::splice(c.pipe.out.get(), nullptr, c.socket.fd(), nullptr, static_cast<std::size_t>(left), 0);
    if (n < 0 && (errno == EINTR || errno == EAGAIN) && !c.socket.over()) continue;
    if (n <= 0) return n < 0 ? -errno : -EIO;
    left -= n;
  }
  return in_pipe;
}

std::int32_t netsplice_io(CallContext& context, const io::Request& request, std::byte* buffer) {
  SplicedConnection& c = context.state<SplicedConnection>();
  if (request.dir == io::Dir::sync) return 0;
  if (!c.socket.connected()) return kWorkIsDone;
  for (std::size_t done = 0; done < request.length;) {
    const std::size_t bytes = std::min<std::size_t>(request.length - done, file::SplicePipe::kBytes);
    const long n =
        request.dir == io::Dir::write ? send_piece(c, buffer + done, bytes) : receive_piece(c, buffer + done, bytes);
    if (n == -EAGAIN && !c.socket.over()) continue;
    if (n == 0 || n == -EAGAIN) return done > 0 ? static_cast<std::int32_t>(done) : kWorkIsDone;
    if (n < 0) return static_cast<std::int32_t>(n);
    done += static_cast<std::size_t>(n);
  }
  return static_cast<std::int32_t>(request.length);
}

}  // namespace

const Calls netsplice_calls{netsplice_io, prepare_netsplice, nullptr, begin_netsplice};

}  // namespace fathom::engine
