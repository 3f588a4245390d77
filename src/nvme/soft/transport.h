// The in-process controller as a Transport. Addresses that the device sees come from an allocator of their own, from
// low addresses up, and never equal the program's: a driver that mixes the two finds out here and not on hardware.
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

// First fit over what is taken, from 1 MiB on, in whole pages; large pieces start where a huge page could.
class IovaSpace {
 public:
  std::uint64_t take(std::uint64_t bytes);
  void give_back(std::uint64_t iova) { taken_.erase(iova); }

 private:
  std::map<std::uint64_t, std::uint64_t> taken_;  // start to end
};

// Memory for rings, lists and buffers, carved in whole pages out of blocks of huge pages where the system has them
// free, out of ordinary ones (with transparent huge pages asked for) where not.
class Arena {
 public:
  struct Block {
    std::byte* memory = nullptr;
    std::uint64_t iova = 0;
    std::size_t bytes = 0;
    std::map<std::size_t, std::size_t> used;  // offset to end
  };
  ~Arena();
  // A place in a block that is there; nullptr memory: none is large enough.
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
  std::mutex stepping_;         // of those who call idle(): one steps, the others go on waiting
  DeviceIdentity identity_;
  IovaSpace space_;
  Arena arena_;
  std::map<std::byte*, std::pair<std::uint64_t, std::size_t>> mapped_;  // memory to IOVA and bytes
  std::string fallback_;
};

}  // namespace fathom::nvme::soft
