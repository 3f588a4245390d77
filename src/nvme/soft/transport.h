// The in-process controller as a Transport. A separate allocator gives the device's addresses, from low addresses up.
// They never equal the program's addresses, so a driver that confuses the two fails here and not on hardware.
// soft::open_transport (nvme/open.h) makes one from the text of an address.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "nvme/soft/controller.h"
#include "nvme/soft/host.h"
#include "nvme/transport.h"

namespace fathom::nvme::soft {

// First fit, from 1 MiB on, in whole pages. Large pieces are aligned to a huge page.
class IovaSpace {
 public:
  std::uint64_t take(std::uint64_t bytes);
  void give_back(std::uint64_t iova) { taken_.erase(iova); }

 private:
  std::map<std::uint64_t, std::uint64_t> taken_;  // start to end
};

// Memory for rings, lists and buffers, cut in whole pages from blocks of huge pages, if the system has some free.
// Otherwise the blocks have ordinary pages, with transparent huge pages requested.
class Arena {
 public:
  struct Block {
    std::byte* memory = nullptr;
    std::uint64_t iova = 0;
    std::size_t bytes = 0;
    std::map<std::size_t, std::size_t> used;  // offset to end
  };
  ~Arena();
  // Memory in an existing block. nullptr: no block has enough room.
  DmaMemory carve(std::size_t bytes);
  base::Expected<Block*> add_block(std::size_t bytes);
  bool give_back(const DmaMemory& memory);
  bool huge() const { return huge_; }  // every block has huge pages

 private:
  std::vector<std::unique_ptr<Block>> blocks_;
  bool huge_ = true;
};

class SoftTransport final : public Transport {
 public:
  static base::Expected<std::unique_ptr<SoftTransport>> make(const Options& options, Clock clock = {});
  ~SoftTransport() override;

  const DeviceIdentity& identity() const override { return identity_; }
  std::uint32_t read32(std::uint32_t offset) override;
  std::uint64_t read64(std::uint32_t offset) override;
  void write32(std::uint32_t offset, std::uint32_t value) override;
  void write64(std::uint32_t offset, std::uint64_t value) override;
  volatile std::uint32_t* doorbells() override { return controller_->doorbells(); }
  std::size_t doorbell_bytes() const override { return kDoorbellBytes; }
  std::uint64_t doorbell_cost_ns() const override { return controller_->options().doorbell_ns; }
  base::Expected<DmaMemory> allocate(std::size_t bytes) override;
  void release(const DmaMemory& memory) override;
  base::Expected<std::uint64_t> map(const HostMemory& memory) override;
  void unmap(const HostMemory& memory) override;
  bool steps() const override { return host_ == nullptr; }
  void idle() override;
  bool gone() const override { return controller_->removed(); }
  const char* fallback() const override { return fallback_.c_str(); }

  Controller& controller() { return *controller_; }

 private:
  explicit SoftTransport(std::unique_ptr<Controller> controller);
  void say(const std::string& what);

  std::unique_ptr<Controller> controller_;
  std::shared_ptr<Host> host_;  // nullptr: stepped by idle()
  std::mutex stepping_;         // among callers of idle(): one steps, the others keep waiting
  DeviceIdentity identity_;
  IovaSpace space_;
  Arena arena_;
  std::map<std::byte*, std::pair<std::uint64_t, std::size_t>> mapped_;  // memory to IOVA and bytes
  std::string fallback_;
};

}  // namespace fathom::nvme::soft
