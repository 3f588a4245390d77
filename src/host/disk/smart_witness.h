// Cross-check by an NVMe controller's own counters: the data units of its health log (page 02h), from begin to end. A
// unit is 1000 blocks of 512 bytes, rounded up, so either end may be off by one unit. Each end reads the log with one
// admin command. Source: NVM Express Base Specification 2.0c, figure 207; linux/nvme_ioctl.h. Thread rule: one thread.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "result/witness.h"

namespace fathom::host::disk {

inline constexpr double kDataUnitBytes = 512'000;

using HealthLog = std::array<std::byte, 512>;
using HealthLogReader = std::function<base::Expected<HealthLog>()>;

// source: "smart" (a controller of the kernel driver) or "driver" (of fathom's driver). Counts: names data_units_read
// and data_units_written (in bytes, raw in units), host_reads and host_writes.
std::unique_ptr<result::Witness> make_smart_witness(std::string source, std::string subject, HealthLogReader read);

// The controller of a kernel disk: "nvme0" for "nvme0n1". Empty: not an NVMe disk.
std::string nvme_controller_of(const std::string& disk, const std::string& prefix = "");
// Through NVME_IOCTL_ADMIN_CMD on /dev/NAME; needs root.
base::Expected<HealthLog> read_health_log(const std::string& controller);

}  // namespace fathom::host::disk
