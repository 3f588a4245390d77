// Walks through PRP entries and chained PRP lists.
#include "nvme/soft/memory/prp.h"

#include <algorithm>
#include <cstring>

namespace fathom::nvme::soft::memory {
namespace {

struct Walk {
  const Regions& regions;
  Access access;
  std::uint32_t page_bytes;
  std::uint64_t left;
  std::vector<Segment>& out;

  std::uint64_t offset(std::uint64_t address) const { return address & (page_bytes - 1); }

  Status take(std::uint64_t address) {
    const std::uint64_t bytes = std::min<std::uint64_t>(left, page_bytes - offset(address));
    std::byte* memory = regions.find(address, bytes, access);
    if (memory == nullptr) return kDataTransferError;
    out.push_back({memory, static_cast<std::uint32_t>(bytes)});
    left -= bytes;
    return kSuccess;
  }

  Status take_page(std::uint64_t address) { return offset(address) != 0 ? kInvalidPrpOffset : take(address); }

  // A slot of a list is read only once, because the driver could change it.
  bool read_slot(std::uint64_t address, std::uint64_t& slot) const {
    const std::byte* memory = regions.find(address, sizeof slot, Access::read);
    if (memory != nullptr) std::memcpy(&slot, memory, sizeof slot);
    return memory != nullptr;
  }

  Status take_list(std::uint64_t list) {
    if (list % sizeof(std::uint64_t) != 0) return kInvalidPrpOffset;
    while (left != 0) {
      std::uint64_t slot = 0;
      if (!read_slot(list, slot)) return kDataTransferError;
      if (offset(list) + sizeof slot == page_bytes && left > page_bytes) {
        if (offset(slot) != 0) return kInvalidPrpOffset;
        list = slot;
        continue;
      }
      if (const Status status = take_page(slot); status != kSuccess) return status;
      list += sizeof slot;
    }
    return kSuccess;
  }
};

}  // namespace

Status resolve(const Regions& regions, Prps prps, std::uint64_t bytes, Access access, std::uint32_t page_bytes,
               std::vector<Segment>& out) {
  out.clear();
  if (bytes == 0) return kSuccess;
  Walk walk{regions, access, page_bytes, bytes, out};
  if (prps.first % 4 != 0) return kInvalidPrpOffset;
  if (const Status status = walk.take(prps.first); status != kSuccess || walk.left == 0) return status;
  return walk.left <= page_bytes ? walk.take_page(prps.second) : walk.take_list(prps.second);
}

}  // namespace fathom::nvme::soft::memory
