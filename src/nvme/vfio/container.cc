// Follows VFIO's order: container, group, check that it is viable, add the group to the container, enable the IOMMU.
// Only then are mappings and the device's descriptor available.
#include "nvme/vfio/container.h"

#include <fcntl.h>
#include <linux/vfio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "nvme/vfio/pages.h"

namespace fathom::nvme::vfio {
namespace {

base::Error failure(base::ErrorKind kind, std::string what, std::string cause, std::string help, int error = 0) {
  return {.kind = kind,
          .what = std::move(what),
          .cause = std::move(cause),
          .help = std::move(help),
          .place = {},
          .sys_errno = error};
}

base::Error not_opened(const std::string& file, const std::string& address, int error) {
  const std::string what = address + ": " + file + ": " + std::strerror(error);
  switch (error) {
    case EBUSY:
      return failure(base::ErrorKind::refused, what,
                     "another process has the controller open, and only one process can open it",
                     "end that program first; fuser " + file + " names it", error);
    case EACCES:
    case EPERM:
      return failure(base::ErrorKind::privilege, what, "this user may not open it",
                     "run fathom as root, or give the file to your user: chown \"$USER\" " + file, error);
    case ENOENT:
    case ENODEV:
      return failure(base::ErrorKind::privilege, what, "the vfio modules are not loaded",
                     "load the modules: modprobe vfio-pci", error);
    default:
      return failure(base::ErrorKind::io, what, "", "look for the cause in the last lines of dmesg", error);
  }
}

base::Error refused_iommu(const std::string& address, int error) {
  const std::string what = address + ": the IOMMU was refused: " + std::strerror(error);
  if (error == EPERM)
    return failure(base::ErrorKind::privilege, what,
                   "the platform has no interrupt remapping, so a device could forge interrupts",
                   "enable interrupt remapping in the firmware, or, on your own machine, load "
                   "vfio_iommu_type1 with "
                   "allow_unsafe_interrupts=1",
                   error);
  return failure(base::ErrorKind::io, what, "", "look for the cause in the last lines of dmesg", error);
}

std::optional<base::Error> not_viable(const pci::Sysfs& sysfs, const pci::Controller& controller, int group) {
  vfio_group_status status{};
  status.argsz = sizeof status;
  if (::ioctl(group, VFIO_GROUP_GET_STATUS, &status) != 0)
    return base::system_error(controller.address + ": state of its IOMMU group", errno);
  if (status.flags & VFIO_GROUP_FLAGS_VIABLE) return std::nullopt;
  return pci::group_not_viable(controller, pci::group_blockers(sysfs, controller));
}

IommuInfo read_info(int container) {
  vfio_iommu_type1_info head{};
  head.argsz = sizeof head;
  if (::ioctl(container, VFIO_IOMMU_GET_INFO, &head) != 0) return parse_iommu_info({});
  std::vector<std::byte> answer(std::max<std::size_t>(head.argsz, sizeof head));
  std::memcpy(answer.data(), &head, sizeof head);
  if (::ioctl(container, VFIO_IOMMU_GET_INFO, answer.data()) != 0) return parse_iommu_info({});
  return parse_iommu_info(answer);
}

std::string lock_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_MEMLOCK, &limit);
  return limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur >> 10) + " KiB";
}

base::Error not_mapped(std::size_t bytes, int error) {
  const std::string what = "mapping " + std::to_string(bytes) + " bytes for the device: " + std::strerror(error);
  switch (error) {
    case ENOMEM:
      return failure(
          base::ErrorKind::privilege, what,
          "memory for a device is locked, and this process may lock " + lock_limit() + " (RLIMIT_MEMLOCK)",
          "raise the limit (ulimit -l unlimited, or memlock in /etc/security/limits.conf), or run fathom as root",
          error);
    case ENOSPC:
      return failure(base::ErrorKind::io, what, "the IOMMU driver's number of mappings is used up",
                     "use fewer or larger buffers, or load vfio_iommu_type1 with a larger dma_entry_limit", error);
    default:
      return failure(base::ErrorKind::io, what, "", "look for the cause in the last lines of dmesg", error);
  }
}

}  // namespace

base::Expected<Container> Container::open(const pci::Sysfs& sysfs, const pci::Controller& controller) {
  const std::string& address = controller.address;
  base::system::UniqueFd container(::open(sysfs.path("/dev/vfio/vfio").c_str(), O_RDWR | O_CLOEXEC));
  if (!container) return not_opened("/dev/vfio/vfio", address, errno);
  if (::ioctl(container.get(), VFIO_GET_API_VERSION) != VFIO_API_VERSION ||
      ::ioctl(container.get(), VFIO_CHECK_EXTENSION, VFIO_TYPE1v2_IOMMU) != 1)
    return failure(base::ErrorKind::privilege, address + ": this kernel's VFIO has no type-1 IOMMU",
                   "the module vfio_iommu_type1 is not loaded", "load the module: modprobe vfio_iommu_type1");
  const std::string group_file = "/dev/vfio/" + controller.iommu_group;
  base::system::UniqueFd group(::open(sysfs.path(group_file).c_str(), O_RDWR | O_CLOEXEC));
  if (!group) return not_opened(group_file, address, errno);
  if (std::optional<base::Error> error = not_viable(sysfs, controller, group.get())) return *std::move(error);
  const int container_fd = container.get();
  if (::ioctl(group.get(), VFIO_GROUP_SET_CONTAINER, &container_fd) != 0)
    return base::system_error(address + ": adding its IOMMU group to a container", errno);
  if (::ioctl(container_fd, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) != 0) return refused_iommu(address, errno);
  IommuInfo info = read_info(container_fd);
  return Container(std::move(container), std::move(group), std::move(info));
}

base::Expected<base::system::UniqueFd> Container::device(const std::string& address) const {
  base::system::UniqueFd fd(::ioctl(group_.get(), VFIO_GROUP_GET_DEVICE_FD, address.c_str()));
  if (!fd) return base::system_error(address + ": opening it through VFIO", errno);
  return fd;
}

base::Expected<std::uint64_t> Container::map(std::byte* memory, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (bytes == 0 || address % info_.page_bytes != 0 || bytes % info_.page_bytes != 0) return not_mapped(bytes, EINVAL);
  const std::optional<std::uint64_t> iova = iovas_.allocate(bytes, bytes >= kHugePageBytes ? kHugePageBytes : 0);
  if (!iova) return not_mapped(bytes, ENOSPC);
  vfio_iommu_type1_dma_map request{};
  request.argsz = sizeof request;
  request.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;
  request.vaddr = address;
  request.iova = *iova;
  request.size = bytes;
  if (::ioctl(container_.get(), VFIO_IOMMU_MAP_DMA, &request) == 0) return *iova;
  const int error = errno;
  iovas_.release(*iova, bytes);
  return not_mapped(bytes, error);
}

void Container::unmap(std::uint64_t iova, std::size_t bytes) {
  vfio_iommu_type1_dma_unmap request{};
  request.argsz = sizeof request;
  request.iova = iova;
  request.size = bytes;
  if (::ioctl(container_.get(), VFIO_IOMMU_UNMAP_DMA, &request) == 0) iovas_.release(iova, bytes);
}

}  // namespace fathom::nvme::vfio
