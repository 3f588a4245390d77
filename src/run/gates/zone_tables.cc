// Makes the tables, and fits the jobs to them.
#include "run/gates/zone_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/zoned/zoned.h"
#include "io/engines.h"
#include "job/fields/offset_choice.h"

namespace fathom::run::gates {
namespace {

using files::PlannedTarget;
using job::fields::ZonedDevice;
using workload::zones::Window;
using workload::zones::Zone;

base::Error misfit(const job::Job& job, std::string what, std::string cause, std::string help) {
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what = std::move(what);
  e.cause = std::move(cause);
  e.help = std::move(help);
  e.place = job.place;
  return e;
}

std::string shown(const PlannedTarget& t) { return t.path.empty() ? "the target" : t.path; }

// A file that does not exist yet has the size that the layout gives it.
std::uint64_t size_of(const PlannedTarget& t) { return std::max({t.size_now, t.size_needed, t.start + t.length}); }

// Whether a job's window has a zone with a write pointer.
bool has_sequential(workload::zones::ZoneSet zones, const PlannedTarget& t) {
  for (std::uint32_t i = zones.index_of(t.start); i <= zones.index_of(t.start + t.length - 1); ++i)
    if (zones[i].sequential) return true;
  return false;
}

// A job that only reads may begin within a zone.
base::Expected<void> fit_window(job::Job& job, PlannedTarget& t, std::uint64_t zone_bytes) {
  const auto down = [&](std::uint64_t offset) { return offset / zone_bytes * zone_bytes; };
  const bool reads_only = !job.mode.writes && !job.mode.trims;
  const std::uint64_t end = t.start + t.length;
  std::uint64_t start = t.start;
  if (!reads_only && start != down(start)) start = down(start) + zone_bytes;
  if (down(end) <= start || start >= end)
    return misfit(job, fmt::format("{}: io_size must be at least one zone", shown(t)),
                  fmt::format("the job uses {} bytes from {}, and a zone has {}", t.length, t.start, zone_bytes),
                  "raise size=, or write offset= and size= as multiples of the zone size");
  if (start != t.start)
    job.notes.push_back(fmt::format("{}: rounded up offset from {} to {}", shown(t), t.start, start));
  if (down(end) != end)
    job.notes.push_back(
        fmt::format("{}: rounded down io_size from {} to {}", shown(t), end - start, down(end) - start));
  t.start = start;
  t.length = down(end) - start;
  return {};
}

base::Expected<void> check_sizes(const job::Job& job, const PlannedTarget& t, std::uint64_t zone_bytes) {
  const auto& zones = job.of<ZonedDevice>();
  constexpr auto kTrim = io::index(io::Dir::trim);
  if (zones.zone_bytes != 0 && zones.zone_bytes != zone_bytes)
    return misfit(job,
                  fmt::format("{}: job parameter zonesize {} does not match disk zone size {}.", shown(t),
                              zones.zone_bytes, zone_bytes),
                  "all jobs use the same zones of a device", "omit zonesize=, or write the size of its zones");
  if (zones.skip_bytes % zone_bytes != 0)
    return misfit(job,
                  fmt::format("{}: zoneskip {} is not a multiple of the device zone size {}.", shown(t),
                              zones.skip_bytes, zone_bytes),
                  "whole zones are skipped", "write zoneskip= as a number of zones: `zoneskip=1z`");
  if (job.mode.trims && job.bs_min[kTrim] != zone_bytes)
    return misfit(
        job, fmt::format("{}: trim block size {} is not the zone size {}", shown(t), job.bs_min[kTrim], zone_bytes),
        "a trim resets one whole zone", fmt::format("write `bs=,,{}`", zone_bytes));
  return {};
}

base::Expected<void> check_direct(const job::Job& job, const ZoneTable& table) {
  const bool managed = table.device().model == io::ZoneModel::host_managed && table.kind() == io::TargetKind::block;
  if (job.direct || !job.mode.writes || !managed) return {};
  return misfit(job, "Using direct I/O is mandatory for writing to ZBD drives",
                fmt::format("`{}` is host-managed, and the page cache writes in any order", table.path()),
                "add `direct=1`");
}

workload::zones::Rules rules_of(const job::Job& job, std::size_t number, std::uint64_t length) {
  const auto& zones = job.of<ZonedDevice>();
  workload::zones::Rules rules;
  rules.job = static_cast<std::uint32_t>(number + 1);
  for (std::size_t d = 0; d < io::kDataDirs; ++d)
    rules.min_bytes[d] = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, job.bs_min[d]));
  rules.random = job.mode.random;
  rules.verifies = job.verify;
  rules.read_beyond_wp = zones.read_beyond_wp;
  rules.write_remainder = zones.write_remainder;
  rules.max_targets = zones.job_max_open_zones;
  constexpr double kMost = 4294967295.0;
  if (zones.reset_frequency > 0)
    rules.reset_every = static_cast<std::uint64_t>(std::min(1 / zones.reset_frequency, kMost));
  rules.reset_above = static_cast<std::uint64_t>(static_cast<double>(length) * zones.reset_threshold);
  return rules;
}

