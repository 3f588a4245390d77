// The driver in this process, the device in another one, vfio-user between them: brought up, written and read through
// the shared memory, reset, and killed while it has work.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "nvme/controller.h"
#include "nvme/open.h"
#include "nvme/queue_pair.h"
#include "nvme/vfio_user/serve.h"
#include "nvme/vfio_user/support.h"
#include "nvme/vfio_user/transport.h"

namespace fathom::nvme::vfio_user {
namespace {

using Clock = std::chrono::steady_clock;
using Queue = QueuePair<Policy{}>;

soft::Options device_options(std::uint32_t block_bytes = 4096) {
  soft::Options options;
  options.size_bytes = 16 << 20;
  options.block_bytes = block_bytes;
  return options;
}

// Serves until it is killed.
[[noreturn]] void serve_for_ever(const std::vector<std::string>& paths, const soft::Options& options) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<std::unique_ptr<soft::Controller>> controllers;
  std::vector<std::unique_ptr<Server>> servers;
  std::vector<Served> served;
  for (const auto& path : paths) {
    auto controller = soft::Controller::make(options);
    if (!controller) ::_exit(2);
    auto server = Server::make(**controller, path);
    if (!server) ::_exit(3);
    served.push_back({.controller = controller->get(), .server = server->get()});
    controllers.push_back(std::move(*controller));
    servers.push_back(std::move(*server));
  }
  const std::atomic<bool> never{false};
  static_cast<void>(serve(served, never));
  ::_exit(0);
}

class VfioUserProcesses : public ::testing::Test {
 protected:
  void TearDown() override { end_device(); }
  void start_device(const std::vector<std::string>& paths, const soft::Options& options = device_options()) {
    device_ = ::fork();
    ASSERT_GE(device_, 0);
    if (device_ == 0) serve_for_ever(paths, options);
  }
  void end_device() {
    if (device_ <= 0) return;
    ::kill(device_, SIGKILL);
    ::waitpid(device_, nullptr, 0);
    device_ = -1;
  }
  // The device's process takes a moment to listen.
  std::unique_ptr<Controller> open(const std::string& path) {
    const auto end = Clock::now() + std::chrono::seconds(60);
    for (;;) {
      auto transport = ClientTransport::connect({.kind = TransportKind::vfio_user, .where = path, .nsid = 1});
      if (transport) {
        auto controller = Controller::open(std::move(*transport));
        EXPECT_TRUE(controller) << controller.error().what << " " << controller.error().cause;
        return controller ? std::move(*controller) : nullptr;
      }
      if (Clock::now() > end) {
        ADD_FAILURE() << transport.error().what << " " << transport.error().cause;
        return nullptr;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  test::Folder folder;
  pid_t device_ = -1;
};

struct Count {
  int good = 0, bad = 0;
};
void count(void* context, const Completion& completion) {
  auto& c = *static_cast<Count*>(context);
  ++(status_of(completion) == 0 ? c.good : c.bad);
}

// Polls until n have ended, for a minute at most.
int wait_for(Queue& queue, const Count& c, int n) {
  const auto end = Clock::now() + std::chrono::seconds(60);
  while (c.good + c.bad < n && Clock::now() < end) {
    queue.poll(64, [](void*, std::uint16_t) {});
    queue.ring();  // what had waited for a slot
  }
  return c.good + c.bad;
}

// A server with the fault of SPDK's target: what is unmapped takes the queue with it that begins where it ended.
TEST_F(VfioUserProcesses, UnmappingDoesNotLoseAQueueOnAServerWithSpdksFault) {
  auto options = device_options();
  options.faults.push_back({.kind = soft::FaultKind::unmap_drops_next});
  start_device({folder / "s"}, options);
  auto controller = open(folder / "s");
  ASSERT_TRUE(controller);
  const auto file = test::memory_file(2 << 20);
  void* memory = ::mmap(nullptr, 2 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  const HostMemory buffers{static_cast<std::byte*>(memory), 2 << 20, file.get(), 0};
  for (int stage = 0; stage < 2; ++stage) {
    ASSERT_TRUE(controller->map_memory(buffers)) << stage;
    Queue queue;
    ASSERT_TRUE(controller->open_queue(queue, {.entries = 64})) << stage;
    controller->close_queue(queue);
    controller->unmap_memory(buffers);
    for (int command = 0; command < 3; ++command) {
      std::array<std::byte, 512> log{};
      const auto from = Clock::now();
      const auto done = controller->log_page(2, 0xffffffff, log);
      ASSERT_TRUE(done) << stage << ": " << done.error().what << " " << done.error().cause;
      EXPECT_LT(Clock::now() - from, std::chrono::seconds(5));
    }
  }
  ::munmap(memory, 2 << 20);
}

TEST_F(VfioUserProcesses, WhatIsWrittenIsReadAgain) {
  start_device({folder / "s"});
  auto controller = open(folder / "s");
  ASSERT_TRUE(controller);
  EXPECT_EQ(controller->device().vendor, soft::kVendorId);
  const auto ns = controller->open_namespace(1);
  ASSERT_TRUE(ns) << ns.error().what;
  EXPECT_EQ(ns->bytes(), 16u << 20);
  Queue queue;
  ASSERT_TRUE(controller->open_queue(queue, {.entries = 32}));
  constexpr std::uint32_t kBlocks = 64, kBytes = 4096;
  const auto memory = controller->transport().allocate(2 * kBlocks * kBytes);
  ASSERT_TRUE(memory);
  auto* out = reinterpret_cast<std::uint64_t*>(memory->memory);
  auto* in = reinterpret_cast<std::uint64_t*>(memory->memory + kBlocks * kBytes);
  for (std::uint64_t i = 0; i < kBlocks * kBytes / 8; ++i) out[i] = i * 0x9e3779b97f4a7c15ull;
  for (const auto opcode : {NvmOpcode::write, NvmOpcode::read}) {
    Count c;
    const auto iova = memory->iova + (opcode == NvmOpcode::read ? kBlocks * kBytes : 0);
    for (std::uint32_t b = 0; b < kBlocks; ++b)  // more than the ring has slots
      ASSERT_EQ(queue.read_write(opcode, 1, 2 * b, 1, iova + b * kBytes, kBytes, count, &c), 0);
    queue.ring();
    ASSERT_EQ(wait_for(queue, c, kBlocks), static_cast<int>(kBlocks));
    EXPECT_EQ(c.bad, 0);
  }
  EXPECT_EQ(std::memcmp(out, in, kBlocks * kBytes), 0);
  controller->close_queue(queue);
}

TEST_F(VfioUserProcesses, TwoDevicesOnOneThreadServeClientsInTurn) {
  start_device({folder / "a", folder / "b"}, device_options(512));
  for (int round = 0; round < 2; ++round) {
    auto a = open(folder / "a");
    auto b = open(folder / "b");
    ASSERT_TRUE(a && b);
    for (auto* controller : {a.get(), b.get()}) {
      Queue queue;
      ASSERT_TRUE(controller->open_queue(queue, {}));
      const auto memory = controller->transport().allocate(4096);
      ASSERT_TRUE(memory);
      Count c;
      ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, 0, 8, memory->iova, 4096, count, &c), 0);
      queue.ring();
      EXPECT_EQ(wait_for(queue, c, 1), 1);
      EXPECT_EQ(c.good, 1);
      controller->close_queue(queue);
    }
  }
}

TEST_F(VfioUserProcesses, AResetGoesOverTheSocket) {
  start_device({folder / "s"});
  auto controller = open(folder / "s");
  ASSERT_TRUE(controller);
  Queue queue;
  ASSERT_TRUE(controller->open_queue(queue, {}));
  const auto memory = controller->transport().allocate(4096);
  ASSERT_TRUE(memory);
  Count c;
  for (int i = 0; i < 10; ++i) {
    c = {};
    for (int k = 0; k < 8; ++k) ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, 0, 1, memory->iova, 4096, count, &c), 0);
    queue.ring();
    const auto again = controller->reset();
    ASSERT_TRUE(again) << again.error().what << " " << again.error().cause;
    EXPECT_EQ(c.good + c.bad, 8) << "each ended once";
  }
  c = {};
  ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, 0, 1, memory->iova, 4096, count, &c), 0);
  queue.ring();
  EXPECT_EQ(wait_for(queue, c, 1), 1);
  EXPECT_EQ(c.good, 1);
  controller->close_queue(queue);
}

