// libFuzzer: a hostile client of the vfio-user server. Any messages with any file descriptors, any bytes in the memory
// that it shares, any doorbells, files that are cut short under the server, in any order, with device steps between.
// The server may refuse whatever it likes; it must not crash, loop, or keep what a client has left behind.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "nvme/vfio_user/device.h"

namespace {

using namespace fathom::nvme;
using namespace fathom::nvme::vfio_user;

constexpr std::size_t kFileBytes = 0x10000;
constexpr std::uint64_t kIova = 0x100000;

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return size_ == 0; }
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    const auto part = take(bytes);
    std::memcpy(&value, part.data(), part.size());
    return value;
  }
  std::span<const std::byte> take(std::size_t bytes) {
    const auto n = std::min(bytes, size_);
    const std::span part(reinterpret_cast<const std::byte*>(data_), n);
    data_ += n;
    size_ -= n;
    return part;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

soft::Controller& the_controller() {
  static const auto made = [] {
    soft::Options options;
    options.size_bytes = 1 << 20;
    options.namespaces = 2;
    auto controller = soft::Controller::make(options);
    if (!controller) std::abort();
    return std::move(*controller);
  }();
  return *made;
}

class Client {
 public:
  explicit Client(soft::Controller& controller) : controller_(controller), device_(controller) {
    file_.reset(::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file_ || ::ftruncate(file_.get(), kFileBytes) != 0) std::abort();
  }
  ~Client() { device_.forget_client(); }

  void message(Message command, std::span<const std::byte> payload, std::size_t files) {
    Packet packet{.header = {.id = 1, .command = static_cast<std::uint16_t>(command)}, .payload = {}, .fds = {}};
    packet.payload.assign(payload.begin(), payload.end());
    for (std::size_t i = 0; i < files; ++i) packet.fds.emplace_back(::dup(file_.get()));
    const auto reply = device_.handle(packet);
    if (reply.error != 0 && (!reply.payload.empty() || reply.fd >= 0)) std::abort();
    if (reply.payload.size() > kPayloadBytesMax) std::abort();
    if (reply.last || device_.faulted()) device_.forget_client();
  }
  void write_register(std::uint64_t offset, std::uint64_t value, std::uint32_t bytes) {
    std::byte payload[sizeof(RegionAccess) + 8];
    const RegionAccess access{.offset = offset, .region = kBar0Region, .count = bytes};
    std::memcpy(payload, &access, sizeof access);
    std::memcpy(payload + sizeof access, &value, sizeof value);
    message(Message::region_write, std::span(payload).first(sizeof access + bytes), 0);
  }
  // As a driver would begin: version, memory, admin queues at its start, enable.
  void set_up() {
    const Version version;
    message(Message::version, bytes_of(version), 0);
    const DmaMap map{.argsz = sizeof map, .flags = 3, .offset = 0, .address = kIova, .bytes = kFileBytes};
    message(Message::dma_map, bytes_of(map), 1);
    write_register(0x24, 0x000f000f, 4);
    write_register(0x28, kIova, 8);
    write_register(0x30, kIova + 0x1000, 8);
    write_register(0x14, 0x00460001, 4);
    step(8);
  }
  void step(unsigned n) {
    while (n-- > 0) controller_.step();
    if (device_.faulted()) device_.forget_client();
  }
  void scribble(std::uint64_t offset, std::span<const std::byte> bytes) {
    static_cast<void>(::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset % kFileBytes)) == 0);
  }
  void ring(std::size_t index, std::uint32_t value) {
    controller_.doorbells()[index % (soft::kDoorbellBytes / 4)] = value;
  }
  void cut_short(std::uint64_t bytes) {
    static_cast<void>(::ftruncate(file_.get(), static_cast<off_t>(bytes % kFileBytes)) == 0);
  }
  void forget() { device_.forget_client(); }

 private:
  soft::Controller& controller_;
  Device device_;
  fathom::base::system::UniqueFd file_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  Client client(the_controller());
  for (int actions = 0; !input.empty() && actions < 80; ++actions) {
    switch (input.number(1) % 8) {
      case 0:
        client.set_up();
        break;
      case 1: {
        const auto command = static_cast<Message>(input.number(1));
        const auto files = input.number(1) % 3;
        client.message(command, input.take(input.number(1)), files);
        break;
      }
      case 2: {
        const auto offset = input.number(2);
        client.scribble(offset, input.take(64));
        break;
      }
      case 3: {
        const auto index = input.number(1);
        client.ring(index, static_cast<std::uint32_t>(input.number(2)));
        break;
      }
      case 4:
        client.step(static_cast<unsigned>(input.number(1)));
        break;
      case 5:
        client.cut_short(input.number(2));
        break;
      case 6: {
        const auto offset = input.number(1);
        client.write_register(offset, input.number(8), 4);
        break;
      }
      case 7:
        client.forget();
        break;
    }
  }
  return 0;
}
