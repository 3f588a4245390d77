// Runs the thread that takes log rows during the run.
#include "run/log_keeper.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/files/place.h"
#include "base/time.h"
#include "job/fields/report_as.h"
#include "result/findings/rows.h"
#include "run/logs/log_file.h"
#include "run/records/limits.h"
#include "run/records/setup_error.h"
#include "trace/iolog_writer.h"

namespace fathom::run {
namespace {

// The names of the targets in write_iolog=. Those of an engine without files are named after the job.
std::vector<std::string> iolog_names(const files::Plan& plan) {
  std::vector<std::string> names;
  for (const auto& t : plan.targets)
    names.push_back(!t.path.empty() ? t.path
                                    : fmt::format("{}.{}.{}", base::files::file_name_of(plan.job.name), plan.job.subjob,
                                                  names.size()));
  return names;
}

constexpr std::uint64_t kShortestNs = 100'000, kLongestNs = 10'000'000;
constexpr std::uint64_t kMostMemory = 1ull << 30;

// --bandwidth-log: the shortest sample interval of all jobs.
std::uint64_t sample_of_all_ns(const std::vector<files::Plan>& plans) {
  std::uint32_t shortest_ms = job::fields::ReportAs().bw_window_ms;
  if (!plans.empty()) shortest_ms = plans.front().job.of<job::fields::ReportAs>().bw_window_ms;
  for (const auto& plan : plans) shortest_ms = std::min(shortest_ms, plan.job.of<job::fields::ReportAs>().bw_window_ms);
  return std::uint64_t{shortest_ms} * 1'000'000;
}

// The machine's memory in bytes; 0: unknown.
std::uint64_t machine_memory() {
  const auto pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  return pages <= 0 || page <= 0 ? 0 : static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

// An eighth of the machine's memory, at most an eighth of the cgroups' limit, at most 1 GiB. If the machine's memory is
// unknown, 128 MiB instead of its eighth.
std::uint64_t default_memory() {
  const std::uint64_t most = std::min(kMostMemory, records::memory_limit_bytes("") / 8), all = machine_memory();
  return std::min(most, all == 0 ? kMostMemory / 8 : all / 8);
}

// The most dirty bytes per log file: an eighth of the cgroups' limit, divided by the number of jobs, at least 1 MiB. 0:
// no cgroup sets a limit below the machine's memory.
std::uint64_t most_dirty(std::size_t files) {
  constexpr std::uint64_t kLeast = 1u << 20;
  const std::uint64_t limit = records::memory_limit_bytes("");
  return limit >= machine_memory() ? 0 : std::max(kLeast, limit / 8 / std::max<std::size_t>(files, 1));
}

void refuse_where_unwritable(files::Plan& plan, std::size_t number) {
  if (plan.failed) return;
  if (!plan.job.of<job::fields::Logs>().iolog.empty())
    for (const auto& name : iolog_names(plan)) {
      const auto fits = trace::check_iolog_name(name);
      if (fits) continue;
      plan.failed = fits.error();
      plan.failed->place = plan.job.place;
      return;
    }
  for (const auto& name : logs::log_names(plan.job, number)) {
    const auto may = logs::may_write(name);
    if (may) continue;
    auto e = may.error();
    if (e.help.empty()) e.help = "name an existing, writable directory in write_*_log=";
    e.place = plan.job.place;
    plan.failed = e;
    return;
  }
}

std::optional<io::PerDir<std::uint64_t>> moved_by(const std::vector<records::WorkerRecord*>& records) {
  io::PerDir<std::uint64_t> bytes{};
  bool any = false;
  for (const auto* record : records) {
    const auto phase = record->get_phase();
    if (phase == records::Phase::ramp) return std::nullopt;
    if (phase < records::Phase::running) continue;
    any = true;
    for (std::size_t d = 0; d < io::kDataDirs; ++d) bytes[d] += record->measured.done.bytes[d].get();
  }
  if (!any) return std::nullopt;
  return bytes;
}

}  // namespace

std::unique_ptr<LogKeeper> LogKeeper::make(std::vector<files::Plan>& plans, const LogWishes& wishes) {
  const bool any =
      std::any_of(plans.begin(), plans.end(), [](const files::Plan& p) { return p.job.of<job::fields::Logs>().any(); });
  if (!any && !wishes.bandwidth_log) return nullptr;
  return std::unique_ptr<LogKeeper>(new LogKeeper(plans, wishes));
}

LogKeeper::LogKeeper(std::vector<files::Plan>& plans, const LogWishes& wishes)
    : plans_(plans),
      wishes_(wishes),
      budget_{wishes.memory_bytes != 0 ? wishes.memory_bytes : default_memory(), most_dirty(plans.size())} {
  if (wishes.bandwidth_log) aggregate_.emplace(sample_of_all_ns(plans));
  logs_.resize(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!plans[i].job.of<job::fields::Logs>().any()) continue;
    refuse_where_unwritable(plans[i], i + 1);
    if (plans[i].failed) continue;
    if (!rings_) rings_.emplace(plans.size(), records::memory_limit_bytes("") / 8);
    logs_[i] = std::make_unique<logs::JobLogs>(plans[i].job, i + 1, *rings_, i, budget_, iolog_names(plans[i]));
  }
}

LogKeeper::~LogKeeper() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(lock_);
    over_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void LogKeeper::begin(std::vector<records::WorkerRecord*> records) {
  records_ = std::move(records);
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { take_rows(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  // Waits until the thread has started. The workers are forked next, and start threads. A starting thread holds locks
  // for a moment (a sanitizer's list of threads). After a fork at that moment, these locks would stay locked in the
  // worker.
  std::unique_lock lock(lock_);
  wake_.wait(lock, [&] { return takes_; });
}

void LogKeeper::take_rows() {
  std::uint64_t pause_ns = kLongestNs / 10;
  std::unique_lock lock(lock_);
  takes_ = true;
  wake_.notify_all();
  while (!over_) {
    double used = 0;
    for (const auto& logs : logs_)
      if (logs) used = std::max(used, logs->drain());
    look_at_all();
    if (used > 0.25) pause_ns = std::max(kShortestNs, pause_ns / 2);
    if (used < 0.06) pause_ns = std::min(kLongestNs, pause_ns * 2);
    wake_.wait_for(lock, std::chrono::nanoseconds(used > 0.5 ? 1 : pause_ns));
  }
}

void LogKeeper::look_at_all() {
  const std::uint64_t now_ns = base::monotonic_ns();
  if (aggregate_ && now_ns >= next_look_ns_) next_look_ns_ = aggregate_->look(now_ns, moved_by(records_));
}

void LogKeeper::write(std::size_t first, std::size_t last) {
  const std::lock_guard lock(lock_);
  for (std::size_t i = first; i < last; ++i) {
    if (!logs_[i]) continue;
    const auto logs = std::move(logs_[i]);
    for (const auto& error : logs->write(*records_[i]))
      records::record_setup_error(*records_[i], error, error.sys_errno);
    if (logs->rows().error() != 0) {
      auto e = base::system_error(fmt::format("{} rows of the log are lost: its spill file", logs->rows().lost_rows()),
                                  logs->rows().error());
      e.help =
          "free space, or write the logs to another disk (write_*_log=PREFIX); log_avg_msec= makes the logs smaller";
      records::record_setup_error(*records_[i], e, logs->rows().error());
    }
    add_findings(plans_[i].job, *logs);
  }
}

void LogKeeper::add_findings(const job::Job& job, const logs::JobLogs& logs) {
  const auto add = [&](const char* id, std::vector<result::FindingValue> values = {}) {
    findings_.push_back(result::findings::found(id, {.job = job.name, .values = std::move(values)}));
  };
  const auto& wishes = job.of<job::fields::Logs>();
  if (job.gtod_reduce) add("log.no_stamps");
  if (wishes.hist && wishes.hist_msec == 0) add("log.no_histograms");
  if (logs.unsorted_lines() > 0) add("log.iolog_unsorted", {{"lines", logs.unsorted_lines()}});
  if (const auto waits = logs.state().waits.load(); waits > 0)
    add("log.job_waited", {{"waits", waits}, {"waited_ms", static_cast<double>(logs.state().waited_ns.load()) / 1e6}});
  if (logs.rows().spilled_bytes() > 0) add("log.spilled", {{"spilled_mib", (logs.rows().spilled_bytes() >> 20) + 1}});
}

std::vector<result::Finding> LogKeeper::end() {
  const std::lock_guard lock(lock_);
  if (aggregate_)
    for (const auto& error : aggregate_->write(*wishes_.bandwidth_log))
      findings_.push_back(result::findings::found("log.not_written", {.values = {{"cause", error.what}}}));
  return std::move(findings_);
}

}  // namespace fathom::run
