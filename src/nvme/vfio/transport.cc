// The transport of real hardware: vfio-pci, one container and one group per controller, type-1 IOMMU. Combines
// container.h (IOMMU), arena.h (memory) and device.h (registers, doorbells, removal) into a Transport.
#include "nvme/vfio/transport.h"

#include <cerrno>
#include <map>
#include <string>
#include <utility>

#include "nvme/open.h"
#include "nvme/vfio/arena.h"
#include "nvme/vfio/container.h"
#include "nvme/vfio/device.h"

namespace fathom::nvme::vfio {
namespace {

class VfioTransport : public Transport {
 public:
  VfioTransport(DeviceIdentity identity, Container container)
      : identity_(std::move(identity)), container_(std::move(container)) {}
  base::Expected<void> open_device() {
    base::Expected<base::system::UniqueFd> fd = container_.device(identity_.name);
    if (!fd) return fd.error();
    base::Expected<Device> made = Device::make(std::move(fd).value(), identity_.name);
    if (!made) return made.error();
    device_ = std::make_unique<Device>(std::move(made).value());
    return {};
  }

  const DeviceIdentity& identity() const override { return identity_; }
  std::uint32_t read32(std::uint32_t offset) override { return device_->read<std::uint32_t>(offset); }
  std::uint64_t read64(std::uint32_t offset) override { return device_->read<std::uint64_t>(offset); }
  void write32(std::uint32_t offset, std::uint32_t value) override { device_->write(offset, value); }
  void write64(std::uint32_t offset, std::uint64_t value) override { device_->write(offset, value); }
  volatile std::uint32_t* doorbells() override { return device_->doorbells(); }
  std::size_t doorbell_bytes() const override { return device_->doorbell_bytes(); }

  base::Expected<DmaMemory> allocate(std::size_t bytes) override {
    base::Expected<DmaMemory> memory = arena_.allocate(bytes);
    if (fallback_.empty()) fallback_ = arena_.shortcoming();
    return memory;
  }
  void release(const DmaMemory& memory) override { arena_.release(memory); }
  base::Expected<std::uint64_t> map(const HostMemory& memory) override;
  void unmap(const HostMemory& memory) override;
  bool gone() const override { return device_->gone(); }
  const char* fallback() const override { return fallback_.c_str(); }

 private:
  // Destroyed from the last to the first: the device is silent and reset before its memory is released.
  DeviceIdentity identity_;
  Container container_;
  Arena arena_{container_, identity_.numa_node};
  std::map<std::byte*, std::uint64_t> mapped_;
  std::unique_ptr<Device> device_;
  std::string fallback_;
};

base::Expected<std::uint64_t> VfioTransport::map(const HostMemory& memory) {
  if (mapped_.count(memory.memory) != 0) return base::system_error("memory is already mapped for the device", EEXIST);
  const base::Expected<std::uint64_t> iova = container_.map(memory.memory, memory.bytes);
  if (iova) mapped_[memory.memory] = *iova;
  return iova;
}

void VfioTransport::unmap(const HostMemory& memory) {
  const auto found = mapped_.find(memory.memory);
  if (found == mapped_.end()) return;
  container_.unmap(found->second, memory.bytes);
  mapped_.erase(found);
}

base::Error not_bound(const pci::Controller& controller) {
  const std::string has =
      controller.driver.empty() ? "no driver is bound to it" : "the driver " + controller.driver + " has it";
  return {.kind = base::ErrorKind::refused,
          .what = controller.address + ": not bound to vfio-pci",
          .cause = has,
          .help = "bind it to vfio-pci: fathom nvme bind " + controller.address,
          .place = {}};
}

}  // namespace

base::Expected<std::unique_ptr<Transport>> open_transport(const DeviceAddress& address, const pci::Sysfs& sysfs) {
  const base::Expected<pci::Controller> controller = pci::find_controller(sysfs, address.where);
  if (!controller) return controller.error();
  if (controller->driver != pci::kVfioDriver) return not_bound(*controller);
  if (controller->iommu_group.empty()) return pci::no_iommu_group(controller->address);
  base::Expected<Container> container = Container::open(sysfs, *controller);
  if (!container) return container.error();
  auto transport = std::make_unique<VfioTransport>(DeviceIdentity{.vendor = controller->vendor,
                                                                  .device = controller->device,
                                                                  .name = controller->address,
                                                                  .numa_node = controller->numa_node},
                                                   std::move(container).value());
  if (base::Expected<void> opened = transport->open_device(); !opened) return opened.error();
  return std::unique_ptr<Transport>(std::move(transport));
}

base::Expected<std::unique_ptr<Transport>> open_transport(const DeviceAddress& address) {
  return open_transport(address, pci::Sysfs());
}

}  // namespace fathom::nvme::vfio
