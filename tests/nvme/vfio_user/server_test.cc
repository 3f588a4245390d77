// The server against a client that is nothing but bytes: transcripts written by hand from the protocol, in whole
// messages and in pieces, and clients that break off, push in, cheat or do not listen.
#include "nvme/vfio_user/server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "nvme/vfio_user/support.h"

namespace fathom::nvme::vfio_user {
namespace {

using test::hex;
using test::Peer;

struct TranscriptLine {
  const char* command;
  const char* reply;
  std::size_t files = 0;  // with the reply
};

// What SPDK's client sends, in its order and with its message ids (all 0): VERSION without JSON, GET_INFO, BAR0's
// description with 4064 bytes of payload (only its first 32 are written here), bus master and INTx off, CSTS, and CC.
constexpr const char* kSpdkVersion = "0000 0100 14000000 00000000 00000000  0000 0100";
constexpr TranscriptLine kTranscript[] = {
    {kSpdkVersion, "0000 0100 14000000 01000000 00000000  0000 0100"},
    {"0000 0400 20000000 00000000 00000000  10000000 00000000 00000000 00000000",
     "0000 0400 20000000 01000000 00000000  10000000 03000000 09000000 05000000"},
    {"0000 0500 f00f0000 00000000 00000000  e00f0000 00000000 00000000 00000000 0000000000000000 0000000000000000",
     "0000 0500 50000000 01000000 00000000  40000000 0f000000 00000000 20000000 0040000000000000 0000000000000000"
     "0100 0100 00000000 01000000 00000000 0010000000000000 0030000000000000",
     1},
    {"0000 0900 20000000 00000000 00000000  0400000000000000 07000000 02000000",
     "0000 0900 22000000 01000000 00000000  0400000000000000 07000000 02000000 0000"},
    {"0000 0a00 22000000 00000000 00000000  0400000000000000 07000000 02000000 0404",
     "0000 0a00 20000000 01000000 00000000  0400000000000000 07000000 02000000"},
    {"0000 0900 20000000 00000000 00000000  1c00000000000000 00000000 04000000",
     "0000 0900 24000000 01000000 00000000  1c00000000000000 00000000 04000000 00000000"},
    {"0000 0a00 24000000 00000000 00000000  2400000000000000 00000000 04000000 1f001f00",
     "0000 0a00 20000000 01000000 00000000  2400000000000000 00000000 04000000"},
    {"0000 0a00 28000000 00000000 00000000  2800000000000000 00000000 08000000 0010200000000000",
     "0000 0a00 20000000 01000000 00000000  2800000000000000 00000000 08000000"},
    {"0000 0d00 10000000 00000000 00000000", "0000 0d00 10000000 01000000 00000000"},
};

class VfioUserServer : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = Server::make(*controller, path);
    ASSERT_TRUE(made) << made.error().what;
    server = std::move(*made);
  }
  // The command's bytes: a message that says it is longer is filled with zeroes.
  static test::Bytes whole(const char* text) {
    auto bytes = hex(text);
    std::uint32_t size;
    std::memcpy(&size, bytes.data() + 4, sizeof size);
    bytes.resize(size);
    return bytes;
  }
  std::string answer(Peer& client, const char* command, const char* reply, const std::vector<int>& files = {}) {
    EXPECT_TRUE(client.send(whole(command), files));
    server->step();
    return test::text_of(client.receive(hex(reply).size()));
  }
  void expect(Peer& client, const char* command, const char* reply, const std::vector<int>& files = {}) {
    EXPECT_EQ(answer(client, command, reply, files), test::text_of(hex(reply))) << command;
  }
  Peer greeted() {
    auto client = Peer::connect(path);
    expect(client, kSpdkVersion, kTranscript[0].reply);
    return client;
  }
  bool dropped(Peer& client) {
    server->step();
    return client.closed(0);
  }

  test::Folder folder;
  std::string path = folder / "s";
  std::unique_ptr<soft::Controller> controller = test::small_controller();
  std::unique_ptr<Server> server;
  base::system::UniqueFd file = test::memory_file(0x4000);
};

constexpr const char* kMapMessage =
    "0000 0200 30000000 00000000 00000000  20000000 03000000 0000000000000000 0000200000000000 0040000000000000";
constexpr const char* kMapped = "0000 0200 10000000 01000000 00000000";
constexpr const char* kExists = "0000 0200 10000000 21000000 11000000";

TEST_F(VfioUserServer, ATranscriptOfSpdkIsAnsweredByteForByte) {
  auto client = Peer::connect(path);
  for (const auto& line : kTranscript) {
    expect(client, line.command, line.reply);
    EXPECT_EQ(client.fds.size(), line.files) << line.command;
    client.fds.clear();
  }
  expect(client, kMapMessage, kMapped, {file.get()});
  expect(client, "0000 0300 28000000 00000000 00000000  18000000 00000000 0000200000000000 0040000000000000",
         "0000 0300 28000000 01000000 00000000  18000000 00000000 0000200000000000 0040000000000000", {file.get()});
}

