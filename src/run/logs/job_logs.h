// All logs of one job, in the parent: rows as they come out of the rings, then files. The rows are not the worker's, so
// that they are there however it ended. Thread rule: one at a time.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "run/logs/log_kinds.h"
#include "run/logs/log_rings.h"
#include "run/logs/log_store.h"
#include "run/records/record.h"

namespace fathom::run::logs {

class JobLogs {
 public:
  // number: of the job, from 1.
  JobLogs(const job::Job& job, std::size_t number, LogRings& rings, std::size_t worker, LogBudget& budget);
  // What is in the rings now. The share of the fullest ring that was in use.
  double drain();
  // The worker has ended: what it had summed up so far, then all files. An Error of each that could not be written.
  std::vector<base::Error> write(const records::WorkerRecord& record);

  const LogStore& rows() const { return rows_; }
  const LogState& state() const { return state_; }

 private:
  struct HistogramLine {
    std::uint64_t at_ns;
    std::uint32_t length_bytes;
    io::Dir dir;
    stats::Histogram counts;  // since the line before
  };
  void add_histogram(const HistogramRow& row);
  void end_windows(const records::WorkerRecord& record);
  void end_histograms(const records::WorkerRecord& record);
  int write_kind(const LogKind& kind, const std::string& path);
  int write_histograms(const std::string& path);

  const job::Job& job_;
  const std::size_t number_;
  LogState& state_;
  base::RingReader<IoRow> ios_;
  base::RingReader<WindowRow> windows_;
  base::RingReader<HistogramRow> histograms_;
  double slots_;
  LogStore rows_;
  std::vector<WindowRow> window_rows_;
  std::vector<HistogramLine> histogram_lines_;
  std::vector<std::uint64_t> counted_[io::kDataDirs];  // at the last line
};

}  // namespace fathom::run::logs
