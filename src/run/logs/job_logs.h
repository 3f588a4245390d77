// All logs of one job, in the parent: takes rows out of the rings, then writes the files. The parent keeps the rows, so
// they survive any end of the worker. Thread rule: one thread at a time.
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
  // number: the job's number, from 1.
  // files: names of the job's targets, for write_iolog=.
  JobLogs(const job::Job& job, std::size_t number, LogRings& rings, std::size_t worker, LogBudget& budget,
          std::vector<std::string> files = {});
  // Takes all rows out of the rings. Returns the used share of the fullest ring.
  double drain();
  // Call when the worker has ended: adds its unfinished sums, then writes all files. One Error per file that failed.
  std::vector<base::Error> write(const records::WorkerRecord& record);

  const LogStore& rows() const { return rows_; }
  const LogState& state() const { return state_; }
  // write_iolog=: lines whose time is before that of their predecessor, because an I/O took too long to be sorted.
  std::uint64_t unsorted_lines() const { return unsorted_lines_; }

 private:
  struct HistogramLine {
    std::uint64_t at_ns;
    std::uint32_t length_bytes;
    io::Dir dir;
    stats::Histogram counts;  // since the previous line
  };
  void add_histogram(const HistogramRow& row);
  void end_windows(const records::WorkerRecord& record);
  void end_histograms(const records::WorkerRecord& record);
  int write_kind(const LogKind& kind, const std::string& path);
  int write_histograms(const std::string& path);
  int write_iolog(const std::string& path);

  const job::Job& job_;
  const std::size_t number_;
  LogState& state_;
  base::RingReader<IoRow> ios_;
  base::RingReader<WindowRow> windows_;
  base::RingReader<HistogramRow> histograms_;
  double slots_;
  const std::vector<std::string> files_;
  LogStore rows_;
  std::vector<WindowRow> window_rows_;
  std::vector<HistogramLine> histogram_lines_;
  std::uint64_t unsorted_lines_ = 0;
  std::vector<std::uint64_t> counted_[io::kDataDirs];  // at the previous line
};

}  // namespace fathom::run::logs
