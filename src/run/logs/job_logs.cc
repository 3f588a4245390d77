// Takes rows out of the rings, and writes them to files.
#include "run/logs/job_logs.h"

#include <algorithm>
#include <queue>
#include <string_view>

#include "run/logs/log_file.h"
#include "run/logs/log_samples.h"
#include "trace/iolog_writer.h"

namespace fathom::run::logs {
namespace {

constexpr std::size_t kTaken = 4096;           // rows per read
constexpr std::size_t kStoredBytes = 1 << 20;  // sample bytes per zlib stream, if log_compression gives no size

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

LogStoreSettings store_settings(const job::Job& job, std::size_t number) {
  const auto& logs = job.of<job::fields::Logs>();
  const auto names = log_names(job, number);
  return {logs.entries, logs.compression, logs.compression_cpus, names.empty() ? "." : directory_of(names.front())};
}

// Writes lines to a file, as text or as samples.
class LineWriter {
 public:
  LineWriter(const job::fields::Logs& logs, std::string path, std::uint64_t most_dirty_bytes)
      : columns_(columns_of(logs)),
        stored_(logs.store_compressed),
        stream_bytes_(logs.compression != 0 ? logs.compression : kStoredBytes),
        file_(std::move(path), !logs.per_job, most_dirty_bytes) {}
  void add(const LogLine& line) {
    if (!stored_) {
      append_line(line, columns_, file_.text());
      return file_.end_line();
    }
    append_sample(line, columns_, raw_);
    if (raw_.size() >= stream_bytes_) end_stream();
  }
  int close() {
    if (!raw_.empty()) end_stream();
    return file_.close();
  }

 private:
  void end_stream() {
    file_.write(deflate_samples(raw_));
    raw_.clear();
  }
  const LogColumns columns_;
  const bool stored_;
  const std::size_t stream_bytes_;
  std::string raw_;
  LogFile file_;
};

std::uint64_t start_of(const IoRow& row) {
  const auto lat_ns = row.latency_ns[std::size_t(LatencyKind::lat)];
  return row.at_ns - std::min(row.at_ns, lat_ns);
}

trace::Event event_of(const IoRow& row, std::uint64_t start_ns) {
  using trace::Action;
  constexpr Action kActions[] = {Action::read, Action::write, Action::trim, Action::sync};
  const bool sync = row.dir == io::Dir::sync;
  trace::Event event;
  event.time_ns = start_ns;
  event.offset_bytes = sync ? 0 : row.offset_bytes;
  event.length_bytes = sync ? 0 : row.length_bytes;
  event.file = row.target;
  event.action = sync && (row.sync_flags & io::kDataSync) != 0 ? Action::datasync : kActions[io::index(row.dir)];
  return event;
}

base::Error not_written(const std::string& path, int err) {
  auto e = base::system_error("the log " + path, err);
  e.help =
      err == ENOSPC
          ? "free space, or write the logs to another disk (write_*_log=PREFIX); log_avg_msec= makes the logs smaller"
          : "name a writable directory in write_*_log=";
  return e;
}

}  // namespace

JobLogs::JobLogs(const job::Job& job, std::size_t number, LogRings& rings, std::size_t worker, LogBudget& budget,
                 std::vector<std::string> files)
    : job_(job),
      number_(number),
      state_(rings.state(worker)),
      ios_(state_.ios, rings.ios(worker)),
      windows_(state_.windows, rings.windows(worker)),
      histograms_(state_.histograms, rings.histograms(worker)),
      slots_(static_cast<double>(rings.ios(worker).size())),
      files_(std::move(files)),
      rows_(store_settings(job, number), budget) {}

double JobLogs::drain() {
  const double used = static_cast<double>(ios_.waiting()) / slots_;
  thread_local std::vector<IoRow> ios(kTaken);
  while (const std::size_t n = ios_.take(ios)) rows_.add(std::span(ios).first(n));
  WindowRow window;
  while (windows_.take({&window, 1}) != 0) window_rows_.push_back(window);
  thread_local std::vector<HistogramRow> histogram(1);
  while (histograms_.take(histogram) != 0) add_histogram(histogram.front());
  return used;
}

// The counters only grow: each line contains the difference to the previous one.
void JobLogs::add_histogram(const HistogramRow& row) {
  auto& before = counted_[io::index(row.dir)];
  before.resize(stats::kFioBuckets);
  std::vector<std::uint64_t> grown(stats::kFioBuckets);
  for (std::size_t i = 0; i < grown.size(); ++i) grown[i] = row.counts[i] - before[i];
  std::copy_n(row.counts, before.size(), before.begin());
  histogram_lines_.push_back({row.at_ns, row.length_bytes, row.dir, stats::Histogram(grown)});
}

// Adds the last window of each direction. It ends with the job, or, if the job was killed, with its last I/O.
void JobLogs::end_windows(const records::WorkerRecord& record) {
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    auto& window = state_.window[d];
    if (window.sums.ios == 0) continue;
    window.sums.until_ns = std::max(record.flying_ns.load(), window.last_ns);
    window.sums.dir = static_cast<io::Dir>(d);
    window_rows_.push_back(window.sums);
    window.sums = {};
  }
}

