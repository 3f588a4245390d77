// Some targets cannot be traced to a disk beforehand: an overlay, btrfs, a file that will grow. Their maps have no
// locations. Their I/Os are found by their task, if it does one I/O at a time.
#include "witness/joined_split.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

#include "base/time.h"
#include "host/io_limits.h"
#include "host/proc/text_file.h"
#include "io/engines.h"
#include "job/fields/files.h"
#include "job/fields/process_options.h"
#include "job/fields/start.h"
#include "pmu/trace/target_map.h"
#include "witness/cost/job_meter.h"
#include "witness/reported_jobs.h"
#include "witness/targets/file_state.h"

namespace fathom::witness {
namespace {

using pmu::trace::programs::SplitPrograms;
constexpr std::size_t kDirs = 4;  // io::Dir

std::vector<split::Seat> seats_of(std::span<const run::files::Plan> plans, std::span<const DividedWorker> workers) {
  std::vector<split::Seat> seats(plans.size());
  for (const auto& w : workers) {
    const auto& job = plans[w.worker].job;
    auto& seat = seats[w.worker];
    seat.slots = std::max(1u, job.iodepth);
    seat.direct = targets::is_direct(job);
    // A kernel thread that submits (sqthread_poll) is not the task of the loop.
    seat.followed = io::traits_of(job.ioengine).requests_of_ring && !job.engine.kernel_submits;
    seat.commits = job.sync_mode != job::SyncMode::none;
    seat.largest_io_bytes = static_cast<std::uint32_t>(*std::max_element(job.bs_max.begin(), job.bs_max.end()));
  }
  return seats;
}

// The offset that this process's time namespace adds to the kernel's CLOCK_MONOTONIC (time_namespaces(7)).
std::int64_t clock_offset_ns() {
  const auto text = host::proc::read_text("/proc/self/timens_offsets");
  std::int64_t seconds = 0, ns = 0;
  if (std::sscanf(text.c_str(), "monotonic %" SCNd64 " %" SCNd64, &seconds, &ns) != 2) return 0;
  return seconds * 1'000'000'000 + ns;
}

bool syncs(const job::Job& job) {
  const auto& files = job.of<job::fields::FileOptions>();
  return job.fsync_every + job.fdatasync_every + files.barrier_every + files.range_sync_every > 0;
}

bool is_ext(const std::string& type) { return type == "ext4" || type == "ext3"; }

// The events have the commits of ext4's journal and of the xfs log. For an overlay, the file system below is unknown.
split::Journal journal_of(const host::placement::Placement& placement, const SplitPrograms& programs) {
  split::Journal journal;
  const std::string& type = placement.file_system;
  if (!placement.on_file_system()) return journal;
  const bool layered = type == "overlay", journaled = layered || is_ext(type);
  const bool known =
      (journaled && programs.follows_journal()) || ((layered || type == "xfs") && programs.follows_log());
  journal.only_whole = !known;
  journal.told = programs.follows_syncs() || (!programs.follows_journal() && programs.follows_log());
  if (known) journal.dev = layered ? split::Journal::kAny : pmu::trace::kernel_dev(placement.device);
  return journal;
}

std::string text_of(const base::Error& e) {
  return e.what + (e.cause.empty() ? "" : ": " + e.cause) + (e.help.empty() ? "" : "; " + e.help);
}

// Sums of one part over several workers.
struct Sums {
  stats::Moments moments;
  stats::Histogram histogram;
  void add(const split::PartRecord& part) {
    if (part.moments.n == 0) return;
    moments.merge(part.moments);
    histogram.merge(stats::Histogram(part.counts));
  }
  void add(const Sums& other) {
    moments.merge(other.moments);
    histogram.merge(other.histogram);
  }
  void give(result::PartLatency& to) {
    to.covered = moments.n > 0;
    to.moments_ns = moments;
    to.histogram_ns = std::move(histogram);
  }
};

pmu::trace::TargetMap::Written written_by(const job::Job& job) {
  using Written = pmu::trace::TargetMap::Written;
  if (!job.changes_targets()) return Written::no;
  return job.of<job::fields::FileOptions>().atomic ? Written::atomically : Written::in_place;
}

}  // namespace

JoinedSplit::JoinedSplit(std::span<const run::files::Plan> plans, std::vector<DividedJob> jobs,
                         std::vector<DividedWorker> workers, host::placement::Placements& placements, Watch watch)
    : plans_(plans),
      jobs_(std::move(jobs)),
      workers_(std::move(workers)),
      placements_(placements),
      watch_(watch),
      desk_(seats_of(plans, workers_)) {
  breakdown_.asked = true;
  breakdown_.mode = watch == Watch::all ? result::BreakdownMode::all : result::BreakdownMode::slices;
}

void JoinedSplit::add_device(const std::string& disk) {
  if (disk.empty()) return;
  const bool bios = pmu::trace::takes_bios(disk);
  wanted_.requests |= !bios;
  const std::string device = disk + (bios ? " (bios)" : " (requests)");
  if (std::find(devices_.begin(), devices_.end(), device) == devices_.end()) devices_.push_back(device);
}

void JoinedSplit::place(const run::files::Plan& plan, split::Seat& seat) {
  for (const auto& target : plan.targets) {
    const auto& placement = placements_.of(target.path, plan.job.mode.writes);
    const auto map = pmu::trace::TargetMap::of(placement, written_by(plan.job));
    add_device(placement.disk);
    limited_disks_.add(placement);
    for (const auto& disk : placement.disks) own_fua_ &= host::disk::BlockTree().attribute(disk, "queue/fua") == "1";
    if (!map) {
      wanted_.requests = true;
      if (unfollowed_.empty()) unfollowed_ = text_of(map.error());
    }
    auto places = map ? map->places() : pmu::trace::TargetMap::unplaced(target.path);
    if (!seat.direct && places.dev() != 0) add_disk(places.dev());
    const bool placed = map && (!plan.job.mode.writes || places.covers(target.size_needed));
    if (seat.commits || syncs(plan.job)) {
      const std::string& type = placement.file_system;
      wanted_.journal |= is_ext(type) || type == "overlay";
      wanted_.log |= type == "xfs" || type == "overlay";
    }
    if (io::traits_of(plan.job.ioengine).requests_of_ring)
      wanted_.submissions |= !placed || !seat.direct || syncs(plan.job);
    seat.maps.push_back(std::move(places));
  }
  wanted_.dirty |= plan.job.mode.writes && !seat.direct;
}

// Disks with traced read-ahead: the first ones, up to kMostDisks.
void JoinedSplit::add_disk(std::uint32_t dev) {
  auto& disks = wanted_.disks;
  if (disks.size() < pmu::trace::programs::kMostDisks && std::find(disks.begin(), disks.end(), dev) == disks.end())
    disks.push_back(dev);
}

void JoinedSplit::know_journals() {
  for (const auto& w : workers_) {
    const auto& plan = plans_[w.worker];
    for (std::size_t i = 0; i < plan.targets.size(); ++i)
      desk_.seats()[w.worker].maps[i].journal =
          journal_of(placements_.of(plan.targets[i].path, plan.job.mode.writes), *programs_);
  }
}

void JoinedSplit::begin(const run::WorkerViews& workers) {
  for (const auto& w : workers_) place(plans_[w.worker], desk_.seats()[w.worker]);
  wanted_.slots = desk_.slots();
  wanted_.workers = static_cast<std::uint32_t>(workers_.size());
  wanted_.largest_io_bytes = desk_.largest_io_bytes();
  wanted_.any_long = desk_.any_by_granule();
  auto programs = SplitPrograms::load(wanted_);
  base::Expected<void> attached;
  if (programs) attached = (*programs)->attach();  // also for slices: shows before the run whether attaching works
  if (!programs || !attached) {
    breakdown_.cause = text_of(programs ? attached.error() : programs.error());
    return;
  }
  programs_ = std::move(*programs);
  know_journals();
  const bool all = watch_ == Watch::all && !ramps(workers).long_enough();
  desk_.open(programs_->region(), clock_offset_ns(), all, SplitPrograms::let_go_in_fork);
  look_for_limits();
  began_ns_ = base::monotonic_ns();
  if (!all) attached = begin_slices(workers);
  if (!attached) {
    breakdown_.cause = text_of(attached.error());
    return;
  }
  breakdown_.events_by = programs_->events_by();
  breakdown_.tracepoints = programs_->tracepoints();
  breakdown_.devices = devices_;
}

std::unique_ptr<pmu::trace::programs::Sliced> JoinedSplit::toggle() {
  if (!programs_) return nullptr;
  return std::make_unique<cost::SplitToggle>(*programs_, desk_);
}

base::Expected<void> JoinedSplit::begin_slices(const run::WorkerViews& workers) {
  programs_->detach();
  if (watch_ == Watch::by_another) return {};
  watch_classes(workers);
  driver_ = std::make_unique<SliceDriver>(
      *programs_, desk_, [this](cost::Moment moment) { at(moment); }, watch_, ramps(workers));
  return driver_->begin();
}

// Ramps of the workers with a breakdown. The end of a ramp by bytes is unknown.
cost::Ramps JoinedSplit::ramps(const run::WorkerViews& workers) const {
  std::vector<cost::Ramps::Of> of;
  for (const auto& w : workers_) {
    const auto& job = plans_[w.worker].job;
    of.push_back({workers[w.worker], job.of<job::fields::Start>().ramp_bytes > 0 ? 0 : job.ramp_ns});
  }
  return cost::Ramps(std::move(of));
}

void JoinedSplit::add_class(std::size_t job, std::size_t dir) {
  result::BreakdownClass c;
  c.job = jobs_[job].name;
  c.job_number = jobs_[job].number;
  c.direction = io::name(static_cast<io::Dir>(dir));
  c.direct = true;
  Sums parts[result::kParts], whole, uncovered, rest, others;
  for (const auto& w : workers_) {
    if (w.job != job) continue;
    const auto& one = desk_.record(w.worker).dirs[dir];
    c.direct &= desk_.seats()[w.worker].direct;
    c.ios += one.ios;
    c.matched += one.joined;
    c.flushes += one.flushes;
    c.fua += own_fua_ ? one.fua : 0;  // otherwise the kernel replaced each by a flush
    c.outside += one.outside;
    c.outside_ns += one.outside_ns;
    c.outside_max_ns = std::max(c.outside_max_ns, one.outside_max_ns);
    for (std::size_t i = 0; i < result::kUndivided; ++i) {
      c.undivided[i].ios += one.undivided[i].ios;
      c.undivided[i].time_ns += one.undivided[i].time_ns;
    }
    for (std::size_t p = 0; p < result::kParts; ++p) parts[p].add(one.parts[p]);
    whole.add(one.whole);
    uncovered.add(one.uncovered);
    rest.add(one.rest);
    others.add(one.others);
  }
  if (c.ios == 0) return;
  if (breakdown_.io_limits.empty()) {
    auto& held = parts[static_cast<std::size_t>(result::Part::held)];
    parts[static_cast<std::size_t>(result::Part::handed)].add(held);
    held = {};
  }
  for (std::size_t p = 0; p < result::kParts; ++p) parts[p].give(c.parts[p]);
  whole.give(c.whole);
  uncovered.give(c.uncovered);
  others.give(c.others);
  give_bands(job, dir, std::move(rest.histogram), c);
  breakdown_.classes.push_back(std::move(c));
}

// An I/O queued by a kernel thread was throttled only if an I/O limit is active. Otherwise it was passed to that
// thread, and the submitting task is unknown. Called at both ends of the run: a limit may be set or lifted in between.
void JoinedSplit::look_for_limits() {
  std::vector<std::string> groups;
  for (const auto& w : workers_)
    if (const auto& own = plans_[w.worker].job.of<job::fields::Cgroup>(); !own.name.empty()) groups.push_back(own.name);
  auto& known = breakdown_.io_limits;
  for (auto& limit : host::io_limits(groups, limited_disks_.numbers()))
    if (std::find(known.begin(), known.end(), limit.text) == known.end()) known.push_back(std::move(limit.text));
}

void JoinedSplit::watch_classes(const run::WorkerViews& workers) {
  ledgers_.resize(jobs_.size() * kDirs);
  for (std::size_t job = 0; job < jobs_.size(); ++job)
    for (std::size_t dir = 0; dir < kDirs; ++dir) {
      run::WorkerViews of_job;
      for (const auto& w : workers_)
        if (w.job == job) of_job.push_back(workers[w.worker]);
      costs_.emplace_back(cost::JobMeter(std::move(of_job), static_cast<io::Dir>(dir)));
    }
}

// On the driver's thread. When all I/Os that began in the slice are over, all sums added since the previous slice
// belong to it.
void JoinedSplit::at(cost::Moment moment) {
  for (auto& cost : costs_) cost.at(moment);
  if (moment != cost::Moment::over) return;
  for (std::size_t i = 0; i < ledgers_.size(); ++i) ledgers_[i].take(cells_of(i / kDirs, i % kDirs));
}

// Only from workers with attributed I/Os: a page that was never written is not read either.
std::vector<split::BandCell> JoinedSplit::cells_of(std::size_t job, std::size_t dir) const {
  std::vector<split::BandCell> cells(split::kCells);
  for (const auto& w : workers_) {
    const auto& record = desk_.record(w.worker).dirs[dir];
    if (w.job != job || record.joined == 0) continue;
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].add(record.bands.cells[i]);
  }
  return cells;
}