TEST_F(VfioUserServer, TheFileInTheRegionReplyHoldsTheDoorbells) {
  auto client = greeted();
  expect(client, kTranscript[2].command, kTranscript[2].reply);
  ASSERT_EQ(client.fds.size(), 1u);
  auto* doorbells = static_cast<std::uint32_t*>(
      ::mmap(nullptr, 0x1000, PROT_READ | PROT_WRITE, MAP_SHARED, client.fds[0].get(), 0x1000));
  ASSERT_NE(doorbells, MAP_FAILED);
  doorbells[2] = 77;
  EXPECT_EQ(controller->doorbells()[2], 77u);
  ::munmap(doorbells, 0x1000);
  EXPECT_NE(::ftruncate(client.fds[0].get(), 0), 0) << "a client must not cut it short";
}

TEST_F(VfioUserServer, MessagesInPiecesGetTheSameAnswers) {
  auto client = Peer::connect(path);
  for (const auto& line : kTranscript) {
    const auto bytes = whole(line.command);
    for (std::size_t i = 0; i < bytes.size(); i += 7) {
      ASSERT_TRUE(client.send(std::span(bytes).subspan(i, std::min<std::size_t>(7, bytes.size() - i))));
      server->step();
    }
    EXPECT_EQ(test::text_of(client.receive(hex(line.reply).size())), test::text_of(hex(line.reply)));
  }
}

TEST_F(VfioUserServer, SeveralMessagesAtOnceAreAnsweredInOrder) {
  auto client = Peer::connect(path);
  test::Bytes all, replies;
  for (const auto& line : kTranscript) {
    const auto bytes = whole(line.command);
    all.insert(all.end(), bytes.begin(), bytes.end());
    const auto reply = hex(line.reply);
    replies.insert(replies.end(), reply.begin(), reply.end());
  }
  ASSERT_TRUE(client.send(all));
  server->step();  // takes the client and answers all of it
  EXPECT_EQ(test::text_of(client.receive(replies.size())), test::text_of(replies));
}

TEST_F(VfioUserServer, MessageIdsAreEchoedAndNoReplyRequestsGetNone) {
  auto client = greeted();
  expect(client, "cdab 0d00 10000000 00000000 00000000", "cdab 0d00 10000000 01000000 00000000");
  ASSERT_TRUE(client.send(hex("0100 0d00 10000000 10000000 00000000")));
  expect(client, "0200 0d00 10000000 00000000 00000000", "0200 0d00 10000000 01000000 00000000");
}

TEST_F(VfioUserServer, ErrorRepliesAreAHeaderWithAnErrno) {
  auto client = greeted();
  expect(client, "0300 0600 20000000 00000000 00000000  10000000 00000000 00000000 00000000",
         "0300 0600 10000000 21000000 5f000000");  // ENOTSUP
  expect(client, kMapMessage, kMapped, {file.get()});
  expect(client, kMapMessage, kExists, {file.get()});
  expect(client, "0400 0900 20000000 00000000 00000000  0000000000000000 03000000 04000000",
         "0400 0900 10000000 21000000 16000000");  // EINVAL
}

TEST_F(VfioUserServer, GarbageEndsTheConnection) {
  for (const char* garbage : {"0000 0100 0f000000 00000000 00000000", "0000 0100 00000080 00000000 00000000",
                              "0000 0100 14000000 01000000 00000000 0000 0100",  // a reply
                              "0000 0100 14000000 00000000 00000000 0700 0000",  // version 7
                              "0000 0400 10000000 00000000 00000000"}) {         // no version
    auto client = Peer::connect(path);
    ASSERT_TRUE(client.send(hex(garbage)));
    server->step();
    client.receive(16, 0);  // an error reply, where there is one
    EXPECT_TRUE(client.closed(0)) << garbage;
    EXPECT_FALSE(server->has_client());
  }
  auto client = Peer::connect(path);
  ASSERT_TRUE(client.send(hex(kSpdkVersion), std::vector<int>(20, file.get())));
  EXPECT_TRUE(dropped(client)) << "twenty file descriptors";
  greeted();
}

TEST_F(VfioUserServer, ASecondClientIsRefusedWithEbusy) {
  auto first = greeted();
  auto second = Peer::connect(path);
  server->step();  // it is taken before it has said anything
  expect(second, kSpdkVersion, "0000 0100 10000000 21000000 10000000");
  EXPECT_TRUE(dropped(second));
  auto mute = Peer::connect(path);
  const auto before = test::open_files();
  for (int i = 0; i < 20; ++i) {
    auto silent = Peer::connect(path);
    server->step();
  }
  EXPECT_LE(test::open_files(), before + 9) << "who says nothing is not kept for ever";
  auto garbage = Peer::connect(path);
  ASSERT_TRUE(garbage.send(hex("0000 0100 00000000 00000000 00000000")));
  server->step();
  EXPECT_TRUE(dropped(garbage));
  expect(first, kTranscript[8].command, kTranscript[8].reply);
}

