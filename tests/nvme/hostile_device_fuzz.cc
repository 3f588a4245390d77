// libFuzzer: a device that lies. The bytes choose what its registers and identify data say, how it answers admin
// commands, and what it writes into completion queues while the driver waits or polls. The driver may fail in any way
// that is an error; it may not crash, hang, touch memory that is not its own (each piece of DMA memory, and the
// doorbells, are allocations of their own under ASan) or end a command twice or never.
#include <cstdint>
#include <cstdlib>
#include <deque>

#include "nvme/controller.h"
#include "nvme/fake_device.h"
#include "nvme/queue_pair.h"
#include "nvme/recovery.h"

namespace fathom::nvme {
namespace {

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  std::uint8_t next() { return left_ == 0 ? 0 : (--left_, *data_++); }
  std::uint32_t word() { return next() | static_cast<std::uint32_t>(next()) << 8; }
  std::uint64_t wide() {
    return word() | static_cast<std::uint64_t>(word()) << 16 | static_cast<std::uint64_t>(word()) << 32;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

class HostileTransport : public FakeTransport {
 public:
  HostileTransport(FakeDevice& device, Bytes& bytes) : FakeTransport(device), device_(device), bytes_(bytes) {
    identity_.vendor = 0x8086;
    identity_.device = static_cast<std::uint16_t>(bytes.next() == 1 ? 0x5845 : 0);
  }
  std::uint32_t read32(std::uint32_t offset) override {
    const std::uint32_t value = FakeTransport::read32(offset);
    const std::uint8_t how = offset == kCsts ? bytes_.next() : 0;
    if (how == 0xff) return kAllOnes;
    return how == 0xfe ? value ^ bytes_.next() : value;
  }
  void idle() override {
    FakeTransport::idle();
    attack();
  }
  void attack() {
    switch (bytes_.next()) {
      case 1:
        post_anything(0);
        break;
      case 2:
        post_anything(1);
        break;
      case 3:
        post_anything(2);
        break;
      case 4:
        device_.csts |= kCstsFatal;
        break;
      case 5:
        device_.csts ^= bytes_.next();
        break;
      case 6:
        device_.gone = true;
        break;
      case 7:
        device_.send_event(bytes_.word());
        break;
      case 8:
        device_.complete(1, bytes_.next(), static_cast<std::uint16_t>(bytes_.word()));
        break;
      case 9:
        device_.complete(0, bytes_.next(), static_cast<std::uint16_t>(bytes_.word()), bytes_.word());
        break;
      case 10:
        device_.hold_io = !device_.hold_io;
        break;
      case 11:
        device_.silent.insert(static_cast<AdminOpcode>(bytes_.next() % 16));
        break;
      case 12:
        device_.silent.clear();
        break;
      case 13:
        device_.never_ready = !device_.never_ready;
        break;
      default:
        break;
    }
  }

 private:
  // Any entry of a completion queue, with any content.
  void post_anything(std::uint16_t qid) {
    const auto it = device_.queues.find(qid);
    if (it == device_.queues.end() || it->second.cq.entries == 0) return;
    const std::uint32_t slot = bytes_.word() % it->second.cq.entries;
    Completion c;
    c.result = bytes_.word();
    c.cid = static_cast<std::uint16_t>(bytes_.word());
    c.status = static_cast<std::uint16_t>(bytes_.word());
    if (auto* to = device_.at(it->second.cq.iova + slot * sizeof c, sizeof c)) std::memcpy(to, &c, sizeof c);
  }
  FakeDevice& device_;
  Bytes& bytes_;
};

template <class T>
void spoil(T& what, Bytes& bytes) {
  auto* raw = reinterpret_cast<std::uint8_t*>(&what);
  for (unsigned n = bytes.next() % 8; n > 0; --n) {
    const std::uint32_t at = bytes.word() % 1024;
    raw[at] = bytes.next();
  }
}

void make_hostile(FakeDevice& device, Bytes& bytes) {
  const std::uint8_t what = bytes.next();
  if (what & 1) device.cap = bytes.wide() | bytes.wide() << 48;
  if (what & 2) device.vs = bytes.word() << 8;
  if (what & 4) spoil(device.id, bytes);
  if (what & 8) spoil(device.namespaces[1], bytes);
  if (what & 16) device.doorbell_bytes = bytes.word() % 0x1001;
  if (what & 32) device.queues_granted = bytes.word() + 1;
  if (what & 64) device.id.nn = bytes.word() << 16 | bytes.word();
  if (what & 128) device.allocations_allowed = bytes.next();
  device.on_admin = [&](const Command& c) -> std::optional<FakeDevice::Answer> {
    const std::uint8_t how = bytes.next();
    if (how < 0xf0) return std::nullopt;
    if (c.prp1 != 0 && (how & 1) != 0)
      if (auto* to = device.at(c.prp1 & ~4095ull, 4096))
        for (int i = 0; i < 64; ++i) to[bytes.word() % 4096] = static_cast<std::byte>(bytes.next());
    return FakeDevice::Answer{static_cast<std::uint16_t>((how & 2) != 0 ? bytes.word() : 0), bytes.word()};
  };
}

struct Sent {
  int calls = 0;
  static void callback(void* context, const Completion&) {
    if (++static_cast<Sent*>(context)->calls > 1) std::abort();
  }
};

struct Driver {
  Controller& controller;
  HostileTransport& transport;
  FakeDevice& device;
  Bytes& bytes;
  std::deque<Sent> sent{};  // its elements stay where they are
  IoQueue first{}, second{};
  bool first_open = false, second_open = false;

  void look_around() {
    const auto list = controller.namespaces();
    for (std::size_t i = 0; i < list.size() && i < 3; ++i) (void)controller.open_namespace(list[i]);
    (void)controller.open_namespace(bytes.next());
    std::byte log[512];
    (void)controller.log_page(bytes.next(), bytes.next(), log);
    QueueOptions options;
    options.entries = bytes.next();
    options.requests = 20;
    options.splits = 4;
    first_open = controller.open_queue(first, options).ok();
    second_open = controller.open_queue(second, options).ok();
  }
  void submit(IoQueue& queue) {
    sent.emplace_back();
    const std::uint32_t blocks = bytes.next() % 64 == 0 ? 300 : 1 + bytes.next() % 8;
    if (queue.read_write(NvmOpcode::write, 1, bytes.word(), blocks, 0x1000 + bytes.next() * 4, blocks * 4096,
                         Sent::callback, &sent.back()) != 0)
      sent.pop_back();
    queue.ring();
  }
  void turn() {
    IoQueue& queue = bytes.next() % 4 == 0 && second_open ? second : first;
    switch (bytes.next() % 16) {
      case 0:
        controller.poll_admin();
        break;
      case 1:
        (void)controller.failed();
        break;
      case 2:
        if (const int cid = queue.overdue(2); cid >= 0)
          (void)recover(controller, queue, static_cast<std::uint16_t>(cid));
        break;
      case 3:
        (void)controller.reset();
        break;
      case 4:
        (void)controller.abort(queue, bytes.next());
        break;
      case 5:
        if (bytes.next() == 7) controller.fail_all();
        break;
      default:
        submit(queue);
        break;
    }
    device.step();
    transport.attack();
    queue.poll(1 + bytes.next() % 32, [](void*, std::uint16_t) { std::abort(); });
  }
  void run() {
    look_around();
    for (int n = 0; first_open && n < 300 && !bytes.empty(); ++n) turn();
    controller.close_queue(first);
    if (second_open && bytes.next() % 2 == 0) controller.close_queue(second);
    controller.shutdown();
    for (const Sent& s : sent)
      if (s.calls != 1) std::abort();
  }
};

}  // namespace
}  // namespace fathom::nvme

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fathom::nvme;
  Bytes bytes(data, size);
  FakeDevice device;
  make_hostile(device, bytes);
  ControllerOptions options;
  options.admin_timeout_ms = 20;
  options.io_queues = 4;
  options.completion_entry_bytes = bytes.next() == 1 ? 64 : 16;
  options.now_ns = fake_now_ns;
  auto transport = std::make_unique<HostileTransport>(device, bytes);
  HostileTransport* const attacker = transport.get();
  auto opened = Controller::open(std::move(transport), options);
  if (!opened) return 0;
  Driver{**opened, *attacker, device, bytes}.run();
  return 0;
}
