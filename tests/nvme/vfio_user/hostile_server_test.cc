// A server that means harm: a thousand connections whose answers are damaged at random, seeded. The client may fail or work; it never crashes, hangs or
// reads what it was not sent.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

#include "base/prng.h"
#include "nvme/vfio_user/support.h"
#include "nvme/vfio_user/transport.h"

namespace fathom::nvme::vfio_user {
namespace {

using test::Bytes;
using test::hex;

constexpr std::size_t kHeader_bytes = 16;

// What an honest server answers, by command; the client's number is put into it.
Bytes honest(std::uint16_t command, const Bytes& request) {
  const auto is_register = [&](std::uint8_t offset) { return request.size() > 20 && request[16] == std::byte{offset}; };
  switch (command) {
    case 1:
      return hex("0100 0100 14000000 01000000 00000000 0000 0100");
    case 4:
      return hex("0200 0400 20000000 01000000 00000000  10000000 03000000 09000000 05000000");
    case 5:
      return hex(
          "0700 0500 50000000 01000000 00000000  40000000 0f000000 00000000 20000000 0040000000000000 0000000000000000"
          "0100 0100 00000000 01000000 00000000 0010000000000000 0010000000000000");
    case 9:
      if (is_register(0))
        return hex("0300 0900 24000000 01000000 00000000  0000000000000000 07000000 04000000 584e0100");
      if (is_register(8))
        return hex("0400 0900 24000000 01000000 00000000  0800000000000000 07000000 04000000 00020801");
      return hex("0500 0900 22000000 01000000 00000000  0400000000000000 07000000 02000000 0000");
    case 10:
      return hex("0600 0a00 20000000 01000000 00000000  0400000000000000 07000000 02000000");
    default:
      return hex("0d00 0000 10000000 01000000 00000000");
  }
}

void damage(base::Prng& random, Bytes& reply) {
  switch (random.below(5)) {
    case 0:  // a few bytes
      for (auto n = 1 + random.below(4); n > 0; --n)
        reply[random.below(reply.size())] = static_cast<std::byte>(random.next());
      break;
    case 1:  // one of the extreme numbers, anywhere
      for (auto at = random.below(reply.size()), end = std::min<std::uint64_t>(at + 8, reply.size()); at < end; ++at)
        reply[at] = std::byte{0xff};
      break;
    case 2:
      reply.resize(random.below(reply.size()));
      break;
    case 3:
      reply.resize(reply.size() + 1 + random.below(8192), static_cast<std::byte>(random.next()));
      break;
    default: {  // its length is wrong
      const auto size = static_cast<std::uint32_t>(random.next() >> random.below(40));
      std::memcpy(reply.data() + 4, &size, sizeof size);
    }
  }
}

class HostileServer {
 public:
  explicit HostileServer(const std::string& path) {
    listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = test::address_of(path);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_.get(), 8), 0);
    thread_ = std::thread([this] {
      for (std::uint64_t seed = 1;; ++seed) {
        const int fd = ::accept(listener_.get(), nullptr, nullptr);
        if (fd < 0) return;
        serve(test::Peer(fd), seed);
      }
    });
  }
  ~HostileServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  HostileServer(const HostileServer&) = delete;

 private:
  // Honest for some messages, then never again.
  void serve(test::Peer peer, std::uint64_t seed) {
    base::Prng random(seed);
    const auto honest_until = random.below(12);
    const std::array<int, 4> files = {bar_.get(), small_.get(), null_.get(), -1};
    for (std::uint64_t n = 0;; ++n) {
      auto request = peer.receive(kHeader_bytes, 200);
      if (request.size() < kHeader_bytes) return;
      std::uint32_t size = 0;
      std::uint16_t command = 0;
      std::memcpy(&size, request.data() + 4, sizeof size);
      std::memcpy(&command, request.data() + 2, sizeof command);
      if (size > kHeader_bytes && size < 65536) {
        const auto rest = peer.receive(size - kHeader_bytes, 200);
        request.insert(request.end(), rest.begin(), rest.end());
      }
      auto reply = honest(command, request);
      std::copy_n(request.begin(), 2, reply.begin());
      int file = command == 5 ? bar_.get() : -1;
      if (n >= honest_until) {
        if (random.below(3) != 0) damage(random, reply);
        if (command == 5 || random.below(8) == 0) file = files[random.below(files.size())];
      }
      if (reply.empty()) return;
      if (!peer.send(reply, file >= 0 ? std::vector<int>{file} : std::vector<int>{})) return;
    }
  }

  base::system::UniqueFd listener_, bar_ = test::memory_file(0x4000), small_ = test::memory_file(16),
                                    null_ = base::system::UniqueFd(::open("/dev/null", O_RDWR | O_CLOEXEC));
  std::thread thread_;
};

TEST(VfioUserHostileServer, AThousandConnections) {
  const test::Folder folder;
  const std::string path = folder / "s";
  const HostileServer server(path);
  int made = 0;
  for (int i = 0; i < 1000; ++i) {
    constexpr int kTimeout_ms = 20;
    auto device = ClientTransport::connect({.kind = TransportKind::vfio_user, .where = path, .nsid = 1}, kTimeout_ms);
    if (!device) {
      EXPECT_FALSE(device.error().what.empty());
      continue;
    }
    ++made;
    (void)(*device)->read32(0x1c);
    (void)(*device)->read64(0);
    (*device)->write32(0x14, 1);
    if (const auto memory = (*device)->allocate(8192)) (*device)->release(*memory);
    if ((*device)->doorbell_bytes() >= 8) (*device)->doorbells()[1] = 42;
  }
  EXPECT_GT(made, 50) << "most are broken before the device is there";
}

}  // namespace
}  // namespace fathom::nvme::vfio_user