// Zones that were open before the run count as targets; with a limit of active zones also closed ones.
base::Expected<void> take_open_zones(const job::Job& job, ZoneTable& table, const Window& window,
                                     std::uint32_t number) {
  auto zones = table.zones();
  const auto& shared = zones.shared();
  for (std::uint32_t i = window.first; i < window.end && shared.max_targets != 0; ++i) {
    const bool closed = zones[i].condition == io::ZoneCondition::closed && table.device().max_active != 0;
    if (zones[i].target || (zones[i].condition != io::ZoneCondition::open && !closed)) continue;
    const auto most = job.of<ZonedDevice>().job_max_open_zones;
    if (shared.target_count >= shared.max_targets || (most != 0 && zones.targets_of(number) >= most))
      return misfit(job, "Number of open zones exceeds max_open_zones limit",
                    fmt::format("more than {} zones of `{}` are open before the job", shared.max_targets, table.path()),
                    "reset or finish zones with blkzone(8), or raise max_open_zones=");
    zones.add_target(i, number);
  }
  return {};
}

base::Expected<void> check_limits(const job::Job& job, ZoneTable& table) {
  const auto& own = job.of<ZonedDevice>();
  const std::uint32_t limit = table.zones().shared().max_targets;
  if (own.max_open_zones > 0 && own.max_open_zones != limit)
    return misfit(job, "Different 'max_open_zones' values", "the jobs of a device share one limit",
                  fmt::format("write `max_open_zones={}` in all jobs", limit));
  if (own.job_max_open_zones != 0 && limit == 0)
    return misfit(job, "'job_max_open_zones' cannot be used without a global open zones limit",
                  "without that limit, no open zones are counted", "add max_open_zones=");
  return {};
}

// zone_reset_threshold counts the data of one window.
base::Expected<void> count_valid(const job::Job& job, ZoneTable& table, const Window& window) {
  if (job.of<ZonedDevice>().reset_threshold <= 0 || !job.mode.writes) return {};
  auto zones = table.zones();
  const auto& shared = zones.shared();
  if (shared.valid_first == shared.valid_end) {
    zones.count_valid(window.first, window.end);
    return {};
  }
  if (shared.valid_first == window.first && shared.valid_end == window.end) return {};
  return misfit(job, "multi-jobs with different write ranges are not supported with zone_reset_threshold",
                "the share of written data refers to one range", "give the jobs equal offset= and size=");
}

}  // namespace

ZoneTable::ZoneTable(const PlannedTarget& target, std::size_t zones)
    : path_(target.path), kind_(target.kind), head_(1), zones_(zones) {
  head_[0].lock.make();
}

base::Expected<std::unique_ptr<ZoneTable>> ZoneTable::make(const job::Job& job, const PlannedTarget& target) {
  auto device = engine::zoned::look_at(target.path, target.kind);
  if (!device) return device.error();
  auto table = device->model == io::ZoneModel::none ? emulate(job, target) : of_device(job, target, *device);
  if (!table) return table.error();
  if (auto ok = (*table)->limit(job); !ok) return ok.error();
  return table;
}

