// A thread of slices attaches and detaches the programs. This file has the answers to its calls, and the use of the
// sums.
#include "pmu/trace/device_time_witness.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/time.h"
#include "host/disk/block_tree.h"
#include "pmu/trace/programs/device_time_programs.h"
#include "pmu/trace/programs/slice_thread.h"
#include "pmu/trace/target_map.h"
#include "result/findings/rows.h"

namespace fathom::pmu::trace {
namespace {

// The most that an I/O of any device costs while the programs are attached: 100,000 per second are 3 % of a CPU.
constexpr double kCost_ns = 300, kMostShare = 0.03;
constexpr std::uint64_t kLeastSettling_ns = 10'000'000, kMostSettling_ns = 5'000'000'000;
constexpr double kLostShare = 0.01;

base::Error another_disk(const std::string& path, const std::string& disk, const std::string& asked) {
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.what = path + " lies on " + disk + ", not on " + asked;
  return e;
}

}  // namespace

class DeviceTimeWitness::Watched : public programs::Sliced {
 public:
  Watched(std::unique_ptr<programs::DeviceTimePrograms> programs, std::function<void(stats::SliceMoment)> listener)
      : programs_(std::move(programs)), listener_(std::move(listener)) {}
  programs::SliceThread& slices() { return slices_; }
  const programs::DeviceTimePrograms& programs() const { return *programs_; }
  // Time since the first slice began.
  double seconds() const { return static_cast<double>(base::monotonic_ns() - begun_ns_) * 1e-9; }

  base::Expected<void> attach() override {
    tell(stats::SliceMoment::unwatched_to);
    return programs_->attach();
  }
  void detach() override { programs_->detach(); }
  void watch(bool on) override;
  bool may_go_on() override;
  bool any_in_flight() override { return programs_->in_flight() > 0; }
  void give_up() override { programs_->forget(); }
  void over() override {
    tell(stats::SliceMoment::over);
    tell(stats::SliceMoment::unwatched_from);
  }

