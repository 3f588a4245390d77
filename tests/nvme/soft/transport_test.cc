// The transport around the controller: memory, addresses, device threads shared by CPU, options out of range.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "nvme/open.h"
#include "nvme/soft/driver.h"

namespace fathom::nvme::soft {
namespace {

std::unique_ptr<SoftTransport> device_of(std::string_view text) {
  return SoftTransport::make(options_of(text)).value();
}

TEST(SoftTransport, OpensByAddress) {
  DeviceAddress address;
  address.where = "size=1m,step,doorbell=150ns,id=4";
  const auto transport = soft::open_transport(address);
  ASSERT_TRUE(transport.ok());
  EXPECT_EQ((*transport)->identity().vendor, kVendorId);
  EXPECT_EQ((*transport)->identity().name, "soft:id=4");
  EXPECT_TRUE((*transport)->identity().harmless);
  EXPECT_EQ((*transport)->doorbell_cost_ns(), 150u);
  address.where = "size=nothing";
  const auto bad = soft::open_transport(address);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().kind, base::ErrorKind::usage);
}

TEST(SoftTransport, ImpossibleOptionsAreRefused) {
  for (const char* text : {"queues=400,dstrd=4", "media=file:/dev/null", "media=file:/no/such/folder/x"}) {
    const auto made = SoftTransport::make(options_of(text));
    EXPECT_FALSE(made.ok()) << text;
  }
  Options odd;
  odd.block_bytes = 1024;
  EXPECT_FALSE(SoftTransport::make(odd).ok());
}

TEST(SoftTransport, MemoryIsZeroedPageAlignedAndReused) {
  const auto device = device_of("step");
  const DmaMemory a = *device->allocate(100), b = *device->allocate(3 << 20), c = *device->allocate(4096);
  for (const DmaMemory& m : {a, b, c}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(m.memory) % 4096, 0u);
    EXPECT_EQ(m.iova % 4096, 0u);
    EXPECT_NE(m.iova, reinterpret_cast<std::uintptr_t>(m.memory));
    EXPECT_TRUE(std::all_of(m.memory, m.memory + m.bytes, [](std::byte x) { return x == std::byte{0}; }));
  }
  EXPECT_EQ(c.iova, a.iova + 4096);
  a.memory[0] = std::byte{9};
  device->release(a);
  const DmaMemory again = *device->allocate(4096);
  EXPECT_EQ(again.iova, a.iova);
  EXPECT_EQ(again.memory[0], std::byte{0});
}

TEST(SoftTransport, MappingTwiceIsRefused) {
  const auto device = device_of("step");
  alignas(4096) static std::byte own[4096];
  const HostMemory memory{own, sizeof own, -1, 0};
  ASSERT_TRUE(device->map(memory).ok());
  EXPECT_FALSE(device->map(memory).ok());
  device->unmap(memory);
  EXPECT_TRUE(device->map(memory).ok());
  EXPECT_FALSE(device->map({own, 0, -1, 0}).ok());
}

// Workers that wait for one stepped device: its clock, asked at every step, sees no other in it.
TEST(SoftTransport, IsSteppedByOneThreadAtATime) {
  static std::atomic<int> inside, asked;
  static std::atomic<bool> overlapped;
  const auto clock = [] {
    if (++inside > 1) overlapped = true;
    ++asked;
    for (int i = 0; i < 20; ++i) std::this_thread::yield();
    --inside;
    return std::uint64_t{1};
  };
  const auto device = SoftTransport::make(options_of("step,size=1m,latency=fixed:80us"), clock).value();
  EXPECT_TRUE(device->steps());
  Queue admin(*device, 0, 8);
  device->write32(kAqa, 7 << 16 | 7);
  device->write64(kAsq, admin.sq().iova);
  device->write64(kAcq, admin.cq().iova);
  device->write32(kCc, kCcEnable | cc_entry_sizes(6, 4));
  Queue io(*device, 1, 8);
  admin.post(Driver::command_of(0x05, 0, io.cq().iova, 7 << 16 | 1, 1));
  admin.post(Driver::command_of(0x01, 0, io.sq().iova, 7 << 16 | 1, 1 << 16 | 1));
  admin.ring();
  for (int i = 0; i < 10; ++i) device->idle();
  io.post(Driver::command_of(0x00, 1, 0, 0, 0));  // a flush that is never due: every step looks at the time
  io.ring();
  std::vector<std::thread> workers;
  for (int i = 0; i < 4; ++i)
    workers.emplace_back([&] {
      for (int turn = 0; turn < 10'000'000 && asked <= 100; ++turn) device->idle();
    });
  for (auto& worker : workers) worker.join();
  EXPECT_GT(asked, 100) << "the steps hardly ever met the clock";
  EXPECT_FALSE(overlapped);
}

Reply one_flush(SoftTransport& device) {
  Queue admin(device, 0, 8);
  device.write32(kCc, 0);
  device.write32(kAqa, 7 << 16 | 7);
  device.write64(kAsq, admin.sq().iova);
  device.write64(kAcq, admin.cq().iova);
  device.write32(kCc, kCcEnable | cc_entry_sizes(6, 4));
  admin.post(Driver::command_of(0x18, 0, 0, 0, 0));
  admin.ring();
  for (;;) {
    if (const auto reply = admin.take()) return *reply;
    std::this_thread::yield();
  }
}

// 21 controllers, one thread; each answers, also after the thread has gone to rest, and they leave in any order.
TEST(SoftHost, OneThreadServesMany) {
  std::vector<std::unique_ptr<SoftTransport>> devices;
  for (int i = 0; i < 21; ++i) devices.push_back(device_of("ideal"));
  for (auto& device : devices) EXPECT_EQ(one_flush(*device).status, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  devices.erase(devices.begin() + 5);
  EXPECT_EQ(one_flush(*devices.front()).status, 0);
  EXPECT_EQ(one_flush(*devices.back()).status, 0);
}

TEST(SoftHost, AMissingCpuIsReportedAsFallback) {
  const auto device = device_of("ideal,cpu=1000");
  EXPECT_NE(std::string(device->fallback()).find("CPU 1000"), std::string::npos);
  EXPECT_EQ(one_flush(*device).status, 0);
}

// Data written by one thread arrives intact while registers are read and memory is mapped by another.
TEST(SoftHost, ControlCallsDuringIoLeaveDataIntact) {
  const auto device = device_of("size=1m");
  std::atomic<bool> end{false};
  EXPECT_EQ(one_flush(*device).status, 0);
  std::thread control([&] {
    alignas(4096) static std::byte own[4096];
    while (!end.load()) {
      EXPECT_TRUE(device->controller().map(1ull << 50, {own, sizeof own, -1, 0}));
      EXPECT_TRUE(device->controller().unmap(1ull << 50, sizeof own));
      EXPECT_EQ(device->read32(kVs), kVersion);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  for (int i = 0; i < 50; ++i) EXPECT_EQ(one_flush(*device).status, 0);
  end = true;
  control.join();
}

}  // namespace
}  // namespace fathom::nvme::soft