base::Expected<std::unique_ptr<ZoneTable>> ZoneTable::emulate(const job::Job& job, const PlannedTarget& target) {
  const auto& given = job.of<ZonedDevice>();
  const std::string name = shown(target);
  constexpr std::uint64_t kLeast_bytes = 512;
  if (given.zone_bytes == 0)
    return misfit(job,
                  fmt::format("{}: Specifying the zone size is mandatory for regular file/block device with "
                              "--zonemode=zbd",
                              name),
                  "the target is not a zoned device, so its zones are emulated", "add for example `zonesize=256m`");
  if (given.zone_bytes < kLeast_bytes)
    return misfit(job, fmt::format("{}: zone size must be at least 512 bytes for --zonemode=zbd", name),
                  fmt::format("zonesize is {}", given.zone_bytes), "raise zonesize=");
  if (given.capacity_bytes > given.zone_bytes)
    return misfit(job,
                  fmt::format("{}: job parameter zonecapacity {} is larger than zone size {}", name,
                              given.capacity_bytes, given.zone_bytes),
                  "a zone holds at most its size", "lower zonecapacity=, or raise zonesize=");
  const std::uint64_t size = size_of(target);
  if (size < given.zone_bytes)
    return misfit(job,
                  fmt::format("{}: file/device size {} is smaller than zone size {}", name, size, given.zone_bytes),
                  "a job needs at least one zone", "lower zonesize=, or use a larger file");
  const auto count = static_cast<std::uint32_t>((size + given.zone_bytes - 1) / given.zone_bytes);
  std::unique_ptr<ZoneTable> table(new ZoneTable(target, count));
  auto& shared = table->head_[0].shared;
  shared.zone_bytes = given.zone_bytes;
  shared.count = count;
  for (std::uint32_t i = 0; i < count; ++i) {
    Zone& zone = table->zones_[i];
    zone = {};
    zone.start = zone.wp = i * given.zone_bytes;
    zone.capacity_bytes = given.capacity_bytes != 0 ? given.capacity_bytes : given.zone_bytes;
  }
  return table;
}

base::Expected<std::unique_ptr<ZoneTable>> ZoneTable::of_device(const job::Job& job, const PlannedTarget& target,
                                                                const io::ZonedDevice& device) {
  const auto wanted = job.of<ZonedDevice>().zone_bytes;
  if (wanted != 0 && wanted != device.zone_bytes) return check_sizes(job, target, device.zone_bytes).error();
  auto report = engine::zoned::read_zones(target.path, target.kind);
  if (!report) return report.error();
  if (report->empty()) return base::system_error("report zones of `" + target.path + "`", EIO);
  std::unique_ptr<ZoneTable> table(new ZoneTable(target, report->size()));
  table->device_ = device;
  auto& shared = table->head_[0].shared;
  shared.zone_bytes = device.zone_bytes;
  shared.count = static_cast<std::uint32_t>(report->size());
  for (std::size_t i = 0; i < report->size(); ++i) {
    const auto& from = (*report)[i];
    if (from.start != i * device.zone_bytes)
      return base::system_error("invalid zone data of `" + target.path + "`", EINVAL);
    Zone& zone = table->zones_[i];
    zone = {};
    zone.start = from.start;
    zone.wp = from.wp;
    zone.capacity_bytes = from.capacity_bytes;
    zone.condition = from.condition;
    zone.sequential = from.sequential;
  }
  return table;
}

