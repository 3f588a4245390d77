// The thread of the probes.
#include "cli/probe_thread.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <iterator>
#include <system_error>
#include <utility>

namespace fathom::cli {
namespace {

constexpr std::chrono::milliseconds kTick{500};

void leave_signals_to_the_main_thread() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

void ProbeThread::begin(Probes probes) {
  if (probes.empty() || thread_.joinable()) return;
  waiting_ = std::move(probes);
  begun_ = stop_ = false;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    missing.push_back(std::string("thread: ") + error.what());
    return;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return begun_; });
}

void ProbeThread::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ProbeThread::work() {
  leave_signals_to_the_main_thread();
  ::pthread_setname_np(::pthread_self(), "fathom-audit");
  begin_all();
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
void ProbeThread::begin_all() {
  for (auto& probe : waiting_) {
    if (const auto ok = probe->begin(); ok)
      running_.push_back(std::move(probe));
    else
      missing.push_back(probe->name() + ": " + ok.error().what +
                        (ok.error().cause.empty() ? "" : ": " + ok.error().cause) +
                        (ok.error().help.empty() ? "" : "; " + ok.error().help));
  }
  waiting_.clear();
}

// In the opposite order: what was begun last is nearest to the workers.
void ProbeThread::end_all() {
  for (auto at = running_.rbegin(); at != running_.rend(); ++at) {
    auto report = (*at)->end();
    counts.insert(counts.end(), report.counts.begin(), report.counts.end());
    findings.insert(findings.end(), report.findings.begin(), report.findings.end());
  }
  std::move(running_.begin(), running_.end(), std::back_inserter(ended));
  running_.clear();
}

}  // namespace fathom::cli
