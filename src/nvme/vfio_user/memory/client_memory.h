// The memory that a client shares with the exported controller: DMA_MAP and DMA_UNMAP. The client is not trusted: the
// file must be as long as the region, regions may not overlap or wrap, and their number is bounded.
// A region without a file descriptor is recorded but not accessible: a command that points there ends in an error.
// A region that the device may only read is mapped read-only: a command that would write there ends in an error too.
//
// Errors are errnos, as the protocol requires; 0: success. Thread rule: the thread that steps the controller.
#pragma once
#include <cstdint>
#include <map>

#include "nvme/soft/controller.h"
#include "nvme/vfio_user/memory/guarded_mapping.h"
#include "nvme/vfio_user/protocol.h"

namespace fathom::nvme::vfio_user::memory {

inline constexpr std::size_t kRegionsMax = 4096;  // per client

class ClientMemory {
 public:
  explicit ClientMemory(soft::Controller& controller) : controller_(controller) {}
  ~ClientMemory() { clear(); }
  ClientMemory(const ClientMemory&) = delete;
  ClientMemory& operator=(const ClientMemory&) = delete;

  int map(const DmaMap& region, int fd);  // fd: borrowed; -1: none
  int unmap(const DmaUnmap& region);
  void clear();
  bool faulted();  // the client truncated a mapped file

 private:
  struct Region {
    std::uint64_t bytes = 0;
    std::uint64_t place = 0;  // for the unmap_drops_next fault only
    GuardedMapping mapping;
  };
  bool overlaps(std::uint64_t address, std::uint64_t bytes) const;
  bool drops_next() const;
  std::uint64_t place_for(std::uint64_t bytes) const;
  void drop_what_begins_at(std::uint64_t place);
  std::map<std::uint64_t, Region> regions_;  // by address
  soft::Controller& controller_;
  std::uint64_t faults_seen_ = GuardedMapping::faults();
};

}  // namespace fathom::nvme::vfio_user::memory
