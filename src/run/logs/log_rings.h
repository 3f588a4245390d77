// The way of logs out of the workers: rings in memory shared with the parent, and what a window has summed up so far, so
// that nothing is lost when a worker dies. Made before the workers start, for jobs with logs; pages are touched as rings
// fill for the first time.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/spsc_ring.h"
#include "base/system/shared_memory.h"
#include "run/logs/log_window.h"

namespace fathom::run::logs {

// A worker's.
struct LogState {
  base::RingEnds ios, windows, histograms;
  std::atomic<std::uint64_t> epoch_ms;          // of log_alternate_epoch's clock when the measured part began
  std::atomic<std::uint64_t> waits, waited_ns;  // for room in a ring
  LogWindow window[io::kDataDirs];
  HistogramMark mark[io::kDataDirs];
};

class LogRings {
 public:
  // most_bytes: of the rows of single I/Os, of all workers together, as far as the smallest rings do not take more.
  explicit LogRings(std::size_t workers, std::uint64_t most_bytes = ~0ull)
      : io_slots_(slots_of(workers, most_bytes / sizeof(IoRow))),
        states_(workers),
        ios_(workers * io_slots_),
        windows_(workers * kWindows),
        histograms_(workers * kHistograms) {}
  LogState& state(std::size_t worker) { return states_[worker]; }
  std::span<IoRow> ios(std::size_t worker) { return {&ios_[worker * io_slots_], io_slots_}; }
  std::span<WindowRow> windows(std::size_t worker) { return {&windows_[worker * kWindows], kWindows}; }
  std::span<HistogramRow> histograms(std::size_t worker) { return {&histograms_[worker * kHistograms], kHistograms}; }

 private:
  // 65,536 rows are 65 ms of a million I/Os a second; all rings together take no more than 96 MiB.
  static constexpr std::size_t kMost = 1 << 16, kLeast = 1 << 10, kTogether = 1 << 21;
  static constexpr std::size_t kWindows = 256, kHistograms = 16;
  static std::size_t slots_of(std::size_t workers, std::uint64_t most) {
    std::size_t slots = kMost;
    while (slots > kLeast && slots * workers > std::min<std::uint64_t>(kTogether, most)) slots /= 2;
    return slots;
  }

  std::size_t io_slots_;
  base::system::SharedArray<LogState> states_;
  base::system::SharedArray<IoRow> ios_;
  base::system::SharedArray<WindowRow> windows_;
  base::system::SharedArray<HistogramRow> histograms_;
};

}  // namespace fathom::run::logs
