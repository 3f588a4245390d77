// A VFIO container with one group in it and the type-1 IOMMU (version 2) behind it (Documentation/driver-api/vfio.rst):
// the file descriptors, what the IOMMU can do, and mapping of memory. Errors say which step failed, why and what helps.
//
// Not thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "base/system/fd.h"
#include "nvme/pci/controllers.h"
#include "nvme/pci/sysfs.h"
#include "nvme/vfio/arena.h"
#include "nvme/vfio/iommu_info.h"

namespace fathom::nvme::vfio {

class Container : public DmaMap {
 public:
  // privilege: vfio not loaded, no rights, no interrupt remapping; refused: another process has the group, or the group
  // is not viable; io: anything else that VFIO refuses.
  static base::Expected<Container> open(const pci::Sysfs& sysfs, const pci::Controller& controller);
  Container(Container&&) = default;

  base::Expected<base::system::UniqueFd> device(const std::string& address) const;
  const IommuInfo& info() const { return info_; }

  // memory and bytes are multiples of the page. The IOVA is the lowest free one, aligned to 2 MiB from that size on.
  base::Expected<std::uint64_t> map(std::byte* memory, std::size_t bytes) override;
  void unmap(std::uint64_t iova, std::size_t bytes) override;

 private:
  Container(base::system::UniqueFd container, base::system::UniqueFd group, IommuInfo info)
      : container_(std::move(container)),
        group_(std::move(group)),
        info_(std::move(info)),
        iovas_(info_.ranges, info_.page_bytes) {}

  base::system::UniqueFd container_, group_;  // the group's is closed first
  IommuInfo info_;
  IovaAllocator iovas_;
};

}  // namespace fathom::nvme::vfio
