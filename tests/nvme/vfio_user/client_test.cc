// The client against a server that is nothing but bytes: what it says is compared byte for byte with transcripts
// written by hand from the protocol, and what it makes of wrong, late, broken-off and hostile answers.
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "nvme/open.h"
#include "nvme/vfio_user/support.h"
#include "nvme/vfio_user/transport.h"

namespace fathom::nvme::vfio_user {
namespace {

using test::hex;
using Clock = std::chrono::steady_clock;

// What the client must say next, and the answer; an empty answer: silence.
struct ScriptLine {
  std::string command;
  std::string reply;
  int fd = -1;              // goes with the reply
  bool one_by_one = false;  // the reply in single bytes
};
using Script = std::vector<ScriptLine>;

const std::string kVersion =
    "0100 0100 51000000 00000000 00000000 0000 0100 "
    "'{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":4096}}' 00";
const std::string kVersionReply = "0100 0100 14000000 01000000 00000000 0000 0100";

// A server as SPDK's nvmf_tgt describes itself: ids 4e58:0001, doorbells at 0x1000 of BAR0's file.
Script opening(int bar) {
  return {
      {kVersion, kVersionReply},
      {"0200 0400 20000000 00000000 00000000  10000000 00000000 00000000 00000000",
       "0200 0400 20000000 01000000 00000000  10000000 03000000 09000000 05000000"},
      {"0300 0900 20000000 00000000 00000000  0000000000000000 07000000 04000000",
       "0300 0900 24000000 01000000 00000000  0000000000000000 07000000 04000000 584e0100"},
      {"0400 0900 20000000 00000000 00000000  0800000000000000 07000000 04000000",
       "0400 0900 24000000 01000000 00000000  0800000000000000 07000000 04000000 00020801"},
      {"0500 0900 20000000 00000000 00000000  0400000000000000 07000000 02000000",
       "0500 0900 22000000 01000000 00000000  0400000000000000 07000000 02000000 0000"},
      {"0600 0a00 22000000 00000000 00000000  0400000000000000 07000000 02000000 0604",
       "0600 0a00 20000000 01000000 00000000  0400000000000000 07000000 02000000"},
      {"0700 0500 30000000 00000000 00000000  00100000 00000000 00000000 00000000 0000000000000000 0000000000000000",
       "0700 0500 50000000 01000000 00000000  40000000 0f000000 00000000 20000000 0040000000000000 0000000000000000"
       "0100 0100 00000000 01000000 00000000 0010000000000000 0010000000000000",
       bar},
  };
}

