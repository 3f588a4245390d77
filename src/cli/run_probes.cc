// The thread begins, ticks and ends the probes, as their rule asks for one thread. It leaves signals to the main
// thread, and it has begun everything before a worker is forked.
#include "cli/run_probes.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <system_error>

#include "audit/reconcile.h"

namespace fathom::cli {
namespace {

constexpr std::chrono::milliseconds kTick{500};
constexpr std::chrono::seconds kIdleWindow{1};

void leave_signals_to_the_main_thread() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

// All that was charged to this process and to the workers that it has waited for: for workers that are threads, or were
// killed before they could say it themselves.
void add_whole_process(const run::ProcessIoCounts& whole, std::vector<result::Count>& counts) {
  if (!whole.readable) return;
  const auto add = [&](const char* name, const char* direction, std::uint64_t bytes) {
    result::Count c;
    c.source = "process";
    c.subject = "fathom";
    c.name = name;
    c.direction = direction;
    c.value = c.low = c.high = c.raw = static_cast<double>(bytes);
    c.unit = "bytes";
    counts.push_back(std::move(c));
  };
  add("read_bytes", "read", whole.read_bytes);
  add("write_bytes", "write", whole.write_bytes);
}

ProbeList listed(bool asked, const job::Command& command, const std::vector<run::Plan>& plans) {
  return asked ? list_probes(command, plans) : ProbeList{};
}

}  // namespace

RunProbes::RunProbes(const job::Command& command, const std::vector<run::Plan>& plans)
    : asked_(std::find(command.audit.begin(), command.audit.end(), "off") == command.audit.end()),
      plans_(plans),
      list_(listed(asked_, command, plans)) {}

RunProbes::~RunProbes() { end(); }

void RunProbes::watch_idle() {
  if (list_.idle.empty()) return;
  begin_all(list_.idle);
  std::this_thread::sleep_for(kIdleWindow);
  end_all();
}

void RunProbes::begin() {
  if (list_.probes.empty() || thread_.joinable()) return;
  for (std::size_t i = 0; i < plans_.size(); ++i) list_.facts.jobs[i].sparse_bytes = sparse_bytes(plans_[i]);
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    list_.facts.missing.push_back(std::string("thread: ") + error.what());
    return;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return begun_; });
  whole_process_ = run::read_process_io(false);
}

void RunProbes::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RunProbes::work() {
  leave_signals_to_the_main_thread();
  ::pthread_setname_np(::pthread_self(), "fathom-audit");
  begin_all(list_.probes);
  {
    const std::lock_guard lock(mutex_);
    begun_ = true;
  }
  changed_.notify_all();
  for (std::unique_lock lock(mutex_); !changed_.wait_for(lock, kTick, [this] { return stop_; });) {
    lock.unlock();
    for (auto& probe : running_) probe->tick();
    lock.lock();
  }
  end_all();
}

// One that cannot begin says why, and the run goes on without it.
void RunProbes::begin_all(Probes& probes) {
  for (auto& probe : probes) {
    if (const auto ok = probe->begin(); ok)
      running_.push_back(std::move(probe));
    else
      list_.facts.missing.push_back(probe->name() + ": " + ok.error().what +
                                    (ok.error().cause.empty() ? "" : ": " + ok.error().cause) +
                                    (ok.error().help.empty() ? "" : "; " + ok.error().help));
  }
  probes.clear();
}

// In the opposite order: what was begun last is nearest to the workers.
void RunProbes::end_all() {
  for (auto at = running_.rbegin(); at != running_.rend(); ++at) {
    auto report = (*at)->end();
    counts_.insert(counts_.end(), report.counts.begin(), report.counts.end());
    list_.findings.insert(list_.findings.end(), report.findings.begin(), report.findings.end());
  }
  std::move(running_.begin(), running_.end(), std::back_inserter(ended_));
  running_.clear();
}

void RunProbes::complete(result::Run& run) {
  if (!asked_) return;
  end();
  add_whole_process(run::grown(whole_process_, run::read_process_io(false)), counts_);
  add_overhead(run, counts_, list_.facts);
  run.audit = audit::reconcile(run, counts_, list_.facts);
  run.findings.insert(run.findings.end(), list_.findings.begin(), list_.findings.end());
}

}  // namespace fathom::cli
