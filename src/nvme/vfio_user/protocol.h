// The messages of vfio-user (docs/vfio-user.rst of libvfio-user, protocol 0.1 as implemented by libvfio-user and
// SPDK): VFIO's ioctl structures over an AF_UNIX stream socket. Every message is a 16-byte header and a payload, in
// native byte order, which is little-endian only on little-endian machines. File descriptors go with it (SCM_RIGHTS).
// The structures have no padding, so the code copies them in and out unchanged.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fathom::nvme::vfio_user {

inline constexpr std::uint16_t kMajor = 0;
inline constexpr std::uint16_t kMinor = 1;

enum class Message : std::uint16_t {
  version = 1,
  dma_map = 2,
  dma_unmap = 3,
  device_get_info = 4,
  device_get_region_info = 5,
  device_get_region_io_fds = 6,
  device_get_irq_info = 7,
  device_set_irqs = 8,
  region_read = 9,
  region_write = 10,
  dma_read = 11,   // server to client, for memory without a file descriptor; not used here
  dma_write = 12,  // the same
  device_reset = 13,
};

struct Header {
  std::uint16_t id = 0;       // chosen by the sender; a reply has the id of its command
  std::uint16_t command = 0;  // enum Message
  std::uint32_t bytes = 0;    // the whole message, including this header
  std::uint32_t flags = 0;
  std::uint32_t error = 0;  // an errno, in a reply with kFlagError
};
static_assert(sizeof(Header) == 16 && offsetof(Header, bytes) == 4 && offsetof(Header, error) == 12);
inline constexpr std::uint32_t kTypeMask = 0xf;
inline constexpr std::uint32_t kTypeCommand = 0;
inline constexpr std::uint32_t kTypeReply = 1;
inline constexpr std::uint32_t kFlagNoReply = 1u << 4;
inline constexpr std::uint32_t kFlagError = 1u << 5;

// SPDK's client sends 4 KiB of payload with GET_REGION_INFO and never accepts more; no client needs larger ones.
inline constexpr std::uint32_t kTransferBytesMax = 4096;  // region data
inline constexpr std::uint32_t kPayloadBytesMax = kTransferBytesMax + 64;
inline constexpr std::uint32_t kFdsMax = 8;  // per message

struct Version {
  std::uint16_t major = kMajor, minor = kMinor;  // followed by JSON and a NUL, or by nothing
};
static_assert(sizeof(Version) == 4);
// The capabilities that either side sends after its version, with the NUL at the end.
inline constexpr char kCapabilities[] = R"({"capabilities":{"max_msg_fds":8,"max_data_xfer_size":4096}})";
static_assert(kFdsMax == 8 && kTransferBytesMax == 4096);

struct DmaMap {
  std::uint32_t argsz = 0, flags = 0;
  std::uint64_t offset = 0;  // in the file
  std::uint64_t address = 0, bytes = 0;
};
static_assert(sizeof(DmaMap) == 32 && offsetof(DmaMap, offset) == 8 && offsetof(DmaMap, bytes) == 24);
inline constexpr std::uint32_t kDmaRead = 1u << 0;
inline constexpr std::uint32_t kDmaWrite = 1u << 1;

struct DmaUnmap {
  std::uint32_t argsz = 0, flags = 0;
  std::uint64_t address = 0, bytes = 0;
};
static_assert(sizeof(DmaUnmap) == 24 && offsetof(DmaUnmap, bytes) == 16);
inline constexpr std::uint32_t kUnmapDirtyBitmap = 1u << 0;
inline constexpr std::uint32_t kUnmapAll = 1u << 1;

struct DeviceInfo {
  std::uint32_t argsz = 0, flags = 0, regions = 0, irqs = 0;
};
static_assert(sizeof(DeviceInfo) == 16);
inline constexpr std::uint32_t kDeviceReset = 1u << 0;
inline constexpr std::uint32_t kDevicePci = 1u << 1;

// VFIO's fixed numbers for a PCI device.
inline constexpr std::uint32_t kBar0Region = 0;
inline constexpr std::uint32_t kConfigRegion = 7;
inline constexpr std::uint32_t kPciRegions = 9;
inline constexpr std::uint32_t kPciIrqs = 5;  // INTx, MSI, MSI-X, error, request

struct RegionInfo {
  std::uint32_t argsz = 0, flags = 0, index = 0, cap_offset = 0;
  std::uint64_t bytes = 0, offset = 0;  // offset: start of the region in its file
};
static_assert(sizeof(RegionInfo) == 32 && offsetof(RegionInfo, bytes) == 16 && offsetof(RegionInfo, offset) == 24);
inline constexpr std::uint32_t kRegionRead = 1u << 0;
inline constexpr std::uint32_t kRegionWrite = 1u << 1;
inline constexpr std::uint32_t kRegionMmap = 1u << 2;
inline constexpr std::uint32_t kRegionCaps = 1u << 3;

struct CapHeader {
  std::uint16_t id = 0, version = 0;
  std::uint32_t next = 0;  // from the start of RegionInfo; 0: the last
};
static_assert(sizeof(CapHeader) == 8);
inline constexpr std::uint16_t kCapSparseMmap = 1;

struct SparseMmap {  // after a CapHeader, followed by its areas
  std::uint32_t areas = 0, reserved = 0;
};
struct SparseArea {
  std::uint64_t offset = 0, bytes = 0;  // in the region
};
static_assert(sizeof(SparseMmap) == 8 && sizeof(SparseArea) == 16);

struct IrqInfo {
  std::uint32_t argsz = 0, flags = 0, index = 0, count = 0;
};
struct IrqSet {
  std::uint32_t argsz = 0, flags = 0, index = 0, start = 0, count = 0;
};
static_assert(sizeof(IrqInfo) == 16 && sizeof(IrqSet) == 20);

struct RegionAccess {  // followed by count bytes in a write and in the reply to a read
  std::uint64_t offset = 0;
  std::uint32_t region = 0, count = 0;
};
static_assert(sizeof(RegionAccess) == 16 && offsetof(RegionAccess, count) == 12);

// PCI configuration space (PCI Local Bus Specification 3.0, section 6.1).
inline constexpr std::uint32_t kPciVendor = 0x00;
inline constexpr std::uint32_t kPciDevice = 0x02;
inline constexpr std::uint32_t kPciCommand = 0x04;
inline constexpr std::uint32_t kPciRevision = 0x08;  // followed by the class code: interface, subclass, class
inline constexpr std::uint16_t kPciMemory = 1u << 1;
inline constexpr std::uint16_t kPciBusMaster = 1u << 2;
inline constexpr std::uint16_t kPciIntxDisable = 1u << 10;
inline constexpr std::uint32_t kNvmeClass = 0x010802;  // mass storage, non-volatile memory, NVM Express

}  // namespace fathom::nvme::vfio_user
