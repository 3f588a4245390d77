// The memory that a client shares with the exported controller: DMA_MAP and DMA_UNMAP. Nothing it says is believed: the
// file must be as long as the region, regions may not overlap or wrap, and their number is bounded. A region without a
// file descriptor is known but not reachable (a command that points there ends in error); one that the device may only
// read is mapped so, and a command that would write there ends in error too.
//
// Errors are errnos, as the protocol wants them; 0: done. Thread rule: the thread that steps the controller.
#pragma once
#include <cstdint>
#include <map>

#include "nvme/soft/controller.h"
#include "nvme/vfio_user/memory/guarded_mapping.h"
#include "nvme/vfio_user/protocol.h"

namespace fathom::nvme::vfio_user::memory {

inline constexpr std::size_t kRegionsMax = 4096;  // of one client

class ClientMemory {
 public:
  explicit ClientMemory(soft::Controller& controller) : controller_(controller) {}
  ~ClientMemory() { clear(); }
  ClientMemory(const ClientMemory&) = delete;
  ClientMemory& operator=(const ClientMemory&) = delete;

  int map(const DmaMap& region, int fd);  // fd: borrowed, -1 for none
  int unmap(const DmaUnmap& region);
  void clear();
  bool faulted();  // the client has cut a file short under us

 private:
  struct Region {
    std::uint64_t bytes = 0;
    std::uint64_t place = 0;  // of the fault alone
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
