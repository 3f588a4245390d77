// The worker's side of its logs: writes one row per I/O into a ring, or updates sums with log_avg_msec. It waits while
// the ring is full, because no row may be lost. LogState counts these waits and their time for the report.
#pragma once
#include <time.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "io/cmdprio.h"
#include "job/job.h"
#include "run/logs/log_rings.h"
#include "run/records/record.h"

namespace fathom::run::logs {

class LogWriter {
 public:
  // rings: null if no job of the run has logs.
  LogWriter(const job::Job& job, const records::WorkerRecord& record, LogRings* rings, std::size_t worker);
  // For one of several loops of a job: passes each row to `all`, one loop at a time.
  explicit LogWriter(LogWriter& all)
      : state_(all.state_),
        all_(&all),
        has_epoch_(all.has_epoch_),
        prios_(all.prios_),
        epoch_clock_(all.epoch_clock_),
        record_(all.record_) {}
  // parts: the job's record is their sum.
  void sum_over(std::span<const records::WorkerRecord> parts) { parts_ = parts; }
  bool any() const { return state_ != nullptr; }
  bool wants_syncs() const { return iolog_ && all_ == nullptr; }
  void measuring_begins();
  // The priority of an I/O: from cmdprio_*, or the job's.
  std::uint16_t prio_of(const io::Request& request) const { return prios_[request.flags >> io::kPriorityShift]; }
  // True: the worker had to wait, so the caller must read the clock again.
  bool io(const IoRow& row) {
    if (only_rows_ && ios_->try_push(row)) [[likely]]
      return false;
    return io_slowly(row);
  }

 private:
  bool io_slowly(const IoRow& row);
  bool close_window(LogWindow& window);
  bool close_histogram(const IoRow& row);
  template <class Take>
  bool wait_until(const Take& take);

  LogState* state_ = nullptr;  // null: no logs
  LogWriter* all_ = nullptr;   // set for one of several loops
  std::mutex together_;        // serializes the loops that pass rows to this writer
  std::span<const records::WorkerRecord> parts_;
  std::optional<base::RingWriter<IoRow>> ios_;
  std::optional<base::RingWriter<WindowRow>> windows_;
  std::optional<base::RingWriter<HistogramRow>> histograms_;
  std::uint64_t window_ns_ = 0, histogram_ns_ = 0;
  bool rows_ = false, only_rows_ = false, has_epoch_ = false, iolog_ = false;
  std::array<std::uint16_t, io::kMostPriorities + 1> prios_{};  // by the number in a request's flags; 0: the job's
  clockid_t epoch_clock_ = 0;
  const records::WorkerRecord& record_;
};

}  // namespace fathom::run::logs
