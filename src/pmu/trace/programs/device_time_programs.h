// The BPF programs that time a device's requests (device_time.bpf.c), and their sums.
// Errors: as in split_programs.h. Thread rule: one thread at a time; passed() and in_flight() from any.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "stats/histogram.h"
#include "stats/moments.h"

namespace fathom::pmu::trace::programs {

struct SectorRange {
  std::uint64_t begin = 0, end = 0;
  bool operator==(const SectorRange&) const = default;
};
// In rising order, with adjacent ranges joined.
std::vector<SectorRange> joined(std::vector<SectorRange> ranges);

struct TimedDevice {
  std::uint32_t dev = 0;            // the disk: major << 20 | minor
  bool bios = false;                // it makes no requests
  std::vector<SectorRange> ranges;  // of the device, joined(); empty: all of it
};

struct DeviceSums {
  stats::Moments moments_ns[2];  // read, write
  stats::Histogram histogram_ns[2];
  std::uint64_t bytes[2] = {};
  std::uint64_t foreign = 0, foreign_bytes = 0;  // outside the ranges
  std::uint64_t lost = 0;                        // without a begin, an end, or room
};

class DeviceTimePrograms {
 public:
  static base::Expected<std::unique_ptr<DeviceTimePrograms>> load(const TimedDevice& device);
  ~DeviceTimePrograms();
  DeviceTimePrograms(const DeviceTimePrograms&) = delete;

  base::Expected<void> attach();
  void detach();
  // Selects requests that begin from now on. now_ns, settled_ns: CLOCK_MONOTONIC. A request that ends after settled_ns
  // began after now_ns.
  void choose(std::uint64_t now_ns, std::uint64_t settled_ns);
  void choose_no_more();
  void forget();  // counts requests in flight as lost
  std::uint64_t in_flight() const;
  std::uint64_t passed() const;  // begins on any device while attached: all of them have the overhead
  std::uint64_t longest_ns() const;
  DeviceSums sums() const;

 private:
  struct State;
  explicit DeviceTimePrograms(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fathom::pmu::trace::programs