// fio drops the I/Os after the last line. Here the lines add up to all I/Os.
void JobLogs::end_histograms(const records::WorkerRecord& record) {
  const auto& logs = job_.of<job::fields::Logs>();
  if (!logs.hist || logs.hist_msec == 0 || job_.disable_clat) return;
  std::vector<HistogramRow> last(1);
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const auto& mark = state_.mark[d];
    if (mark.close_at_ns == 0) continue;
    last[0] = {std::max(record.flying_ns.load(), mark.last_ns), mark.last_length_bytes, static_cast<io::Dir>(d), {}};
    copy_counts(record.measured.dirs[d].clat_counts, last[0]);
    add_histogram(last[0]);
    if (histogram_lines_.back().counts.total() == 0) histogram_lines_.pop_back();
  }
}

int JobLogs::write_kind(const LogKind& kind, const std::string& path) {
  const auto& logs = job_.of<job::fields::Logs>();
  LineWriter file(logs, path, rows_.most_dirty_bytes());
  const std::uint64_t epoch_ms = state_.epoch_ms.load();
  const auto put = [&](const std::optional<LogLine>& line) {
    if (line) file.add(*line);
  };
  int unread = 0;
  if (kind.has_lines(job_)) {
    for (const auto& row : window_rows_) put(line_of(kind, row, logs.window_value, epoch_ms));
    if (logs.avg_msec == 0)
      unread = rows_.read([&](std::span<const IoRow> rows) {
        for (const auto& row : rows)
          if (row.dir != io::Dir::sync) put(line_of(kind, row, epoch_ms));
      });
  }
  const int unwritten = file.close();
  return unwritten != 0 ? unwritten : unread;
}

int JobLogs::write_histograms(const std::string& path) {
  const auto& logs = job_.of<job::fields::Logs>();
  LogFile file(path, !logs.per_job, rows_.most_dirty_bytes());
  std::vector<std::uint64_t> counts(stats::kFioBuckets);
  for (const auto& line : histogram_lines_) {
    std::fill(counts.begin(), counts.end(), 0);
    for (const auto& bin : line.counts.bins()) counts[bin.bucket] = bin.count;
    append_histogram_line(line.at_ns / kMillisecond_ns + state_.epoch_ms.load(), line.dir, line.length_bytes, counts,
                          logs.hist_coarseness, file.text());
    file.end_line();
  }
  return file.close();
}

// The rows are in the order of completion; lines are in the order of the starts. An I/O that took so long that
// kMostSorted others were completed before it comes too late.
int JobLogs::write_iolog(const std::string& path) {
  constexpr std::size_t kMostSorted = 1 << 18;
  LogFile file(path, false, rows_.most_dirty_bytes());
  trace::IologWriter writer([&](std::string_view text) {
    file.text() += text;
    file.end_line();
    return base::Expected<void>();
  });
  for (const auto action : {trace::Action::add, trace::Action::open})
    for (std::uint32_t i = 0; i < files_.size(); ++i)
      static_cast<void>(writer.write({.file = i, .action = action}, files_));
  using Waiting = std::pair<IoRow, std::uint64_t>;  // with its number: rows of the same start keep their order
  const auto later = [](const Waiting& a, const Waiting& b) {
    return std::pair(start_of(a.first), a.second) > std::pair(start_of(b.first), b.second);
  };
  std::priority_queue<Waiting, std::vector<Waiting>, decltype(later)> waiting(later);
  std::uint64_t last_ns = 0, rows_seen = 0;
  const auto put_first = [&] {
    const IoRow& row = waiting.top().first;
    const std::uint64_t start_ns = start_of(row);
    if (start_ns < last_ns) ++unsorted_lines_;
    last_ns = start_ns;
    // The sink never fails: the file keeps its error.
    static_cast<void>(writer.write(event_of(row, start_ns), files_));
    waiting.pop();
  };
  const int unread = rows_.read([&](std::span<const IoRow> rows) {
    for (const auto& row : rows) {
      waiting.push({row, rows_seen++});
      if (waiting.size() > kMostSorted) put_first();
    }
  });
  while (!waiting.empty()) put_first();
  static_cast<void>(writer.finish(files_));
  const int unwritten = file.close();
  return unwritten != 0 ? unwritten : unread;
}

std::vector<base::Error> JobLogs::write(const records::WorkerRecord& record) {
  if (record.begun_ns == 0) return {};  // as in fio: a job that could not start leaves older logs unchanged
  drain();
  end_windows(record);
  end_histograms(record);
  const auto& logs = job_.of<job::fields::Logs>();
  std::vector<base::Error> errors;
  const auto note = [&](const std::string& path, int err) {
    if (err != 0) errors.push_back(not_written(path, err));
  };
  for (const auto& kind : log_kinds()) {
    if (!(logs.*kind.prefix) || !kind.written(job_)) continue;
    const auto path = log_name(*(logs.*kind.prefix), kind.suffix, job_, number_, logs.store_compressed);
    note(path, write_kind(kind, path));
  }
  if (!logs.iolog.empty()) note(logs.iolog, write_iolog(logs.iolog));
  if (logs.hist) {
    const auto path = log_name(*logs.hist, kHistogramSuffix, job_, number_, false);
    note(path, write_histograms(path));
  }
  return errors;
}

}  // namespace fathom::run::logs
