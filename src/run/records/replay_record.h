// read_iolog=: what a worker replayed, in its record. The job's thread and the thread that reads the trace write
// different members. All-zero bytes are valid. Thread rule: as named at the members.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fathom::run::records {

// I/Os by time, in intervals of a second. If they are more than kBins, intervals of two seconds, four, and so on.
struct RateBins {
  static constexpr std::size_t kBins = 1024;
  std::uint64_t doublings;  // an interval has 2^doublings seconds
  std::uint64_t used;       // up to the last interval with an I/O
  std::uint64_t ios[kBins];

  void add(std::uint64_t at_ns) {
    std::uint64_t at = (at_ns / 1'000'000'000) >> doublings;
    while (at >= kBins) [[unlikely]] {
        halve();
        at >>= 1;
      }
    ++ios[at];
    used = std::max(used, at + 1);
  }
  void halve() {
    for (std::size_t i = 0; i < kBins / 2; ++i) ios[i] = ios[2 * i] + ios[2 * i + 1];
    std::fill(ios + kBins / 2, ios + kBins, 0);
    used = (used + 1) / 2;
    ++doublings;
  }
};

struct ReplayRecord {
  // By the thread that reads the trace.
  struct Skip {
    char reason[80], first[40];
    std::uint64_t records;
  };
  static constexpr std::size_t kSkips = 24;
  Skip skips[kSkips];
  std::uint64_t records, times_back;
  char notes[6][240];  // of the reader: what it assumed
  // By the job's thread.
  std::uint64_t wanted_ios, recorded_ns, reader_waits;
  std::uint64_t replayed_ns, last_late_ns, started_out_of_order, ended_out_of_order;
  RateBins recorded, achieved;
};

}  // namespace fathom::run::records
