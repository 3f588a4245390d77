// The zones of a device as its jobs share them: plain data for shared memory, and the changes of their state. No I/O:
// run/zones reads them from the device, resets them there, and holds the lock.
// A sequential zone is written at its write pointer only. Here that pointer moves when a write is chosen, so that the
// next write follows it. `targets` are the zones that the jobs write to, up to a limit, as in fio: a zone becomes one
// when a write is chosen there, and ceases to be one when it is full, reset or finished.
// Source: Zoned Storage (ZBC, ZNS); fio 3.42's zonemode=zbd.
// Thread rule: the holder of the lock.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "io/zone.h"

namespace fathom::workload::zones {

inline constexpr std::size_t kMostTargets = 4096;  // fio's limit of max_open_zones

using Condition = io::ZoneCondition;

struct Zone {
  std::uint64_t start = 0, capacity_bytes = 0, wp = 0;  // bytes of the device
  Condition condition = Condition::empty;               // when the run began
  bool sequential = true;                               // it has a write pointer
  bool target = false, reset_due = false;
  bool doubtful = false;  // a write failed there, and recover_zbd_write_error asks for the device's pointer
  std::uint32_t target_of = 0, owner = 0;  // number of a job, from 1; owner: it has I/O in flight there
  std::uint32_t in_flight = 0;
  std::uint64_t failed_end = 0;  // of the failed writes

  std::uint64_t capacity_end() const { return start + capacity_bytes; }
  std::uint64_t room_bytes() const { return sequential && capacity_end() > wp ? capacity_end() - wp : 0; }
  std::uint64_t data_bytes() const { return condition == Condition::offline ? 0 : wp - start; }
  bool offline() const { return condition == Condition::offline; }
  bool busy_for(std::uint32_t job) const { return owner != 0 && owner != job; }
};

// Of a device; followed by its zones.
struct Shared {
  std::uint64_t zone_bytes = 0;
  std::uint32_t count = 0;
  std::uint32_t max_targets = 0;  // 0: no limit, and `targets` is not kept
  std::uint32_t target_count = 0;
  std::uint64_t in_flight = 0;    // I/Os in sequential zones, of all jobs
  std::uint64_t valid_bytes = 0;  // below the write pointers of [valid_first, valid_end)
  std::uint32_t valid_first = 0, valid_end = 0;
  std::uint64_t writes_to_reset = 0;  // zone_reset_frequency
  std::uint32_t targets[kMostTargets] = {};
};

class ZoneSet {
 public:
  ZoneSet(Shared& shared, std::span<Zone> zones) : shared_(shared), zones_(zones) {}

  Shared& shared() { return shared_; }
  Zone& operator[](std::uint32_t index) { return zones_[index]; }
  std::uint32_t count() const { return shared_.count; }
  // The last index for an offset beyond the end.
  std::uint32_t index_of(std::uint64_t offset) const;
  std::uint64_t end_of(std::uint32_t index) const { return zones_[index].start + shared_.zone_bytes; }

  std::span<const std::uint32_t> targets() const { return {shared_.targets, shared_.target_count}; }
  std::uint32_t targets_of(std::uint32_t job) const;
  void add_target(std::uint32_t index, std::uint32_t job);
  void remove_target(std::uint32_t index);

  // An I/O of a job begins and ends in a sequential zone; a write moves the pointer when it begins.
  void begin(std::uint32_t index, std::uint32_t job);
  void end(std::uint32_t index);
  void advance(std::uint32_t index, std::uint64_t wp);
  // A write was chosen and will not be issued: it was the last one in its zone.
  void take_back(std::uint32_t index, std::uint64_t wp);
  // True: the zone had data.
  bool reset(std::uint32_t index);
  void finish(std::uint32_t index);
  // The job ended: its I/Os are over.
  void leave(std::uint32_t job);
  // The zones whose data zone_reset_threshold counts.
  void count_valid(std::uint32_t first, std::uint32_t end);

 private:
  void count(std::uint32_t index, std::uint64_t wp_before, std::uint64_t wp_now);
  Shared& shared_;
  std::span<Zone> zones_;
};

}  // namespace fathom::workload::zones
