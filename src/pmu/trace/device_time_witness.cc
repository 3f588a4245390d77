// One round of the reader: events are taken, begins and ends brought together, and what ended goes into two histograms,
// so that nothing grows with the run. Slices as in split_witness.cc.
#include "pmu/trace/device_time_witness.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "host/disk/block_tree.h"
#include "pmu/events/tracefs.h"
#include "pmu/trace/device_time_pairs.h"
#include "pmu/trace/event_source.h"
#include "pmu/trace/split/slices.h"
#include "pmu/trace/split/target_map.h"

namespace fathom::pmu::trace {
namespace {

constexpr int kRound_ms = 10, kSlicedRound_ms = 2;
constexpr double kRateWindow_ns = 50e6, kRateMemory_ns = 300e6;
constexpr double kLostShare = 0.01;
// A fault costs more than an I/O of a loop, so its events may be twice as many for the same share of the time.
constexpr double kFullRates = 2;

struct Sums {
  stats::Moments moments;
  stats::RawHistogram histogram{};
  std::uint64_t bytes = 0;
};

base::Error another_disk(const std::string& path, const std::string& disk, const std::string& asked) {
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.what = path + " lies on " + disk + ", not on " + asked;
  return e;
}

}  // namespace

struct DeviceTimeWitness::State {
  std::unique_ptr<EventSource> source;
  std::string not_programs;
  Stretches own;
  bool bios = false;
  RequestPairs pairs;
  split::Slices slices{clock::sources::MonotonicRawClock::now().v};
  split::SlicePlan plan;
  Sums sums[2];
  std::uint64_t foreign = 0, foreign_bytes = 0, cut = 0;
  std::uint64_t begin_ns = 0, end_ns = 0, chosen_ns = 0;
  std::uint64_t rate_from_ns = 0, rate_events = 0;
  double longest_ns = 0, rate = 0;

