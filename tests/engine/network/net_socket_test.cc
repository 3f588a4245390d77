// Two ends in one process, over real sockets: what is sent arrives, whoever receives is done when the other has closed,
// and nobody there is an error that says so.
#include "engine/network/net_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "base/system/fd.h"

namespace fathom::engine::test {
namespace {

using io::NetOptions;
using io::NetProtocol;

constexpr std::uint64_t kBytes = 4096;

unsigned free_port() {
  static unsigned next = 20000 + static_cast<unsigned>(::getpid()) % 20000;
  return ++next;
}

NetOptions to(NetProtocol protocol, unsigned port) {
  NetOptions o;
  o.protocol = protocol;
  o.port = port;
  const bool six = protocol == NetProtocol::tcpv6 || protocol == NetProtocol::udpv6;
  o.hostname = protocol == NetProtocol::unix_socket ? "" : six ? "::1" : "127.0.0.1";
  return o;
}
NetOptions waiting(NetOptions o) {
  o.listen = true;
  o.hostname.clear();
  return o;
}
JobFacts end(bool reads, std::uint64_t size_bytes) {
  JobFacts job;
  job.reads = reads;
  job.writes = !reads;
  job.size_bytes = size_bytes;
  job.filenames = {"/tmp/fathom-net-test-" + std::to_string(::getpid())};
  return job;
}

std::vector<std::byte> numbered(std::uint32_t block) {
  std::vector<std::byte> data(kBytes);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i + block);
  return data;
}

// Sends `blocks` and closes; what arrived at the other end.
std::vector<std::vector<std::byte>> pass(const NetOptions& sender_options, const NetOptions& receiver_options,
                                         unsigned blocks) {
  network::NetSocket receiver(receiver_options, end(true, blocks * kBytes)),
      sender(sender_options, end(false, blocks * kBytes));
  const auto listening = receiver.open(), ready = sender.open();
  EXPECT_TRUE(listening && ready) << (listening ? ready.error().what : listening.error().what);
  if (!listening || !ready) return {};
  std::thread sending([&] {
    EXPECT_TRUE(sender.begin());
    for (std::uint32_t i = 0; i < blocks; ++i)
      EXPECT_EQ(sender.send_block(numbered(i).data(), kBytes), static_cast<std::int32_t>(kBytes));
    sender.say_closed();
    ::shutdown(sender.fd(), SHUT_WR);
  });
  EXPECT_TRUE(receiver.begin());
  std::vector<std::vector<std::byte>> arrived;
  std::vector<std::byte> buffer(kBytes);
  while (receiver.receive_block(buffer.data(), kBytes) == static_cast<std::int32_t>(kBytes)) arrived.push_back(buffer);
  if (!sender_options.datagrams()) {
    EXPECT_EQ(receiver.receive_block(buffer.data(), kBytes), kWorkIsDone);
  }
  sending.join();
  return arrived;
}

bool has_ipv6() {
  network::NetSocket witness(waiting(to(NetProtocol::tcpv6, free_port())), end(true, 1));
  return witness.open().ok();
}

// effect: protocol=tcp protocol=tcpv6 protocol=unix listen hostname port
TEST(NetSocket, StreamsArriveWholeAndEndWithTheSender) {
  for (const NetProtocol protocol : {NetProtocol::tcp, NetProtocol::tcpv6, NetProtocol::unix_socket}) {
    if (protocol == NetProtocol::tcpv6 && !has_ipv6()) continue;
    const NetOptions sender = to(protocol, free_port());     // hostname, port
    const auto arrived = pass(sender, waiting(sender), 20);  // listen
    ASSERT_EQ(arrived.size(), 20u);
    for (std::uint32_t i = 0; i < 20; ++i) EXPECT_EQ(arrived[i], numbered(i)) << i;
  }
}

// effect: protocol=udp protocol=udpv6
TEST(NetSocket, DatagramsAreNumberedAndEndWithAnAnnouncement) {
  for (const NetProtocol protocol : {NetProtocol::udp, NetProtocol::udpv6}) {
    if (protocol == NetProtocol::udpv6 && !has_ipv6()) continue;
    const NetOptions sender = to(protocol, free_port());
    const auto arrived = pass(sender, waiting(sender), 10);
    ASSERT_EQ(arrived.size(), 10u);
    for (std::uint32_t i = 0; i < 10; ++i) {
      network::UdpNumber n;
      std::memcpy(&n, arrived[i].data() + kBytes - sizeof n, sizeof n);
      EXPECT_EQ(n.magic, network::UdpNumber::kMagic);
      EXPECT_EQ(n.number, i);
      EXPECT_EQ(n.bytes, kBytes);
    }
  }
}

TEST(NetSocket, LostDatagramsAreCounted) {
  std::vector<std::byte> block(kBytes);
  std::uint64_t next = 0;
  std::uint64_t lost = 0;
  for (const std::uint64_t number : {0u, 1u, 4u, 5u, 9u}) {
    network::number_block(block.data(), kBytes, number);
    lost += network::missing_before(block.data(), kBytes, next);
  }
  EXPECT_EQ(lost, 5u);
  EXPECT_EQ(network::missing_before(numbered(0).data(), kBytes, next), 0u) << "no number in it";
}

TEST(NetSocket, MissingDatagramsAreCountedForTheJob) {
  const unsigned port = free_port();
  const NetOptions options = to(NetProtocol::udp, port);
  std::uint64_t dropped = 7;  // of before
  JobFacts reader = end(true, 3 * kBytes);
  reader.dropped_ios = &dropped;
  network::NetSocket receiver(waiting(options), reader), sender(options, end(false, 3 * kBytes));
  ASSERT_TRUE(receiver.open() && sender.open() && sender.begin() && receiver.begin());
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_port = htons(static_cast<std::uint16_t>(port));
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<std::byte> block(kBytes);
  for (const std::uint64_t number : {0u, 3u, 4u}) {
    network::number_block(block.data(), kBytes, number);
    ASSERT_EQ(::sendto(sender.fd(), block.data(), kBytes, 0, reinterpret_cast<const sockaddr*>(&there), sizeof there),
              static_cast<ssize_t>(kBytes));
    EXPECT_EQ(receiver.receive_block(block.data(), kBytes), static_cast<std::int32_t>(kBytes));
  }
  EXPECT_EQ(dropped, 9u);
}

TEST(NetSocket, WithoutAListenerTheConnectionIsRefused) {
  for (const NetProtocol protocol : {NetProtocol::tcp, NetProtocol::unix_socket}) {
    network::NetSocket sender(to(protocol, free_port()), end(false, kBytes));
    ASSERT_TRUE(sender.open());
    const auto begun = sender.begin();
    ASSERT_FALSE(begun);
    EXPECT_TRUE(begun.error().sys_errno == ECONNREFUSED || begun.error().sys_errno == ENOENT);
    EXPECT_NE(begun.error().help.find("listen"), std::string::npos);
  }
}

// effect: port
TEST(NetSocket, AClonesPortIsHigherByItsNumber) {
  const NetOptions first = waiting(to(NetProtocol::tcp, free_port()));
  JobFacts clone = end(true, kBytes);
  clone.subjob = 1;
  network::NetSocket listener(first, end(true, kBytes)), second(first, clone);
  EXPECT_TRUE(listener.open());
  EXPECT_TRUE(second.open()) << "port + 1 is free";
  free_port();
}

// effect: nodelay window_size mss
TEST(NetSocket, OptionsOfTheSocketAreSet) {
  NetOptions o = to(NetProtocol::tcp, free_port());
  o.nodelay = true;
  o.window_bytes = 65536;  // window_size
  o.mss_bytes = 1000;      // mss
  network::NetSocket sender(o, end(false, kBytes));
  ASSERT_TRUE(sender.open());
  const auto option = [&](int level, int name) {
    int value = 0;
    socklen_t bytes = sizeof value;
    EXPECT_EQ(::getsockopt(sender.fd(), level, name, &value, &bytes), 0);
    return value;
  };
  EXPECT_EQ(option(IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(option(SOL_SOCKET, SO_SNDBUF), 2 * 65536) << "the kernel doubles it";
  EXPECT_EQ(option(SOL_SOCKET, SO_RCVBUF), 2 * 65536);
  EXPECT_LE(option(IPPROTO_TCP, TCP_MAXSEG), 1000);
}

// effect: interface ttl
TEST(NetSocket, MulticastUsesInterfaceAndTtl) {
  NetOptions o = to(NetProtocol::udp, free_port());
  o.hostname = "239.1.2.3";
  o.interface = "127.0.0.1";
  o.ttl = 3;
  network::NetSocket sender(o, end(false, kBytes));
  const auto opened = sender.open();
  ASSERT_TRUE(opened) << opened.error().what;
  int ttl = 0;
  socklen_t bytes = sizeof ttl;
  EXPECT_EQ(::getsockopt(sender.fd(), IPPROTO_IP, IP_MULTICAST_TTL, &ttl, &bytes), 0);
  EXPECT_EQ(ttl, 3);
  in_addr by{};
  bytes = sizeof by;
  EXPECT_EQ(::getsockopt(sender.fd(), IPPROTO_IP, IP_MULTICAST_IF, &by, &bytes), 0);
  EXPECT_EQ(by.s_addr, htonl(INADDR_LOOPBACK));
  o.interface = "lo";
  EXPECT_FALSE(network::NetSocket(o, end(false, kBytes)).open()) << "a name is no address";
}

// A bare container: without /etc/hosts and name servers that know it.
TEST(NetSocket, LocalhostNeedsNoHostsFile) {
  if (::geteuid() != 0) GTEST_SKIP() << "hiding /etc/hosts needs root";
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(77);
    for (const char* file : {"/etc/hosts", "/etc/resolv.conf"})
      if (::access(file, F_OK) == 0 && ::mount("/dev/null", file, nullptr, MS_BIND, nullptr) != 0) ::_exit(77);
    NetOptions o = to(NetProtocol::tcp, free_port());
    o.hostname = "localhost";
    network::NetSocket here(o, end(false, kBytes));
    o.hostname = "nobody.invalid";
    ::_exit(here.open() && !network::NetSocket(o, end(false, kBytes)).open() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) GTEST_SKIP() << "no mount namespace of its own here";
  EXPECT_EQ(status, 0);
}

TEST(NetSocket, AListenerReturnsWhenStopped) {
  std::atomic<std::uint32_t> stop{1};
  JobFacts job = end(true, kBytes);
  job.stop = &stop;
  network::NetSocket listener(waiting(to(NetProtocol::tcp, free_port())), job);
  ASSERT_TRUE(listener.open());
  ASSERT_TRUE(listener.begin());
  EXPECT_FALSE(listener.connected());
}

// Without a loopback the kernel waits two seconds for an answer.
bool vsock_answers() {
  const base::system::UniqueFd fd(::socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval most{0, 100'000};
  ::setsockopt(fd.get(), AF_VSOCK, SO_VM_SOCKETS_CONNECT_TIMEOUT, &most, sizeof most);
  sockaddr_vm nobody{};
  nobody.svm_family = AF_VSOCK;
  nobody.svm_cid = 1;
  nobody.svm_port = free_port();
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&nobody), sizeof nobody) == 0 || errno == ECONNRESET;
}

// effect: protocol=vsock
TEST(NetSocket, VsockDeliversOverItsLoopback) {
  if (::access("/dev/vsock", F_OK) != 0) GTEST_SKIP() << "this kernel has no vsock";
  if (!vsock_answers()) GTEST_SKIP() << "vsock has no loopback here";
  NetOptions sender = to(NetProtocol::vsock, free_port());  // protocol
  sender.hostname = "1";                                    // VMADDR_CID_LOCAL
  network::NetSocket witness(waiting(sender), end(true, kBytes));
  network::NetSocket client(sender, end(false, kBytes));
  if (!witness.open() || !client.open() || !client.begin()) GTEST_SKIP() << "vsock has no loopback here";
  sender.port = free_port();
  EXPECT_EQ(pass(sender, waiting(sender), 5).size(), 5u);
}

}  // namespace
}  // namespace fathom::engine::test
