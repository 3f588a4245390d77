// profile=act: Aerospike's rule for a device. In each hour, less than 5 % of the reads may take longer than 1 ms, less
// than 1 % longer than 8 ms, and less than 0.1 % longer than 64 ms. All hours of all devices must pass.
// A partial hour at the end counts as one. Pure.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "result/result.h"

namespace fathom::audit {

inline constexpr std::uint64_t kActHourNs = 3'600'000'000'000;
inline constexpr std::size_t kActLimits = 3;

// Reads so far, and how many exceeded each limit.
struct ActCounts {
  std::uint64_t reads = 0;
  std::array<std::uint64_t, kActLimits> late{};
};
ActCounts act_counts(const stats::Histogram& lat_ns);
// Percentages of the reads after `before`.
std::array<double, kActLimits> act_late_percent(const ActCounts& before, const ActCounts& now);
bool act_passes(const std::array<double, kActLimits>& late_percent);

class ActHours {
 public:
  // Call this with the measurements so far. False: no hour has ended. end() takes the final result.
  bool hour_over(const result::Run& so_far);
  void end(const result::Run& run);
  bool passed() const { return passed_; }
  // A line per hour and device, and the verdict in fio's words; empty: no reads.
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
