// Transport of log rows out of the workers: rings in memory shared with the parent, and the sums of the open window, so
// that no row is lost when a worker dies. Created before the workers start, for jobs with logs. A page is first touched
// when its ring fills up to it.
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

// State of one worker.
struct LogState {
  base::RingEnds ios, windows, histograms;
  std::atomic<std::uint64_t> epoch_ms;          // measured part began, by log_alternate_epoch's clock
  std::atomic<std::uint64_t> waits, waited_ns;  // waits for space in a ring
  LogWindow window[io::kDataDirs];
  HistogramMark mark[io::kDataDirs];
};

class LogRings {
 public:
  // most_bytes: limit for the rows of single I/Os, all workers together; rings of the smallest size may exceed it.
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
  // 65,536 rows cover 65 ms at a million I/Os per second. All rings together take at most 96 MiB.
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
