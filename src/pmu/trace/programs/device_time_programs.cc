// Each CPU has separate sums, which are added when they are read.
#include "pmu/trace/programs/device_time_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <span>
#include <utility>

#include "pmu/trace/programs/device_time.h"
#include "pmu/trace/programs/libbpf.h"
#include "pmu/trace/programs/loaded_object.h"

namespace fathom::pmu::trace::programs {
namespace {

constexpr unsigned char kObject[] = {
#include "fathom_device_time_object.h"
};

// As in device_time.bpf.c.
struct Setup {
  std::uint32_t dev, spare;
};

using Word = unsigned long long;
Word now_in(Word& word) { return std::atomic_ref(word).load(std::memory_order_relaxed); }

stats::Moments moments_of(const TimeSum& sum) {
  stats::Moments m;
  m.n = sum.n;
  m.max = sum.max;
  m.min_inverted = sum.min_inverted;
  m.sum = sum.sum;
  m.sum_squares = static_cast<unsigned __int128>(sum.squares_high) << 64 | sum.squares_low;
  return m;
}

stats::Histogram histogram_of(const TimeSum& sum) {
  std::vector<std::uint64_t> counts(std::begin(sum.counts), std::end(sum.counts));
  return stats::Histogram(std::span<const std::uint64_t>(counts));
}

}  // namespace

struct DeviceTimePrograms::State {
  std::unique_ptr<LoadedObject> object;
  Mapping control, times, stretches;
  std::size_t cpus = 1;
  std::uint64_t given_up = 0;

  base::Expected<void> open(const TimedDevice& device);
  base::Expected<void> map_all(const TimedDevice& device);
  DeviceControl& settings() const { return control.as<DeviceControl>(1)[0]; }
  std::uint64_t sum_of(Word DeviceTimes::*member) const {
    std::uint64_t sum = 0;
    for (auto& cpu : times.as<DeviceTimes>(cpus)) sum += now_in(cpu.*member);
    return sum;
  }
};

base::Expected<void> DeviceTimePrograms::State::open(const TimedDevice& device) {
  if (device.ranges.size() > kMostStretches) {
    base::Error e;
    e.kind = base::ErrorKind::io;
    e.what = fmt::format("the swap area has {} pieces, and at most {} can be traced", device.ranges.size(),
                         static_cast<int>(kMostStretches));
    return e;
  }
  auto opened = LoadedObject::open(kObject);
  if (!opened) return opened.error();
  object = std::move(*opened);
  const int possible = (*libbpf())->possible_cpus();
  cpus = static_cast<std::size_t>(std::max(possible, 1));
  object->set_entries("times", static_cast<std::uint32_t>(cpus));
  object->set_entries("stretches", static_cast<std::uint32_t>(std::max<std::size_t>(device.ranges.size(), 1)));
  if (device.bios)
    object->use_only({"on_queue", "on_bio_done"});
  else
    object->use_only({"on_issue", "on_request_done"});
  if (auto ok = object->set_constants(Setup{device.dev, 0}); !ok) return ok;
  return object->load();
}

base::Expected<void> DeviceTimePrograms::State::map_all(const TimedDevice& device) {
  const std::size_t ranges = device.ranges.size();
  int err = object->map("control", sizeof(DeviceControl), control);
  if (err == 0) err = object->map("times", cpus * sizeof(DeviceTimes), times);
  if (err == 0 && ranges > 0) err = object->map("stretches", ranges * sizeof(Stretch), stretches);
  if (err != 0) return base::system_error("map the memory that BPF programs share", err);
  for (std::size_t i = 0; i < ranges; ++i)
    stretches.as<Stretch>(ranges)[i] = {device.ranges[i].begin, device.ranges[i].end};
  settings().stretches = static_cast<unsigned>(ranges);
  return {};
}

base::Expected<std::unique_ptr<DeviceTimePrograms>> DeviceTimePrograms::load(const TimedDevice& device) {
  auto state = std::make_unique<State>();
  if (auto ok = state->open(device); !ok) return ok.error();
  if (auto ok = state->map_all(device); !ok) return ok.error();
  return std::unique_ptr<DeviceTimePrograms>(new DeviceTimePrograms(std::move(state)));
}

DeviceTimePrograms::DeviceTimePrograms(std::unique_ptr<State> state) : state_(std::move(state)) {}
DeviceTimePrograms::~DeviceTimePrograms() = default;

base::Expected<void> DeviceTimePrograms::attach() { return state_->object->attach(); }
void DeviceTimePrograms::detach() { state_->object->detach(); }

void DeviceTimePrograms::choose(std::uint64_t now_ns, std::uint64_t settled_ns) {
  auto& settings = state_->settings();
  std::atomic_ref(settings.chosen_ns).store(now_ns);
  std::atomic_ref(settings.settled_ns).store(settled_ns);
  std::atomic_ref(settings.slice).fetch_add(1);
  std::atomic_ref(settings.choosing).store(1);
}

void DeviceTimePrograms::choose_no_more() { std::atomic_ref(state_->settings().choosing).store(0); }

// Completions of these I/Os, if any, then find the number of another slice.
void DeviceTimePrograms::forget() {
  std::atomic_ref(state_->settings().slice).fetch_add(1);
  state_->given_up += in_flight();
}

std::uint64_t DeviceTimePrograms::in_flight() const {
  const auto& s = *state_;
  const std::uint64_t over = s.sum_of(&DeviceTimes::ended) + s.sum_of(&DeviceTimes::forgotten) + s.given_up;
  const std::uint64_t begun = s.sum_of(&DeviceTimes::begun);
  return begun > over ? begun - over : 0;
}

std::uint64_t DeviceTimePrograms::passed() const { return state_->sum_of(&DeviceTimes::passed); }

std::uint64_t DeviceTimePrograms::longest_ns() const {
  std::uint64_t longest = 0;
  for (auto& cpu : state_->times.as<DeviceTimes>(state_->cpus))
    for (auto& sum : cpu.of) longest = std::max<std::uint64_t>(longest, now_in(sum.max));
  return longest;
}

DeviceSums DeviceTimePrograms::sums() const {
  const auto& s = *state_;
  DeviceSums out;
  for (const auto& cpu : s.times.as<DeviceTimes>(s.cpus))
    for (int dir : {0, 1}) {
      if (cpu.of[dir].n == 0) continue;
      out.moments_ns[dir].merge(moments_of(cpu.of[dir]));
      out.histogram_ns[dir].merge(histogram_of(cpu.of[dir]));
      out.bytes[dir] += cpu.of[dir].bytes;
    }
  out.foreign = s.sum_of(&DeviceTimes::foreign);
  out.foreign_bytes = s.sum_of(&DeviceTimes::foreign_bytes);
  out.lost = s.sum_of(&DeviceTimes::forgotten) + s.sum_of(&DeviceTimes::no_room) + s.sum_of(&DeviceTimes::unbegun) +
             s.given_up;
  return out;
}

}  // namespace fathom::pmu::trace::programs
