// Options of ioengine=net and netsplice: one end of a connection.
#pragma once
#include "io/engine_effects.h"
#include "io/option_table.h"

namespace fathom::io {

enum class NetProtocol : std::uint8_t { tcp, tcpv6, udp, udpv6, unix_socket, vsock };

struct NetOptions : OfEngine {
  NetProtocol protocol = NetProtocol::tcp;
  std::string hostname;
  unsigned port = 0;  // of the first subjob
  bool listen = false, nodelay = false, pingpong = false;
  unsigned window_bytes = 0, mss_bytes = 0;  // 0: the kernel's default
  std::string interface;
  unsigned ttl = 1;

  bool datagrams() const { return protocol == NetProtocol::udp || protocol == NetProtocol::udpv6; }
  // True if this end waits for the other: by option for a connection to a port, else if it reads.
  bool waits(bool reads) const { return datagrams() || protocol == NetProtocol::unix_socket ? reads : listen; }
};

inline Outcome settle_net(EngineOptions& options, const Mode& mode) {
  const NetOptions& own = options.own.get<NetOptions>();
  const bool named = own.protocol == NetProtocol::unix_socket;
  if (mode.trims || (mode.reads && mode.writes))
    return Problem{"network connections must be read OR write", "", "write `rw=read` or `rw=write`", {}};
  if (mode.random) return Problem{"network IO can't be random", "", "write `rw=read` or `rw=write`", {}};
  if (own.port == 0 && !named)
    return Problem{"network IO requires port for tcp or udp", "", "write for example `port=8888`", {}};
  if (own.listen && !own.hostname.empty() && !own.datagrams() && !named)
    return Problem{"hostname= of a job that listens",
                   "the job listens at all addresses of this machine",
                   "omit hostname=, or omit listen",
                   {}};
  if (own.hostname.empty() && !named && !own.waits(mode.reads))
    return Problem{"network IO requires a hostname",
                   "the job connects, but its address is missing",
                   "write `hostname=`, or `listen` in the job that accepts the connection",
                   {}};
  options.own.get<EngineEffects>().counts_bits = true;
  if (own.waits(mode.reads)) options.own.get<EngineEffects>().announcement = "fio: waiting for connection";
  return {};
}

inline constexpr Choice kNetProtocols[] = {
    {"tcp", static_cast<int>(NetProtocol::tcp), "TCP"},
    {"tcpv6", static_cast<int>(NetProtocol::tcpv6), "TCP over IPv6"},
    {"udp", static_cast<int>(NetProtocol::udp), "UDP"},
    {"udpv6", static_cast<int>(NetProtocol::udpv6), "UDP over IPv6"},
    {"unix", static_cast<int>(NetProtocol::unix_socket), "UNIX socket at filename="},
    {"vsock", static_cast<int>(NetProtocol::vsock), "between virtual machine and host; hostname= is a CID"}};

inline constexpr Row kNetRows[] = {
    text<&NetOptions::hostname>({"hostname", "", "Name or address of the other end, or a multicast group"}),
    count<&NetOptions::port>({"port", "", "Port; the port of a clone is higher by its number"}, 1, 65535),
    choice<&NetOptions::protocol>({"protocol proto", "tcp", "Protocol of the connection"}, kNetProtocols),
    flag<&NetOptions::listen>({"listen", "", "Wait for a connection instead of connecting"}),
    boolean<&NetOptions::nodelay>({"nodelay", "0", "TCP_NODELAY"}),
    count<&NetOptions::window_bytes>({"window_size", "", "Size of the socket's buffers"}, 0, 1u << 30),
    count<&NetOptions::mss_bytes>({"mss", "", "TCP_MAXSEG"}, 0, 65535),
    text<&NetOptions::interface>({"interface", "", "Address of the interface for multicast"}),
    count<&NetOptions::ttl>({"ttl", "1", "Maximum number of hops of multicast"}, 0, 255),
    flag<&NetOptions::pingpong>({"pingpong", "", "Send each I/O and return it; both count as one I/O"}),
};
inline constexpr OptionTable kNetOptions{"net", kNetRows, "Options of engines", settle_net};

}  // namespace fathom::io
