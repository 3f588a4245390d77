// Physical region pages: the pieces of memory that a command's two PRP entries point to (NVM Express Base
// Specification 2.0c, section 4.1.1). The first may start at any dword; all others start a page.
// For more than two pages, the second entry points to a list. If more entries follow, the last slot of a list page
// points to the next list. All of this comes from the driver and is not trusted: an invalid offset or an address
// outside the mapped regions gives an error status, and the length bounds the number of entries read.
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

// Clears `out` and fills it with the pieces of `bytes` bytes, in order, each a page at most. access: the intended
// access to them. page_bytes is a power of two. Returns kSuccess, kInvalidPrpOffset or kDataTransferError.
Status resolve(const Regions& regions, Prps prps, std::uint64_t bytes, Access access, std::uint32_t page_bytes,
               std::vector<Segment>& out);

}  // namespace fathom::nvme::soft::memory
