// Physical region pages: the pieces of memory that a command's two PRP entries name (NVM Express Base Specification
// 2.0c, section 4.1.1). The first may start anywhere on a dword; all others start a page. Beyond two pages the second
// entry points to a list, whose last slot in a page points to the next list while more is to come. Everything comes
// from the driver and nothing of it is believed: an offset that is not allowed and an address outside the mapped
// regions are statuses, and the number of entries read is bounded by the length.
#pragma once
#include <cstdint>
#include <vector>

#include "nvme/soft/memory/regions.h"
#include "nvme/soft/status.h"

namespace fathom::nvme::soft::memory {

struct Segment {
  std::byte* memory;
  std::uint32_t bytes;
};

struct Prps {
  std::uint64_t first, second;
};

// Fills `out` (emptied first) with the pieces of `bytes` bytes, in order; at most a page each. access: what is to be
// done to them. page_bytes is a power of two. kSuccess, kInvalidPrpOffset or kDataTransferError.
Status resolve(const Regions& regions, Prps prps, std::uint64_t bytes, Access access, std::uint32_t page_bytes,
               std::vector<Segment>& out);

}  // namespace fathom::nvme::soft::memory