TEST_F(VfioUserServer, ANewClientIsAcceptedAfterTheLastOneLeft) {
  const auto before = test::open_files();
  {
    auto first = greeted();
    expect(first, kMapMessage, kMapped, {file.get()});
    expect(first, kTranscript[6].command, kTranscript[6].reply);
    const auto broken_off = hex(kMapMessage);
    ASSERT_TRUE(first.send(std::span(broken_off).first(16), {file.get()}));
    server->step();
  }
  auto second = Peer::connect(path);  // before the server has seen the first one go
  expect(second, kSpdkVersion, kTranscript[0].reply);
  expect(second, kMapMessage, kMapped, {file.get()});
  EXPECT_EQ(controller->read_register(0x14, 4), 0u);
  second.close();
  server->step();
  EXPECT_FALSE(server->has_client());
  EXPECT_EQ(test::open_files(), before);
}

TEST_F(VfioUserServer, AClientThatDoesNotReadBlocksNothingAndLosesNoReply) {
  auto client = greeted();
  const auto read = hex("0000 0900 20000000 00000000 00000000  0000000000000000 07000000 00100000");
  std::size_t sent = 0;
  for (; sent < 2000; ++sent) {
    if (::send(client.fd(), read.data(), read.size(), MSG_DONTWAIT | MSG_NOSIGNAL) != static_cast<ssize_t>(read.size()))
      break;
    server->step();
  }
  EXPECT_TRUE(server->has_client());
  std::size_t answered = 0;
  for (std::size_t i = 0; i < sent; ++i) {  // and when it listens, nothing is missing
    server->step();
    answered += client.receive(16 + 16 + 4096, 100).size() == 16 + 16 + 4096;
  }
  EXPECT_EQ(answered, sent);
}

TEST_F(VfioUserServer, AClientThatTruncatesItsMemoryIsDropped) {
  auto client = greeted();
  expect(client, kMapMessage, kMapped, {file.get()});
  // The admin queues lie in that memory: enabling looks there, and so does a step with its doorbell rung.
  for (const char* write : {"0000 0a00 24000000 00000000 00000000  2400000000000000 00000000 04000000 1f001f00",
                            "0000 0a00 28000000 00000000 00000000  2800000000000000 00000000 08000000 0000200000000000",
                            "0000 0a00 28000000 00000000 00000000  3000000000000000 00000000 08000000 0010200000000000",
                            "0000 0a00 24000000 00000000 00000000  1400000000000000 00000000 04000000 01004600"}) {
    ASSERT_TRUE(client.send(hex(write)));
    server->step();
    client.receive(32);
  }
  for (int i = 0; i < 100 && controller->read_register(0x1c, 4) != 1; ++i) controller->step();
  ASSERT_EQ(controller->read_register(0x1c, 4), 1u) << "ready";
  ASSERT_EQ(::ftruncate(file.get(), 0), 0);
  controller->doorbells()[0] = 1;
  for (int i = 0; i < 100; ++i) controller->step();
  EXPECT_TRUE(server->wants_step());
  EXPECT_TRUE(dropped(client));
  EXPECT_FALSE(server->wants_step());
  auto next = greeted();
  const auto other = test::memory_file(0x4000);
  expect(next, kMapMessage, kMapped, {other.get()});
}

TEST_F(VfioUserServer, ARemovedControllerDropsItsClientAndTakesNoOther) {
  auto client = greeted();
  controller->remove();
  EXPECT_TRUE(server->wants_step());
  EXPECT_TRUE(dropped(client));
  auto next = Peer::connect(path);
  EXPECT_TRUE(dropped(next));
}

TEST_F(VfioUserServer, AFolderGetsASocketCalledCntrl) {
  const auto other = test::small_controller();
  auto in_folder = Server::make(*other, folder.path());
  ASSERT_TRUE(in_folder) << in_folder.error().what;
  EXPECT_EQ((*in_folder)->path(), folder / "cntrl");
  Peer::connect(folder / "cntrl");
}

TEST_F(VfioUserServer, AnUnusablePathIsAnErrorWithItsCause) {
  const auto other = test::small_controller();
  const auto error = [&](const std::string& at) {
    auto made = Server::make(*other, at);
    return made ? std::string("none") : made.error().cause + "|" + made.error().help;
  };
  EXPECT_NE(error(path).find("another server"), std::string::npos);
  EXPECT_NE(error(folder / "absent/s").find("directory"), std::string::npos);
  EXPECT_NE(error(folder / std::string(200, 'x')).find("107"), std::string::npos);
  EXPECT_NE(error("").find("107"), std::string::npos);
  ASSERT_EQ(::close(::open((folder / "file").c_str(), O_CREAT | O_WRONLY, 0600)), 0);
  EXPECT_NE(error(folder / "file").find("a file of this name"), std::string::npos);
}

TEST_F(VfioUserServer, AStaleSocketIsReplacedAndItsOwnRemoved) {
  const auto left = folder / "left";
  {
    base::system::UniqueFd dead(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = test::address_of(left);
    ASSERT_EQ(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(dead.get(), 1), 0);
  }
  const auto other = test::small_controller();
  {
    auto made = Server::make(*other, left);
    ASSERT_TRUE(made) << made.error().cause;
  }
  struct stat s;
  EXPECT_NE(::stat(left.c_str(), &s), 0);
}

}  // namespace
}  // namespace fathom::nvme::vfio_user
