// Identifies the device behind a name or descriptor at this moment. Between the check of a name and the first write, a
// link can change, another disk can take the same number, or a loop device can be attached again. The disk sequence
// number (kernel 5.15) is unique for every disk or medium since boot. 0: unknown, and not compared. Thread-safe.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace fathom::host::disk {

struct DeviceIdentity {
  bool block = false;  // false: not a block device; the rest is 0
  dev_t device = 0;
  std::uint64_t disk_sequence = 0;
};

// nullopt: the name does not exist.
std::optional<DeviceIdentity> identity_of(const std::string& path);
DeviceIdentity identity_of(int fd);
// Empty: the two are the same as far as known. Else the difference: "device 7:3 before, 7:4 now".
std::string difference(const DeviceIdentity& then, const DeviceIdentity& now);

}  // namespace fathom::host::disk
