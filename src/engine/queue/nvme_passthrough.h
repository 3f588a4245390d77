// A namespace behind the kernel's driver, accessed by its character device (/dev/ng0n1): its properties, and the
// commands for the I/Os of a job (linux/nvme_ioctl.h; NVM Command Set Specification 1.0c, section 3). These functions
// build commands, but do not send them.
#pragma once
#include <linux/nvme_ioctl.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/engine.h"
#include "nvme/command.h"
#include "nvme/identify.h"

namespace fathom::engine::queue {

struct NvmeNamespace {
  std::uint32_t nsid = 0;
  unsigned block_shift = 0;                     // log2 of the logical block size in bytes
  std::uint64_t blocks = 0;                     // NSZE
  std::uint64_t largest_bytes = 0;              // of one command, limited by MDTS; 0: no limit
  std::uint16_t metadata_bytes = 0;             // per block, separate from its data
  std::uint8_t protection_type = 0;             // 1 to 3: the metadata has protection information of that type
  bool protection_first = false;                // in its first eight bytes, else in its last
  std::uint64_t zone_mask = ~std::uint64_t{0};  // of a block's address: the first block of its zone; all bits: no zones
  std::uint64_t size_bytes() const { return blocks << block_shift; }
  std::uint32_t block_bytes() const { return 1u << block_shift; }
};

// Block and size of a namespace from its Identify data; nsid stays 0. `path` names it in errors.
base::Expected<NvmeNamespace> read_namespace(const nvme::IdentifyNamespace& facts, const std::string& path);

// Queries the kernel and, through it, the controller (Identify). usage: `path` is not such a device. not_built: the
// namespace has metadata inside its blocks. privilege, io: the kernel refused.
base::Expected<NvmeNamespace> identify_namespace(int fd, const std::string& path);

// For the table of engines: size and block of a namespace's character device.
base::Expected<TargetFacts> look_at_namespace(const std::string& path, const io::EngineOptions& options);

// The command for a request that is_whole(). A trim's range is written to `range`, which must remain valid until the
// command ends. force_unit_access: a write is on the medium when it completes.
inline nvme_uring_cmd nvme_command_for(const NvmeNamespace& ns, const io::Request& request, const std::byte* buffer,
                                       nvme::DsmRange& range, bool force_unit_access) {
  nvme_uring_cmd command{};
  command.nsid = ns.nsid;
  if (request.dir == io::Dir::sync) {
    command.opcode = static_cast<std::uint8_t>(nvme::NvmOpcode::flush);
    return command;
  }
  const std::uint64_t lba = request.offset >> ns.block_shift;
  const std::uint32_t blocks = request.length >> ns.block_shift;
  if (request.dir == io::Dir::trim) {
    range = {0, blocks, lba};
    command.opcode = static_cast<std::uint8_t>(nvme::NvmOpcode::dataset_management);
    command.addr = reinterpret_cast<std::uint64_t>(&range);
    command.data_len = sizeof range;
    command.cdw11 = nvme::kDsmDeallocate;
    return command;
  }
  const bool write = request.dir == io::Dir::write;
  command.opcode = static_cast<std::uint8_t>(write ? nvme::NvmOpcode::write : nvme::NvmOpcode::read);
  command.addr = reinterpret_cast<std::uint64_t>(buffer);
  command.data_len = request.length;
  command.cdw10 = static_cast<std::uint32_t>(lba);
  command.cdw11 = static_cast<std::uint32_t>(lba >> 32);
  command.cdw12 = (blocks - 1) | (write && force_unit_access ? nvme::kForceUnitAccess : 0);
  return command;
}

// Changes a trim's command to several ranges. They are written to `to`, one entry each, which must remain valid until
// the command ends. False: a range does not begin or end at a block boundary.
bool trim_ranges_for(const NvmeNamespace& ns, std::span<const io::Range> ranges, nvme::DsmRange* to,
                     nvme_uring_cmd& trim);

// True if a request begins and ends at block boundaries, and fits one command.
inline bool is_whole(const NvmeNamespace& ns, const io::Request& request) {
  if (request.dir == io::Dir::sync) return true;
  const std::uint64_t rest = (request.offset | request.length) & (ns.block_bytes() - 1);
  const bool fits = request.dir == io::Dir::trim || request.length >> ns.block_shift <= 0x10000;
  return rest == 0 && request.length != 0 && fits;
}

// The errno for a status (nvme/status.h), as the kernel's block layer would report it.
int errno_of_status(std::uint16_t status);

}  // namespace fathom::engine::queue