bool JoinedSplit::paced(std::size_t job) const {
  return std::any_of(workers_.begin(), workers_.end(), [&](const DividedWorker& w) {
    const auto& own = plans_[w.worker].job;
    return w.job == job && is_paced(own);
  });
}

// For the same classes as add_class().
void JoinedSplit::give_bands(std::size_t job, std::size_t dir, stats::Histogram rest,
                             result::BreakdownClass& to) const {
  const auto cells = cells_of(job, dir);
  split::sums::BandInput in{cells, {}, sliced(), breakdown_.io_limits.empty(), std::move(rest)};
  if (driver_) to.watching = cost::to_result(costs_[job * kDirs + dir].sum(), paced(job));
  if (!sliced()) {
    to.watching.from = result::CostFrom::ramp;
    if (to.watching.by == result::CostBy::nothing)
      to.watching.cause = "no ramp of 2 s to measure the overhead (write ramp_time=2s or --cost)";
  } else {
    const auto& ledger = ledgers_[job * kDirs + dir];
    in.slices = ledger.groups();
    to.slices = ledger.slices();
    to.watching.added_ns = split::sums::added_ns(to.whole.histogram_ns, to.others.histogram_ns);
  }
  split::sums::give_bands(in, to);
}

void JoinedSplit::end() {
  if (!programs_) return;
  if (driver_) {
    driver_->end();
    if (driver_->watched_all()) breakdown_.mode = result::BreakdownMode::all;
    const double run_s = static_cast<double>(base::monotonic_ns() - began_ns_) * 1e-9;
    breakdown_.seen_share = driver_->watched_all() ? 1 : run_s > 0 ? std::min(1.0, driver_->watched_s() / run_s) : 1;
    if (breakdown_.cause.empty()) breakdown_.cause = driver_->cause();
  }
  programs_->detach();
  look_for_limits();
  for (std::size_t job = 0; job < jobs_.size(); ++job)
    for (std::size_t dir = 0; dir < kDirs; ++dir) add_class(job, dir);
  for (const auto& w : workers_)
    breakdown_.clock_error_ns = std::max(breakdown_.clock_error_ns, desk_.record(w.worker).clock_error_ns);
  breakdown_.events_lost = programs_->no_room() + programs_->missed_runs();
  breakdown_.requests_beyond = programs_->beyond();
  for (const auto& c : breakdown_.classes)
    if ((c.of(result::Undivided::unplaced).ios > 0 || c.matched == 0) && breakdown_.cause.empty())
      breakdown_.cause = unfollowed_;
}

}  // namespace fathom::witness
