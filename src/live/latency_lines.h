// What a terminal shows below fio's status line while jobs run: a line for each direction that is used, with its rate, its
// latencies of the last second and the rates of the last minute drawn. p99.9 only where there are 1,000 I/Os for it. Pure:
// the caller prints them.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "run/runner.h"

namespace fathom::live {

inline constexpr const char* kDirectionNames[io::kDataDirs] = {"read", "write", "trim"};

class LatencyLines {
 public:
  std::vector<std::string> look(const run::Progress& p, std::size_t columns, bool utf8);

 private:
  static constexpr std::size_t kKept = 120;  // looks
  std::array<std::vector<double>, io::kDataDirs> ios_per_s_;
};

// Percentiles that may be told of so many latencies.
struct ToldLatency {
  std::uint64_t n = 0;
  std::optional<std::uint64_t> p50_ns, p99_ns, p999_ns;
};
ToldLatency told(const result::Latency& latency);

}  // namespace fathom::live
