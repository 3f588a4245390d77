// libFuzzer: a hostile driver. The input is a list of moves: register writes of any value, doorbells, commands with any
// bytes, PRP entries that point anywhere, regions mapped, unmapped and scribbled on, steps and time. Queues are also
// created properly now and then, so that the I/O path is reached. The controller must not crash, must not touch memory
// outside the regions (the address sanitizer guards their ends), and every step must end.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "nvme/command.h"
#include "nvme/registers.h"
#include "nvme/soft/controller.h"

namespace {

using namespace fathom::nvme;

constexpr std::uint64_t kPage = 4096, kPages = 8;

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool more() const { return left_ != 0; }
  template <class T>
  T take() {
    T value{};
    const std::size_t bytes = std::min(left_, sizeof value);
    std::memcpy(&value, data_, bytes);
    data_ += bytes;
    left_ -= bytes;
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

soft::Options options_of(std::uint8_t pick) {
  soft::Options o;
  o.size_bytes = 1 << 20;
  o.block_bytes = pick & 1 ? 512 : 4096;
  o.media = pick & 2 ? soft::Media::ideal : soft::Media::ram;
  o.namespaces = pick & 4 ? 2 : 1;
  o.mdts = pick & 8 ? 0 : 2;
  o.queue_entries_max = 128;
  o.io_queues_max = 4;
  o.cqes = 6;
  o.doorbell_stride = pick & 16 ? 2 : 0;
  if (pick & 32) {
    o.latency.kind = soft::LatencyModel::Kind::lognormal;
    o.latency.fixed_ns = 1000;
    o.latency.sigma = 1;
  }
  if (pick & 64)
    for (const auto kind : {soft::FaultKind::late, soft::FaultKind::drop, soft::FaultKind::duplicate_cid,
                            soft::FaultKind::wrong_phase, soft::FaultKind::status})
      o.faults.push_back({kind, 3 * static_cast<std::uint64_t>(kind), 7});
  return o;
}

// The driver's memory: two pieces of the heap, so that a byte outside of them is seen.
struct Hostile {
  std::uint64_t now_ns = 0;
  std::unique_ptr<soft::Controller> device;
  std::unique_ptr<std::byte[], decltype(&std::free)> memory{
      static_cast<std::byte*>(std::aligned_alloc(kPage, kPages* kPage)), &std::free};
  std::uint16_t cid = 0;
  std::uint32_t tails[5] = {};

  explicit Hostile(std::uint8_t pick) {
    std::memset(memory.get(), 0, kPages * kPage);
    auto made = soft::Controller::make(options_of(pick), [this] { return now_ns; });
    if (!made) std::abort();
    device = std::move(*made);
    map(0);
    map(1);
    enable();
  }
  // Piece 0 holds the first six pages from 64 KiB on, piece 1 the last two from 1 MiB on.
  void map(unsigned piece) {
    if (piece == 0)
      device->map(0x10000, {memory.get(), 6 * kPage, -1, 0});
    else
      device->map(0x100000, {memory.get() + 6 * kPage, 2 * kPage, -1, 0});
  }
  void unmap(unsigned piece) { piece == 0 ? device->unmap(0x10000, 6 * kPage) : device->unmap(0x100000, 2 * kPage); }
  void write(std::uint32_t offset, std::uint64_t value, std::uint32_t bytes = 4) {
    device->write_register(offset, bytes, value);
  }
  void enable() {
    write(kCc, 0);
    write(kAqa, 15 << 16 | 15);
    write(kAsq, 0x10000, 8);
    write(kAcq, 0x11000, 8);
    write(kCc, kCcEnable | cc_entry_sizes(6, 4));
    std::fill(std::begin(tails), std::end(tails), 0);
  }
  // The next slot of queue `id` as a good driver would lay it out; odd queues of 32 entries.
  void post(std::uint32_t id, const Command& wanted) {
    Command command = wanted;
    const std::uint32_t entries = id == 0 ? 16 : 32;
    command.cid = cid++;
    std::byte* ring = memory.get() + (id == 0 ? 0 : 2 * kPage);
    std::memcpy(ring + tails[id] * 64, &command, 64);
    tails[id] = (tails[id] + 1) % entries;
    doorbell(2 * id, tails[id]);
  }
  void doorbell(std::uint32_t index, std::uint32_t value) {
    const std::uint32_t word = index << device->options().doorbell_stride;
    if (word < soft::kDoorbellBytes / 4) device->doorbells()[word] = value;
  }
  void create_queue(std::uint32_t id) {
    Command command;
    command.opcode = 0x05;
    command.prp1 = 0x13000;
    command.cdw10 = 31 << 16 | id;
    command.cdw11 = 1;
    post(0, command);
    command.opcode = 0x01;
    command.prp1 = 0x12000;
    command.cdw11 = id << 16 | 1;
    post(0, command);
    tails[id] = 0;
  }
  void step() {
    for (int i = 0; i < 4; ++i) device->step();
    doorbell(1, static_cast<std::uint32_t>(tails[0]));
  }
};

Command any_command(Input& in) {
  auto command = in.take<Command>();
  const std::uint8_t tame = in.take<std::uint8_t>();
  if (tame & 1) command.prp1 = 0x10000 + command.prp1 % (6 * kPage);
  if (tame & 2) command.prp2 = 0x10000 + (command.prp2 % (6 * kPage) & ~7ull);
  if (tame & 4) command.nsid = 1;
  if (tame & 8) command.cdw10 %= 300, command.cdw11 = 0;
  if (tame & 16) command.flags = 0;
  if (tame & 32) command.opcode %= 10;
  return command;
}

void move(Hostile& h, Input& in) {
  const std::uint8_t what = in.take<std::uint8_t>();
  switch (what % 12) {
    case 0:
      return h.write(in.take<std::uint16_t>(), in.take<std::uint64_t>(), what & 0x80 ? 8 : 4);
    case 1:
      return h.write(in.take<std::uint8_t>() % 0x40 & ~3u, in.take<std::uint64_t>(), 4);
    case 2:
      return h.doorbell(in.take<std::uint8_t>() % 16, in.take<std::uint8_t>());
    case 3:
      return h.doorbell(in.take<std::uint16_t>(), in.take<std::uint32_t>());
    case 4:
      return h.post(0, any_command(in));
    case 5:
      return h.post(1 + what / 12 % 4, any_command(in));
    case 6:
      return h.create_queue(1 + what / 12 % 4);
    case 7:
      return what & 0x80 ? h.unmap(what / 12 % 2) : h.map(what / 12 % 2);
    case 8: {
      const std::size_t at = in.take<std::uint16_t>() % (kPages * kPage - 8);
      const auto value = in.take<std::uint64_t>();
      std::memcpy(h.memory.get() + at, &value, sizeof value);
      return;
    }
    case 9:
      return h.enable();
    case 10:
      h.now_ns += in.take<std::uint16_t>();
      return;
    default:
      break;
  }
  switch (what / 12 % 8) {
    case 0:
      h.device->reset();
      break;
    case 1:
      h.device->set_active(1 + what % 3, what & 0x40);
      break;
    case 2:
      h.device->read_register(in.take<std::uint16_t>(), what & 0x80 ? 8 : 4);
      break;
    case 3:
      h.device->map(in.take<std::uint64_t>(), {h.memory.get(), kPage, -1, 0});
      break;
    default:
      h.doorbell(3 + 2 * (what % 4), h.tails[1 + what % 4]);
      break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Hostile hostile(in.take<std::uint8_t>());
  while (in.more()) {
    move(hostile, in);
    hostile.step();
  }
  return 0;
}
