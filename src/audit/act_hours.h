// profile=act: Aerospike's rule for a device. Of the reads of each hour under 5 % may take longer than 1 ms, under 1 %
// longer than 8 ms, under 0.1 % longer than 64 ms; all hours of all devices have to keep it. The part of an hour that is
// left at the end counts as one. Pure.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "result/result.h"

namespace fathom::audit {

inline constexpr std::uint64_t kActHourNs = 3'600'000'000'000;
inline constexpr std::size_t kActLimits = 3;

// Reads so far, and how many of them took longer than each limit.
struct ActCounts {
  std::uint64_t reads = 0;
  std::array<std::uint64_t, kActLimits> late{};
};
ActCounts act_counts(const stats::Histogram& lat_ns);
// Of what came after `before`.
std::array<double, kActLimits> act_late_percent(const ActCounts& before, const ActCounts& now);
bool act_passes(const std::array<double, kActLimits>& late_percent);

class ActHours {
 public:
  // What the run has measured so far: at the end of each hour, and at its end. False: no hour is over.
  bool hour_over(const result::Run& so_far);
  void end(const result::Run& run);
  bool passed() const { return passed_; }
  // A line an hour and device, and the verdict in fio's words; empty: nothing was read.
  std::string text() const;

 private:
  void add(const result::Run& run);
  struct Device {
    std::string name;
    ActCounts before;
  };
  std::vector<Device> devices_;
  unsigned hours_ = 0;
  bool passed_ = true;
  std::string lines_;
};

}  // namespace fathom::audit