TEST_F(VfioUserProcesses, ADeviceThatIsKilledIsGoneAndItsWorkEndsOnce) {
  auto options = device_options();
  options.latency.kind = soft::LatencyModel::Kind::fixed;
  options.latency.fixed_ns = 60'000'000'000;
  start_device({folder / "s"}, options);
  Queue queue;  // outlives the controller, which is told of no end of it
  auto controller = open(folder / "s");
  ASSERT_TRUE(controller);
  ASSERT_TRUE(controller->open_queue(queue, {}));
  const auto memory = controller->transport().allocate(4096);
  ASSERT_TRUE(memory);
  Count c;
  for (int k = 0; k < 20; ++k) ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, 0, 1, memory->iova, 4096, count, &c), 0);
  queue.ring();
  EXPECT_FALSE(controller->failed());
  end_device();
  const auto start = Clock::now();
  while (!controller->failed() && Clock::now() - start < std::chrono::seconds(5)) {
  }
  EXPECT_TRUE(controller->transport().gone());
  EXPECT_TRUE(controller->failed());
  controller->fail_all();
  EXPECT_EQ(c.good, 0);
  EXPECT_EQ(c.bad, 20);
}

TEST_F(VfioUserProcesses, ADeviceThatIsRemovedClosesTheConnection) {
  auto options = device_options();
  options.faults.push_back({.kind = soft::FaultKind::removal, .after = 5});
  start_device({folder / "s"}, options);
  Queue queue;
  auto controller = open(folder / "s");
  ASSERT_TRUE(controller);
  ASSERT_TRUE(controller->open_queue(queue, {}));
  const auto memory = controller->transport().allocate(4096);
  ASSERT_TRUE(memory);
  Count c;
  for (int k = 0; k < 20; ++k) ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, 0, 1, memory->iova, 4096, count, &c), 0);
  queue.ring();
  const auto start = Clock::now();
  while (!controller->transport().gone() && Clock::now() - start < std::chrono::seconds(5))
    queue.poll(64, [](void*, std::uint16_t) {});
  EXPECT_TRUE(controller->transport().gone());
  controller->fail_all();
  EXPECT_EQ(c.good + c.bad, 20);
  EXPECT_GE(c.bad, 15);
}

TEST(Serve, EndsWhenToldAndRefusesAMissingCpu) {
  const test::Folder folder;
  const auto controller = test::small_controller();
  auto server = Server::make(*controller, folder / "s");
  ASSERT_TRUE(server);
  const Served served[] = {{.controller = controller.get(), .server = server->get()}};
  std::atomic<bool> stop{false};
  const auto refused = serve(served, stop, 100'000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, base::ErrorKind::usage);
  std::thread device([&] { EXPECT_TRUE(serve(served, stop)); });
  const DeviceAddress address{.kind = TransportKind::vfio_user, .where = folder / "s", .nsid = 1};
  {
    auto first = ClientTransport::connect(address);
    ASSERT_TRUE(first) << first.error().what;
    EXPECT_FALSE((*first)->gone());
    const auto second = ClientTransport::connect(address);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().sys_errno, EBUSY);
    EXPECT_NE(second.error().cause.find("another client is connected"), std::string::npos) << second.error().cause;
  }
  EXPECT_TRUE(ClientTransport::connect(address)) << "the first has gone";
  stop = true;
  device.join();
}

}  // namespace
}  // namespace fathom::nvme::vfio_user