 private:
  void tell(stats::SliceMoment moment) const {
    if (listener_) listener_(moment);
  }
  std::unique_ptr<programs::DeviceTimePrograms> programs_;
  std::function<void(stats::SliceMoment)> listener_;
  std::uint64_t begun_ns_ = 0, asked_ns_ = 0, passed_ = 0;
  programs::SliceThread slices_{*this, "fathom-device"};
};

void DeviceTimeWitness::Watched::watch(bool on) {
  if (!on) {
    programs_->choose_no_more();
    return tell(stats::SliceMoment::watched_to);
  }
  tell(stats::SliceMoment::watched_from);
  asked_ns_ = base::monotonic_ns();
  if (begun_ns_ == 0) begun_ns_ = asked_ns_;
  passed_ = programs_->passed();
  programs_->choose(asked_ns_,
                    asked_ns_ + std::clamp(2 * programs_->longest_ns(), kLeastSettling_ns, kMostSettling_ns));
}

bool DeviceTimeWitness::Watched::may_go_on() {
  const std::uint64_t now = base::monotonic_ns(), passed = programs_->passed();
  const double cost_ns = static_cast<double>(passed - passed_) * kCost_ns, ns = static_cast<double>(now - asked_ns_);
  asked_ns_ = now;
  passed_ = passed;
  return cost_ns <= kMostShare * ns;
}

DeviceTimeWitness::DeviceTimeWitness(std::string device, host::placement::Placement area) : area_(std::move(area)) {
  time_.device = std::move(device);
  if (area_.path.empty()) area_ = host::placement::place("/dev/" + time_.device);
}

DeviceTimeWitness::~DeviceTimeWitness() = default;

std::string DeviceTimeWitness::name() const { return result::kDeviceTimeOf + time_.device; }

base::Expected<void> DeviceTimeWitness::load() {
  const auto map = TargetMap::of(area_, TargetMap::Written::no);  // a swap file never moves
  if (!map) return map.error();
  if (map->disk() != time_.device) return another_disk(area_.path, map->disk(), time_.device);
  programs::TimedDevice device{.dev = map->disk_dev(), .bios = map->bios(), .ranges = {}};
  if (area_.path != "/dev/" + time_.device) {
    const auto part = host::disk::BlockTree().name_of(makedev(map->part_dev() >> 20, map->part_dev() & 0xFFFFF));
    for (const auto& on : map->sectors(host::disk::BlockTree().size_bytes(part)))
      device.ranges.push_back({on.begin, on.end});
    device.ranges = programs::joined(std::move(device.ranges));
  }
  auto programs = programs::DeviceTimePrograms::load(device);
  if (!programs) return programs.error();
  time_.by = device.bios ? "bios" : "block requests";
  watched_ = std::make_unique<Watched>(std::move(*programs), listener_);
  return {};
}

base::Expected<void> DeviceTimeWitness::prepare() {
  if (auto loaded = load(); !loaded) return loaded;
  return watched_->slices().begin_watching();
}

base::Expected<std::unique_ptr<programs::Sliced>> DeviceTimeWitness::toggle(std::string device,
                                                                            host::placement::Placement area) {
  DeviceTimeWitness timer(std::move(device), std::move(area));
  if (auto loaded = timer.load(); !loaded) return loaded.error();
  return std::unique_ptr<programs::Sliced>(std::move(timer.watched_));
}

base::Expected<void> DeviceTimeWitness::begin() {
  auto ok = prepare();
  begun_ = ok.ok();
  if (!ok) time_.cause = ok.error().what + (ok.error().cause.empty() ? "" : ": " + ok.error().cause);
  return ok;
}

result::WitnessReport DeviceTimeWitness::end() {
  result::WitnessReport report;
  if (!std::exchange(begun_, false)) return report;
  const double window_s = watched_->seconds();
  watched_->slices().end();
  const auto sums = watched_->programs().sums();
  result::AccessLatency* const ways[] = {&time_.read_ns, &time_.write_ns};
  std::uint64_t* const bytes[] = {&time_.read_bytes, &time_.write_bytes};
  for (int dir : {0, 1}) {
    ways[dir]->moments_ns = sums.moments_ns[dir];
    ways[dir]->histogram_ns = sums.histogram_ns[dir];
    *bytes[dir] = sums.bytes[dir];
    for (const bool ios : {true, false}) {
      result::Count c;
      c.source = "device_time";
      c.subject = time_.device;
      c.name = ios ? "ios" : "bytes";
      c.direction = dir == 0 ? "read" : "write";
      c.unit = ios ? "count" : "bytes";
      c.value = c.low = c.high = c.raw = static_cast<double>(ios ? sums.moments_ns[dir].n : sums.bytes[dir]);
      c.window_s = window_s;
      c.rule = time_.by + ", from begin to end";
      report.counts.push_back(std::move(c));
    }
  }
  take_the_rest(sums, window_s, report);
  return report;
}

void DeviceTimeWitness::take_the_rest(const programs::DeviceSums& sums, double window_s,
                                      result::WitnessReport& report) {
  time_.lost = sums.lost;
  time_.foreign = sums.foreign;
  time_.foreign_bytes = sums.foreign_bytes;
  time_.seen_share = window_s > 0 ? std::min(1.0, watched_->slices().watched_s() / window_s) : 1;
  const std::uint64_t seen = sums.moments_ns[0].n + sums.moments_ns[1].n;
  time_.cause = watched_->slices().cause();
  if (seen == 0 && time_.cause.empty())
    time_.cause = time_.by == "bios"
                      ? "no bio of the device was traced: nothing was swapped, or this kernel passes pages "
                        "without bios (rw_page, up to Linux 6.2)"
                      : "no request of the device was traced";
  if (static_cast<double>(time_.lost) > kLostShare * static_cast<double>(seen) && seen > 0)
    report.findings.push_back(result::findings::found(
        "device_time.lost",
        {.values = {{"device", time_.device}, {"lost_requests", time_.lost}, {"seen_requests", seen}}}));
}

}  // namespace fathom::pmu::trace
