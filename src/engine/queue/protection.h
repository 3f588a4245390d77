// Separate metadata of an NVMe namespace, and the protection information in it: a checksum of the block (guard), an
// application tag and the block's number (reference tag), eight bytes per block.
//   pi_act=1  the device generates it for written data, checks it and, if the metadata has nothing else, strips it: no
//             metadata is moved.
//   pi_act=0  fathom generates it for written data, and checks the parts named by pi_chk in read data. A block that was
//             never written has an application tag of all ones and is not checked.
// Namespaces with metadata inside their blocks are refused at identification.
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
  // For I/Os of at most largest_bytes, at most `depth` in flight. Errors: usage: md_per_io_size is too small for a
  // namespace.
  static base::Expected<Protection> make(const io::ProtectionOptions& options,
                                         std::span<const NvmeNamespace> namespaces, std::span<const io::Target> targets,
                                         std::uint32_t depth, std::size_t largest_bytes);
  // True if commands use protection information or metadata.
  bool used() const { return used_; }
  // True if fathom checks read data.
  bool checks() const { return checks_; }
  // Adds metadata and the dwords of protection information to a read's or write's command.
  void protect(const NvmeNamespace& ns, std::uint32_t slot, const io::Request& request, const std::byte* data,
               nvme_uring_cmd& command);
  // For a slot after a successful I/O: true if it was a read with protection information that does not match its data.
  bool is_wrong(std::uint32_t slot) const;

 private:
  struct InFlight {
    const NvmeNamespace* ns = nullptr;  // nullptr: no check
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
  std::vector<InFlight> in_flight_;  // by slot; used only for checks
};

}  // namespace fathom::engine::queue
