// Values that follow from a job's queue pairs (result/sums/queue_stats.h) and are not stored. Pure functions. The
// budget is that of "10.39M Storage I/O Per Second From One Thread": 400 cycles per I/O at about 4 GHz.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "result/result.h"

namespace fathom::result {

inline constexpr double kBudgetCycles = 400;
// Above this share of idle time the device limits the rate, and IOPS do not measure the driver.
inline constexpr double kIdleDoubtPercent = 10;
inline constexpr std::string_view kNoPcieDevice = "no PCIe device took part in these rates";

struct QueueRates {
  double idle_percent = 0;  // of the measured time
  double ios_per_sq_doorbell = 0, ios_per_cq_doorbell = 0;
  double completions_per_poll = 0;  // of polls that found a completion
  double idle_polls_percent = 0;
  double busy_ns_per_io = 0, busy_ticks_per_io = 0;  // ticks of the CPU clock
  bool device_bound = false;
  bool pcie = false;  // at least one device is on the PCI bus
};
QueueRates queue_rates(const QueueStats& queue);

struct DeviceRow {
  std::string name;
  double iops = 0, bytes_per_s = 0;
  double mean_ns = 0;
  std::uint64_t min_ns = 0, max_ns = 0;
  bool timed() const { return max_ns > 0; }  // gtod_reduce measures no latencies
};
// One row per device, if the job counted them separately (a single device always is).
std::vector<DeviceRow> device_rows(const Job& job);
DeviceRow total_row(const Job& job);
// Sum of several rows: rates add up, latencies are weighted by them.
DeviceRow sum_of(const std::vector<DeviceRow>& rows);

// "soft" and "vfio-user:..." are programs that emulate a device.
bool on_pcie(std::string_view device_name);

}  // namespace fathom::result
