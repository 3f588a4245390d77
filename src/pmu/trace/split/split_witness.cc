// One round of the reader: the clocks are held together, stamps are taken, then events, so that every event of an I/O
// whose stamp is in hand is in hand too; then I/Os are matched.
#include "pmu/trace/split/split_witness.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/proc/kernel_task.h"
#include "pmu/events/tracefs.h"
#include "pmu/trace/event_source.h"
#include "pmu/trace/split/alignment.h"
#include "pmu/trace/split/matcher.h"
#include "pmu/trace/split/slices.h"
#include "pmu/trace/split/split_tally.h"
#include "pmu/trace/split/target_map.h"

namespace fathom::pmu::trace::split {
namespace {

// All targets of a split: which devices their events come from, and where an I/O lies. Thread rule: const members are
// thread-safe.

class SplitTargets {
 public:
  void add(const host::placement::Placement& target);
  bool none() const { return devices_.empty(); }
  bool any_bios() const;
  bool any_requests() const;
  // Nothing: the target cannot be followed.
  TargetMap* find(const std::string& path);
  std::vector<std::uint32_t> event_devices() const;    // for the kernel's filter
  std::uint32_t disk_of(std::uint32_t dev) const;      // a partition's events are told as its disk's
  std::vector<std::string> device_names() const;       // "vda (requests)", "zram0 (bios)"
  const std::string& cause() const { return cause_; }  // of the first target that cannot be followed

