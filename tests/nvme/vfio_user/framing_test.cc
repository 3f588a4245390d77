// Messages on a stream: however the bytes arrive, the same message comes out; what is no message is told apart.
#include "nvme/vfio_user/framing.h"

#include <gtest/gtest.h>

#include <thread>

#include "nvme/vfio_user/support.h"

namespace fathom::nvme::vfio_user {
namespace {

using test::hex;

// REGION_READ of four bytes at 0x1c of region 0, message 7.
constexpr const char* kRead = "0700 0900 20000000 00000000 00000000  1c00000000000000 00000000 04000000";

TEST(Receiver, ParsesAMessage) {
  auto [a, b] = test::peers();
  Receiver receiver;
  Packet packet;
  EXPECT_EQ(receiver.receive(b.fd(), packet), Received::nothing);
  ASSERT_TRUE(a.send(hex(kRead)));
  ASSERT_EQ(receiver.receive(b.fd(), packet), Received::packet);
  EXPECT_EQ(packet.header.id, 7);
  EXPECT_EQ(packet.header.command, 9);
  EXPECT_EQ(packet.header.bytes, 32u);
  EXPECT_EQ(test::text_of(packet.payload), "1c000000 00000000 00000000 04000000");
  EXPECT_TRUE(packet.fds.empty());
  EXPECT_EQ(receiver.receive(b.fd(), packet), Received::nothing);
}

TEST(Receiver, PutsAMessageTogetherFromSingleBytes) {
  auto [a, b] = test::peers();
  Receiver receiver;
  Packet packet;
  const auto file = test::memory_file(4096);
  const auto bytes = hex(kRead);
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
    ASSERT_TRUE(a.send({&bytes[i], 1}, i == 20 ? std::vector<int>{file.get()} : std::vector<int>{}));
    ASSERT_EQ(receiver.receive(b.fd(), packet), Received::nothing) << i;
  }
  ASSERT_TRUE(a.send({&bytes.back(), 1}));
  ASSERT_EQ(receiver.receive(b.fd(), packet), Received::packet);
  EXPECT_EQ(test::text_of(packet.payload), "1c000000 00000000 00000000 04000000");
  EXPECT_EQ(packet.fds.size(), 1u);
}

TEST(Receiver, LeavesTheNextMessageAlone) {
  auto [a, b] = test::peers();
  Receiver receiver;
  Packet packet;
  const auto file = test::memory_file(4096);
  auto both = hex(kRead);
  const auto reset = hex("0800 0d00 10000000 00000000 00000000");
  both.insert(both.end(), reset.begin(), reset.begin() + 5);
  ASSERT_TRUE(a.send(both));
  ASSERT_TRUE(a.send(std::span(reset).subspan(5), {file.get(), file.get()}));
  ASSERT_EQ(receiver.receive(b.fd(), packet), Received::packet);
  EXPECT_EQ(packet.header.id, 7);
  EXPECT_TRUE(packet.fds.empty());
  ASSERT_EQ(receiver.receive(b.fd(), packet), Received::packet);
  EXPECT_EQ(packet.header.id, 8);
  EXPECT_TRUE(packet.payload.empty());
  EXPECT_EQ(packet.fds.size(), 2u);
}

TEST(Receiver, ImpossibleSizesAreGarbage) {
  for (const char* header : {"0000 0100 00000000 00000000 00000000", "0000 0100 0f000000 00000000 00000000",
                             "0000 0100 51100000 00000000 00000000", "0000 0100 ffffffff 00000000 00000000"}) {
    auto [a, b] = test::peers();
    Receiver receiver;
    Packet packet;
    ASSERT_TRUE(a.send(hex(header)));
    EXPECT_EQ(receiver.receive(b.fd(), packet), Received::garbage) << header;
  }
}

TEST(Receiver, TheLargestMessageIsTaken) {
  auto [a, b] = test::peers();
  Receiver receiver;
  Packet packet;
  auto bytes = hex("0000 0a00 50100000 00000000 00000000");
  bytes.resize(0x1050);
  ASSERT_TRUE(a.send(bytes));
  ASSERT_EQ(receiver.receive(b.fd(), packet), Received::packet);
  EXPECT_EQ(packet.payload.size(), kPayloadBytesMax);
}

TEST(Receiver, TooManyFileDescriptorsAreGarbageAndClosed) {
  const auto before = test::open_files();
  for (const std::size_t count : {9u, 16u, 17u, 40u}) {
    auto [a, b] = test::peers();
    const auto file = test::memory_file(4096);
    Receiver receiver;
    Packet packet;
    ASSERT_TRUE(a.send(hex(kRead), std::vector<int>(count, file.get())));
    EXPECT_EQ(receiver.receive(b.fd(), packet), Received::garbage) << count;
  }
  EXPECT_EQ(test::open_files(), before);
}

TEST(Receiver, FileDescriptorsOfAMessageThatNeverEndsAreClosed) {
  const auto before = test::open_files();
  {
    auto [a, b] = test::peers();
    const auto file = test::memory_file(4096);
    Receiver receiver;
    Packet packet;
    const auto bytes = hex(kRead);
    ASSERT_TRUE(a.send(std::span(bytes).first(20), {file.get()}));
    EXPECT_EQ(receiver.receive(b.fd(), packet), Received::nothing);
    a.close();
    EXPECT_EQ(receiver.receive(b.fd(), packet), Received::closed);
  }
  EXPECT_EQ(test::open_files(), before);
}

TEST(SendPacket, BytesMatchTheProtocol) {
  auto [a, b] = test::peers();
  const auto file = test::memory_file(4096);
  const int fd = file.get();
  const Header header{.id = 0x1234, .command = 2, .bytes = 0, .flags = 0, .error = 0};
  ASSERT_TRUE(send_packet(a.fd(), header, hex("aabbccdd"), {&fd, 1}, 0));
  EXPECT_EQ(test::text_of(b.receive(20)), "34120200 14000000 00000000 00000000 aabbccdd");
  EXPECT_EQ(b.fds.size(), 1u);
}

TEST(SendPacket, DoesNotWaitLongerThanItMay) {
  auto [a, b] = test::peers();
  const std::vector<std::byte> payload(4096);
  bool sent = true;
  for (int i = 0; i < 1000 && sent; ++i) sent = send_packet(a.fd(), {}, payload, {}, 0);
  EXPECT_FALSE(sent) << "nobody reads";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(send_packet(a.fd(), {}, payload, {}, 50));
  const auto waited = std::chrono::steady_clock::now() - start;
  EXPECT_GE(waited, std::chrono::milliseconds(45));
  EXPECT_LT(waited, std::chrono::seconds(60));
}

TEST(SendPacket, FailsWithoutSigpipeWhenThePeerHasGone) {
  auto [a, b] = test::peers();
  b.close();
  EXPECT_FALSE(send_packet(a.fd(), {}, {}, {}, 50));
}

}  // namespace
}  // namespace fathom::nvme::vfio_user