  std::uint64_t now_ns() const { return clock::sources::read_reference_ns(source->time()); }
  void take_events();
  void take(const BlockEvent& event);
  void measure_rate(std::uint64_t now);
  void switch_over(std::uint64_t now);
  void switch_off(std::uint64_t now);
  void finish();
};

DeviceTimeWitness::DeviceTimeWitness(std::string device, host::placement::Placement area)
    : area_(std::move(area)), state_(std::make_unique<State>()) {
  time_.device = std::move(device);
  if (area_.path.empty()) area_ = host::placement::place("/dev/" + time_.device);
}

DeviceTimeWitness::~DeviceTimeWitness() {
  stop_.store(true);
  if (reader_.joinable()) reader_.join();
}

std::string DeviceTimeWitness::name() const { return "device time of " + time_.device; }

base::Expected<void> DeviceTimeWitness::prepare() {
  auto& s = *state_;
  const auto map = split::TargetMap::of(area_);
  if (!map) return map.error();
  if (map->disk() != time_.device) return another_disk(area_.path, map->disk(), time_.device);
  s.bios = map->bios();
  if (area_.path != "/dev/" + time_.device) {
    std::vector<split::Piece> pieces;
    const auto part = host::disk::BlockTree().name_of(makedev(map->part_dev() >> 20, map->part_dev() & 0xFFFFF));
    map->pieces(0, host::disk::BlockTree().size_bytes(part), pieces);
    s.own = Stretches(std::move(pieces));
  }
  const auto folder = events::tracefs_root();
  if (!folder) return folder.error();
  PointFormats formats;
  const BlockPoint points[2] = {s.bios ? BlockPoint::bio_queue : BlockPoint::rq_issue,
                                s.bios ? BlockPoint::bio_complete : BlockPoint::rq_complete};
  for (const auto point : points) {
    auto format = load_event_format(*folder, "block", trace::name(point));
    if (!format) return format.error();
    formats.emplace_back(point, std::move(*format));
  }
  const std::uint32_t devices[] = {map->disk_dev(), map->part_dev()};
  auto opened = open_events(formats, devices);
  if (!opened) return opened.error();
  s.source = std::move(opened->source);
  s.not_programs = opened->not_programs;
  return {};
}

base::Expected<void> DeviceTimeWitness::begin() {
  auto ok = prepare();
  if (!ok) {
    time_.cause = ok.error().what + (ok.error().cause.empty() ? "" : ": " + ok.error().cause);
    return ok;
  }
  auto& s = *state_;
  time_.by = s.bios ? "bios" : "block requests";
  s.source->enable();
  s.begin_ns = s.rate_from_ns = s.now_ns();
  s.slices.switched_on(s.begin_ns);
  reader_ = std::thread([this] { run(); });
  return ok;
}

void DeviceTimeWitness::State::take(const BlockEvent& event) {
  ++rate_events;
  if (!own.holds(event.sector, std::max<std::uint64_t>(event.sectors, 1))) {
    const bool begins = event.point == BlockPoint::rq_issue || event.point == BlockPoint::bio_queue;
    if (begins && event.dir <= 1) ++foreign, foreign_bytes += std::uint64_t{event.sectors} * 512;
    return;
  }
  const auto done = pairs.add(event);
  if (!done) return;
  longest_ns = std::max(longest_ns, static_cast<double>(done->ns));
  if (slices.choose(done->start_ns, done->start_ns + done->ns) != split::Slices::Choice::yes) return;
  auto& sum = sums[done->dir];
  sum.moments.add(done->ns);
  sum.histogram.add(done->ns);
  sum.bytes += done->bytes;
}

void DeviceTimeWitness::State::take_events() {
  source->read([this](const BlockEvent& event) { take(event); });
}

void DeviceTimeWitness::State::measure_rate(std::uint64_t now) {
  const double window_ns = static_cast<double>(now - rate_from_ns);
  if (!slices.on() || window_ns < kRateWindow_ns / (plan.always ? 1 : 10)) return;
  const double now_rate = static_cast<double>(rate_events) * 1e9 / window_ns;
  rate = std::max(now_rate, rate + (now_rate - rate) * std::min(1.0, window_ns / kRateMemory_ns));
  plan = split::plan_slices(rate, longest_ns, kFullRates * source->full_rate());
  longest_ns *= 0.9;
  rate_from_ns = now;
  rate_events = 0;
}

// Those that were to be looked at in a slice and have not ended are lost: their times are known to nobody.
void DeviceTimeWitness::State::switch_off(std::uint64_t now) {
  source->disable();
  take_events();
  const auto cut_off =
      pairs.give_up([&](std::uint64_t ns) { return slices.choose(ns, ns) == split::Slices::Choice::yes; });
  if (!plan.always) cut += cut_off;
  slices.switched_off(now);
  chosen_ns += slices.last().chosen_until_ns - slices.last().on_ns;
}

void DeviceTimeWitness::State::switch_over(std::uint64_t now) {
  switch (slices.next(plan, now)) {
    case split::Slices::Step::stay:
      return;
    case split::Slices::Step::turn_on:
      source->enable();
      rate_from_ns = now_ns();
      rate_events = 0;
      return slices.switched_on(rate_from_ns);
    case split::Slices::Step::turn_off:
      return switch_off(now);
  }
}

void DeviceTimeWitness::run() {
  sigset_t all;
  sigfillset(&all);  // signals are the main thread's
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  ::pthread_setname_np(::pthread_self(), "fathom-device");
  auto& s = *state_;
  while (!stop_.load(std::memory_order_relaxed)) {
    if (!s.source->wait(s.slices.on() && !s.plan.always ? kSlicedRound_ms : kRound_ms)) ::usleep(kRound_ms * 1000);
    s.take_events();
    const std::uint64_t now = s.now_ns();
    s.measure_rate(now);
    s.switch_over(now);
  }
}

void DeviceTimeWitness::State::finish() {
  end_ns = now_ns();
  if (slices.on()) switch_off(end_ns);
}

result::WitnessReport DeviceTimeWitness::end() {
  result::WitnessReport report;
  if (!reader_.joinable()) return report;
  stop_.store(true);
  reader_.join();
  auto& s = *state_;
  s.finish();
  result::AccessLatency* const ways[] = {&time_.read_ns, &time_.write_ns};
  std::uint64_t* const bytes[] = {&time_.read_bytes, &time_.write_bytes};
  const double window_ns = static_cast<double>(s.end_ns - s.begin_ns);
  for (int dir : {0, 1}) {
    const auto& sum = s.sums[dir];
    ways[dir]->moments_ns = sum.moments;
    ways[dir]->histogram_ns = stats::Histogram(sum.histogram);
    *bytes[dir] = sum.bytes;
    for (const char* what : {"ios", "bytes"}) {
      result::Count c;
      c.source = "device_time";
      c.subject = time_.device;
      c.name = what;
      c.direction = dir == 0 ? "read" : "write";
      c.unit = std::strcmp(what, "ios") == 0 ? "count" : "bytes";
      c.value = c.low = c.high = c.raw = static_cast<double>(c.unit == "count" ? sum.moments.n : sum.bytes);
      c.window_s = window_ns * 1e-9;
      c.rule = time_.by + ", from begin to end";
      report.counts.push_back(std::move(c));
    }
  }
  time_.lost = s.pairs.lost() + s.source->lost() + s.cut;
  time_.foreign = s.foreign;
  time_.foreign_bytes = s.foreign_bytes;
  time_.seen_share = window_ns > 0 ? std::min(1.0, static_cast<double>(s.chosen_ns) / window_ns) : 1;
  const std::uint64_t seen = s.sums[0].moments.n + s.sums[1].moments.n;
  if (seen == 0)
    time_.cause = s.bios ? "no bio of it was seen: nothing was swapped, or this kernel hands pages over without bios "
                           "(rw_page, up to Linux 6.2)"
                         : "no request of it was seen";
  if (!s.not_programs.empty() && seen > 0) time_.cause = "perf samples, no programs: " + s.not_programs;
  if (static_cast<double>(time_.lost) > kLostShare * static_cast<double>(seen) && seen > 0)
    report.findings.push_back({"device_time.lost", result::Severity::note, "",
                               fmt::format("{}: {} requests have no begin or no end beside {} that have both",
                                           time_.device, time_.lost, seen),
                               "the times are those of the others; a quieter device loses fewer"});
  return report;
}

}  // namespace fathom::pmu::trace