 private:
  struct Device {
    std::string name;
    bool bios = false;
  };
  std::map<std::string, std::optional<TargetMap>> maps_;
  std::map<std::uint32_t, Device> devices_;            // disks
  std::map<std::uint32_t, std::uint32_t> partitions_;  // to their disks
  std::string cause_;
};

void SplitTargets::add(const host::placement::Placement& target) {
  const std::string& path = target.path;
  if (maps_.contains(path)) return;
  auto map = TargetMap::of(target);
  if (!map) {
    if (cause_.empty()) cause_ = map.error().what + ": " + map.error().cause;
    maps_.emplace(path, std::nullopt);
    return;
  }
  devices_[map->disk_dev()] = {map->disk(), map->bios()};
  if (map->part_dev() != map->disk_dev()) partitions_[map->part_dev()] = map->disk_dev();
  maps_.emplace(path, std::move(*map));
}

bool SplitTargets::any_bios() const {
  return std::any_of(devices_.begin(), devices_.end(), [](const auto& d) { return d.second.bios; });
}

bool SplitTargets::any_requests() const {
  return std::any_of(devices_.begin(), devices_.end(), [](const auto& d) { return !d.second.bios; });
}

TargetMap* SplitTargets::find(const std::string& path) {
  const auto at = maps_.find(path);
  return at == maps_.end() || !at->second ? nullptr : &*at->second;
}

std::vector<std::uint32_t> SplitTargets::event_devices() const {
  std::vector<std::uint32_t> out;
  for (const auto& [dev, device] : devices_) out.push_back(dev);
  for (const auto& [dev, disk] : partitions_) out.push_back(dev);
  return out;
}

std::uint32_t SplitTargets::disk_of(std::uint32_t dev) const {
  const auto at = partitions_.find(dev);
  return at == partitions_.end() ? dev : at->second;
}

std::vector<std::string> SplitTargets::device_names() const {
  std::vector<std::string> out;
  for (const auto& [dev, device] : devices_) out.push_back(device.name + (device.bios ? " (bios)" : " (requests)"));
  return out;
}

constexpr int kRound_ms = 10, kSlicedRound_ms = 2;
constexpr double kRateWindow_ns = 50e6, kRateMemory_ns = 300e6;
constexpr std::uint64_t kSlack_ns = 100;
constexpr std::size_t kDirs = 3, kRead = 0, kWrite = 1;  // as io::Dir

double thread_cpu_s() {
  rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

struct SplitWitness::State {
  std::vector<SplitJob> jobs;
  std::vector<SplitWorker> workers;
  SplitTargets targets;
  std::vector<std::vector<TargetMap*>> maps;  // by worker and target
  std::unique_ptr<EventSource> source;
  EventTable table;
  Slices slices{clock::sources::MonotonicRawClock::now().v};
  SlicePlan plan;
  std::array<ClockAlignment, 3> clocks;  // by clock::sources::Source
  std::array<bool, 3> clock_used{};
  std::vector<std::array<SplitTally, kDirs>> tallies;  // by job
  std::vector<std::array<std::uint64_t, kDirs>> stamped;
  host::proc::KernelTasks kernel_tasks;
  bool unmapped = false;  // some I/O was of a target that cannot be followed
  std::uint64_t begin_ns = 0, on_ns = 0, events = 0, flush_bios = 0, flush_requests = 0, dropped = 0, lost_before = 0;
  std::uint64_t rate_from_ns = 0, rate_events = 0;
  double longest_ns = 0, rate = 0;
  double lost_at_s = -1;
  // Of one round.
  std::vector<result::IoStamp> taken = std::vector<result::IoStamp>(4096);
  struct Waiting {
    std::size_t worker;
    result::IoStamp stamp;
    TimedIo io;
  };
  std::vector<Waiting> waiting;
  std::vector<Piece> pieces;

  std::uint64_t now_ns() const { return clock::sources::read_reference_ns(source->time()); }
  void hold_clocks();
  void take_stamps();
  void take_events();
  void ask_again();
  std::optional<TargetMap::Cover> place(const Waiting& one);
  SplitIo divide(const Waiting& one, const TargetMap::Cover& cover, bool lost_some);
  void match_all();
  void switch_over(std::uint64_t now);
  void measure_rate(std::uint64_t now);
  void round();
};

SplitWitness::SplitWitness(std::vector<SplitJob> jobs, std::vector<SplitWorker> workers)
    : state_(std::make_unique<State>()) {
  state_->jobs = std::move(jobs);
  state_->workers = std::move(workers);
  breakdown_.asked = true;
}

SplitWitness::~SplitWitness() {
  stop_.store(true);
  if (reader_.joinable()) reader_.join();
}

base::Expected<void> SplitWitness::begin() {
  auto ok = prepare();
  if (!ok) {
    const auto& e = ok.error();
    breakdown_.cause = e.what + (e.cause.empty() ? "" : ": " + e.cause) + (e.help.empty() ? "" : "; " + e.help);
    return ok;
  }
  auto& s = *state_;
  s.begin_ns = s.now_ns();
  s.hold_clocks();
  s.source->enable();
  s.slices.switched_on(s.now_ns());
  s.rate_from_ns = s.now_ns();
  reader_ = std::thread([this] { run(); });
  return ok;
}

base::Expected<void> SplitWitness::prepare() {
  auto& s = *state_;
  s.table.set_kernel_task([&s](std::int32_t pid) { return s.kernel_tasks.contains(pid); });
  s.tallies.resize(s.jobs.size());
  s.stamped.resize(s.jobs.size());
  for (const auto& worker : s.workers) {
    s.clock_used[static_cast<std::size_t>(worker.clock)] = true;
    for (const auto& target : worker.targets) s.targets.add(target);
  }
  for (const auto& worker : s.workers) {
    auto& maps = s.maps.emplace_back();
    for (const auto& target : worker.targets) maps.push_back(s.targets.find(target.path));
  }
  if (s.targets.none()) {
    base::Error e;
    e.kind = base::ErrorKind::io;
    e.what = s.targets.cause().empty() ? "no file or block device to follow" : s.targets.cause();
    return e;
  }
  const auto folder = events::tracefs_root();
  if (!folder) return folder.error();
  PointFormats formats;
  for (std::size_t i = 0; i < kBlockPoints; ++i) {
    const auto point = static_cast<BlockPoint>(i);
    const bool of_bios = point == BlockPoint::bio_complete;
    if (point != BlockPoint::bio_queue && !(of_bios ? s.targets.any_bios() : s.targets.any_requests())) continue;
    auto format = load_event_format(*folder, "block", trace::name(point));
    if (!format) return format.error();
    formats.emplace_back(point, std::move(*format));
    breakdown_.tracepoints.push_back(std::string("block:") + trace::name(point));
  }
  auto opened = open_events(formats, s.targets.event_devices());
  if (!opened) return opened.error();
  s.source = std::move(opened->source);
  breakdown_.events_by = s.source->name();
  breakdown_.not_programs = opened->not_programs;
  breakdown_.devices = s.targets.device_names();
  return {};
}

void SplitWitness::State::hold_clocks() {
  for (std::size_t i = 0; i < clocks.size(); ++i)
    if (clock_used[i]) clocks[i].add(narrow_bracket(static_cast<clock::sources::Source>(i), source->time()));
}

void SplitWitness::State::take_stamps() {
  for (std::size_t w = 0; w < workers.size(); ++w) {
    auto& worker = workers[w];
    const auto& clock = clocks[static_cast<std::size_t>(worker.clock)];
    if (!clock.ready()) continue;  // they wait in their ring
    const std::int32_t process = worker.stamps.pid();
    for (std::size_t n = taken.size(); n == taken.size();) {
      n = worker.stamps.take(taken);
      for (std::size_t i = 0; i < n; ++i) {
        const auto& stamp = taken[i];
        if (stamp.dir >= kDirs || stamp.target >= maps[w].size()) continue;
        ++stamped[worker.job][stamp.dir];
        const TimedIo io{clock.to_reference_ns(stamp.start_ticks), clock.to_reference_ns(stamp.reap_ticks), stamp.dir,
                         process, worker.direct};
        const std::uint64_t whole_ns = io.reap_ns - io.start_ns;
        longest_ns = std::max(longest_ns, static_cast<double>(whole_ns));
        const auto choice = slices.choose(io.start_ns, io.reap_ns);
        auto& tally = tallies[worker.job][stamp.dir];
        if (choice == Slices::Choice::cut) tally.add_undivided(result::Undivided::cut, whole_ns);
        if (choice == Slices::Choice::off) tally.add_other(whole_ns);
        if (choice == Slices::Choice::yes) waiting.push_back({w, stamp, io});
      }
    }
  }
}

void SplitWitness::State::take_events() {
  source->read([&](BlockEvent event) {
    ++events;
    ++rate_events;
    flush_bios += event.flush && event.point == BlockPoint::bio_queue;
    flush_requests += event.flush && event.point == BlockPoint::rq_issue;
    if (event.dir == kNoDir) return;
    event.dev = targets.disk_of(event.dev);
    table.add(event);
  });
}

// Files grow: once a round each is asked for the places that I/Os went to and that it did not have before.
void SplitWitness::State::ask_again() {
  std::map<TargetMap*, std::pair<std::uint64_t, std::uint64_t>> wanted;
  for (const auto& [w, stamp, io] : waiting) {
    auto* const map = maps[w][stamp.target];
    pieces.clear();
    if (map == nullptr) continue;
    const auto cover = map->pieces(stamp.offset, stamp.length, pieces);
    if (cover.placed == stamp.length && cover.reserved == 0) continue;
    const auto end = stamp.offset + stamp.length;
    auto& range = wanted.try_emplace(map, stamp.offset, end).first->second;
    range = {std::min(range.first, stamp.offset), std::max(range.second, end)};
  }
  for (const auto& [map, range] : wanted) map->ask_again(range.first, range.second);
}

// The pieces of an I/O. Nothing: they are not known; a hole has none, but nothing was written to one, and what waits
// for a place has been given one before it is read with direct=1.
std::optional<TargetMap::Cover> SplitWitness::State::place(const Waiting& one) {
  pieces.clear();
  const auto cover = maps[one.worker][one.stamp.target]->pieces(one.stamp.offset, one.stamp.length, pieces);
  const bool hole = cover.placed + cover.waiting + cover.untold < one.stamp.length;
  const bool moved = one.io.direct && cover.waiting > 0;
  if (cover.untold > 0 || moved || (hole && one.stamp.dir == kWrite)) return std::nullopt;
  return cover;
}

SplitIo SplitWitness::State::divide(const Waiting& one, const TargetMap::Cover& cover, bool lost_some) {
  using enum result::Undivided;
  const auto clock = static_cast<std::size_t>(workers[one.worker].clock);
  auto split = table.match(one.io, pieces, static_cast<std::uint64_t>(clocks[clock].error_ns()) + kSlack_ns);
  if (split.matched || pieces.empty()) return split;
  if (split.why == unknown && one.io.dir == kRead && cover.reserved == cover.placed) split.why = no_request;
  const bool nothing_seen = split.why == no_request || split.why == read_ahead || split.why == unknown;
  if (nothing_seen && lost_some) split.why = lost;
  return split;
}

void SplitWitness::State::match_all() {
  dropped += table.turn(now_ns());
  const bool lost_some = source->lost() + dropped != lost_before;
  ask_again();
  for (const auto& one : waiting) {
    const auto& [w, stamp, io] = one;
    auto& tally = tallies[workers[w].job][stamp.dir];
    if (maps[w][stamp.target] == nullptr) {
      unmapped = true;
      continue;
    }
    const std::uint64_t whole_ns = io.reap_ns - io.start_ns;
    if (const auto cover = place(one))
      tally.add(divide(one, *cover, lost_some), whole_ns);
    else
      tally.add_undivided(result::Undivided::unplaced, whole_ns);
  }
  waiting.clear();
  lost_before = source->lost() + dropped;
}

// How many samples a second there are while the tracepoints are on.
void SplitWitness::State::measure_rate(std::uint64_t now) {
  const double window_ns = static_cast<double>(now - rate_from_ns);
  if (!slices.on() || window_ns < kRateWindow_ns / (plan.always ? 1 : 10)) return;
  // Up at once, down slowly: a job that was kept from its CPU for some milliseconds is not a slow one.
  const double now_rate = static_cast<double>(rate_events) * 1e9 / window_ns;
  rate = std::max(now_rate, rate + (now_rate - rate) * std::min(1.0, window_ns / kRateMemory_ns));
  plan = plan_slices(rate, longest_ns, source->full_rate());
  longest_ns *= 0.9;
  rate_from_ns = now;
  rate_events = 0;
}

void SplitWitness::State::switch_over(std::uint64_t now) {
  switch (slices.next(plan, now)) {
    case Slices::Step::stay:
      return;
    case Slices::Step::turn_on:
      source->enable();
      rate_from_ns = now_ns();
      rate_events = 0;
      return slices.switched_on(rate_from_ns);
    case Slices::Step::turn_off:
      source->disable();
      return slices.switched_off(now);
  }
}

void SplitWitness::State::round() {
  hold_clocks();
  take_stamps();
  take_events();
  match_all();
  const std::uint64_t now = now_ns();
  measure_rate(now);
  switch_over(now);
}

void SplitWitness::run() {
  sigset_t all;
  sigfillset(&all);  // signals are the main thread's: it has to note that the run was interrupted
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  ::pthread_setname_np(::pthread_self(), "fathom-split");
  auto& s = *state_;
  while (!stop_.load(std::memory_order_relaxed)) {
    const bool on = s.slices.on();
    const std::uint64_t before = s.now_ns();
    const bool well = s.source->wait(on && !s.plan.always ? kSlicedRound_ms : kRound_ms);
    if (!well && s.lost_at_s < 0) s.lost_at_s = static_cast<double>(s.now_ns() - s.begin_ns) * 1e-9;
    if (!well) ::usleep(kRound_ms * 1000);
    s.round();
    if (on) s.on_ns += s.now_ns() - before;
  }
  ::usleep(kRound_ms * 1000);  // a run of no length: the clocks take their second bracket
  s.round();
  breakdown_.reader_cpu_s = thread_cpu_s();
}

// What the job asked for, as far as it says what its undivided time and its completion can be.
void SplitWitness::describe(const State& s, std::size_t job, std::size_t dir, result::BreakdownClass& to) {
  bool sync_writes = false;
  to.direct = true;
  for (const auto& worker : s.workers) {
    if (worker.job != job) continue;
    to.direct &= worker.direct;
    sync_writes |= worker.sync_writes;
  }
  if (sync_writes && dir == kWrite) to.flushes = std::max(s.flush_bios, s.flush_requests);
}

result::WitnessReport SplitWitness::end() {
  auto& s = *state_;
  result::WitnessReport report;
  if (!reader_.joinable()) return report;
  stop_.store(true);
  reader_.join();
  s.source->disable();
  const double whole_ns = static_cast<double>(s.now_ns() - s.begin_ns);
  std::uint64_t stamped = 0, looked_at = 0, stamps_lost = 0;
  for (std::size_t j = 0; j < s.jobs.size(); ++j) {
    for (std::size_t d = 0; d < kDirs; ++d) {
      stamped += s.stamped[j][d];
      if (s.tallies[j][d].empty()) continue;
      constexpr const char* kNames[] = {"read", "write", "trim"};
      auto one = s.tallies[j][d].result();
      one.job = s.jobs[j].name;
      one.job_number = s.jobs[j].number;
      one.direction = kNames[d];
      describe(s, j, d, one);
      looked_at += one.ios;
      breakdown_.classes.push_back(std::move(one));
    }
  }
  for (const auto& worker : s.workers) stamps_lost += worker.stamps.lost();
  for (const auto& clock : s.clocks) breakdown_.clock_error_ns = std::max(breakdown_.clock_error_ns, clock.error_ns());
  breakdown_.events = s.events;
  breakdown_.events_lost = s.source->lost() + s.dropped;
  breakdown_.stamps_lost = stamps_lost;
  breakdown_.lost_at_s = s.lost_at_s;
  breakdown_.seen_share = whole_ns > 0 ? std::min(1.0, static_cast<double>(s.on_ns) / whole_ns) : 1;
  if (looked_at > 0)
    breakdown_.one_in = static_cast<std::uint32_t>(
        std::max(1.0, std::round(static_cast<double>(stamped + stamps_lost) / static_cast<double>(looked_at))));
  if (s.unmapped) breakdown_.cause = s.targets.cause();
  if (breakdown_.classes.empty() && breakdown_.cause.empty()) breakdown_.cause = "no I/O of the job was looked at";
  return report;
}

}  // namespace fathom::pmu::trace::split
