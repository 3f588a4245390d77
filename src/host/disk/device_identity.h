// Which device a name, or a descriptor, means at this moment: between a look at a name and the first write to what it
// leads to, a link can be turned, a disk swapped for another under the same number, a loop device attached anew. The
// disk sequence number (kernel 5.15) is new for every disk or medium that the kernel ever saw; 0 where it is not known,
// and then it is not compared. Thread-safe.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace fathom::host::disk {

struct DeviceIdentity {
  bool block = false;  // false: no block device; the rest is 0
  dev_t device = 0;
  std::uint64_t disk_sequence = 0;
};

// Nothing where there is nothing of that name.
std::optional<DeviceIdentity> identity_of(const std::string& path);
DeviceIdentity identity_of(int fd);
// Empty when the two are the same as far as is known; else how they differ: "device 7:3 before, 7:4 now".
std::string difference(const DeviceIdentity& then, const DeviceIdentity& now);

}  // namespace fathom::host::disk
