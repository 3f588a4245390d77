// What a job's queue pairs counted beside its I/Os: how often they looked, rang and waited, and where the thread's time
// went. Only jobs whose engine polls queues of its own have it (nvme).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::result {

struct QueueStats {
  std::uint64_t queue_pairs = 0;
  std::uint64_t commands = 0, completions = 0;       // given to the device; come back from it
  std::uint64_t sq_doorbells = 0, cq_doorbells = 0;  // writes to the device
  std::uint64_t polls = 0, idle_polls = 0;           // looks at a completion ring; those that found nothing
  std::uint64_t waited = 0, split = 0;               // commands that waited for a slot; that were cut by MDTS
  std::uint64_t unexpected = 0, timeouts = 0, aborted = 0;
  // Of the thread's measured time: waiting with nothing to do, and the rest.
  std::uint64_t idle_ns = 0, busy_ns = 0;
  double ticks_per_ns = 0;             // of the CPU clock: for ticks an I/O against the 400 cycles
  std::string sq_copy;                 // how commands are written: "words", "nontemporal", ...
  std::uint64_t doorbell_cost_ns = 0;  // > 0: a modelled price, and every rate is a model's
  std::uint64_t ios = 0;               // of the job, while these counts were made
  // One entry a device of the job.
  struct Device {
    std::string name;  // as it was named: "0000:01:00.0/2", "soft", "vfio-user:/run/s/ns=2"
    std::string model, serial, firmware;
    std::uint32_t block_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t read_ios = 0, write_ios = 0;  // 0 where the job does not keep its devices apart
    std::uint64_t lat_ns_sum = 0, lat_ns_min = 0, lat_ns_max = 0;
    std::uint64_t trim_ios = 0;
    bool keeps_data = true;  // false: commands complete and no data moves
    bool operator==(const Device&) const = default;
  };
  std::vector<Device> devices;
  bool operator==(const QueueStats&) const = default;
};

}  // namespace fathom::result
