// Counts of a job's queue pairs, in addition to its I/Os: polls, doorbell writes, waits, and the use of the thread's
// time. Only jobs with an engine that polls its queues itself have them (nvme).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace fathom::result {

struct QueueStats {
  std::uint64_t queue_pairs = 0;
  std::uint64_t commands = 0, completions = 0;       // sent to the device; received from it
  std::uint64_t sq_doorbells = 0, cq_doorbells = 0;  // writes to the device
  std::uint64_t polls = 0, idle_polls = 0;           // reads of a completion ring; those that found nothing
  std::uint64_t waited = 0, split = 0;               // commands that waited for a slot; those that MDTS split
  std::uint64_t unexpected = 0, timeouts = 0, aborted = 0;
  // The thread's measured time: waiting without work, and the rest.
  std::uint64_t idle_ns = 0, busy_ns = 0;
  double ticks_per_ns = 0;             // of the CPU clock: for ticks per I/O, to compare with the 400 cycles
  std::string sq_copy;                 // how commands are written: "words", "nontemporal", ...
  std::uint64_t doorbell_cost_ns = 0;  // > 0: a modeled cost; every rate is then a model's
  std::uint64_t ios = 0;               // of the job, while these counts were made
  // One entry per device of the job.
  struct Device {
    std::string name;  // name as given: "0000:01:00.0/2", "soft", "vfio-user:/run/s/ns=2"
    std::string model, serial, firmware;
    std::uint32_t block_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t read_ios = 0, write_ios = 0;  // 0 if the job does not count its devices separately
    std::uint64_t lat_ns_sum = 0, lat_ns_min = 0, lat_ns_max = 0;
    std::uint64_t trim_ios = 0;
    bool keeps_data = true;  // false: commands complete and no data moves
    bool operator==(const Device&) const = default;
  };
  std::vector<Device> devices;
  bool operator==(const QueueStats&) const = default;
};

}  // namespace fathom::result
