// The lines that a terminal shows below fio's status line while jobs run. Each direction in use has a line: its rate,
// its latencies of the last second, and a drawing of its rates of the last minute. p99.9 is shown only from 1,000 I/Os
// on. Pure: the caller prints the lines.
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
  static constexpr std::size_t kKept = 120;  // calls of look()
  std::array<std::vector<double>, io::kDataDirs> ios_per_s_;
};

// The percentiles for which there are enough latencies.
struct ToldLatency {
  std::uint64_t n = 0;
  std::optional<std::uint64_t> p50_ns, p99_ns, p999_ns;
};
ToldLatency told(const result::Latency& latency);

}  // namespace fathom::live