class FakeServer {
 public:
  FakeServer(const std::string& path, Script script) : script_(std::move(script)) {
    listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = test::address_of(path);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_.get(), 1), 0);
    thread_ = std::thread([this] { play(); });
  }
  ~FakeServer() { finish(); }
  // Waits until the script is played; how many file descriptors the client sent.
  std::size_t finish() {
    if (thread_.joinable()) thread_.join();
    EXPECT_EQ(heard_, wanted_);
    return fds_.size();
  }

 private:
  void play() {
    test::Peer peer(::accept(listener_.get(), nullptr, nullptr));
    for (const auto& line : script_) {
      const auto command = hex(line.command);
      heard_ += test::text_of(peer.receive(command.size())) + "\n";
      wanted_ += test::text_of(command) + "\n";
      if (heard_ != wanted_) break;
      answer(peer, line);
    }
    while (script_.empty() || script_.back().reply.empty()) {  // a silent end: until the client has had enough
      if (peer.receive(1, 10'000).empty()) break;
    }
    fds_ = std::move(peer.fds);
  }
  static void answer(test::Peer& peer, const ScriptLine& line) {
    const auto reply = hex(line.reply);
    const std::vector<int> with = line.fd >= 0 ? std::vector<int>{line.fd} : std::vector<int>{};
    const std::size_t step = line.one_by_one ? 1 : reply.size();
    for (std::size_t i = 0; i < reply.size(); i += step) {
      peer.send(std::span(reply).subspan(i, step), i == 0 ? with : std::vector<int>{});
      if (line.one_by_one) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  Script script_;
  base::system::UniqueFd listener_;
  std::string heard_, wanted_;
  std::vector<base::system::UniqueFd> fds_;
  std::thread thread_;
};

class VfioUserClient : public ::testing::Test {
 protected:
  base::Expected<std::unique_ptr<Transport>> connect(int timeout_ms = 2000) {
    return ClientTransport::connect({.kind = TransportKind::vfio_user, .where = path, .nsid = 1}, timeout_ms);
  }
  // The opening goes well up to line `at`, which is answered so.
  std::string error_when(std::size_t at, const std::string& reply, int fd = -1, int timeout_ms = 2000) {
    ::unlink(path.c_str());
    auto script = opening(bar.get());
    script.resize(at + 1);
    script.back().reply = reply;
    script.back().fd = fd;
    const FakeServer server(path, std::move(script));
    const auto made = connect(timeout_ms);
    if (made) return "none";
    EXPECT_FALSE(made.error().cause.empty() && made.error().sys_errno == 0) << made.error().what;
    return made.error().what + "|" + made.error().cause + "|" + made.error().help;
  }
  static bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

  test::Folder folder;
  std::string path = folder / "s";
  base::system::UniqueFd bar = test::memory_file(0x4000);
};

TEST_F(VfioUserClient, MessagesMatchTheProtocol) {
  auto script = opening(bar.get());
  script.push_back({"0800 0900 20000000 00000000 00000000  1c00000000000000 00000000 04000000",
                    "0800 0900 24000000 01000000 00000000  1c00000000000000 00000000 04000000 01000000"});
  script.push_back({"0900 0900 20000000 00000000 00000000  0000000000000000 00000000 08000000",
                    "0900 0900 28000000 01000000 00000000  0000000000000000 00000000 08000000 ff07010f20184000"});
  script.push_back({"0a00 0a00 24000000 00000000 00000000  1400000000000000 00000000 04000000 01004600",
                    "0a00 0a00 20000000 01000000 00000000  1400000000000000 00000000 04000000"});
  script.push_back({"0b00 0a00 28000000 00000000 00000000  2800000000000000 00000000 08000000 0010200000000000",
                    "0b00 0a00 20000000 01000000 00000000  2800000000000000 00000000 08000000"});
  script.push_back(
      {"0c00 0200 30000000 00000000 00000000  20000000 03000000 0000000000000000 0000200000000000 0000200000000000",
       "0c00 0200 10000000 01000000 00000000"});
  script.push_back({"0d00 0300 28000000 00000000 00000000  18000000 00000000 0000200000000000 0000200000000000",
                    "0d00 0300 28000000 01000000 00000000  18000000 00000000 0000200000000000 0000200000000000"});
  FakeServer server(path, script);
  auto made = connect();
  ASSERT_TRUE(made) << made.error().what << " " << made.error().cause;
  auto& device = **made;
  EXPECT_EQ(device.identity().vendor, 0x4e58);
  EXPECT_EQ(device.identity().device, 1);
  EXPECT_EQ(device.identity().name, "vfio-user:" + path);
  EXPECT_FALSE(device.identity().harmless);
  EXPECT_EQ(device.doorbell_bytes(), 0x1000u);
  device.doorbells()[1] = 42;
  std::uint32_t rung = 0;
  ASSERT_EQ(::pread(bar.get(), &rung, 4, 0x1004), 4);
  EXPECT_EQ(rung, 42u);
  EXPECT_EQ(device.read32(0x1c), 1u);
  EXPECT_EQ(device.read64(0), 0x004018200f0107ffull);
  device.write32(0x14, 0x00460001);
  device.write64(0x28, 0x201000);
  const auto memory = device.allocate(8192);
  ASSERT_TRUE(memory) << memory.error().what;
  EXPECT_EQ(memory->iova, 0x201000u) << "the chunk, less its guard page";
  EXPECT_EQ(memory->bytes, 8192u);
  device.release(*memory);
}

TEST_F(VfioUserClient, AnswersMayComeInSingleBytes) {
  auto script = opening(bar.get());
  for (auto& line : script) line.one_by_one = true;
  const FakeServer server(path, script);
  EXPECT_TRUE(connect());
}

TEST_F(VfioUserClient, AFolderHoldsTheSocketCntrl) {
  const FakeServer server(folder / "cntrl", opening(bar.get()));
  path = folder.path();
  EXPECT_TRUE(connect());
}

TEST_F(VfioUserClient, MemoryGoesWithItsFileDescriptor) {
  auto script = opening(bar.get());
  script.push_back(
      {"0800 0200 30000000 00000000 00000000  20000000 03000000 0010000000000000 0000200000000000 0020000000000000",
       "0800 0200 10000000 01000000 00000000"});
  script.push_back({"0900 0300 28000000 00000000 00000000  18000000 00000000 0000200000000000 0020000000000000",
                    "0900 0300 28000000 01000000 00000000  18000000 00000000 0000200000000000 0020000000000000"});
  const auto file = test::memory_file(0x4000);
  auto* memory =
      static_cast<std::byte*>(::mmap(nullptr, 0x2000, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0x1000));
  ASSERT_NE(memory, MAP_FAILED);
  FakeServer server(path, script);
  {
    auto made = connect();
    ASSERT_TRUE(made);
    const HostMemory host{.memory = memory, .bytes = 0x2000, .fd = file.get(), .fd_offset = 0x1000};
    const auto iova = (*made)->map(host);
    ASSERT_TRUE(iova) << iova.error().what;
    EXPECT_EQ(*iova, 0x200000u);
    EXPECT_FALSE((*made)->map(host)) << "twice";
    (*made)->unmap(host);
    (*made)->unmap(host);  // nothing is said a second time
    auto anonymous = host;
    anonymous.fd = -1;
    const auto refused = (*made)->map(anonymous);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, base::ErrorKind::usage);
    EXPECT_TRUE(has(refused.error().cause, "another process"));
    auto odd = host;
    odd.bytes = 0x1001;
    EXPECT_FALSE((*made)->map(odd));
  }
  EXPECT_EQ(server.finish(), 1u);
  ::munmap(memory, 0x2000);
}

TEST_F(VfioUserClient, WithoutAServerTheErrorNamesServe) {
  const auto absent = connect();
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, base::ErrorKind::usage);
  EXPECT_EQ(absent.error().sys_errno, ENOENT);
  EXPECT_TRUE(has(absent.error().help, "fathom nvme serve"));
  {
    base::system::UniqueFd dead(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = test::address_of(path);
    ASSERT_EQ(::bind(dead.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  const auto dead = connect();
  ASSERT_FALSE(dead);
  EXPECT_EQ(dead.error().sys_errno, ECONNREFUSED);
  path = folder / std::string(200, 'x');
  EXPECT_TRUE(has(connect().error().what, "too long"));
}

TEST_F(VfioUserClient, ADeviceOfAnotherClassIsRefused) {
  const auto error = error_when(3, "0400 0900 24000000 01000000 00000000  0800000000000000 07000000 04000000 00000002");
  EXPECT_TRUE(has(error, "not an NVMe device")) << error;
  EXPECT_TRUE(has(error, "020000")) << error;
}

TEST_F(VfioUserClient, InvalidAnswersAreErrors) {
  struct Wrong {
    std::size_t at;
    const char* reply;
    const char* says;
  };
  const Wrong rows[] = {
      {0, "0200 0100 14000000 01000000 00000000 0000 0100", "does not match the request"},  // another id
      {0, "0100 0400 14000000 01000000 00000000 0000 0100", "does not match the request"},  // another command
      {0, "0100 0100 14000000 02000000 00000000 0000 0100", "does not match the request"},  // neither command nor reply
      {0, "0100 0100 0f000000 01000000 00000000", "not a vfio-user message"},               // shorter than a header
      {0, "0100 0100 00000040 01000000 00000000", "not a vfio-user message"},               // a gigabyte
      {0, "0100 0100 12000000 01000000 00000000 0000", "too short"},                        // half a version
      {0, "0100 0100 14000000 01000000 00000000 0100 0000", "uses version 1.0"},            // another major version
      {0, "0100 0100 14000000 01000000 00000000 0000 0200", "uses version 0.2"},            // a higher minor version
      {0, "0100 0100 10000000 21000000 16000000", "the server refused the request: Invalid argument"},  // an error
      {0, "0100 0100 10000000 21000000 00000000", "the server refused the request"},  // an error without a number
      {0, "0100 0100 14000000 01000000", "closed the connection"},                    // breaks off in the header
      {1, "0200 0400 18000000 01000000 00000000 10000000 03000000", "too short"},     // half of GET_INFO
      {1, "0200 0400 20000000 01000000 00000000 10000000 01000000 09000000 05000000", "not a PCI device"},
      {1, "0200 0400 20000000 01000000 00000000 10000000 03000000 07000000 05000000", "not a PCI device"},
      {2, "0300 0900 20000000 01000000 00000000 0000000000000000 07000000 04000000", "REGION_READ"},  // no data
      {2, "0300 0900 24000000 01000000 00000000 0400000000000000 07000000 04000000 584e0100", "REGION_READ"},
      {6, "0700 0500 20000000 01000000 00000000 40000000 0f000000 00000000 20000000", "malformed"},
      {6, "0700 0500 30000000 01000000 00000000 20000000 03000000 00000000 00000000 0040000000000000 0000000000000000",
       "cannot be mapped"},
      {6, "0700 0500 30000000 01000000 00000000 20000000 07000000 00000000 00000000 0040000000000000 0000000000000000",
       "cannot be mapped"},  // mappable, but without a file
  };
  for (const auto& row : rows) {
    const auto error = error_when(row.at, row.reply);
    EXPECT_TRUE(has(error, row.says)) << row.reply << "\n" << error;
  }
}

TEST_F(VfioUserClient, ABarThatIsShorterThanItSaysIsNotMapped) {
  const auto little = test::memory_file(0x1800);
  const auto error = error_when(6, opening(-1)[6].reply, little.get());
  EXPECT_TRUE(has(error, "shorter")) << error;
}

TEST_F(VfioUserClient, SilenceEndsAfterTheTimeout) {
  const auto start = Clock::now();
  const auto error = error_when(0, "", -1, 100);
  EXPECT_TRUE(has(error, "no answer within 100 ms")) << error;
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(5));
}

TEST_F(VfioUserClient, CommandsOfTheServerAreDeclinedWhileWaiting) {
  auto script = opening(bar.get());
  script.push_back({"0800 0900 20000000 00000000 00000000  1c00000000000000 00000000 04000000",
                    "7700 0b00 20000000 00000000 00000000  0000200000000000 0010000000000000"
                    "7800 0b00 20000000 10000000 00000000  0000200000000000 0010000000000000"
                    "0800 0900 24000000 01000000 00000000  1c00000000000000 00000000 04000000 01000000"});
  script.push_back(
      {"7700 0b00 10000000 21000000 5f000000"
       "0900 0900 20000000 00000000 00000000  1c00000000000000 00000000 04000000",
       "0900 0900 24000000 01000000 00000000  1c00000000000000 00000000 04000000 05000000"});
  const FakeServer server(path, script);
  auto made = connect();
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->read32(0x1c), 1u);
  EXPECT_EQ((*made)->read32(0x1c), 5u);
}

TEST_F(VfioUserClient, ARefusedRegisterReadsAsAllOnes) {
  auto script = opening(bar.get());
  script.push_back({"0800 0900 20000000 00000000 00000000  0010000000000000 00000000 04000000",
                    "0800 0900 10000000 21000000 16000000"});
  script.push_back({"0900 0900 20000000 00000000 00000000  1c00000000000000 00000000 04000000",
                    "0900 0900 24000000 01000000 00000000  1c00000000000000 00000000 04000000 01000000"});
  const FakeServer server(path, script);
  auto made = connect();
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->read32(0x1000), 0xffffffffu);
  EXPECT_FALSE((*made)->gone());
  EXPECT_EQ((*made)->read32(0x1c), 1u);
}

TEST_F(VfioUserClient, RefusedMemoryIsAnErrorAndItsAddressIsFreeAgain) {
  auto script = opening(bar.get());
  const std::string map = "20000000 03000000 0000000000000000 0000200000000000 0000200000000000";
  script.push_back({"0800 0200 30000000 00000000 00000000" + map, "0800 0200 10000000 21000000 1c000000"});
  script.push_back({"0900 0200 30000000 00000000 00000000" + map, "0900 0200 10000000 01000000 00000000"});
  const FakeServer server(path, script);
  auto made = connect();
  ASSERT_TRUE(made);
  const auto refused = (*made)->allocate(4096);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(has(refused.error().cause, "DMA_MAP"));
  EXPECT_TRUE((*made)->allocate(4096));
}

TEST_F(VfioUserClient, AServerThatDiesMakesTheDeviceGone) {
  std::unique_ptr<Transport> device;
  {
    const FakeServer server(path, opening(bar.get()));
    auto made = connect();
    ASSERT_TRUE(made);
    device = std::move(*made);
  }
  const auto start = Clock::now();
  while (!device->gone() && Clock::now() - start < std::chrono::seconds(2)) device->idle();
  EXPECT_TRUE(device->gone());
  EXPECT_EQ(device->read32(0x1c), 0xffffffffu);
  EXPECT_EQ(device->read64(0), ~std::uint64_t{0});
  device->write32(0x14, 1);
  device->doorbells()[0] = 1;
  EXPECT_FALSE(device->allocate(4096));
}

TEST_F(VfioUserClient, AServerThatDiesInTheMiddleOfAWaitIsNoticedAtOnce) {
  auto script = opening(bar.get());
  script.push_back({"0800 0900 20000000 00000000 00000000  1c00000000000000 00000000 04000000", "0800 0900"});
  const FakeServer server(path, script);
  auto made = connect(600'000);
  ASSERT_TRUE(made);
  const auto start = Clock::now();
  EXPECT_EQ((*made)->read32(0x1c), 0xffffffffu);
  EXPECT_TRUE((*made)->gone());
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(60));
}

TEST_F(VfioUserClient, AServerThatStopsAnsweringIsGoneAfterOneTimeout) {
  auto script = opening(bar.get());
  script.push_back({"0800 0900 20000000 00000000 00000000  1c00000000000000 00000000 04000000", ""});
  const FakeServer server(path, script);
  auto made = connect(600);
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->read32(0x1c), 0xffffffffu);
  EXPECT_TRUE((*made)->gone());
  const auto start = Clock::now();
  EXPECT_EQ((*made)->read32(0x1c), 0xffffffffu);
  EXPECT_LT(Clock::now() - start, std::chrono::milliseconds(550)) << "no second wait";
}

TEST_F(VfioUserClient, AServerThatTruncatesItsDoorbellsMakesTheDeviceGone) {
  const FakeServer server(path, opening(bar.get()));
  auto made = connect();
  ASSERT_TRUE(made);
  ASSERT_EQ(::ftruncate(bar.get(), 0), 0);
  (*made)->doorbells()[0] = 1;
  EXPECT_TRUE((*made)->gone());
}

}  // namespace
}  // namespace fathom::nvme::vfio_user