// The smaller of the limits of the option and of a host-managed device.
base::Expected<void> ZoneTable::limit(const job::Job& job) {
  const auto& given = job.of<ZonedDevice>();
  auto& shared = head_[0].shared;
  shared.max_targets = given.max_open_zones;
  if (device_.model != io::ZoneModel::host_managed || given.ignore_limits) return {};
  // A target stays active until it is full, so that both limits of the device apply.
  const bool by_active = device_.max_active != 0 && (device_.max_open == 0 || device_.max_active < device_.max_open);
  const std::uint32_t most = by_active ? device_.max_active : device_.max_open;
  if (most != 0 && given.max_open_zones > most)
    return misfit(job,
                  fmt::format("Specified --max_open_zones ({}) is larger than max ({})", given.max_open_zones, most),
                  fmt::format("`{}` allows {} open zones", path_, most), "lower it, or add ignore_zone_limits=1");
  if (shared.max_targets == 0) shared.max_targets = most;
  if (shared.max_targets > workload::zones::kMostTargets)
    return misfit(job, fmt::format("'max_open_zones' value is larger than {}", workload::zones::kMostTargets),
                  fmt::format("`{}` allows {} open zones", path_, most), "add for example `max_open_zones=128`");
  return {};
}

base::Expected<ZoneTable*> ZoneTables::table_of(const job::Job& job, const PlannedTarget& target) {
  for (const auto& table : tables_)
    if (!target.path.empty() && table->path() == target.path) return table.get();
  auto made = ZoneTable::make(job, target);
  if (!made) return made.error();
  tables_.push_back(std::move(*made));
  return tables_.back().get();
}

base::Expected<void> ZoneTables::prepare(files::Plan& plan, std::size_t number) {
  if (jobs_.size() <= number) jobs_.resize(number + 1);
  job::Job& job = plan.job;
  if (!std::as_const(job).of<ZonedDevice>().used || plan.targets.empty()) return {};
  auto own = std::make_unique<JobZones>();
  for (auto& t : plan.targets) {
    if (t.length == 0) {
      own->targets.push_back({});
      continue;
    }
    auto found = table_of(job, t);
    if (!found) return found.error();
    ZoneTable& table = **found;
    if (auto ok = check_direct(job, table); !ok) return ok;
    if (auto ok = check_sizes(job, t, table.zone_bytes()); !ok) return ok;
    if (has_sequential(table.zones(), t))
      if (auto ok = fit_window(job, t, table.zone_bytes()); !ok) return ok;
    Window window{t.start, t.length, table.zones().index_of(t.start), 0};
    window.end = std::max(window.first + 1, table.zones().index_of(t.start + t.length - 1) + 1);
    for (const auto check : {check_limits})
      if (auto ok = check(job, table); !ok) return ok;
    if (auto ok = count_valid(job, table, window); !ok) return ok;
    own->rules = rules_of(job, number, t.length);
    if (job.mode.writes)
      if (auto ok = take_open_zones(job, table, window, own->rules.job); !ok) return ok;
    own->targets.push_back({&table, window});
  }
  jobs_[number] = std::move(own);
  return {};
}

JobZones* ZoneTables::of(std::size_t number) { return number < jobs_.size() ? jobs_[number].get() : nullptr; }

void ZoneTables::leave(std::size_t number) {
  JobZones* const job = of(number);
  if (job == nullptr) return;
  for (const auto& target : job->targets) {
    if (target.table == nullptr) continue;
    {
      const Locked locked(target.table->lock());
      target.table->zones().leave(job->rules.job);
    }
    target.table->bell().ring();
  }
}

std::vector<ZoneDifference> ZoneTables::compare() {
  std::vector<ZoneDifference> all;
  for (const auto& table : tables_) {
    if (table->emulated()) continue;
    auto now = engine::zoned::read_zones(table->path(), table->kind());
    auto zones = table->zones();
    if (!now || now->size() != zones.count()) continue;
    ZoneDifference one;
    one.path = table->path();
    for (std::uint32_t i = 0; i < zones.count(); ++i) {
      if (!zones[i].sequential || zones[i].offline()) continue;
      ++one.zones;
      const std::uint64_t seen = std::min((*now)[i].wp, zones[i].capacity_end());
      if (seen == zones[i].wp || one.different++ != 0) continue;
      one.start = zones[i].start;
      one.expected_wp = zones[i].wp;
      one.seen_wp = seen;
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace fathom::run::gates
