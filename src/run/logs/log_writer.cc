// Passes rows from a worker to the parent.
#include "run/logs/log_writer.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/time.h"
#include "job/fields/logs.h"
#include "job/fields/process_options.h"

namespace fathom::run::logs {
namespace {

constexpr std::uint64_t kWaitNs = 20'000;

// The I/O priority of this thread, as set by prio, prioclass and priohint. As in fio, it is 0 for a job without these
// options.
std::uint16_t priority_of(const job::Job& job) {
  constexpr int kThisThread = 1;  // IOPRIO_WHO_PROCESS
  if (!job.of<job::fields::ProcessOptions>().sets_io_priority()) return 0;
  const long prio = ::syscall(SYS_ioprio_get, kThisThread, 0);
  return prio < 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(prio);
}

}  // namespace

LogWriter::LogWriter(const job::Job& job, const records::WorkerRecord& record, LogRings* rings, std::size_t worker)
    : record_(record) {
  const auto& logs = job.of<job::fields::Logs>();
  if (rings == nullptr || !logs.any() || job.gtod_reduce) return;
  state_ = &rings->state(worker);
  ios_.emplace(state_->ios, rings->ios(worker));
  windows_.emplace(state_->windows, rings->windows(worker));
  histograms_.emplace(state_->histograms, rings->histograms(worker));
  rows_ = logs.rows_of_ios();
  window_ns_ = logs.avg_msec * kMillisecond_ns;
  if (logs.hist && !job.disable_clat) histogram_ns_ = logs.hist_msec * kMillisecond_ns;
  iolog_ = !logs.iolog.empty();
  only_rows_ = (rows_ || iolog_) && window_ns_ == 0 && histogram_ns_ == 0;
  prios_[0] = priority_of(job);
  const auto& of_commands = job.engine.of<io::CmdprioOptions>().values;
  for (std::size_t i = 0; i < of_commands.size(); ++i) prios_[i + 1] = of_commands[i].value();
  has_epoch_ = logs.alternate_epoch;
  epoch_clock_ = static_cast<clockid_t>(logs.epoch_clock);
}

void LogWriter::measuring_begins() {
  if (state_ != nullptr && has_epoch_)
    state_->epoch_ms.store(base::clock_ns(epoch_clock_) / kMillisecond_ns, std::memory_order_relaxed);
}

bool LogWriter::io_slowly(const IoRow& row) {
  bool waited = false;
  if (all_ != nullptr) {
    const std::lock_guard lock(all_->together_);
    all_->io(row);
    return true;
  }
  if (iolog_ || (rows_ && window_ns_ == 0)) {
    if (!ios_->try_push(row)) [[unlikely]]
      waited = wait_until([&] { return ios_->try_push(row); });
  }
  if (row.dir == io::Dir::sync) return waited;
  if (rows_ && window_ns_ != 0) {
    auto& window = state_->window[io::index(row.dir)];
    if (window.add(row, window_ns_)) waited = close_window(window);
  }
  if (histogram_ns_ != 0 && state_->mark[io::index(row.dir)].add(row, histogram_ns_)) waited |= close_histogram(row);
  return waited;
}

bool LogWriter::close_window(LogWindow& window) {
  const bool waited = !windows_->try_push(window.sums) && wait_until([&] { return windows_->try_push(window.sums); });
  window.begin_next(window_ns_);
  return waited;
}

bool LogWriter::close_histogram(const IoRow& row) {
  HistogramRow* slot = histograms_->next_slot();
  const bool waited = slot == nullptr && wait_until([&] { return (slot = histograms_->next_slot()) != nullptr; });
  slot->at_ns = row.at_ns;
  slot->length_bytes = row.length_bytes;
  slot->dir = row.dir;
  const std::size_t d = io::index(row.dir);
  copy_counts(record_.measured.dirs[d].clat_counts, *slot);
  for (const auto& part : parts_) add_counts(part.measured.dirs[d].clat_counts, *slot);
  histograms_->publish();
  return waited;
}

// It always ends: the parent takes rows until the last worker has ended.
template <class Take>
bool LogWriter::wait_until(const Take& take) {
  const std::uint64_t from_ns = base::monotonic_ns();
  do base::sleep_ns(kWaitNs);
  while (!take());
  state_->waits.fetch_add(1, std::memory_order_relaxed);
  state_->waited_ns.fetch_add(base::monotonic_ns() - from_ns, std::memory_order_relaxed);
  return true;
}

}  // namespace fathom::run::logs
