// An NVMe controller in another process: the client's end of vfio-user as a Transport. Registers are messages.
// Doorbells are shared memory (the mappable part of BAR0). Memory that the device accesses is in memfds, which the
// client sends to it. Interrupts are not used.
//
// Thread rule: as Transport; an internal lock. gone() checks the socket once per millisecond at most.
#pragma once
#include <memory>
#include <mutex>
#include <string>

#include "nvme/device_address.h"
#include "nvme/transport.h"
#include "nvme/vfio_user/connection.h"
#include "nvme/vfio_user/memory/dma_pool.h"
#include "nvme/vfio_user/memory/guarded_mapping.h"

namespace fathom::nvme::vfio_user {

class ClientTransport final : public Transport {
 public:
  // ErrorKind::usage: no server listens there, or it is not an NVMe device; privilege; io: the server does not answer
  // within timeout_ms, or violates the protocol.
  static base::Expected<std::unique_ptr<Transport>> connect(const DeviceAddress& address, int timeout_ms = kTimeoutMs);

  const DeviceIdentity& identity() const override { return identity_; }
  std::uint32_t read32(std::uint32_t offset) override;
  std::uint64_t read64(std::uint32_t offset) override;
  void write32(std::uint32_t offset, std::uint32_t value) override;
  void write64(std::uint32_t offset, std::uint64_t value) override;
  volatile std::uint32_t* doorbells() override { return doorbells_; }
  std::size_t doorbell_bytes() const override { return doorbell_bytes_; }
  base::Expected<DmaMemory> allocate(std::size_t bytes) override;
  void release(const DmaMemory& memory) override;
  base::Expected<std::uint64_t> map(const HostMemory& memory) override;
  void unmap(const HostMemory& memory) override;
  bool gone() const override { return connection_->lost() || bar_.faulted(); }
  const char* fallback() const override { return fallback_.c_str(); }

 private:
  explicit ClientTransport(std::unique_ptr<Connection> connection)
      : connection_(std::move(connection)), pool_(*connection_) {}
  base::Expected<void> look_at_device();
  base::Expected<void> check_class();
  base::Expected<void> enable_bus_master();
  base::Expected<void> map_doorbells();
  base::Expected<void> read_region(std::uint32_t region, std::uint64_t offset, std::span<std::byte> to);
  base::Expected<void> write_region(std::uint32_t region, std::uint64_t offset, std::span<const std::byte> from);
  template <class T>
  T read_register(std::uint32_t offset);
  template <class T>
  void write_register(std::uint32_t offset, T value);
  base::Error malformed(const char* cause) const;

  std::mutex mutex_;
  std::unique_ptr<Connection> connection_;
  memory::DmaPool pool_;
  DeviceIdentity identity_;
  memory::GuardedMapping bar_;  // the part with the doorbells
  volatile std::uint32_t* doorbells_ = nullptr;
  std::size_t doorbell_bytes_ = 0;
  std::string fallback_;
};

}  // namespace fathom::nvme::vfio_user
