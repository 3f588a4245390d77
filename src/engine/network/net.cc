// net: sends a block to the other end of a connection, or receives one. With pingpong the block returns, and both
// directions count as one I/O. A receiver ends when the other end closes. The time starts when the connection exists.
#include "engine/network/net_socket.h"
#include "engine/parts.h"

namespace fathom::engine {
namespace {

struct Connection : CallState {
  network::NetSocket socket;
  Connection(const io::NetOptions& options, const JobFacts& job) : socket(options, job) {}
};

base::Expected<void> prepare_net(const Setup& setup, CallContext& context) {
  auto connection = std::make_unique<Connection>(setup.options.of<io::NetOptions>(), setup.job);
  if (auto ok = connection->socket.open(); !ok) return ok;
  context.own = std::move(connection);
  return {};
}

base::Expected<void> begin_net(CallContext& context) { return context.state<Connection>().socket.begin(); }

std::int32_t net_io(CallContext& context, const io::Request& request, std::byte* buffer) {
  network::NetSocket& socket = context.state<Connection>().socket;
  if (request.dir == io::Dir::sync) return 0;
  if (!socket.connected()) return kWorkIsDone;
  const bool sends = request.dir == io::Dir::write;
  const std::int32_t there =
      sends ? socket.send_block(buffer, request.length) : socket.receive_block(buffer, request.length);
  if (there < 0 || !socket.options().pingpong) return there;
  const auto bytes = static_cast<std::uint32_t>(there);
  return sends ? socket.receive_block(buffer, bytes) : socket.send_block(buffer, bytes);
}

void release_net(CallContext& context) {
  if (context.own != nullptr) context.state<Connection>().socket.say_closed();
}

}  // namespace

const Calls net_calls{net_io, prepare_net, release_net, begin_net};

}  // namespace fathom::engine
