// A VFIO container with one group and the type-1 IOMMU, version 2 (Documentation/driver-api/vfio.rst): the file
// descriptors, the IOMMU's capabilities, and memory mapping. Errors have the failed step, its cause and help.
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
  // privilege: vfio is not loaded, no permission, or no interrupt remapping.
  // refused: another process has the group, or the group is not viable. io: anything else that VFIO refuses.
  static base::Expected<Container> open(const pci::Sysfs& sysfs, const pci::Controller& controller);
  Container(Container&&) = default;

  base::Expected<base::system::UniqueFd> device(const std::string& address) const;
  const IommuInfo& info() const { return info_; }

  // memory and bytes are multiples of the page size. The IOVA is the lowest free one; from 2 MiB on, it is aligned to
  // 2 MiB.
  base::Expected<std::uint64_t> map(std::byte* memory, std::size_t bytes) override;
  void unmap(std::uint64_t iova, std::size_t bytes) override;

 private:
  Container(base::system::UniqueFd container, base::system::UniqueFd group, IommuInfo info)
      : container_(std::move(container)),
        group_(std::move(group)),
        info_(std::move(info)),
        iovas_(info_.ranges, info_.page_bytes) {}

  base::system::UniqueFd container_, group_;  // group_ is closed first
  IommuInfo info_;
  IovaAllocator iovas_;
};

}  // namespace fathom::nvme::vfio
