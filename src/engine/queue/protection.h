// Metadata of an NVMe namespace that keeps it apart from its blocks, and the protection information in it: a checksum of
// the block (guard), a tag of the application's and the block's number (reference tag), eight bytes a block.
//   pi_act=1  the device makes it of what is written, checks it and, where it is all the metadata, takes it off: no
//             metadata is moved.
//   pi_act=0  it is made here for what is written, and what pi_chk names is checked here too in what was read. A block
//             that was never written has an application tag of all ones and is not checked.
// Namespaces whose metadata lies within their blocks are refused where they are looked at.
// Source: NVM Command Set Specification 1.0, section 5.2 (16-bit guard). Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/queue/nvme_passthrough.h"
#include "io/options/protection.h"

namespace fathom::engine::queue {

// CRC-16/T10-DIF: polynomial 0x8bb7, no reflection, starts at 0.
std::uint16_t t10_crc(std::span<const std::byte> data);

class Protection {
 public:
  Protection() = default;
  // For I/Os of so many bytes at most, so many in flight. Errors: usage: md_per_io_size is too small for a namespace.
  static base::Expected<Protection> make(const io::ProtectionOptions& options,
                                         std::span<const NvmeNamespace> namespaces, std::span<const io::Target> targets,
                                         std::uint32_t depth, std::size_t largest_bytes);
  // Commands have something of it.
  bool used() const { return used_; }
  // What was read is checked here.
  bool checks() const { return checks_; }
  // A read's or write's command gets its metadata and the dwords of protection information.
  void protect(const NvmeNamespace& ns, std::uint32_t slot, const io::Request& request, const std::byte* data,
               nvme_uring_cmd& command);
  // Of a slot whose I/O went well: whether it was a read whose protection information does not fit its data.
  bool is_wrong(std::uint32_t slot) const;

 private:
  struct InFlight {
    const NvmeNamespace* ns = nullptr;  // null: nothing to check
    const std::byte* data = nullptr;
    std::uint64_t lba = 0;
    std::uint32_t blocks = 0;
  };
  std::byte* metadata(std::uint32_t slot) { return metadata_.data() + std::size_t{slot} * stride_; }
  const std::byte* metadata(std::uint32_t slot) const { return metadata_.data() + std::size_t{slot} * stride_; }

  io::ProtectionOptions options_;
  bool used_ = false, checks_ = false;
  std::size_t stride_ = 0;
  std::vector<std::byte> metadata_;  // by slot
  std::vector<InFlight> in_flight_;  // by slot, where something is checked
};

}  // namespace fathom::engine::queue
