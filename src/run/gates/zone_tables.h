// The zones of the devices that the jobs with zonemode=zbd use, shared by all workers. The parent makes a table per
// device before the jobs start: from the device's report, or of equal, empty zones on a target that is not zoned. It
// also fits each job's window to whole zones, and checks what depends on the device, with fio's words.
// Thread rule: the parent; `JobZones` afterwards by its worker, which takes the table's lock.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/shared_memory.h"
#include "io/zone.h"
#include "run/files/targets.h"
#include "run/gates/shared_lock.h"
#include "workload/zones/choice.h"
#include "workload/zones/zone.h"

namespace fathom::run::gates {

class ZoneTable {
 public:
  // Empty: the target is not zoned, and its zones are emulated.
  static base::Expected<std::unique_ptr<ZoneTable>> make(const job::Job& job, const files::PlannedTarget& target);

  const std::string& path() const { return path_; }
  io::TargetKind kind() const { return kind_; }
  const io::ZonedDevice& device() const { return device_; }
  bool emulated() const { return device_.model == io::ZoneModel::none; }
  std::uint64_t zone_bytes() { return head_[0].shared.zone_bytes; }
  SharedLock& lock() { return head_[0].lock; }
  Bell& bell() { return head_[0].bell; }
  workload::zones::ZoneSet zones() { return {head_[0].shared, zones_.all()}; }

 private:
  struct Head {
    SharedLock lock;
    Bell bell;
    workload::zones::Shared shared;
  };
  ZoneTable(const files::PlannedTarget& target, std::size_t zones);
  static base::Expected<std::unique_ptr<ZoneTable>> emulate(const job::Job& job, const files::PlannedTarget& target);
  static base::Expected<std::unique_ptr<ZoneTable>> of_device(const job::Job& job, const files::PlannedTarget& target,
                                                              const io::ZonedDevice& device);
  base::Expected<void> limit(const job::Job& job);

  std::string path_;
  io::TargetKind kind_;
  io::ZonedDevice device_;
  base::system::SharedArray<Head> head_;
  base::system::SharedArray<workload::zones::Zone> zones_;
};

// A job's part of the tables.
struct JobZones {
  struct OfTarget {
    ZoneTable* table = nullptr;
    workload::zones::Window window;
  };
  workload::zones::Rules rules;
  std::vector<OfTarget> targets;
};

// A zone whose write pointer differs from the writes of the run.
struct ZoneDifference {
  std::string path;
  std::uint64_t zones = 0, different = 0;                 // checked; different
  std::uint64_t start = 0, expected_wp = 0, seen_wp = 0;  // of the first different one
};

class ZoneTables {
 public:
  // For each job that uses zones; `number` is its index in the run. Changes the windows of the plan's targets.
  base::Expected<void> prepare(files::Plan& plan, std::size_t number);
  // nullptr: the job uses no zones.
  JobZones* of(std::size_t number);
  // The job has ended, possibly without giving its zones back.
  void leave(std::size_t number);
  // Compares the sequential zones of each zoned device with the device. A device that no longer reports is omitted.
  std::vector<ZoneDifference> compare();

 private:
  base::Expected<ZoneTable*> table_of(const job::Job& job, const files::PlannedTarget& target);
  std::vector<std::unique_ptr<ZoneTable>> tables_;
  std::vector<std::unique_ptr<JobZones>> jobs_;  // by number; nullptr: no zones
};

}  // namespace fathom::run::gates
